#include "step/timeline/steady_pace.h"

#include <algorithm>
#include <vector>

#include "base/whole_numbers.h"
#include "step/build_step.h"
#include "step/executor.h"
#include "step/timeline/awaited_work.h"
#include "step/timeline/exposed_times.h"

namespace trainyard {
namespace {

/// Ends of the backward passes of the first stage in one step: of whole microbatches, v chunks each.
std::vector<OperationId> backward_ends(const StepModel& model, std::int32_t replica) {
  std::vector<OperationId> out;
  const auto ops = model.graph.on_stream(model.compute_stream(replica, 0));
  for (std::size_t i = 0; i < ops.size() / index(model.steps); ++i) {
    const StepOperation& op = model.graph.operation(ops[i]);
    if (op.work == StepWork::backward && op.layer == 0) out.push_back(ops[i]);
  }
  return out;
}

/// Compute of a stream, and what transfers beside it slow it by.
struct Computed {
  StepTime time = 0;
  Slowed slowed;
};

/// After one of its operations, up to the end of another.
Computed computed_between(const StepGraph& graph, OperationId first, OperationId last) {
  Computed sum;
  for (const OperationId id : graph.on_stream(graph.operation(first).stream)) {
    if (id <= first || id > last) continue;
    const StepOperation& op = graph.operation(id);
    sum.time += op.duration - op.slowed.all();
    sum.slowed.by_weights += op.slowed.by_weights;
    sum.slowed.by_gradients += op.slowed.by_gradients;
  }
  return sum;
}

/// Over so many microbatches, from the end of one operation of a stream to that of another.
SteadyPace pace_between(const StepModel& model, const Execution& run, OperationId first, OperationId last,
                        std::int64_t microbatches) {
  const auto n = static_cast<double>(microbatches);
  SteadyPace pace;
  pace.microbatches = microbatches;
  pace.time = seconds_of(run.finish[last] - run.finish[first]) / n;
  const Computed computed = computed_between(model.graph, first, last);
  pace.compute = seconds_of(computed.time) / n;
  const ExposedTimes slowed = divided(exposed_of(computed.slowed), n);
  pace.exposed = divided(awaited_transfers(model, run, last, run.finish[first]), n);
  pace.exposed = limited(pace.exposed, pace.time - pace.compute - slowed.total());
  add_exposed(pace.exposed, slowed);
  pace.idle = std::max(Seconds(0), pace.time - pace.compute - pace.exposed.total());
  pace.exposed_share = pace.exposed.total() / (pace.compute + pace.exposed.total());
  return pace;
}

/// Between fill and drain things repeat after as many microbatches as there are stages.
std::optional<SteadyPace> pace_of(const StepModel& model, const Execution& run, std::int32_t replica) {
  const std::int64_t p = model.shape.stages;
  const std::int64_t rounds = model.shape.microbatches / p;
  constexpr std::int64_t kFewest = 3;
  if (rounds < kFewest) return {};
  const std::vector<OperationId> ends = backward_ends(model, replica);
  const std::int64_t chunks = model.shape.chunks;
  const std::int64_t drain = p + (model.shape.microbatches % p);
  const std::int64_t measured = (rounds - 2) * p;
  const std::int64_t from = (model.shape.microbatches - drain - measured) * chunks;
  if (from < 1 || std::ssize(ends) < from + measured * chunks) return {};
  const OperationId first = ends[index(from - 1)];
  const OperationId last = ends[index(from - 1 + measured * chunks)];
  return pace_between(model, run, first, last, measured);
}

}  // namespace

std::optional<SteadyPace> steady_pace(const StepModel& model, const Execution& run) {
  std::optional<SteadyPace> slowest;
  if (schedule_kind(model.schedule).rules.keeps_all) return slowest;
  for (std::int32_t r = 0; r < std::ssize(model.replicas); ++r) {
    const std::optional<SteadyPace> pace = pace_of(model, run, r);
    if (pace && (!slowest || pace->time > slowest->time)) slowest = pace;
  }
  return slowest;
}

}  // namespace trainyard
