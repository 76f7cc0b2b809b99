#include "cost/exchange_exposure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_phases.h"
#include "cost/exchange_times.h"
#include "cost/pipeline_chunks.h"
#include "cost/step_costs.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

using SummedStage = ExchangeExposure::SummedStage;

/// Whose exchanges a step counts. Where each microbatch gathers, a device that holds two stages gathers
/// either for half of them.
double passed_layers(const CostCase& costs, const MappingPlan& m, OfLayer of_layer) {
  const bool halves = repeats_gathers(costs.scenario, costs.software, m) &&
                      holds_two_stages(costs.scenario.step.schedule, m.pipeline);
  return exchanged_layers(costs, m, of_layer) / (halves ? 2 : 1);
}

/// What is gathered and summed for every microbatch slows each of them; what is gathered once, the first on
/// its way through the stages, and the last on its way back what is summed once.
double slowed_ways(const CostCase& costs, const MappingPlan& m, const StepTimes& step) {
  const double behind = real(m.pipeline - 1);
  if (repeats_gathers(costs.scenario, costs.software, m))
    return real(m.microbatches) + behind * step.fill_share;
  return 1 + behind * costs.schedule.fill_share.value_or(1);
}

/// Of a device that holds two stages, each ends, and begins, with a microbatch of its own.
double passes_at_ends(const CostCase& costs, const MappingPlan& m) {
  return holds_two_stages(costs.scenario.step.schedule, m.pipeline) ? 2 : 1;
}

ExchangedEnds ends_of(const CostCase& costs, const MappingPlan& m,
                      ExchangedEnds (*of)(const CostCase& costs, const MappingPlan& m)) {
  return costs.calibration && costs.scenario.mapping.zero_stage == 3 ? of(costs, m) : ExchangedEnds{};
}

/// Of the first, the last and the fullest stage.
std::array<SummedStage, 3> stages_that_sum(const CostCase& costs, const MappingPlan& m) {
  const bool two = holds_two_stages(costs.scenario.step.schedule, m.pipeline);
  const double embedding = summed_ends(costs, m).embedding;
  const auto stage = [&](std::int64_t which) {
    const bool first = which == 0 || (two && which == m.pipeline - 1);
    return SummedStage{summed_layers(costs, m, which), first ? embedding : 0, two ? 0 : real(which)};
  };
  return {stage(0), stage(m.pipeline - 1), stage(fullest_stage(costs.model, m))};
}

}  // namespace

/// Interleaved stages end chunk by chunk, over the last p microbatches.
ExchangeExposure::ExchangeExposure(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                                   const StepTimes& step, const LayerCosts& layer, StepEffort effort)
    : measured_(costs.calibration != nullptr),
      hides_(costs.software.hides_gradients),
      contention_(costs.software.contention),
      wholly_(measured_ && hides_wholly(costs.scenario, Hidden::gradients)),
      zero3_(costs.scenario.mapping.zero_stage == 3),
      layers_(passed_layers(costs, m, held_by_layer)),
      gathered_(passed_layers(costs, m, weights_by_layer)),
      gathered_ends_(ends_of(costs, m, gathered_ends)),
      summed_ends_(ends_of(costs, m, summed_ends)),
      stage_layers_(real(m.layers_per_stage)),
      microbatches_(real(m.microbatches)),
      repeats_(repeats_gathers(costs.scenario, costs.software, m)),
      gathers_(repeats_ ? real(m.microbatches) : 1),
      ways_(slowed_ways(costs, m, step)),
      gather_(c.weight_gather),
      forward_(step.forward),
      backward_(step.backward),
      forward_all_(step.forward + c.tensor_exposed * c.tensor_forward + c.context_forward +
                   c.expert_exposed * c.expert_forward),
      backward_all_(step.backward + c.tensor_exposed * c.tensor_backward + c.context_backward +
                    c.expert_exposed * c.expert_backward),
      behind_share_((costs.schedule.weights_apart ? layer.usual.backward_weight : backward_all_) /
                    (forward_all_ + backward_all_)),
      last_(m.virtual_stages > 1 ? std::min(real(m.pipeline), real(m.microbatches)) : 1),
      chunks_(real(m.virtual_stages)),
      pace_(step.pace),
      straggling_(step.straggling),
      room_(passes_at_ends(costs, m) * (m.virtual_stages > 1 ? last_ * step.pace : step.microbatch_time)) {
  if (!measured_) return;
  summed_stages_ = stages_that_sum(costs, m);
  if (!plays_passes(costs.scenario, m)) return;
  bounds_ = effort == StepEffort::bound;
  least_layer_ =
      std::min({1.0, exchanged_dense(costs, m, held_by_layer), exchanged_dense(costs, m, weights_by_layer)});
  passes_ = step.pace * real(m.microbatches) + step.bubble;
  const bool beside_passes = with_weights() || (hides_ && !wholly_);
  if (!bounds_ && beside_passes) played_.emplace(costs, m, c, step, layer);
}

