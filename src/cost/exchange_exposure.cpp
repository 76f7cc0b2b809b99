#include "cost/exchange_exposure.h"

#include <algorithm>
#include <limits>

#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_times.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/communication.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Of the passes that end a step and begin the next: weights return beside the forward one.
constexpr double kForwardShare = 1.0 / 3;

/// Whose exchanges a step counts. Where each microbatch gathers, a device that holds two stages gathers
/// either for half of them.
double passed_layers(const CostCase& costs, const MappingPlan& m) {
  const bool halves = repeats_gathers(costs.scenario, costs.software, m) &&
                      holds_two_stages(costs.scenario.step.schedule, m.pipeline);
  return exchanged_layers(costs, m) / (halves ? 2 : 1);
}

}  // namespace

/// Interleaved stages end chunk by chunk, over the last p microbatches.
ExchangeExposure::ExchangeExposure(const CostCase& costs, const MappingPlan& m, const CommunicationPlan& c,
                                   const StepTimes& step)
    : measured_(costs.calibration != nullptr),
      hides_(costs.software.hides_gradients),
      contention_(costs.software.contention),
      wholly_(measured_ && hides_wholly(costs.scenario, Hidden::gradients)),
      zero3_(costs.scenario.mapping.zero_stage == 3),
      layers_(passed_layers(costs, m)),
      stage_layers_(real(m.layers_per_stage)),
      microbatches_(real(m.microbatches)),
      gathers_(repeats_gathers(costs.scenario, costs.software, m) ? real(m.microbatches) : 1),
      gather_(c.weight_gather),
      backward_(step.backward),
      forward_all_(step.forward + c.tensor_exposed * c.tensor_forward + c.context_forward +
                   c.expert_exposed * c.expert_forward),
      backward_all_(step.backward + c.tensor_exposed * c.tensor_backward + c.context_backward +
                    c.expert_exposed * c.expert_backward),
      last_(m.virtual_stages > 1 ? std::min(real(m.pipeline), real(m.microbatches)) : 1),
      chunks_(real(m.virtual_stages)),
      pace_(step.pace) {}

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

/// A gather before each pass and a scatter after the backward one, hidden behind a layer.
Seconds ExchangeExposure::with_gathers(Seconds scatter) const {
  const Seconds exposed = beside(gather_, forward_all_) + beside(gather_ + scatter, backward_all_);
  return gathers_ * (layers_ * exposed + gather_ + scatter);
}

Seconds ExchangeExposure::of_step(Seconds layer) const {
  if (with_weights()) return with_gathers(layer);
  const Exchanged half{layer * (layers_ / 2), Seconds(0)};
  if (measured_) return of_step(half, half);
  const Seconds exchange = layer * layers_;
  // Under ZeRO 3 the gathers of that pass take the same network.
  const Seconds room = (backward_ - std::min(backward_, gather_)) * layers_;
  return std::max(beyond(exchange, room), layer);
}

Seconds ExchangeExposure::of_step(Exchanged sums, Exchanged returns, double stages_behind) const {
  if (wholly_) return Seconds(0);
  const Seconds idle = stages_behind / chunks_ * pace_;
  if (!hides_)
    return beyond(sums.all, (1 - kForwardShare) * idle) + beyond(returns.all, kForwardShare * idle);
  const Seconds exposed =
      beside(sums, (1 - kForwardShare) * last_ * pace_) + beside(returns, kForwardShare * last_ * pace_);
  return beyond(exposed, idle);
}

Seconds ExchangeExposure::of_layer(Seconds layer) const {
  return measured_ ? of_step(layer) / (stage_layers_ * microbatches_) : beyond(layer, backward_);
}

Seconds ExchangeExposure::hidden() const {
  if (!measured_) return backward_;
  return wholly_ && !zero3_ ? Seconds(std::numeric_limits<double>::infinity()) : Seconds(0);
}

}  // namespace trainyard
