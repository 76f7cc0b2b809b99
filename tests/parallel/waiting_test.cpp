// Microbatches that wait on a stage, beside the orders of passes that schedules make.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "parallel/device_memory.h"
#include "parallel/layer_memory.h"
#include "parallel/schedules.h"

namespace trainyard {
namespace {

/// Chunks between their forward pass and the last pass that needs what it kept.
std::int64_t most_waiting(const std::vector<ChunkPass>& passes, bool weights_apart) {
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const ChunkPass& pass : passes) {
    if (pass.work == ChunkWork::forward) most = std::max(most, ++now);
    if (weights_apart ? makes_gradients(pass) : is_backward(pass)) --now;
  }
  EXPECT_EQ(now, 0);
  return most;
}

TEST(InFlight, IsTheMostThatTheScheduleLeavesWaiting) {
  for (const ScheduleKind& kind : pipeline_schedules()) {
    const ScheduleRules& rules = kind.rules;
    int shapes = 0;
    for (const std::int32_t stages : {1, 2, 3, 4, 8})
      for (const std::int32_t microbatches : {1, 2, 3, 4, 8, 16, 24})
        for (const std::int32_t chunks : {1, 2, 3}) {
          const ScheduleShape shape{stages, microbatches, chunks};
          if (!rules.refusal(shape).empty()) continue;
          ++shapes;
          const ModelShape model;
          const Software software;
          MemoryCase c(model, software);
          c.pipeline = stages;
          c.microbatches = microbatches;
          c.virtual_stages = chunks;
          c.keep_all = rules.keeps_all;
          c.weights_apart = rules.weights_apart;
          c.both_ways = rules.pairs_passes;
          const LayerMemories layers(c);
          const DeviceMemory memory(c, layers);
          const ScheduleOrder order = rules.order(shape);
          bool met = false;
          for (std::int32_t stage = 0; stage < stages; ++stage) {
            const double counted =
                memory.in_flight(stage) + (c.both_ways ? memory.in_flight(stages - 1 - stage) : 0);
            const double seen = static_cast<double>(most_waiting(
                                    order.stages[static_cast<std::size_t>(stage)], rules.weights_apart)) /
                                chunks;
            SCOPED_TRACE(testing::Message() << kind.name << ": stage " << stage << " of " << stages << ", "
                                            << microbatches << " microbatches, " << chunks << " chunks");
            // Where weights come apart there is memory for as many as on the first stage.
            if (rules.weights_apart) {
              EXPECT_LE(seen, counted);
            } else {
              EXPECT_DOUBLE_EQ(seen, counted);
            }
            met = met || seen == counted;
          }
          EXPECT_TRUE(met) << kind.name << ": " << stages << " stages, " << microbatches << " microbatches";
        }
    EXPECT_GT(shapes, 5) << kind.name;
  }
}

}  // namespace
}  // namespace trainyard
