#include "step/packet_transfers.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "facility/networks.h"
#include "scenario/step_faults.h"
#include "step/permutation_times.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

constexpr std::array kPhases = {StepWork::pipeline, StepWork::expert, StepWork::weights, StepWork::gradient};

/// What every device sends in each of the transfer's permutations.
Bytes flow_bytes(const TransferClass& c, double bytes) {
  const auto steps = static_cast<double>(std::max<std::int64_t>(1, c.ranks - 1) * c.passes);
  return Bytes(bytes / steps);
}

bool crosses_scale_out(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  return is_transfer(op.work) && op.bytes > 0 && graph.class_of(id).network == StepResource::scale_out;
}

/// Kinds of transfers that a step has on the scale-out network, of those that packets can time.
std::set<StepWork> phases_of(const StepGraph& graph) {
  std::set<StepWork> out;
  for (OperationId id = 0; id < graph.size(); ++id) {
    const StepWork work = graph.operation(id).work;
    if (std::find(kPhases.begin(), kPhases.end(), work) != kPhases.end() && crosses_scale_out(graph, id))
      out.insert(work);
  }
  return out;
}

template <class Works>
std::string names_of(const Works& works) {
  std::string out;
  for (const StepWork work : works) out += (out.empty() ? "" : ", ") + std::string(step_work_name(work));
  return out;
}

/// Whose transfers packets time. Every chosen kind must be there: none is passed over in silence.
std::vector<bool> chosen_operations(const StepGraph& graph, const std::vector<StepWork>& phases) {
  const std::set<StepWork> there = phases_of(graph);
  std::vector<StepWork> missing;
  for (const StepWork phase : phases) {
    if (!there.contains(phase)) missing.push_back(phase);
  }
  if (!missing.empty()) {
    fail_input(
        whole("--phases"),
        fmt::format("no transfer of this step over the scale-out network is of kind {}", names_of(missing)),
        there.empty() ? "nothing that packets time crosses it: --network analytic or flow"
                      : fmt::format("this step has: {}", names_of(there)));
  }
  std::vector<bool> out(graph.size());
  for (OperationId id = 0; id < graph.size(); ++id) {
    const StepWork work = graph.operation(id).work;
    out[id] = crosses_scale_out(graph, id) && std::find(phases.begin(), phases.end(), work) != phases.end();
  }
  return out;
}

/// Closed forms at other paces, with a word on it.
class PacedTransfers : public TransferModel {
 public:
  PacedTransfers(const StepModel& model, const Networks& networks, SendingPace pace, std::string note)
      : transfers_(analytic_transfers(model.graph, networks, model.failures, std::move(pace))),
        note_(std::move(note)) {}

  void start(OperationId operation, StepTime now) override { transfers_->start(operation, now); }
  StepTime next() override { return transfers_->next(); }
  void take(std::vector<TransferEvent>& events) override { transfers_->take(events); }
  std::string note() const override { return note_; }

 private:
  std::unique_ptr<TransferModel> transfers_;
  std::string note_;
};

/// How many times as long as alone the chosen transfers take, by planes that their device has lost.
class PermutationFactors {
 public:
  PermutationFactors(const StepModel& model, const std::vector<StepWork>& phases, const Scenario& scenario,
                     const std::shared_ptr<PermutationMemo>& memo)
      : model_(model), graph_(model.graph), planes_(simulated_design(scenario).planes) {
    check_planes(scenario);
    const std::vector<bool> chosen = chosen_operations(graph_, phases);
    sizes_.assign(graph_.size(), kNotChosen);
    for (OperationId id = 0; id < graph_.size(); ++id) {
      if (chosen[id]) add(id);
    }
    times_.emplace(0, PermutationTimes(scenario, 0, memo));
    for (const auto& [bytes, size] : size_of_) simulate_size(scenario, memo, Bytes(bytes), size);
    if (Bytes(size_of_.rbegin()->first) > times_.at(0).most()) note_extrapolation(times_.at(0));
  }

  /// Of its pace alone.
  double pace(OperationId id, std::size_t interval) const {
    const double left = model_.failures.left(graph_, id, interval);
    if (sizes_[id] == kNotChosen || left == 0) return left;
    return 1 / factors_.at({lost_planes(left), sizes_[id]});
  }

  /// What was simulated: the largest size of each class.
  std::string note() const {
    std::string out;
    for (const auto& [name, bytes] : largest_) {
      out += fmt::format("{}{}: flows of {} take {}", out.empty() ? "" : "; ", name,
                         format_quantity(bytes, Unit::bytes), factors_text(size_of_.at(bytes)));
      if (Bytes(bytes) > times_.at(0).most()) out += extrapolation_;
    }
    return out + fmt::format(" (the last of a permutation over {} hosts)", times_.at(0).hosts());
  }

