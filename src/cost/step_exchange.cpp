#include "cost/step_exchange.h"

#include <algorithm>
#include <utility>

#include "cost/cost.h"
#include "cost/cost_case.h"
#include "cost/exchange_exposure.h"
#include "cost/exchange_phases.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "cost/step_costs.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

class StepExchange {
 public:
  StepExchange(StepTimes& step, const CostCase& costs, const MappingPlan& mapping,
               const CommunicationPlan& communication, const LayerCosts& layer,
               const MeasuredCollectives* collectives, StepEffort effort)
      : step_(step),
        costs_(costs),
        scenario_(costs.scenario),
        model_(costs.model),
        m_(mapping),
        c_(communication),
        layer_(layer),
        collectives_(collectives),
        effort_(effort) {}

  void add() {
    const ExchangeExposure exposure(costs_, m_, c_, step_, layer_, effort_);
    if (exposure.bounds()) return add_weights(exposure.least(scatter().sum));
    if (exposure.with_weights()) return add_weights(exposure.of_step(scatter()));
    const ExchangeExposure::Exposed exposed =
        rings() ? of_rings(exposure) : exposure.staged(c_.gradient.phases);
    step_.gradient_exposed_step = exposed.exposed;
    step_.exchange_contention = exposed.contention;
    step_.gradient_sum = exposed.longest.sums.all;
    step_.weights_return = exposed.longest.returns.all;
    if (!collectives_) {
      step_.gradient_sum = c_.gradient.pipelined * exchanged_layers(costs_, m_);
    } else {
      step_.exposed_gradient = step_.gradient_exposed_step / real(m_.layers_per_stage * m_.microbatches);
    }
  }

 private:
  /// One pass of rings, two where gradients are summed whole, and a sum over copies of what is divided.
  Seconds sum_time(const HeldParameters& held) const {
    const double share = scenario_.network.gradient_share;
    const double passes = sums_whole_gradients(scenario_, costs_.software) ? 2 : 1;
    return passes * exchange_time(*collectives_, held, costs_.gradient_bytes, share) +
           copies_time(*collectives_, held, costs_.gradient_bytes, share);
  }

  bool rings() const { return c_.gradient.kind == GradientExchange::flat && library_rings(costs_, m_); }

  /// Of a usual layer under ZeRO 3.
  ExchangePhases scatter() const {
    if (!rings()) return c_.gradient.phases;
    ExchangePhases out;
    out.sum = out.chain = sum_time(held_by_layer(scenario_, model_, m_, LayerKind::usual));
    return out;
  }

  /// Of ZeRO 3, with what the scatters add.
  void add_weights(Seconds exposed) {
    step_.exposed_gradient = Seconds(0);
    step_.weights_exposed_step = exposed;
    step_.exposed_weights = exposed / real(m_.layers_per_stage * m_.microbatches);
  }

  ExchangeExposure::BothWays rings_of(std::int64_t stage) const {
    const HeldParameters held = held_parameters(scenario_, model_, m_, stage);
    const HeldParameters ends = held_ends(scenario_, model_, m_, stage);
    const double gradient = costs_.gradient_bytes;
    const bool sharded = scenario_.mapping.zero_stage >= 1;
    const double kept = sharded ? bytes_of(scenario_.precision.weights) : gradient;
    const double back = sharded ? gathered_weight_bytes(scenario_) : gradient;
    const auto returned = [&](const HeldParameters& what, double bytes) {
      return exchange_time(*collectives_, what, bytes, scenario_.network.gradient_share);
    };
    ExchangeExposure::BothWays out;
    out.sums.all = sum_time(held);
    out.returns.all = returned({held.common - ends.common, held.experts}, back);
    if (ends.common > 0) out.returns.all += returned(ends, kept);
    const HeldParameters layer = held_by_layer(scenario_, model_, m_, LayerKind::usual);
    out.returns.ends = returned(layer, back);  // the first, before any compute
    if (!scenario_.training.adapter_rank && stage == 0) {
      const HeldParameters embedding{model_.parameters.embedding / real(m_.tensor), 0};
      out.sums.ends = std::min(out.sums.all, sum_time(embedding));
      out.returns.ends += returned(embedding, kept);
    }
    if (!sharded) {  // no optimizer stands between: both are done before it
      out.sums = {out.sums.all + out.returns.all, 2 * out.sums.ends};
      out.returns = {};
    }
    out.returns.ends = std::min(out.returns.all, out.returns.ends);
    if (!holds_two_stages(scenario_.step.schedule, m_.pipeline)) out.stages_behind = real(stage);
    return out;
  }

  /// Beside the last microbatch's backward pass and the next one's forward pass where the program can. The
  /// stage with the most experts may hold more than the first, which ends last.
  ExchangeExposure::Exposed of_rings(const ExchangeExposure& exposure) const {
    const std::int64_t fullest = fullest_stage(model_, m_);
    if (fullest == 0) return exposure.of_stages({rings_of(0)}, ring_of_layer());
    return exposure.of_stages({rings_of(0), rings_of(fullest)}, ring_of_layer());
  }

  /// Of a usual one, as the step's timeline has it.
  LayerExchange ring_of_layer() const {
    const HeldParameters layer = held_by_layer(scenario_, model_, m_, LayerKind::usual);
    const bool sharded = scenario_.mapping.zero_stage >= 1;
    const double back = sharded ? gathered_weight_bytes(scenario_) : costs_.gradient_bytes;
    const double fewer = rings_at_once(costs_, m_);
    LayerExchange out;
    out.sum = fewer * sum_time(layer);
    out.returned = fewer * exchange_time(*collectives_, layer, back, scenario_.network.gradient_share);
    if (!sharded) out.sum += std::exchange(out.returned, Seconds(0));
    return out;
  }

  StepTimes& step_;
  const CostCase& costs_;
  const Scenario& scenario_;
  const ModelPlan& model_;
  const MappingPlan& m_;
  const CommunicationPlan& c_;
  const LayerCosts& layer_;
  const MeasuredCollectives* collectives_;
  StepEffort effort_;
};

}  // namespace

void add_exchange(StepTimes& step, const CostCase& costs, const MappingPlan& mapping,
                  const CommunicationPlan& communication, const LayerCosts& layer,
                  const MeasuredCollectives* collectives, StepEffort effort) {
  StepExchange(step, costs, mapping, communication, layer, collectives, effort).add();
}

}  // namespace trainyard
