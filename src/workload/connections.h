// Messages that a library cuts over several connections, as NCCL does over queue pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "workload/workload.h"

namespace trainyard::workload {

/// Which flows of a workload are parts of one.
class Connections {
 public:
  /// Cuts every flow of the workload into `count` flows of equal size but for a byte (no more than it has
  /// bytes), each with a path of its own; the parts of flow f use planes f, f + 1, ... of `planes` in turn.
  /// What waited for a flow waits for all of its parts. Throws InputError at
  /// simulation.connections_per_flow for more flows or dependencies than a simulation takes, and for
  /// lineups, whose flows begin one by one.
  Connections(Workload& workload, std::uint32_t count, std::uint32_t planes);

  bool cut() const { return !first_.empty(); }
  /// Before they were cut.
  std::int64_t flows(const Workload& workload) const {
    return static_cast<std::int64_t>(cut() ? first_.size() - 1 : workload.flows.size());
  }
  /// Parts of a flow: [first_part(f), first_part(f + 1)).
  std::uint32_t first_part(std::uint32_t flow) const { return cut() ? first_[flow] : flow; }
  /// The flow of each part; empty where none is cut.
  std::vector<std::uint32_t> flow_of_parts() const;
  /// Flows from their parts: it began with the first of them and ended with the last.
  std::vector<Flow> joined(std::vector<Flow> parts) const;
  /// Of each flow the sum of what its parts have.
  std::vector<std::uint64_t> summed(std::vector<std::uint64_t> parts) const;

 private:
  void cut_flows(Workload& workload, std::uint32_t count, std::uint32_t planes);
  void cut_dependencies(Workload& workload) const;

  std::vector<std::uint32_t> first_;  // part of each flow, and behind the last one; empty: none is cut
};

}  // namespace trainyard::workload
