#include "step/builder/stage_work.h"

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "scenario/in_force.h"
#include "step/builder/gradient_exchange.h"
#include "step/builder/writer.h"
#include "trainyard/plan.h"

namespace trainyard::builder {

StageWork::StageWork(const Blueprint& blueprint, Writer& writer, StageExchanges& exchanges)
    : b_(blueprint),
      writer_(writer),
      exchanges_(exchanges),
      activations_(b_.costs, software_of(b_.plan.scenario).buffers, b_.set.offloaded),
      offload_(b_, activations_, writer),
      prefetch_(b_, writer),
      ahead_(b_, writer),
      transfers_(b_, writer),
      layers_(b_, writer, {activations_, prefetch_, ahead_, transfers_, exchanges}) {}

void StageWork::add(Lane& lane) {
  lane.pass_ends.clear();
  if (b_.set.gathers_ahead && lane.replica == 0) ahead_.gather(lane.stage);
  add_stall(lane);
  exchanges_.begin_lane(order(lane));
  offload_.begin_lane(order(lane));
  const std::int64_t passes = std::ssize(order(lane));
  for (std::int64_t i = 0; i < passes; ++i) {
    Pass pass = begin(lane, i);
    if (!pass.what.with_next) {
      while (!pass.complete) layers_.add_layers(pass);
      end(pass);
      continue;
    }
    Pass other = begin(lane, ++i);
    while (!pass.complete || !other.complete) {
      if (!pass.complete) layers_.add_layers(pass);
      if (!other.complete) layers_.add_layers(other);
    }
    end(pass);
    end(other);
  }
}

/// What the program loses of what interleaved stages could save, before the first pass.
void StageWork::add_stall(Lane& lane) {
  if (b_.costs.stall.si() <= 0 || lane.stage > 0) return;
  const ChunkPass what{ChunkWork::forward, -1, 0};
  lane.blocking.push_back(writer_.add(writer_.transfer(what, lane.forward, b_.classes.stall, Bytes(1)), {}));
}

Pass StageWork::begin(Lane& lane, std::int64_t position) {
  Pass pass;
  pass.lane = &lane;
  pass.what = order(lane)[static_cast<std::size_t>(position)];
  pass.position = position;
  pass.layers = b_.chunks.layers(pass.what.depth);
  pass.dense = b_.chunks.dense_layers(pass.what.depth, 0, pass.layers);
  pass.exchanges = exchanges_.follows(pass.what, position);
  pass.ready = std::exchange(lane.blocking, {});
  if (pass.what.with_next) lane.blocking = pass.ready;
  const bool last = b_.chunks.is_last(pass.what.depth);
  if (is_backward(pass.what)) {
    offload_.bring_back(pass);
    offload_.add_beside(pass, lane.from_host);
    if (last) layers_.add_head(pass);
  }
  if (pass.what.work == ChunkWork::forward) {
    const Operations weights = std::exchange(lane.weights_ready[pass.what.depth], {});
    pass.ready.insert(pass.ready.end(), weights.begin(), weights.end());
    offload_.await_room(pass);
    offload_.add_beside(pass, lane.to_host);
    if (pass.what.depth == 0 && !last) layers_.add_head(pass);
  }
  return pass;
}

void StageWork::end(Pass& pass) {
  const bool last = b_.chunks.is_last(pass.what.depth);
  pass.ready.insert(pass.ready.end(), pass.beside.begin(), pass.beside.end());
  if (pass.what.work == ChunkWork::forward) {
    if (last) layers_.add_head(pass);
    offload_.send(pass);
    send(pass, Way::forward);
  } else if (is_backward(pass.what)) {
    if (pass.what.depth == 0 && !last) layers_.add_head(pass);
    send(pass, Way::backward);
  } else if (last) {
    layers_.add_head(pass);
  }
  activations_.release(writer_.graph(), pass);
  for (const OperationId id : pass.ready) {
    if (id != pass.lane->last) pass.lane->blocking.push_back(id);
  }
  pass.lane->pass_ends.push_back(pass.last);
}

/// The chunk's output, or the gradient of its input, to the stage that goes on.
void StageWork::send(Pass& pass, Way way) {
  const std::int32_t depth = pass.what.depth + (way == Way::forward ? 1 : -1);
  if (depth < 0 || depth >= b_.order.depths) return;
  const Lane& lane = *pass.lane;
  const std::int32_t to = b_.order.stage(pass.what.microbatch, depth);
  TY_ASSERT(to != lane.stage, "chunks of following depths stand on different stages");
  const PassTransfer& t =
      pipeline_transfer(b_.plan.mapping, b_.costs, std::min(lane.stage, to), std::max(lane.stage, to));
  const bool inside = t.network == StepResource::scale_up;
  const StepOperation op =
      writer_.transfer(pass.what, way == Way::forward ? lane.forward : lane.backward,
                       inside ? b_.classes.to_next_stage : b_.classes.to_next_domain, t.bytes);
  const OperationId sent = writer_.add(op, pass.ready);
  writer_.arrivals().sent(way, lane, pass.what.microbatch, depth, sent);
  if (b_.costs.blocking_sends) pass.ready.push_back(sent);
}

}  // namespace trainyard::builder