/// What is left of a transfer beside compute, whose processors and memory it slows.
Seconds ExchangeExposure::beside(Seconds transfer, Seconds compute) const {
  return beyond(transfer, compute) + contention_ * std::min(transfer, compute);
}

/// A chunk's exchange begins with its last microbatch: the last chunk's has that pass alone to hide behind.
Seconds ExchangeExposure::beside(Exchanged exchanged, Seconds compute) const {
  const Seconds hidden = exchanged.all - exchanged.ends;
  const Seconds chunk = beyond(hidden / chunks_, compute / (last_ * chunks_));
  return std::max(beyond(hidden, compute), chunk) + contention_ * std::min(hidden, compute) + exchanged.ends;
}

Seconds ExchangeExposure::with_gathers(const ExchangePhases& sums) const {
  if (!played_) return unplayed_gathers(sums.sum, summed_once(sums));
  const Seconds sum = wholly_ ? Seconds(0) : sums.sum;
  LayerExchange layer = layer_gathers(contention_, gather_, sum, forward_, backward_);
  layer.sum_first = sums.first;
  layer.sum_apart = layer.sum;
  if (!wholly_) layer.sum_once = summed_once(sums);
  return played_->exposed(layer);
}

/// Where passes are not played: a gather before each pass and a scatter after the backward one, hidden
/// behind layers: also those of the output matrix. The first layer's gather, with the embedding's, and its
/// scatter hide behind nothing. Where both are made once, stages gather at the same time, but each slows the
/// microbatch that passes them.
Seconds ExchangeExposure::unplayed_gathers(Seconds scatter, Seconds once) const {
  const Seconds gathers = gather_ * gathered_;
  const Seconds forward = gathers + gather_ * gathered_ends_.output;
  const Seconds scatters = scatter * (layers_ + summed_ends_.output);
  const Seconds before = forward_all_ * gathered_;
  const Seconds behind = backward_all_ * gathered_;
  const Seconds exposed = beside(forward, before) + beside(gathers + scatters, behind);
  const Seconds alone =
      gather_ * (1 + gathered_ends_.embedding) + scatter * (1 + summed_ends_.embedding) + once;
  if (repeats_) return ways_ * exposed + gathers_ * alone;
  const Seconds slowed = contention_ * (std::min(forward, before) + std::min(scatters, behind));
  return exposed + (ways_ - 1) * slowed + alone;
}

ExchangeExposure::Exposed ExchangeExposure::staged(const ExchangePhases& of_layer) const {
  if (!measured_) return idealised(of_layer.sum);
  ExchangePhases layer = of_layer;
  layer.delay = layer.delay / straggling_;                                 // light waits for no server
  if (std::isinf(layer.delay.si())) return {layer.delay, Seconds(0), {}};  // never ends
  if (zero3_) return {with_gathers(layer), Seconds(0), {}};
  LayerExchange played;
  played.sum = layer.sum;
  played.returned = layer.returned;
  played.sum_once = summed_once(layer);
  played.sum_apart = layer.sum_apart;
  played.returned_once = layer.returned_once;
  const auto& [first, last, fullest] = summed_stages_;
  return of_stages({in_stages(layer, first), in_stages(layer, last), in_stages(layer, fullest)}, played);
}