 private:
  static constexpr std::uint32_t kNotChosen = std::numeric_limits<std::uint32_t>::max();

  void note_extrapolation(PermutationTimes& times) {
    const auto show = [](Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); };
    extrapolation_ = fmt::format(
        ", extrapolated from {} and {} (the same from half of both foretells the larger {:+.2g}% off)",
        show(times.most() / 2), show(times.most()), 100 * times.extrapolation_error());
  }

  /// A host loses planes, and whole ones.
  void check_planes(const Scenario& scenario) const {
    if (model_.failures.none()) return;
    for (const StepFailureInput& f : scenario.step_failures) {
      const double lost = f.lost.value_or(1) * static_cast<double>(planes_);
      if (taken_by(f.what) != FaultTakes::scale_out || std::abs(lost - std::round(lost)) < kWhole) continue;
      fail_input(place_of(f.places, "lost"),
                 fmt::format("step_failure.lost = {} is {:.4g} of the {} planes of the design", *f.lost, lost,
                             planes_),
                 "packets lose whole planes: a multiple of 1 / planes, more 'planes' of the [[design]], or "
                 "--network analytic");
    }
  }

  std::int64_t lost_planes(double left) const {
    return std::llround((1 - left) * static_cast<double>(planes_));
  }

  /// Sizes of flows, and which planes are down while they are sent.
  void add(OperationId id) {
    const TransferClass& c = graph_.class_of(id);
    const double bytes = flow_bytes(c, graph_.operation(id).bytes).si();
    const auto size = size_of_.try_emplace(bytes, static_cast<std::uint32_t>(size_of_.size())).first->second;
    sizes_[id] = size;
    largest_[c.name] = std::max(largest_[c.name], bytes);
    lost_of_.resize(size_of_.size());
    for (std::size_t i = 0; i < model_.failures.intervals().size(); ++i) {
      const double left = model_.failures.left(graph_, id, i);
      if (left > 0) lost_of_[size].insert(lost_planes(left));
    }
  }

  void simulate_size(const Scenario& scenario, const std::shared_ptr<PermutationMemo>& memo, Bytes bytes,
                     std::uint32_t size) {
    for (const std::int64_t lost : lost_of_[size]) {
      if (!times_.contains(lost)) times_.emplace(lost, PermutationTimes(scenario, lost, memo));
      factors_[{lost, size}] = times_.at(lost).slowdown(bytes);
    }
  }

  std::string factors_text(std::uint32_t size) const {
    std::string out;
    for (const std::int64_t lost : lost_of_[size]) {
      const double factor = factors_.at({lost, size});
      if (out.empty()) out = fmt::format("{:.3g} times the least time", factor);
      if (lost > 0)
        out += fmt::format(" ({:.3g} with {} of {} planes of a host down)", factor, lost, planes_);
    }
    return out;
  }

  static constexpr double kWhole = 1e-6;

  const StepModel& model_;
  const StepGraph& graph_;
  std::int64_t planes_;
  std::vector<std::uint32_t> sizes_;  // by operation
  std::map<double, std::uint32_t> size_of_;
  std::vector<std::set<std::int64_t>> lost_of_;  // by size: planes
  std::map<std::pair<std::int64_t, std::uint32_t>, double> factors_;
  std::map<std::int64_t, PermutationTimes> times_;  // by planes
  std::map<std::string, double> largest_;           // by class: bytes of a flow
  std::string extrapolation_;
};

}  // namespace

std::span<const StepWork> packet_phases() { return kPhases; }

TransferModelMaker slowed_network(const std::vector<StepWork>& phases, double times) {
  return [=](const StepModel& model, const Plan& plan) -> std::unique_ptr<TransferModel> {
    const auto pace = [&model, chosen = chosen_operations(model.graph, phases), times](OperationId id,
                                                                                       std::size_t interval) {
      return model.failures.left(model.graph, id, interval) / (chosen[id] ? times : 1);
    };
    return analytic_transfers(model.graph, networks_of(plan.scenario), model.failures, pace);
  };
}

TransferModelMaker packet_network(const std::vector<StepWork>& phases) {
  const auto memo = std::make_shared<PermutationMemo>();
  return [=](const StepModel& model, const Plan& plan) -> std::unique_ptr<TransferModel> {
    const auto factors = std::make_shared<PermutationFactors>(model, phases, plan.scenario, memo);
    const auto pace = [factors](OperationId id, std::size_t interval) { return factors->pace(id, interval); };
    return std::make_unique<PacedTransfers>(model, networks_of(plan.scenario), pace, factors->note());
  };
}

}  // namespace trainyard
