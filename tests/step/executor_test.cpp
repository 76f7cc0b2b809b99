#include "step/executor.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "plans.h"
#include "step/transfer_model.h"
#include "trainyard/errors.h"
#include "trainyard/networks.h"

namespace trainyard {
namespace {

StepOperation compute(std::uint32_t stream, StepTime duration) {
  StepOperation op;
  op.stream = stream;
  op.duration = duration;
  return op;
}

StepOperation transfer(std::uint32_t stream, std::uint16_t kind, double bytes) {
  StepOperation op;
  op.stream = stream;
  op.work = StepWork::pipeline;
  op.transfer = kind;
  op.bytes = bytes;
  return op;
}

/// Compute streams, transfer streams of both orders, and dependencies from earlier to later operations.
StepGraph random_graph(int size) {
  StepGraph graph;
  graph.add_stream({"a", StepResource::compute, 0, 0, StreamOrder::program});
  graph.add_stream({"b", StepResource::compute, 1, 0, StreamOrder::program});
  graph.add_stream({"in order", StepResource::scale_out, 0, 0, StreamOrder::program});
  graph.add_stream({"as ready", StepResource::wide_area, 1, 0, StreamOrder::ready});
  graph.add_class({"near", StepWork::pipeline, StepResource::scale_out, 2, 0.5, 1});
  graph.add_class({"far", StepWork::gradient, StepResource::wide_area, 2, 1, 2});
  for (int i = 0; i < size; ++i) {
    const auto stream = *rc::gen::inRange<std::uint32_t>(0, 4);
    const int amount = *rc::gen::inRange(0, 30);
    const OperationId id = stream < 2
                               ? graph.add(compute(stream, amount))
                               : graph.add(transfer(stream, static_cast<std::uint16_t>(stream - 2), amount));
    for (int n = *rc::gen::inRange(0, 3); n > 0 && id > 0; --n)
      graph.depend(id, *rc::gen::inRange<OperationId>(0, id));
  }
  graph.seal();
  return graph;
}

StepTime occupied(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  if (!is_transfer(op.work)) return op.duration;
  return static_cast<StepTime>(op.bytes / graph.class_of(id).rate_share);
}

StepTime delay(const StepGraph& graph, OperationId id) {
  const StepOperation& op = graph.operation(id);
  if (!is_transfer(op.work) || op.bytes == 0) return 0;
  return graph.class_of(id).network == StepResource::scale_out ? 3 : 2 * 20;
}

/// Moment after moment: whatever is over is noted, then every free stream looks through its operations.
std::vector<StepTime> starts_by_brute_force(const StepGraph& graph) {
  const std::size_t n = graph.size();
  std::vector<StepTime> start(n, -1);
  std::vector<StepTime> ready(n, -1);
  const auto finished = [&](OperationId id, StepTime now) {
    return start[id] >= 0 && start[id] + occupied(graph, id) + delay(graph, id) <= now;
  };
  const auto busy = [&](std::uint32_t stream, StepTime now) {
    const auto ops = graph.on_stream(stream);
    return std::any_of(ops.begin(), ops.end(), [&](OperationId id) {
      return start[id] >= 0 && start[id] + occupied(graph, id) > now;
    });
  };
  for (StepTime now = 0; std::count(start.begin(), start.end(), -1) > 0; ++now) {
    for (bool more = true; more;) {  // operations without duration make others ready at the same moment
      more = false;
      for (OperationId id = 0; id < n; ++id) {
        const auto waits = graph.predecessors(id);
        if (ready[id] < 0 &&
            std::all_of(waits.begin(), waits.end(), [&](OperationId w) { return finished(w, now); }))
          ready[id] = now;
      }
      for (std::uint32_t s = 0; s < graph.streams().size(); ++s) {
        if (busy(s, now)) continue;
        OperationId chosen = kNoOperation;
        for (const OperationId id : graph.on_stream(s)) {
          if (start[id] >= 0) continue;
          if (graph.streams()[s].order == StreamOrder::program) {
            if (ready[id] >= 0) chosen = id;
            break;
          }
          if (ready[id] >= 0 && (chosen == kNoOperation || ready[id] < ready[chosen])) chosen = id;
        }
        if (chosen == kNoOperation) continue;
        start[chosen] = now;
        more = true;
      }
    }
  }
  return start;
}

RC_GTEST_PROP(Executor, AgreesWithLookingAtEveryMoment, ()) {
  const StepGraph graph = random_graph(*rc::gen::inRange(1, 40));
  const auto network = analytic_transfers(graph, kNetworks);
  const Execution run = execute(graph, *network);
  RC_ASSERT(run.start == starts_by_brute_force(graph));
}

RC_GTEST_PROP(Executor, NeverRunsTwoOperationsOfAStreamAtOnce, ()) {
  const StepGraph graph = random_graph(*rc::gen::inRange(1, 60));
  const auto network = analytic_transfers(graph, kNetworks);
  const Execution run = execute(graph, *network);
  for (std::uint32_t s = 0; s < graph.streams().size(); ++s) {
    std::vector<OperationId> ops(graph.on_stream(s).begin(), graph.on_stream(s).end());
    std::stable_sort(ops.begin(), ops.end(), [&](OperationId a, OperationId b) {
      return std::pair(run.start[a], run.freed[a]) < std::pair(run.start[b], run.freed[b]);
    });
    for (std::size_t i = 0; i + 1 < ops.size(); ++i) RC_ASSERT(run.freed[ops[i]] <= run.start[ops[i + 1]]);
  }
}

RC_GTEST_PROP(Executor, StartsEverythingWhenTheLastAwaitedIsOver, ()) {
  const StepGraph graph = random_graph(*rc::gen::inRange(1, 60));
  const auto network = analytic_transfers(graph, kNetworks);
  const Execution run = execute(graph, *network);
  for (OperationId id = 0; id < graph.size(); ++id) {
    for (const OperationId earlier : graph.predecessors(id)) RC_ASSERT(run.finish[earlier] <= run.start[id]);
    if (run.start[id] == 0) continue;
    const OperationId last = run.waited_for[id];
    RC_ASSERT(last != kNoOperation);
    RC_ASSERT(run.finish[last] == run.start[id] || run.freed[last] == run.start[id]);
  }
}

RC_GTEST_PROP(Executor, GivesTheSameTwice, ()) {
  const StepGraph graph = random_graph(*rc::gen::inRange(1, 60));
  const auto one = analytic_transfers(graph, kNetworks);
  const auto two = analytic_transfers(graph, kNetworks);
  const Execution a = execute(graph, *one);
  const Execution b = execute(graph, *two);
  RC_ASSERT(a.start == b.start);
  RC_ASSERT(a.finish == b.finish);
  RC_ASSERT(a.waited_for == b.waited_for);
}

StepGraph two_streams() {
  StepGraph graph;
  graph.add_stream({"a", StepResource::compute, 0, 0, StreamOrder::program});
  graph.add_stream({"b", StepResource::compute, 1, 0, StreamOrder::program});
  return graph;
}

TEST(Graph, RefusesWhatCannotBeExecuted) {
  StepGraph empty = two_streams();
  EXPECT_THROW(empty.seal(), InputError);

  StepGraph cycle = two_streams();
  const OperationId a = cycle.add(compute(0, 1));
  const OperationId b = cycle.add(compute(1, 1));
  cycle.depend(a, b);
  cycle.depend(b, a);
  EXPECT_THROW(cycle.seal(), InputError);

  StepGraph against_order = two_streams();  // the first on a stream waits for the second
  const OperationId first = against_order.add(compute(0, 1));
  against_order.depend(first, against_order.add(compute(0, 1)));
  EXPECT_THROW(against_order.seal(), InputError);

  StepGraph stranger = two_streams();
  stranger.depend(stranger.add(compute(0, 1)), 7);
  EXPECT_THROW(stranger.seal(), InputError);

  StepGraph nowhere = two_streams();
  nowhere.add(compute(9, 1));
  EXPECT_THROW(nowhere.seal(), InputError);

  StepGraph backwards = two_streams();
  backwards.add(compute(0, -1));
  EXPECT_THROW(backwards.seal(), InputError);

  StepGraph classless = two_streams();
  classless.add(transfer(0, 0, 1));
  EXPECT_THROW(classless.seal(), InputError);
}

TEST(Transfers, NeedBandwidth) {
  StepGraph graph = two_streams();
  graph.add_class({"pipeline", StepWork::pipeline, StepResource::scale_out, 2, 1, 1});
  graph.add(transfer(0, 0, 10));
  graph.seal();
  Networks none = kNetworks;
  none.scale_out.rate = BytesPerSecond(0);
  EXPECT_THROW(analytic_transfers(graph, none), InputError);

  Networks slow = kNetworks;
  slow.scale_out.rate = BytesPerSecond(1e-9);  // 10 bytes in 300 years
  const auto endless = analytic_transfers(graph, slow);
  EXPECT_THROW(execute(graph, *endless), InputError);
}

}  // namespace
}  // namespace trainyard
