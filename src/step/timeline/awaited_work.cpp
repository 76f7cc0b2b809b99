#include "step/timeline/awaited_work.h"

#include <algorithm>
#include <iterator>

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

/// What an operation of a chain adds to it from a moment until the next one begins.
void add_operation(Works& out, const StepModel& model, const Execution& execution, OperationId id,
                   std::int32_t replica, StepTime start, StepTime until) {
  const StepGraph& graph = model.graph;
  const StepWork work = graph.operation(id).work;
  StepTime hidden = 0;
  if (is_transfer(work) && work != StepWork::pipeline)
    hidden = computed_within(graph, execution, model.compute_stream(replica, graph.stream_of(id).stage),
                             start, until);
  if (is_transfer(work)) hidden = std::max(hidden, model.failures.gone(graph, id, start, until));
  if (is_transfer(work) && graph.class_of(id).idles) hidden = until - start;
  add_time(out, StepWork::forward, hidden);
  add_time(out, work, until - start - hidden);
}

/// Of a shared stream what comes after it in the chain says which replica waits.
std::int32_t replica_of(const StepGraph& graph, OperationId id, std::int32_t after) {
  const std::int32_t replica = graph.stream_of(id).replica;
  return replica == kSharedReplica ? after : replica;
}

ExposedTimes transfers_of(const Works& works) {
  return {of(works, StepWork::tensor), of(works, StepWork::context), of(works, StepWork::pipeline),
          of(works, StepWork::expert), of(works, StepWork::weights), of(works, StepWork::gradient),
          of(works, StepWork::offload)};
}

}  // namespace

Works awaited_work(const StepModel& model, const Execution& execution, OperationId to, StepTime from) {
  Works out{};
  StepTime until = execution.finish[to];
  std::int32_t replica = 0;
  for (OperationId id = to; id != kNoOperation && until > from; id = execution.waited_for[id]) {
    replica = replica_of(model.graph, id, replica);
    add_operation(out, model, execution, id, replica, std::max(from, execution.start[id]), until);
    until = execution.start[id];
  }
  return out;
}

ExposedTimes awaited_transfers(const StepModel& model, const Execution& execution, OperationId to,
                               StepTime from) {
  return transfers_of(awaited_work(model, execution, to, from));
}

AwaitedChains::AwaitedChains(const StepModel& model, const Execution& execution)
    : model_(model), run_(execution) {
  const auto found = std::find(run_.finish.begin(), run_.finish.end(), run_.end);
  const auto last = static_cast<OperationId>(found - run_.finish.begin());
  std::int32_t replica = 0;
  for (OperationId id = last; id != kNoOperation; id = run_.waited_for[id]) {
    replica = replica_of(model_.graph, id, replica);
    to_the_end_.push_back({id, replica});
  }
  whole_ = until(last);
}

Works AwaitedChains::until(OperationId to) {
  Works out = before({to, replica_of(model_.graph, to, 0)});
  add_operation(out, model_, run_, to, replica_of(model_.graph, to, 0), run_.start[to], run_.finish[to]);
  return out;
}

ExposedTimes AwaitedChains::transfers_until(OperationId to) { return transfers_of(until(to)); }

ExposedTimes AwaitedChains::transfers_to_the_end(StepTime from) {
  const auto at = std::partition_point(to_the_end_.begin(), to_the_end_.end(),
                                       [&](const Link& link) { return run_.start[link.id] > from; });
  Works out = whole_;
  if (at == to_the_end_.end()) return transfers_of(out);
  const StepTime until = at == to_the_end_.begin() ? run_.end : run_.start[std::prev(at)->id];
  Works earlier = before(*at);
  add_operation(earlier, model_, run_, at->id, at->replica, run_.start[at->id], until);
  for (std::size_t w = 0; w < out.size(); ++w) out[w] -= earlier[w];
  add_operation(out, model_, run_, at->id, at->replica, from, until);
  return transfers_of(out);
}

Works AwaitedChains::before(Link link) {
  constexpr std::size_t kBetweenKept = 64;  // links that are walked again
  std::vector<Link> path = {link};
  auto known = known_.end();
  const auto look_up = [&](OperationId id) {
    const bool shared = model_.graph.stream_of(id).replica == kSharedReplica;
    return shared ? known_.end() : known_.find(id);
  };
  while ((known = look_up(path.back().id)) == known_.end()) {
    const OperationId id = run_.waited_for[path.back().id];
    if (id == kNoOperation) break;
    path.push_back({id, replica_of(model_.graph, id, path.back().replica)});
  }
  Works sum = known == known_.end() ? Works{} : known->second;
  std::size_t walked = 0;
  for (std::size_t i = path.size() - 1; i > 0; --i) {
    const OperationId next = path[i - 1].id;
    add_operation(sum, model_, run_, path[i].id, path[i].replica, run_.start[path[i].id], run_.start[next]);
    if (++walked < kBetweenKept || model_.graph.stream_of(next).replica == kSharedReplica) continue;
    known_.emplace(next, sum);
    walked = 0;
  }
  return sum;
}

}  // namespace trainyard
