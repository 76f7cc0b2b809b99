#include <algorithm>

#include "cost/calibrated_compute.h"
#include "cost/cost.h"
#include "cost/exchange_times.h"
#include "cost/measured_collectives.h"
#include "cost/played_exchange.h"
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
  if (c.plan.scenario.mapping.zero_stage == 3) {
    const LayerExchange gathers =
        layer_gathers(software.contention, c.communication.weight_gather, c.communication.gradient.phases.sum,
                      step.forward, step.backward);
    out.contention_forward = c.slow(gathers.slowed_forward);
    out.contention_backward = c.slow(gathers.slowed_backward);
    out.contention_scatter = c.slow(gathers.slowed_sum);
    slow_transfers(out, gathers.slower);
  } else {
    out.contention_exchange = c.slow(step.exchange_contention);
  }
}

/// Of what is not a usual layer. Below ZeRO 3 rings take many layers at once.
void add_exchanged(LayerPass& out, const PassCase& c, std::int64_t zero) {
  const ExchangedEnds summed = summed_ends(c.costs, c.mapping);
  out.first_stage_extra = summed.embedding;
  out.last_stage_extra = summed.output;
  out.dense_exchange = exchanged_dense(c.costs, c.mapping, held_by_layer);
  if (zero == 3) {
    const ExchangedEnds gathered = gathered_ends(c.costs, c.mapping);
    out.embedding_gathered = gathered.embedding;
    out.output_gathered = gathered.output;
    out.dense_gathered = exchanged_dense(c.costs, c.mapping, weights_by_layer);
    return;
  }
  out.ends_gathered = bytes_of(c.plan.scenario.precision.weights) / gathered_weight_bytes(c.plan.scenario);
  if (!library_rings(c.costs, c.mapping)) return;
  const double fewer = rings_at_once(c.costs, c.mapping);
  for (PassTransfer& transfer : out.exchange) transfer.rate_share /= fewer;
}

}  // namespace

/// Habits of the program that calibrated times know.
void add_habits(LayerPass& out, const PassCase& c) {
  const Software software = software_of(c.plan.scenario);
  const std::int64_t zero = c.plan.scenario.mapping.zero_stage;
  out.blocking_sends = !hides_sends(software, c.mapping);
  out.gathers_once = zero == 3 && !repeats_gathers(c.plan.scenario, software, c.mapping);
  out.gathers_ahead = (zero == 1 || zero == 2) && software.hides_gradients;
  add_exchanged(out, c, zero);
  if (hides_wholly(c.plan.scenario, Hidden::gradients)) out.exchange.clear();
  add_contention(out, c, software);
  out.stall = c.slow(c.plan.step.stall);
}

}  // namespace trainyard::layer_costs
