#include "step/builder/arrivals.h"

#include "base/errors.h"
#include "step/builder/pass.h"

namespace trainyard::builder {

Arrivals::Arrivals(const ScheduleOrder& order, const ScheduleShape& shape, std::size_t replica_classes)
    : order_(order),
      shape_(shape),
      chunks_(replica_classes * static_cast<std::size_t>(std::int64_t{shape.microbatches} * order.depths)) {}

void Arrivals::begin_step() {
  forward_.assign(chunks_, kNoOperation);
  backward_.assign(chunks_, kNoOperation);
  awaited_.clear();
}

std::size_t Arrivals::chunk(std::int32_t replica, std::int32_t microbatch, std::int32_t depth) const {
  return static_cast<std::size_t>((std::int64_t{replica} * shape_.microbatches + microbatch) * order_.depths +
                                  depth);
}

void Arrivals::await(const Pass& pass, OperationId first) {
  const ChunkPass& what = pass.what;
  const bool forward = what.work == ChunkWork::forward;
  const bool waits = forward ? what.depth > 0 : is_backward(what) && what.depth < order_.depths - 1;
  if (!waits) return;
  awaited_.push_back({first, forward ? Way::forward : Way::backward,
                      chunk(pass.lane->replica, what.microbatch, what.depth)});
}

void Arrivals::sent(Way way, const Lane& from, std::int32_t microbatch, std::int32_t depth, OperationId id) {
  of(way)[chunk(from.replica, microbatch, depth)] = id;
}

void Arrivals::join(StepGraph& graph) const {
  for (const Awaited& a : awaited_) {
    const OperationId arrival = (a.way == Way::forward ? forward_ : backward_)[a.chunk];
    TY_ASSERT(arrival != kNoOperation, "a schedule passes every chunk");
    graph.depend(a.by, arrival);
  }
}

}  // namespace trainyard::builder
