#include "cost/exchange_exposure.h"

#include <algorithm>
#include <limits>

#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "cost/pipeline_chunks.h"
#include "cost/step_costs.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

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

}  // namespace

/// Interleaved stages end chunk by chunk, over the last p microbatches.
ExchangeExposure::ExchangeExposure(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                                   const StepTimes& step, const LayerCosts& layer, StepEffort effort)
    : measured_(costs.calibration != nullptr),
      hides_(costs.software.hides_gradients),
      contention_(costs.software.contention),
      wholly_(measured_ && hides_wholly(costs.scenario, Hidden::gradients)),
      zero3_(costs.scenario.mapping.zero_stage == 3),
      divided_(costs.scenario.mapping.zero_stage > 0),
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
      room_(passes_at_ends(costs, m) * (m.virtual_stages > 1 ? last_ * step.pace : step.microbatch_time)) {
  if (!measured_ || !plays_passes(costs.scenario, m)) return;
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

Seconds ExchangeExposure::with_gathers(Seconds scatter) const {
  const Seconds sum = wholly_ ? Seconds(0) : scatter;
  if (!played_) return unplayed_gathers(scatter);
  return played_->exposed(layer_gathers(contention_, gather_, sum, forward_, backward_));
}

/// Where passes are not played: a gather before each pass and a scatter after the backward one, hidden
/// behind layers: also those of the output matrix. The first layer's gather, with the embedding's, and its
/// scatter hide behind nothing. Where both are made once, stages gather at the same time, but each slows the
/// microbatch that passes them.
Seconds ExchangeExposure::unplayed_gathers(Seconds scatter) const {
  const Seconds gathers = gather_ * gathered_;
  const Seconds forward = gathers + gather_ * gathered_ends_.output;
  const Seconds scatters = scatter * (layers_ + summed_ends_.output);
  const Seconds before = forward_all_ * gathered_;
  const Seconds behind = backward_all_ * gathered_;
  const Seconds exposed = beside(forward, before) + beside(gathers + scatters, behind);
  const Seconds alone = gather_ * (1 + gathered_ends_.embedding) + scatter * (1 + summed_ends_.embedding);
  if (repeats_) return ways_ * exposed + gathers_ * alone;
  const Seconds slowed = contention_ * (std::min(forward, before) + std::min(scatters, behind));
  return exposed + (ways_ - 1) * slowed + alone;
}

Seconds ExchangeExposure::of_step(Seconds layer) const {
  if (with_weights()) return with_gathers(layer);
  const Exchanged half{layer * (layers_ / 2), Seconds(0)};
  if (measured_ && !divided_) return of_step({layer * layers_, Seconds(0)}, Exchanged{});
  if (measured_) return of_step(half, half);
  const Seconds exchange = layer * layers_;
  // Under ZeRO 3 the gathers of that pass take the same network.
  const Seconds room = (backward_ - std::min(backward_, gather_)) * layers_;
  return std::max(beyond(exchange, room), layer);
}

Seconds ExchangeExposure::of_step(Exchanged sums, Exchanged returns, double stages_behind) const {
  if (wholly_) return Seconds(0);
  const Seconds idle = stages_behind / chunks_ * pace_;
  const double forward = forward_share();
  if (!hides_) return beyond(sums.all, (1 - forward) * idle) + beyond(returns.all, forward * idle);
  const Seconds exposed = beside(sums, behind_share_ * room_) + beside(returns, forward * room_);
  return beyond(exposed, idle);
}

Seconds ExchangeExposure::least(Seconds scatter) const {
  if (!with_weights()) return Seconds(0);
  const double layers = least_layer_ * std::max(0.0, gathered_ - 1) * (repeats_ ? microbatches_ : 1);
  return beyond(layers * (2 * gather_ + (wholly_ ? Seconds(0) : scatter)), passes_);
}

std::optional<Seconds> ExchangeExposure::played(const LayerExchange& layer) const {
  return played_ && !zero3_ ? std::optional(played_->exposed(layer)) : std::nullopt;
}

Seconds ExchangeExposure::contention(Exchanged sums, Exchanged returns) const {
  if (wholly_ || !hides_) return Seconds(0);
  const double forward = forward_share();
  return contention_ * (std::min(sums.all - sums.ends, behind_share_ * room_) +
                        std::min(returns.all - returns.ends, forward * room_));
}

Seconds ExchangeExposure::of_layer(Seconds layer) const {
  return measured_ ? of_step(layer) / (stage_layers_ * microbatches_) : beyond(layer, backward_);
}

Seconds ExchangeExposure::hidden() const {
  if (!measured_) return backward_;
  return wholly_ && !zero3_ ? Seconds(std::numeric_limits<double>::infinity()) : Seconds(0);
}

}  // namespace trainyard
