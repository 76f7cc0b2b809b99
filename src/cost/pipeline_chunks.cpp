#include "cost/pipeline_chunks.h"

#include <algorithm>

#include "base/whole_numbers.h"
#include "cost/calibrated_compute.h"
#include "cost/cost_case.h"
#include "cost/stage_sends.h"
#include "cost/step_costs.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

PlayedChunk chunk_of(const StageLayers& layers, const CommunicationPlan& c, const LayerCosts& layer) {
  const double all = real(layers.total());
  const auto of_layers = [&](Seconds LayerTimes::*part) {
    return layer.usual.*part * real(layers.sparse) + layer.dense.*part * real(layers.dense);
  };
  const auto way = [&](Seconds LayerTimes::*compute, Seconds tensor, Seconds context, Seconds expert) {
    return WayTimes{of_layers(compute), c.tensor_exposed * tensor * all, context * all,
                    c.expert_exposed * expert * real(layers.sparse)};
  };
  PlayedChunk out;
  out.layers = layers;
  out.forward = way(&LayerTimes::forward, c.tensor_forward, c.context_forward, c.expert_forward);
  out.backward = way(&LayerTimes::backward, c.tensor_backward, c.context_backward, c.expert_backward);
  out.weight = of_layers(&LayerTimes::backward_weight);
  return out;
}

}  // namespace

bool plays_passes(const Scenario& scenario, const MappingPlan& m) {
  constexpr double kMostOfRound = 1 << 16;  // a round passes each stage's chunks as often as there are stages
  const double of_round = real(m.pipeline) * real(m.pipeline) * real(m.virtual_stages);
  return of_round <= kMostOfRound && is_scheduled(scenario.step.schedule, m);
}

bool waits_for_host(const Scenario& scenario, const MappingPlan& m) {
  const bool counts =
      scenario.assumptions.step_rule != StepRule::steady_state && calibration_in_force(scenario) != nullptr;
  return counts && scenario.mapping.offload_activations && plays_passes(scenario, m);
}

std::vector<PlayedChunk> played_chunks(const CostCase& costs, const MappingPlan& m,
                                       const CommunicationPlan& c, const LayerCosts& layer) {
  const EndTimes ends = ends_of_stages(layer.ends, costs.scenario, m.pipeline);
  const std::vector<Seconds> sends = sends_between(costs, m, c);
  std::vector<PlayedChunk> out;
  for (const StageLayers& layers : chunk_layers(costs.model.shape, stage_cut(m), m.virtual_stages)) {
    const std::int64_t stage = std::ssize(out) % m.pipeline;
    PlayedChunk chunk = chunk_of(layers, c, layer);
    chunk.each = ends.each / real(m.virtual_stages);
    chunk.send_before = sends[index((stage + m.pipeline - 1) % m.pipeline)];
    chunk.send_behind = sends[index(stage)];
    out.push_back(chunk);
  }
  out.front().head += ends.first;
  out.front().send_before = Seconds(0);
  out.back().head += ends.last;
  out.back().send_behind = Seconds(0);
  return out;
}

Seconds shortest_of_chunks(const ScheduleRules& rules, const ScheduleShape& shape,
                           const std::vector<PlayedChunk>& chunks, bool waits) {
  if (rules.pairs_passes) return Seconds(0);
  Seconds longest{0};
  Seconds ways{0};
  for (std::int32_t stage = 0; stage < shape.stages; ++stage) {
    Seconds busy{0};
    for (std::size_t depth = index(stage); depth < chunks.size(); depth += index(shape.stages)) {
      const PlayedChunk& held = chunks[depth];
      busy += held.forward.alone() + held.backward.alone() + held.ends();
      if (waits) busy += held.send_before + held.send_behind;
    }
    const PlayedChunk& first = chunks[index(stage)];
    const Seconds counted = waits ? first.send_before : Seconds(0);  // the last microbatch's way back
    longest = std::max(longest, ways - counted + real(shape.microbatches) * busy);
    ways += first.forward.alone() + first.send_behind;
    if (stage + 1 < shape.stages && !rules.weights_apart)
      ways += first.backward.alone() + chunks[index(stage + 1)].send_before;
  }
  return longest;
}

}  // namespace trainyard
