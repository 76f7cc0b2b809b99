#include "step/packet_transfers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/errors.h"
#include "base/quantity_text.h"
#include "network/network.h"
#include "network/packet/simulate.h"
#include "topology/topology.h"

namespace trainyard {
namespace {

constexpr std::array kPhases = {StepWork::pipeline, StepWork::expert, StepWork::weights, StepWork::gradient};

/// The scenario with all hosts that take part in a permutation of flows of this size.
Scenario permutation_of(const Scenario& scenario, Bytes bytes) {
  Scenario out = scenario;
  SimulationInput& s = out.simulation;
  s.traffic = "permutation";
  s.bytes = bytes;
  s.load.reset();
  s.flows.reset();
  s.duration.reset();
  s.sizes.reset();
  s.chunks.reset();
  s.group.reset();
  return out;
}

/// What every device sends in each of the transfer's permutations.
Bytes flow_bytes(const TransferClass& c, double bytes) {
  return Bytes(bytes / static_cast<double>(std::max<std::int64_t>(1, c.ranks - 1)));
}

/// Whose transfers packets time.
std::vector<bool> chosen_operations(const StepGraph& graph, const std::vector<StepWork>& phases) {
  std::vector<bool> out(graph.size());
  for (OperationId id = 0; id < graph.size(); ++id) {
    const StepOperation& op = graph.operation(id);
    out[id] = is_transfer(op.work) && op.bytes > 0 && graph.class_of(id).network == StepResource::scale_out &&
              std::find(phases.begin(), phases.end(), op.work) != phases.end();
  }
  if (std::find(out.begin(), out.end(), true) != out.end()) return out;
  std::string names;
  for (const StepWork phase : phases)
    names += (names.empty() ? "" : ", ") + std::string(step_work_name(phase));
  fail_input(whole("--network packet"),
             fmt::format("no transfer of the chosen kinds ({}) goes over the scale-out network", names),
             "choose others with --phases, or --network analytic");
}

/// Closed forms, slowed, with a word on it.
class SlowedTransfers : public TransferModel {
 public:
  SlowedTransfers(const StepGraph& graph, const Networks& networks, Slowdown slowdown, std::string note)
      : transfers_(analytic_transfers(graph, networks, std::move(slowdown))), note_(std::move(note)) {}

  void start(OperationId operation, StepTime now) override { transfers_->start(operation, now); }
  StepTime next() override { return transfers_->next(); }
  void take(std::vector<TransferEvent>& events) override { transfers_->take(events); }
  std::string note() const override { return note_; }

 private:
  std::unique_ptr<TransferModel> transfers_;
  std::string note_;
};

/// Factors of the chosen operations, and what was simulated for them.
struct Factors {
  std::vector<double> of;  // by operation
  std::string note;
};

/// Each class's sizes once; the note has the largest of each class.
Factors simulated_factors(const StepGraph& graph, const std::vector<bool>& chosen, const Scenario& scenario) {
  PermutationTimes times(scenario);
  Factors out{std::vector<double>(graph.size(), 1), {}};
  std::map<double, double> known;                            // by bytes of a flow
  std::map<std::string, std::pair<double, double>> largest;  // by class: bytes of a flow, factor
  for (OperationId id = 0; id < graph.size(); ++id) {
    if (!chosen[id]) continue;
    const TransferClass& c = graph.class_of(id);
    const Bytes bytes = flow_bytes(c, graph.operation(id).bytes);
    const auto [at, is_new] = known.try_emplace(bytes.si(), 1);
    if (is_new) at->second = times.slowdown(bytes);
    out.of[id] = at->second;
    largest[c.name] = std::max(largest[c.name], std::pair(bytes.si(), at->second));
  }
  for (const auto& [name, entry] : largest) {
    const auto& [bytes, factor] = entry;
    out.note += fmt::format("{}{}: flows of {} take {:.3g} times the least time{}",
                            out.note.empty() ? "" : "; ", name, format_quantity(bytes, Unit::bytes), factor,
                            Bytes(bytes) > times.most() ? ", extrapolated" : "");
  }
  out.note += fmt::format(" (the last of a permutation over {} hosts)", times.hosts());
  return out;
}

}  // namespace

PermutationTimes::PermutationTimes(const Scenario& scenario) : scenario_(scenario) {
  const NetworkDesign design = simulated_design(scenario);
  hosts_ = design.fabric->endpoints() - design.gateways;
  const double packet = scenario.simulation.packet.si();
  const double packets = kMostSamplePackets / (static_cast<double>(hosts_) * scenario.simulation.active);
  if (packets < static_cast<double>(std::max<std::int64_t>(2, scenario.simulation.window))) {
    fail_design(design.input, "hosts",
                fmt::format("a network of {} hosts is more than packets are simulated on for a step", hosts_),
                "give a sample of it: fewer `hosts`, and a smaller `radix` for as many tiers");
  }
  most_ = Bytes(std::floor(packets) * packet);
}

Seconds PermutationTimes::last(Bytes bytes) {
  const auto [at, is_new] = last_.try_emplace(bytes.si());
  if (is_new) at->second = simulate(permutation_of(scenario_, bytes)).longest;
  return at->second;
}

Seconds PermutationTimes::least(Bytes bytes) const {
  return least_completion(permutation_of(scenario_, bytes));
}

double PermutationTimes::slowdown(Bytes bytes) {
  const Bytes size(std::max(1.0, std::round(bytes.si())));
  if (size <= most_) return std::max(1.0, last(size) / least(size));
  const Seconds half = last(most_ / 2);
  const Seconds whole_size = last(most_);
  const double slope = (whole_size - half).si() / (most_ / 2).si();
  const Seconds time = whole_size + Seconds(slope * (size - most_).si());
  return std::max(1.0, time / least(size));
}

std::span<const StepWork> packet_phases() { return kPhases; }

TransferModelMaker slowed_network(const std::vector<StepWork>& phases, double times) {
  return [=](const StepModel& model, const Plan& plan) -> std::unique_ptr<TransferModel> {
    const auto slowdown = [chosen = chosen_operations(model.graph, phases), times](OperationId id) {
      return chosen[id] ? times : 1;
    };
    return analytic_transfers(model.graph, networks_of(plan.scenario), slowdown);
  };
}

TransferModelMaker packet_network(const std::vector<StepWork>& phases) {
  return [=](const StepModel& model, const Plan& plan) -> std::unique_ptr<TransferModel> {
    Factors factors = simulated_factors(model.graph, chosen_operations(model.graph, phases), plan.scenario);
    const auto slowdown = [of = std::move(factors.of)](OperationId id) { return of[id]; };
    return std::make_unique<SlowedTransfers>(model.graph, networks_of(plan.scenario), slowdown,
                                             std::move(factors.note));
  };
}

}  // namespace trainyard
