#include "parallel/schedules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "scenario/choices/step.h"
#include "step/executor.h"
#include "step/graph.h"
#include "step/transfer_model.h"
#include "trainyard/networks.h"
#include "trainyard/pipeline_schedule.h"

namespace trainyard {
namespace {

/// Passes of a whole stage, in picoseconds.
struct PassTimes {
  StepTime forward = 12;
  StepTime input = 12;
  StepTime weight = 12;
};

StepTime time_of(ChunkWork work, const PassTimes& t) {
  switch (work) {
    case ChunkWork::forward:
      return t.forward;
    case ChunkWork::backward:
      return t.input + t.weight;
    case ChunkWork::backward_input:
      return t.input;
    case ChunkWork::backward_weight:
      return t.weight;
  }
  return 0;
}

/// The passes of a schedule alone: what comes from the stage before and after arrives at once. Two passes
/// that are computed in turns are one operation, as DualPipe's paper counts them.
StepGraph graph_of(const ScheduleOrder& order, const ScheduleShape& shape, const PassTimes& times) {
  StepGraph graph;
  std::map<std::pair<std::int32_t, std::int32_t>, OperationId> forward;
  std::map<std::pair<std::int32_t, std::int32_t>, OperationId> backward;
  for (std::int32_t s = 0; s < shape.stages; ++s) {
    const auto stream = graph.add_stream({"compute", StepResource::compute, s, 0, StreamOrder::program});
    StepTime together = 0;
    for (const ChunkPass& p : order.stages[static_cast<std::size_t>(s)]) {
      StepOperation op;
      op.stream = stream;
      op.duration = together + time_of(p.work, times) / shape.chunks;
      together = p.with_next ? op.duration : 0;
      const OperationId id = p.with_next ? static_cast<OperationId>(graph.size()) : graph.add(op);
      if (p.work == ChunkWork::forward) forward[{p.microbatch, p.depth}] = id;
      if (p.work == ChunkWork::backward || p.work == ChunkWork::backward_input)
        backward[{p.microbatch, p.depth}] = id;
    }
  }
  for (const auto& [chunk, id] : forward) {
    const auto [microbatch, depth] = chunk;
    if (depth > 0) graph.depend(id, forward.at({microbatch, depth - 1}));
    const bool last = depth == order.depths - 1;
    graph.depend(backward.at(chunk), last ? id : backward.at({microbatch, depth + 1}));
    if (!last) graph.depend(backward.at(chunk), id);
  }
  graph.seal();
  return graph;
}

StepTime makespan(const ScheduleKind& kind, const ScheduleShape& shape, const PassTimes& times) {
  const StepGraph graph = graph_of(kind.rules.order(shape), shape, times);
  const auto network = analytic_transfers(graph, Networks{});
  return execute(graph, *network).end;
}

/// What a stage idles, against the formula of the paper.
void expect_published_bubble(PipelineSchedule schedule, const ScheduleShape& shape, const PassTimes& t) {
  const ScheduleKind& kind = schedule_kind(schedule);
  ASSERT_EQ(kind.rules.refusal(shape), "");
  const StepTime work = (t.forward + t.input + t.weight) * shape.microbatches;
  const Seconds expected =
      kind.rules.bubble(shape, seconds_of(t.forward), seconds_of(t.input), seconds_of(t.weight));
  EXPECT_EQ(makespan(kind, shape, t) - work, step_time(expected))
      << kind.name << " p=" << shape.stages << " m=" << shape.microbatches << " v=" << shape.chunks;
}

TEST(Schedules, EveryChoiceIsRegisteredUnderItsName) {
  ASSERT_EQ(pipeline_schedules().size(), std::size(Choices<PipelineSchedule>::kAll));
  for (const ScheduleKind& kind : pipeline_schedules()) EXPECT_EQ(kind.name, choice_name(kind.schedule));
}

// Huang et al. 2019, section 2.3; Narayanan et al. 2021, section 2.2.
TEST(Schedules, GPipeAnd1F1BFillAndDrainInTheTextbookTime) {
  for (const std::int32_t p : {1, 2, 3, 4, 8, 16}) {
    for (const std::int32_t m : {1, 2, 4, 7, 16, 40}) {
      expect_published_bubble(PipelineSchedule::gpipe, {p, m, 1}, {12, 20, 30});
      expect_published_bubble(PipelineSchedule::one_f_one_b, {p, m, 1}, {12, 20, 30});
    }
  }
}

TEST(Schedules, GPipeIdlesTheShareOfItsPaper) {
  const ScheduleShape shape{8, 24, 1};
  const StepTime span = makespan(schedule_kind(PipelineSchedule::gpipe), shape, {});
  EXPECT_DOUBLE_EQ(1 - 24 * 36.0 / static_cast<double>(span), 7.0 / (24 + 7));  // (p-1)/(m+p-1)
}

TEST(Schedules, InterleavingDividesTheBubble) {
  for (const std::int32_t p : {2, 4, 8}) {
    for (const std::int32_t v : {1, 2, 4}) {
      for (const std::int32_t rounds : {1, 2, 5})
        expect_published_bubble(PipelineSchedule::interleaved, {p, p * rounds, v}, {12, 12, 12});
    }
  }
}

// Qi et al. 2024, table 2, passes of equal length as in its Fig. 2.
TEST(Schedules, WeightGradientsFillTheBubbleOfZeroBubble) {
  for (const std::int32_t p : {1, 2, 3, 4, 6, 8, 12}) {
    for (const std::int32_t m : {2 * p, 3 * p + 1})
      expect_published_bubble(PipelineSchedule::zb_h1, {p, m, 1}, {});
  }
}

// DeepSeek-AI 2024, table 2.
TEST(Schedules, DualPipeIdlesAsPublished) {
  for (const std::int32_t p : {2, 4, 6, 8, 16}) {
    for (const std::int32_t m : {2 * p, 2 * p + 4, 5 * p}) {
      expect_published_bubble(PipelineSchedule::dualpipe, {p, m + m % 2, 1}, {});
    }
  }
}

/// Microbatches whose activations a stage holds, at most: until their weight gradients are there.
std::int32_t most_in_flight(const std::vector<ChunkPass>& order) {
  std::int32_t now = 0;
  std::int32_t most = 0;
  for (const ChunkPass& p : order) {
    if (p.work == ChunkWork::forward) most = std::max(most, ++now);
    if (p.work == ChunkWork::backward || p.work == ChunkWork::backward_weight) --now;
  }
  return most;
}

TEST(Schedules, MemoryIsWhatThePapersSay) {
  const ScheduleShape shape{8, 32, 1};
  const auto gpipe = schedule_kind(PipelineSchedule::gpipe).rules.order(shape);
  const auto usual = schedule_kind(PipelineSchedule::one_f_one_b).rules.order(shape);
  const auto zero = schedule_kind(PipelineSchedule::zb_h1).rules.order(shape);
  const auto dual = schedule_kind(PipelineSchedule::dualpipe).rules.order(shape);
  for (std::int32_t s = 0; s < shape.stages; ++s) {
    const auto at = static_cast<std::size_t>(s);
    EXPECT_EQ(most_in_flight(gpipe.stages[at]), shape.microbatches);
    EXPECT_EQ(most_in_flight(usual.stages[at]), shape.stages - s);
    EXPECT_LE(most_in_flight(zero.stages[at]), shape.stages);
    EXPECT_LE(most_in_flight(dual.stages[at]), shape.stages + 1);
  }
}

TEST(Schedules, EveryChunkIsPassedOnceEachWay) {
  for (const ScheduleKind& kind : pipeline_schedules()) {
    const ScheduleShape shape{4, 16, kind.schedule == PipelineSchedule::interleaved ? 3 : 1};
    const ScheduleOrder order = kind.rules.order(shape);
    std::map<std::pair<std::int32_t, std::int32_t>, std::multiset<ChunkWork>> seen;
    for (std::int32_t s = 0; s < shape.stages; ++s) {
      for (const ChunkPass& p : order.stages[static_cast<std::size_t>(s)]) {
        seen[{p.microbatch, p.depth}].insert(p.work);
        EXPECT_EQ(order.stage(p.microbatch, p.depth), s) << kind.name;
      }
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(shape.microbatches * order.depths)) << kind.name;
    for (const auto& [chunk, works] : seen) {
      const bool whole = works == std::multiset{ChunkWork::forward, ChunkWork::backward};
      const bool parts =
          works == std::multiset{ChunkWork::forward, ChunkWork::backward_input, ChunkWork::backward_weight};
      EXPECT_TRUE(whole || parts) << kind.name;
    }
  }
}

TEST(Schedules, ShapesThatDoNotDivideAreRefused) {
  const auto refusal = [](PipelineSchedule s, ScheduleShape shape) {
    return schedule_kind(s).rules.refusal(shape);
  };
  EXPECT_NE(refusal(PipelineSchedule::interleaved, {4, 6, 2}), "");
  EXPECT_NE(refusal(PipelineSchedule::dualpipe, {3, 8, 1}), "");
  EXPECT_NE(refusal(PipelineSchedule::dualpipe, {4, 6, 1}), "");
  EXPECT_NE(refusal(PipelineSchedule::dualpipe, {4, 9, 1}), "");
  EXPECT_NE(refusal(PipelineSchedule::one_f_one_b, {4, 8, 2}), "");
  EXPECT_NE(refusal(PipelineSchedule::zb_h1, {4, 8, 2}), "");
}

}  // namespace
}  // namespace trainyard
