// A simulation laid out for packets, whatever its transport: network, traffic, failures, limits and probes.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/queueing.h"
#include "network/wiring/faults.h"
#include "network/wiring/layout.h"
#include "trainyard/flow.h"
#include "trainyard/packet_records.h"
#include "trainyard/units.h"
#include "workload/connections.h"
#include "workload/workload.h"

namespace trainyard {

struct SimulationCase;
struct SimulationInput;

struct PacketCase {
  /// `wanted` has to outlive it. Throws InputError for what cannot be laid out, and for flows that take too
  /// many packets or too long.
  explicit PacketCase(const SimulationCase& wanted);

  /// What a flow takes in an empty network; where switches sum, up to the root and down again.
  Seconds ideal_time(const workload::Flow& flow) const;
  Seconds ideal_time(std::uint64_t bytes, wiring::Reach reach) const;
  /// Of the flows with the most bytes, the longest ideal time.
  Seconds least() const;
  Seconds least(const std::vector<workload::Flow>& flows) const;

  const SimulationCase& asked;
  const SimulationInput& input;
  wiring::Layout layout;
  workload::Workload workload;
  workload::Connections connections;
  Bytes all_bytes{0};
  std::vector<wiring::Fault> faults;
  wiring::LinkState links;
  wiring::HostLimits limits;
  std::vector<packet::Probe> probes;

 private:
  void check(std::uint32_t flow) const;
  Seconds slowest_byte() const;
  std::vector<wiring::Reach> farthest_of_sums() const;

  std::vector<wiring::Reach> ways_of_sums_;
};

}  // namespace trainyard
