#include "step/builder/step_end.h"

#include <algorithm>
#include <utility>

#include "step/builder/gradient_exchange.h"
#include "step/builder/writer.h"

namespace trainyard::builder {
namespace {

Operations without_repeats(Operations all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

void StepEnd::add_optimizer(Lane& lane, const std::vector<Exchange>& exchanges) {
  StepOperation op;
  op.stream = lane.compute;
  op.work = StepWork::optimizer;
  const Seconds slowed = b_.costs.contention_exchange;
  writer_.set_time(op, b_.costs.optimizer + slowed, {Seconds(0), slowed}, lane);
  Operations gradients = std::exchange(lane.blocking, {});
  for (const Exchange& e : exchanges) append(gradients, e.reduced);
  const OperationId id = writer_.add(op, gradients);
  gradients.push_back(lane.last);
  updates_.push_back({id, lane.stage, std::move(gradients)});
  for (const Exchange& e : exchanges) {
    for (const OperationId gathering : e.gathering) writer_.graph().depend(gathering, id);
    if (e.gathering.empty()) continue;
    for (auto& [depth, ready] : lane.weights_ready) {
      if (e.depth < 0 || e.depth == depth) append(ready, e.last);
    }
  }
  lane.last = id;
  lane.layer_ends.insert(lane.layer_ends.end(), static_cast<std::size_t>(b_.set.prefetch) + 1, id);
}

void StepEnd::add_sums() {
  const Operations embedding = b_.set.embedding_exchange ? add_embedding_exchange() : Operations{};
  if (b_.set.gradient_norm) add_gradient_norm(embedding);
}

/// Both copies send; the optimizers of both stages wait.
Operations StepEnd::add_embedding_exchange() {
  Operations ready;
  for (const Update& update : updates_) {
    if (holds_embedding(update)) append(ready, update.gradients);
  }
  ready = without_repeats(std::move(ready));
  Operations sums;
  for (const std::uint32_t stream : b_.streams.embedding) {
    const Bytes bytes = b_.costs.embedding->bytes;
    sums.push_back(writer_.add(writer_.transfer(stream, b_.classes.embedding, bytes), ready));
  }
  for (const Update& update : updates_) {
    if (!holds_embedding(update)) continue;
    for (const OperationId sum : sums) writer_.graph().depend(update.optimizer, sum);
  }
  return sums;
}

/// No optimizer starts before the norm of all gradients is known.
void StepEnd::add_gradient_norm(const Operations& sums) {
  Operations ready;
  for (const Update& update : updates_) append(ready, update.gradients);
  ready = without_repeats(std::move(ready));
  append(ready, sums);
  const Bytes bytes = b_.costs.gradient_norm->bytes;
  const OperationId norm =
      writer_.add(writer_.transfer(b_.streams.gradient_norm, b_.classes.gradient_norm, bytes), ready);
  for (const Update& update : updates_) writer_.graph().depend(update.optimizer, norm);
}

}  // namespace trainyard::builder
