#include "cost/host_times.h"

#include <gtest/gtest.h>

#include "model/model.h"

namespace trainyard {
namespace {

Calibration milliseconds() {
  Calibration c;
  c.host_operator = Seconds(1e-3);
  c.host_expert = Seconds(1e-3);
  return c;
}

Operator named(const std::string& name, bool matmul) {
  Operator op;
  op.name = name;
  op.matmul = matmul;
  return op;
}

TEST(HostTimes, CountWhatIsIssued) {
  Operator softmax = named("softmax", false);
  softmax.attention_matrix = true;
  Operator scores = named("attention scores", true);
  scores.role = OperatorRole::attention_scores;
  scores.attention_matrix = true;
  const std::vector<Operator> layer = {named("norms", false), named("up", true), scores, softmax};
  const Software eager;
  EXPECT_NEAR(host_times(layer, eager, milliseconds(),
                         {.experts = 0, .low_precision = false, .fused_attention = true})
                  .forward.si(),
              3e-3, 1e-12);
  EXPECT_NEAR(host_times(layer, eager, milliseconds(),
                         {.experts = 0, .low_precision = false, .fused_attention = false})
                  .forward.si(),
              4e-3, 1e-12);
  EXPECT_NEAR(
      host_times(layer, eager, milliseconds(), {.experts = 0, .low_precision = true, .fused_attention = true})
          .forward.si(),
      4e-3, 1e-12);
  EXPECT_NEAR(host_times(layer, eager, milliseconds(),
                         {.experts = 0, .low_precision = false, .fused_attention = true})
                  .backward.si(),
              4.5e-3, 1e-12);
}

// Each step of a ring but the first is issued as an operator more.
TEST(HostTimes, StepsOfRingsAreIssued) {
  const HostLoad load = {.experts = 0, .low_precision = false, .fused_attention = true, .ring_steps = 3};
  EXPECT_NEAR(host_times({named("up", true)}, Software(), milliseconds(), load).forward.si(), 4e-3, 1e-12);
}

TEST(HostTimes, CollectivesCountTwice) {
  const HostLoad load = {.experts = 0, .low_precision = false, .fused_attention = true, .collectives = 3};
  EXPECT_NEAR(host_times({named("up", true)}, Software(), milliseconds(), load).forward.si(), 7e-3, 1e-12);
  Software captured;
  captured.graphs = captured.graphs_experts = true;
  EXPECT_EQ(host_times({named("up", true)}, captured, milliseconds(), load).forward.si(), 0);
}

// An 8-bit product is issued with its casts; an adapter has none.
TEST(HostTimes, AdaptersAreIssuedOnce) {
  Operator adapter = named("adapter up, down", true);
  adapter.adapter = true;
  const HostLoad low = {.experts = 0, .low_precision = true, .fused_attention = true};
  EXPECT_NEAR(host_times({adapter}, Software(), milliseconds(), low).forward.si(), 1e-3, 1e-12);
  EXPECT_NEAR(host_times({named("up", true)}, Software(), milliseconds(), low).forward.si(), 2e-3, 1e-12);
}

TEST(HostTimes, GraphsNeedNoneButForExperts) {
  Operator up = named("experts up", true);
  up.experts = true;
  const std::vector<Operator> layer = {named("norms", false), up};
  Software graphs;
  graphs.graphs = true;
  EXPECT_NEAR(host_times(layer, graphs, milliseconds(),
                         {.experts = 16, .low_precision = true, .fused_attention = true})
                  .forward.si(),
              16e-3, 1e-12);
  EXPECT_NEAR(host_times(layer, graphs, milliseconds(),
                         {.experts = 16, .low_precision = false, .fused_attention = true})
                  .forward.si(),
              4e-3, 1e-12);
  graphs.graphs_experts = true;
  EXPECT_EQ(host_times(layer, graphs, milliseconds(),
                       {.experts = 16, .low_precision = true, .fused_attention = true})
                .forward.si(),
            0);
}

// One kernel for all of a device's experts is issued once.
TEST(HostTimes, GroupedExpertsAreIssuedOnce) {
  Operator up = named("experts up", true);
  up.experts = true;
  Software grouped;
  grouped.groups_experts = true;
  const HostLoad load = {.experts = 16, .low_precision = true};
  EXPECT_NEAR(host_times({up}, grouped, milliseconds(), load).forward.si(), 1e-3, 1e-12);
  EXPECT_NEAR(host_times({up}, {}, milliseconds(), load).forward.si(), 16e-3, 1e-12);
}

TEST(HostTimes, PiecesOfOverlappedLayersCostMore) {
  Operator up = named("experts up", true);
  up.experts = true;
  const std::vector<Operator> layer = {named("norms", false), up};
  const HostLoad load = {.experts = 4, .low_precision = true, .overlapped_experts = true};
  Software pieces;
  pieces.overlapped_launches = 1.5;
  EXPECT_NEAR(host_times(layer, pieces, milliseconds(), load).forward.si(), 1.5 * 5e-3, 1e-12);
  EXPECT_NEAR(host_times(layer, pieces, milliseconds(), load).backward.si(), 1.5 * 7.5e-3, 1e-12);
  EXPECT_NEAR(host_times(layer, {}, milliseconds(), load).forward.si(), 5e-3, 1e-12);
  Software captured;
  captured.graphs = captured.graphs_experts = true;
  EXPECT_EQ(host_times(layer, captured, milliseconds(), load).forward.si(), 0);
}

}  // namespace
}  // namespace trainyard
