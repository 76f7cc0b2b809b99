#include "step/builder/gradient_exchange.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "step/builder/blueprint.h"
#include "step/builder/granularity.h"
#include "step/builder/pass.h"
#include "step/builder/writer.h"

namespace trainyard::builder {

StageExchanges::StageExchanges(const Blueprint& blueprint, Writer& writer)
    : b_(blueprint), writer_(writer), pieces_of_layer_(pieces_of_layer(b_.plan, b_.costs)) {}

void StageExchanges::begin_lane(const std::vector<ChunkPass>& order) {
  next_ = 0;
  last_gradient_.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (makes_gradients(order[i])) last_gradient_[order[i].depth] = static_cast<std::int64_t>(i);
  }
}

bool StageExchanges::follows(const ChunkPass& pass, std::int64_t position) const {
  if (b_.costs.exchange.empty() || !makes_gradients(pass)) return false;
  return b_.set.every == ExchangeEvery::microbatch || last_gradient_.at(pass.depth) == position;
}

Exchange& StageExchanges::next(const Lane& lane) {
  if (lane.replica == 0) exchanges_.emplace_back();
  return exchanges_[next_++];
}

StepOperation StageExchanges::transfer(std::size_t i, const ChunkPass& what, const Lane& lane,
                                       double layers) const {
  return writer_.transfer(what, b_.exchange_stream(lane.stage, i), b_.classes.exchange[i],
                          b_.costs.exchange[i].bytes * layers);
}

Operations StageExchanges::start_beside(const Pass& pass, const Beginning& from, double layers) {
  Exchange& e = next(*pass.lane);
  for (std::size_t i = 0; i < b_.costs.exchange.size(); ++i) {
    if (pass.lane->replica == 0) {
      e.first.push_back(writer_.add_beside(pass, transfer(i, pass.what, *pass.lane, layers), from));
    } else {
      writer_.join(pass, e.first[i], from);
    }
  }
  return e.first;
}

void StageExchanges::add_layers(Pass& pass, double layers, bool last) {
  if (b_.set.overlap == GradientOverlap::beside_pass) return;
  const double extra = last && pass.what.depth == 0 ? b_.costs.first_stage_extra : 0;
  const bool begins = pass.what.depth == b_.shape.chunks * b_.shape.stages - 1 && !pass.sending;
  pass.gathered += layers + (begins ? b_.costs.last_stage_extra : 0);
  pass.sending = true;
  if (pieces_of_layer_ * pass.gathered < 1 && !last) return;
  if (b_.set.overlap == GradientOverlap::after_batch) {
    late_ += std::exchange(pass.gathered, 0);
    late_ += extra;
    return;
  }
  start(std::exchange(pass.gathered, 0) + extra, pass.what, *pass.lane, pass.last);
}

void StageExchanges::add_late(const std::vector<Lane*>& lanes) {
  if (late_ <= 0) return;
  const double layers = std::exchange(late_, 0) / real(std::ssize(lanes));
  for (Lane* lane : lanes) {
    next_ = 0;
    start(layers, {ChunkWork::backward, -1, -1}, *lane, lane->last);
  }
}

void StageExchanges::start(double layers, const ChunkPass& what, Lane& lane, OperationId after) {
  Exchange& e = next(lane);
  e.depth = what.depth;
  const auto pieces = static_cast<std::int64_t>(std::max(1.0, std::round(pieces_of_layer_ * layers)));
  most_pieces_ = std::max(most_pieces_, pieces);
  for (std::int64_t i = 0; lane.replica == 0 && i < pieces; ++i)
    add_piece(e, what, lane, layers / real(pieces));
  for (const OperationId id : e.first) writer_.graph().depend(id, after);
  if (b_.set.every == ExchangeEvery::microbatch) {
    Operations& ready = lane.weights_ready[what.depth];
    ready.insert(ready.end(), e.last.begin(), e.last.end());
  }
}

/// A piece through the stages of the exchange. Under ZeRO 1 and 2 it is reduced, then the optimizer updates
/// the shard, then weights are gathered in place of gradients, as many bytes.
void StageExchanges::add_piece(Exchange& e, const ChunkPass& what, const Lane& lane, double layers) {
  OperationId before = kNoOperation;
  bool gathering = false;
  for (std::size_t i = 0; i < b_.costs.exchange.size(); ++i) {
    const bool gathers = b_.set.gather_after_optimizer && b_.costs.exchange[i].gathers;
    if (gathers && b_.set.gathers_ahead) continue;
    StepOperation op = transfer(i, what, lane, layers);
    if (gathers) op.work = StepWork::weights;
    const OperationId id = writer_.graph().add(op);
    if (i == 0) e.first.push_back(id);
    if (gathers && !gathering) {
      gathering = true;
      if (before != kNoOperation) e.reduced.push_back(before);
      e.gathering.push_back(id);
    } else if (before != kNoOperation) {
      writer_.graph().depend(id, before);
    }
    before = id;
  }
  if (!gathering) e.reduced.push_back(before);
  e.last.push_back(before);
}

}  // namespace trainyard::builder
