#include "step/builder/layer_work.h"

#include <algorithm>

#include "step/builder/activations.h"
#include "step/builder/blueprint.h"
#include "step/builder/gradient_exchange.h"
#include "step/builder/pass.h"
#include "step/builder/pass_transfers.h"
#include "step/builder/weight_prefetch.h"
#include "step/builder/weights_ahead.h"
#include "step/builder/writer.h"
#include "step/layer_pass.h"

namespace trainyard::builder {
void LayerWork::add_layers(Pass& pass) const {
  if (pass.layers == 0) {
    writer_.compute(pass, work_of(pass.what.work), of_chunk(pass), 0);
    pass.complete = true;
    return;
  }
  Layers layers = next_layers(pass);
  const PassTimes t = times(layers);
  const double exchanged = layers.count + layers.dense * (b_.costs.dense_exchange - 1);
  const double gathered = layers.count + layers.dense * (b_.costs.dense_gathered - 1);
  if (parts_.prefetch.add(pass, gathered, layers.begins)) layers.gathered = gathered;
  if (pass.what.work == ChunkWork::forward) parts_.ahead.await(pass, layers.first);
  if (is_backward(pass.what) && t.recompute.si() > 0)
    writer_.compute(pass, StepWork::recompute, t.recompute, layers.first);
  compute(pass, layers, t);
  if (layers.begins) parts_.activations.hold(writer_.graph(), pass);
  if (pass.exchanges) parts_.exchanges.add_layers(pass, exchanged, pass.complete);
  parts_.transfers.add(pass, layers.count, layers.dense);
  pass.lane->layer_ends.push_back(pass.lane->last);
}

/// From the chunk's first layer on, backward from its last.
LayerWork::Layers LayerWork::next_layers(Pass& pass) const {
  const std::int64_t done = pass.done;
  const std::int64_t count = std::min(b_.set.layers_per_operation, pass.layers - done);
  pass.done += count;
  pass.complete = pass.done == pass.layers;
  Layers out;
  out.first = pass.what.work == ChunkWork::forward ? done : pass.layers - done - count;
  out.count = real(count);
  out.dense = real(b_.chunks.dense_layers(pass.what.depth, out.first, count));
  out.begins = done == 0;
  return out;
}

PassTimes LayerWork::times(const Layers& layers) const {
  const double usual = layers.count - layers.dense;
  const auto sum = [&](auto member) {
    return b_.costs.usual.*member * usual + b_.costs.dense.*member * layers.dense;
  };
  return {sum(&PassTimes::forward), sum(&PassTimes::attention_forward), sum(&PassTimes::recompute),
          sum(&PassTimes::backward_input), sum(&PassTimes::backward_weight)};
}

/// What every microbatch costs a chunk besides its layers.
Seconds LayerWork::of_chunk(const Pass& pass) const {
  return b_.costs.ends.each / b_.shape.chunks * end_part(pass.what);
}

/// With what every microbatch costs besides at its first layers.
Seconds LayerWork::compute_time(const Pass& pass, const Layers& layers, const PassTimes& t) const {
  const Seconds end = layers.begins ? of_chunk(pass) : Seconds(0);
  switch (pass.what.work) {
    case ChunkWork::forward:
      return t.forward + end;
    case ChunkWork::backward:
      return t.backward_input + t.backward_weight + end;
    case ChunkWork::backward_input:
      return t.backward_input + end;
    case ChunkWork::backward_weight:
      break;
  }
  return t.backward_weight + end;
}

/// What gathers and scatters beside it cost.
Writer::Beside LayerWork::slowed(const Pass& pass, const Layers& layers) const {
  const bool forward = pass.what.work == ChunkWork::forward;
  const Seconds gathers = forward ? b_.costs.contention_forward : b_.costs.contention_backward;
  const bool gathered = pass.what.work != ChunkWork::backward_weight;
  const double summed = pass.exchanges ? layers.count + layers.dense * (b_.costs.dense_exchange - 1) : 0;
  return {gathers * (gathered ? layers.gathered : 0),
          b_.costs.contention_scatter * (makes_gradients(pass.what) ? summed : 0)};
}

/// The part of it beside which context parallelism transfers.
Seconds LayerWork::attention_time(const Pass& pass, const PassTimes& t) const {
  return pass.what.work == ChunkWork::forward ? t.attention_forward
                                              : std::min(t.attention_forward * 2, t.backward_input);
}

/// Compute of layers, with what runs beside it: context-parallel transfers beside the attention, the
/// overlapped share of tensor-parallel ones, and the gradient exchange where it stands beside the pass.
void LayerWork::compute(Pass& pass, const Layers& layers, const PassTimes& t) const {
  const StepWork work = work_of(pass.what.work);
  const Writer::Beside beside_it = slowed(pass, layers);
  const Seconds time = compute_time(pass, layers, t) + beside_it.weights + beside_it.gradients;
  const Beginning from = Writer::beginning(pass);
  const Operations context = parts_.transfers.start_context(pass, from, layers.count, layers.first);
  if (!context.empty()) {
    const Seconds attention = attention_time(pass, t);
    writer_.compute(pass, work, attention, layers.first);
    append(pass.ready, context);
    writer_.compute(pass, work, time - attention, layers.first, beside_it);
  }
  Operations beside = parts_.transfers.start_beside(pass, from, layers.count, layers.first);
  if (pass.exchanges && b_.set.overlap == GradientOverlap::beside_pass)
    append(beside, parts_.exchanges.start_beside(pass, from, layers.count));
  if (context.empty()) writer_.compute(pass, work, time, layers.first, beside_it);
  append(pass.ready, beside);
}

void LayerWork::add_head(Pass& pass) const {
  const bool last = b_.chunks.is_last(pass.what.depth);
  const Seconds time =
      (last ? b_.costs.ends.last : Seconds(0)) + (pass.what.depth == 0 ? b_.costs.ends.first : Seconds(0));
  if (time.si() <= 0) return;
  if (last) parts_.prefetch.add_output(pass);
  writer_.compute(pass, StepWork::head, time * end_part(pass.what), -1);
  const double logits = last ? b_.costs.logits.si() : 0;
  writer_.graph().change_memory(pass.last, logits, -logits);
}

}  // namespace trainyard::builder
