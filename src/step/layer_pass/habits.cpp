#include <algorithm>

#include "cost/calibrated_compute.h"
#include "cost/cost.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "scenario/in_force.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {
namespace {

/// Compute slows the transfers beside it as they slow it: where they are the longer ones, that shows.
void slow_transfers(LayerPass& out, double factor) {
  if (out.weight_gather) out.weight_gather->rate_share /= factor;
  for (PassTransfer& transfer : out.exchange) transfer.rate_share /= factor;
}

void add_contention(LayerPass& out, const PassCase& c, const Software& software) {
  const StepPlan& step = c.plan.step;
  const double slowed = software.contention;
  if (c.plan.scenario.mapping.zero_stage == 3) {
    const Seconds scatter = c.plan.communication.gradient.pipelined;
    out.contention_forward = c.slow(slowed * std::min(c.communication.weight_gather, step.forward));
    out.contention_backward =
        c.slow(slowed * std::min(c.communication.weight_gather + scatter, step.backward));
    const Seconds transfers = 2 * c.communication.weight_gather + scatter;
    slow_transfers(out, 1 + slowed * std::min(1.0, (step.forward + step.backward) / transfers));
  } else if (software.hides_gradients && !hides_wholly(c.plan.scenario, Hidden::gradients)) {
    const Seconds beside = step.gradient_sum + step.weights_return;
    out.contention_exchange = c.slow(slowed * std::min(beside, step.pace));
  }
}

}  // namespace

/// Habits of the program that calibrated times know.
void add_habits(LayerPass& out, const PassCase& c) {
  const Software software = software_of(c.plan.scenario);
  const std::int64_t zero = c.plan.scenario.mapping.zero_stage;
  out.blocking_sends = !hides_sends(software, c.mapping);
  out.gathers_once = zero == 3 && !repeats_gathers(c.plan.scenario, software, c.mapping);
  out.gathers_ahead = (zero == 1 || zero == 2) && software.hides_gradients;
  const HeldParameters layer = held_by_layer(c.plan.scenario, c.plan.model, c.mapping, LayerKind::usual);
  const HeldParameters dense = held_by_layer(c.plan.scenario, c.plan.model, c.mapping, LayerKind::dense);
  const MeasuredCollectives rings(c.costs, c.mapping);
  const Seconds one = exchange_time(rings, layer, 1, 1);
  if (one.si() > 0) {
    const HeldParameters embedding{c.plan.model.parameters.embedding / real(c.mapping.tensor), 0};
    out.dense_exchange = exchange_time(rings, dense, 1, 1) / one;
    const HeldParameters output{output_held(c.plan.model, c.mapping) / real(c.mapping.tensor), 0};
    if (!c.plan.scenario.training.adapter_rank) {
      out.first_stage_extra = exchange_time(rings, embedding, 1, 1) / one;
      out.ends_gathered =
          bytes_of(c.plan.scenario.precision.weights) / gathered_weight_bytes(c.plan.scenario);
      if (output.common > 0) out.last_stage_extra = exchange_time(rings, output, 1, 1) / one;
    }
  }
  if (hides_wholly(c.plan.scenario, Hidden::gradients)) out.exchange.clear();
  add_contention(out, c, software);
  const double best = 1 / real(c.mapping.virtual_stages);
  if (c.mapping.virtual_stages > 1 && c.plan.step.fill_share > best)
    out.stall = c.slow((c.plan.step.replica_time - c.plan.step.pace) * (c.plan.step.fill_share - best));
}

}  // namespace trainyard::layer_costs