ExchangeExposure::Exposed ExchangeExposure::idealised(Seconds layer) const {
  const Seconds exchange = layer * layers_;
  // Under ZeRO 3 the gathers of that pass take the same network.
  const Seconds room = (backward_ - std::min(backward_, gather_)) * layers_;
  Exposed out;
  out.exposed = std::max(beyond(exchange, room), layer);
  out.longest.sums.all = exchange;
  return out;
}

/// Of both ways, what nothing hides: the embedding's, which come last and leave first, the first layer that
/// returns, and what is waited for once.
ExchangeExposure::BothWays ExchangeExposure::in_stages(const ExchangePhases& layer,
                                                       const SummedStage& stage) const {
  const auto way = [&](Seconds one, double alone, Seconds once) {
    return Exchanged{stage.layers * one + once, alone * one + once};
  };
  BothWays out;
  const Seconds once = summed_once(layer);
  out.sums = way(layer.sum_apart, stage.embedding, once);
  out.sums.all = std::max(out.sums.all, stage.layers * layer.sum);
  if (layer.returned.si() > 0)
    out.returns = way(layer.returned, std::min(stage.layers, 1 + stage.embedding), layer.returned_once);
  out.stages_behind = stage.behind;
  return out;
}

ExchangeExposure::Exposed ExchangeExposure::of_stages(std::initializer_list<BothWays> stages,
                                                      const LayerExchange& layer) const {
  Exposed out;
  for (const BothWays& stage : stages) {
    const Seconds exposed = of_stage(stage);
    if (&stage != stages.begin() && exposed <= out.exposed) continue;
    out.exposed = exposed;
    out.longest = stage;
  }
  out.contention = std::min(out.exposed, contention(out.longest));
  if (played_ && !zero3_) out.exposed = played_->exposed(layer) + out.contention;
  return out;
}

Seconds ExchangeExposure::of_stage(const BothWays& stage) const {
  if (wholly_) return Seconds(0);
  const Seconds idle = stage.stages_behind / chunks_ * pace_;
  const double forward = forward_share();
  if (!hides_)
    return beyond(stage.sums.all, (1 - forward) * idle) + beyond(stage.returns.all, forward * idle);
  const Seconds exposed = beside(stage.sums, behind_share_ * room_) + beside(stage.returns, forward * room_);
  return beyond(exposed, idle);
}

Seconds ExchangeExposure::least(Seconds scatter) const {
  if (!with_weights()) return Seconds(0);
  const double layers = least_layer_ * std::max(0.0, gathered_ - 1) * (repeats_ ? microbatches_ : 1);
  return beyond(layers * (2 * gather_ + (wholly_ ? Seconds(0) : scatter)), passes_);
}

Seconds ExchangeExposure::contention(const BothWays& stage) const {
  if (wholly_ || !hides_) return Seconds(0);
  const double forward = forward_share();
  return contention_ * (std::min(stage.sums.all - stage.sums.ends, behind_share_ * room_) +
                        std::min(stage.returns.all - stage.returns.ends, forward * room_));
}

Seconds ExchangeExposure::of_layer(const ExchangePhases& layer) const {
  return measured_ ? of_step(layer) / (stage_layers_ * microbatches_) : beyond(layer.sum, backward_);
}

Seconds ExchangeExposure::hidden() const {
  if (!measured_) return backward_;
  return wholly_ && !zero3_ ? Seconds(std::numeric_limits<double>::infinity()) : Seconds(0);
}

}  // namespace trainyard
