#include "step/timeline/awaited_work.h"

#include <algorithm>

#include "step/build_step.h"
#include "step/executor.h"

namespace trainyard {
namespace {

using Works = std::array<StepTime, kStepWorks>;

Seconds of(const Works& works, StepWork work) { return seconds_of(works[static_cast<std::size_t>(work)]); }

void add_time(Works& works, StepWork work, StepTime time) { works[static_cast<std::size_t>(work)] += time; }

/// How long a compute stream is at work between two moments.
StepTime computed_within(const StepGraph& graph, const Execution& run, std::uint32_t stream, StepTime from,
                         StepTime until) {
  const auto ops = graph.on_stream(stream);
  auto op =
      std::partition_point(ops.begin(), ops.end(), [&](OperationId id) { return run.finish[id] <= from; });
  StepTime sum = 0;
  for (; op != ops.end() && run.start[*op] < until; ++op)
    sum += std::min(until, run.finish[*op]) - std::max(from, run.start[*op]);
  return sum;
}

}  // namespace

Works awaited_work(const StepModel& model, const Execution& execution, OperationId to, StepTime from) {
  const StepGraph& graph = model.graph;
  Works out{};
  StepTime until = execution.finish[to];
  std::int32_t replica = 0;
  for (OperationId id = to; id != kNoOperation && until > from; id = execution.waited_for[id]) {
    const StepTime start = std::max(from, execution.start[id]);
    const StepStream& stream = graph.stream_of(id);
    StepTime hidden = 0;
    if (stream.replica != kSharedReplica) replica = stream.replica;
    const StepWork work = graph.operation(id).work;
    if (is_transfer(work) && work != StepWork::pipeline)
      hidden = computed_within(graph, execution, model.compute_stream(replica, stream.stage), start, until);
    if (is_transfer(work)) hidden = std::max(hidden, model.failures.gone(graph, id, start, until));
    add_time(out, StepWork::forward, hidden);
    add_time(out, work, until - start - hidden);
    until = execution.start[id];
  }
  return out;
}

ExposedTimes awaited_transfers(const StepModel& model, const Execution& execution, OperationId to,
                               StepTime from) {
  const Works works = awaited_work(model, execution, to, from);
  return {of(works, StepWork::tensor), of(works, StepWork::context), of(works, StepWork::pipeline),
          of(works, StepWork::expert), of(works, StepWork::weights), of(works, StepWork::gradient),
          of(works, StepWork::offload)};
}

}  // namespace trainyard
