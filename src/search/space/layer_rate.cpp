#include "search/space/layer_rate.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "cost/cost_case.h"
#include "cost/step_costs.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/free_settings.h"
#include "scenario/mapping_faults.h"
#include "search/mapping_space.h"
#include "trainyard/plan.h"
#include "trainyard/range.h"

namespace trainyard {
namespace {

constexpr std::array<std::string_view, 7> kOfLayers = {
    "mapping.tensor",     "mapping.context",    "mapping.expert",   "mapping.expert_tensor",
    "mapping.microbatch", "mapping.zero_stage", "mapping.recompute"};

/// Of a microbatch, forward and backward through all layers: what no plan does in less device time. A step
/// takes at least `microbatches` times the pace of its slowest stage, and that is no less than the mean over
/// the p stages, this time over p: times of stages are those of their layers with what their groups exchange,
/// and further terms that are never below 0 (transfers between stages, to experts, of weights and gradients;
/// filling and draining; the optimizer), times a straggling of at least 1. The steady state counts every
/// stage as full as the fullest, and all layers as usual ones.
Seconds pass_time(const CostCase& costs, MappingPlan m) {
  m.microbatches = 1;  // the first adds no gradients
  const LayerCosts layer = layer_costs(costs, m);
  const LayerTraffic& c = layer.traffic;
  // Passes in turns may hide each other's.
  const Seconds exchanges = costs.schedule.pairs_passes
                                ? Seconds(0)
                                : c.tensor_exposed * (c.tensor_forward + c.tensor_backward) +
                                      c.context_forward + c.context_backward;
  // Copies around gathers are fewer with more replicas, stages and microbatches.
  const auto compute = [](const LayerTimes& t) { return t.forward + t.backward - t.copies; };
  const Seconds usual = compute(layer.usual) + exchanges;
  const Seconds dense = compute(layer.dense) + exchanges;
  const StageLayers layers = stage_layers(costs.model.shape, {}, 0);
  if (costs.scenario.assumptions.step_rule == StepRule::steady_state) return real(layers.total()) * usual;
  return real(layers.sparse) * usual + real(layers.dense) * dense + layer.ends.first + layer.ends.last -
         layer.ends.copies;
}

/// What every mapping that the program may choose computes of its layers, the counts that are given held.
std::vector<MappingPlan> plans_of_layers(const MappingSpace& space) {
  std::vector<MappingPlan> out;
  for (const std::int64_t tensor : space.tensors()) {
    for (const std::int64_t context : space.contexts()) {
      for (const std::int64_t expert : space.experts()) {
        for (const std::optional<std::int64_t> cut : space.expert_tensors(tensor)) {
          for (const std::int64_t microbatch : space.microbatches()) {
            MappingPlan& m = out.emplace_back();
            m.tensor = tensor;
            m.context = context;
            m.expert = expert;
            m.expert_tensor = cut.value_or(tensor);
            m.microbatch = microbatch;
            // In one domain, where nothing makes launches longer.
            m.experts_on_context = true;
            m.held_in_domain = m.expert_devices();
          }
        }
      }
    }
  }
  return out;
}

/// Of microbatch x replicas x sequence tokens on tensor x context x p x replicas devices, in the time that a
/// microbatch takes over p.
double tokens_per_second(const Plan& begun, const CostCase& costs, const MappingPlan& m) {
  return real(begun.facility.devices) * real(m.microbatch) * real(begun.model.shape.sequence) /
         (real(m.tensor) * real(m.context) * pass_time(costs, m).si());
}

}  // namespace

LayerMappings::LayerMappings(const FreeSettings& free, const MappingValues& counts) : counts_(counts) {
  for (std::size_t s = 0; s < free.settings().size(); ++s) {
    values_.push_back(free.settings()[s].values.size());
    if (std::ranges::find(kOfLayers, free.settings()[s].key) == kOfLayers.end()) {
      (counts.holds(s) ? points_each_ : facilities_) *= static_cast<double>(values_.back());
      continue;
    }
    settings_.push_back(s);
    points_each_ *= static_cast<double>(values_.back());
    count_ *= static_cast<double>(values_.back());
  }
}

/// Nothing: one of its values is none.
std::optional<MappingInput> LayerMappings::mapping(std::uint64_t number, MappingInput like) const {
  for (const std::size_t s : settings_) {
    if (!counts_.apply(s, number % values_[s], like)) return std::nullopt;
    number /= values_[s];
  }
  return like;
}

std::optional<double> LayerMappings::most_tokens_per_second(const Plan& begun, double most_mappings) const {
  if (count_ > most_mappings) return std::nullopt;
  Scenario scenario = begun.scenario;
  const CostCase costs(scenario, begun.model);
  std::optional<double> most;
  for (std::uint64_t number = 0; static_cast<double>(number) < count_; ++number) {
    const std::optional<MappingInput> mapping = this->mapping(number, begun.scenario.mapping);
    if (!mapping) continue;
    scenario.mapping = *mapping;
    const MappingFaults faults = mapping_faults(scenario);
    if (faults.uneven_experts || faults.cut_experts || faults.long_context || faults.wide_tensor) continue;
    const MappingSpace space(scenario, begun.facility, begun.model, SpaceWidth::wide);
    scenario.mapping.zero_stage = space.zero_stages(1).front();
    scenario.mapping.recompute = space.recomputes().front();
    const std::vector<MappingPlan> plans = plans_of_layers(space);
    most_mappings -= static_cast<double>(plans.size());
    if (most_mappings < 0) return std::nullopt;
    for (const MappingPlan& m : plans) {
      const double rate = tokens_per_second(begun, costs, m);
      if (!most || rate > *most) most = rate;
    }
  }
  constexpr double kRounding = 1e-9;  // plans add up the same in another order
  return most ? std::optional(*most * (1 + kRounding)) : std::nullopt;
}

}  // namespace trainyard
