// What a step's transfers need of circuits.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "step/graph.h"
#include "trainyard/circuits.h"
#include "trainyard/networks.h"

namespace trainyard {

struct Plan;
struct StepModel;

namespace circuits {

/// Whom a transfer meets.
enum class Traffic : std::uint8_t { data, ends, all, expert, context, pipeline };
std::string_view traffic_name(Traffic traffic);

/// What a class of transfers needs.
struct ClassNeed {
  bool on_rail = false;
  Traffic traffic = Traffic::data;
  bool all_to_all = false;
  std::int64_t members = 0;
  std::int64_t neighbours = 0;
  std::int64_t ports = 0;  // that work for it
  double share = 1;        // of the rate of all ports
  double detour = 1;       // bytes on the ports over bytes sent, where hosts pass on
  std::int64_t turns = 1;  // of an all-to-all
  bool by_pair = false;    // a set of circuits for each pair of stages
};

/// Ports of devices: those that they have, and those that work.
struct Ports {
  std::int64_t all = 2;
  std::int64_t working = 2;
  double kept = 1;  // share of the rate that is left to a rail's traffic
};

/// Of a graph, under a rule.
class Demands {
 public:
  /// `change`: time of a change, by which an all-to-all chooses its way. Throws Infeasible where a device has
  /// too few ports.
  Demands(const StepModel& model, const Plan& plan, const CircuitsInput& settings, Ports ports,
          StepTime change);

  bool by_circuit(OperationId id) const;
  bool electrical(OperationId id) const;
  const ClassNeed& of(OperationId id) const { return needs_[graph_.operation(id).transfer]; }
  const std::vector<ClassNeed>& classes() const { return needs_; }
  bool fixed() const { return settings_.reconfigure == CircuitChange::never; }

  /// Which set of circuits; equal ones are equal numbers.
  std::int32_t key(OperationId id) const { return keys_[id]; }
  std::int32_t keys() const { return static_cast<std::int32_t>(key_traffic_.size()); }
  Traffic traffic_of(std::int32_t key) const { return key_traffic_[static_cast<std::size_t>(key)]; }

  /// Classes of devices that take part, by replica class and stage; `nodes()` of them in all.
  const std::vector<std::int32_t>& members(OperationId id) const { return groups_[group_[id]]; }
  std::int32_t nodes() const { return replicas_ * stages_; }
  std::int32_t stages() const { return stages_; }

  /// Time that its bytes take on its circuits, alone, changes within it apart.
  StepTime sending(OperationId id) const;
  /// Changes within it.
  double turns_within(OperationId id) const;

 private:
  void add_class(std::size_t index, const Plan& plan);
  void set_group(ClassNeed& need, const TransferClass& c, const Plan& plan) const;
  void set_ports(ClassNeed& need, StepTime change, double bytes) const;
  void share_ports_for_good();
  void set_all_to_all(ClassNeed& need, StepTime change, double bytes) const;
  StepTime at_rate(double bytes, BytesPerSecond rate) const;
  void number_keys();
  void find_members();
  std::vector<std::int32_t> members_of(OperationId id) const;

  using KeyOf = std::tuple<Traffic, std::int64_t, std::int32_t>;
  KeyOf key_of(OperationId id) const;

  const StepGraph& graph_;
  CircuitsInput settings_;
  Ports ports_;
  NetworkRate rail_;
  std::int32_t stages_ = 1;
  std::int32_t replicas_ = 1;
  std::int64_t layers_per_operation_ = 1;
  std::vector<double> most_bytes_;  // of an operation, by class
  std::vector<ClassNeed> needs_;
  std::vector<std::int32_t> keys_;    // of operations; -1: none
  std::vector<std::uint32_t> group_;  // of operations, in groups_
  std::vector<std::vector<std::int32_t>> groups_;
  std::vector<Traffic> key_traffic_;
};

/// What the answer shows of the classes.
std::vector<CircuitUse> uses_of(const Demands& demands, const StepGraph& graph);

}  // namespace circuits
}  // namespace trainyard
