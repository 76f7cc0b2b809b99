#include "parallel/known_order.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "parallel/schedules.h"

namespace trainyard {
namespace {

bool same(const ScheduleOrder& a, const ScheduleOrder& b) {
  return a.stages == b.stages && a.depths == b.depths && a.stage_of == b.stage_of &&
         a.second_direction == b.second_direction;
}

/// Shapes of two schedules differ in one count, and the counts of one trade places.
TEST(KnownOrder, IsTheScheduleOfEachShape) {
  for (int round = 0; round < 2; ++round) {
    for (const ScheduleKind& kind : pipeline_schedules()) {
      for (const ScheduleShape shape :
           {ScheduleShape{2, 8, 1}, {4, 8, 1}, {2, 4, 1}, {4, 16, 1}, {4, 8, 2}}) {
        if (!kind.rules.refusal(shape).empty()) continue;
        EXPECT_TRUE(same(*known_order(kind.rules, shape), kind.rules.order(shape)))
            << kind.name << ' ' << shape.stages << ' ' << shape.microbatches << ' ' << shape.chunks;
      }
    }
  }
}

/// Who holds one keeps it when it is forgotten.
TEST(KnownOrder, OutlivesTheMemory) {
  const ScheduleRules& rules = pipeline_schedules().front().rules;
  const ScheduleShape shape{4, 8, 1};
  const auto held = known_order(rules, shape);
  for (std::int32_t more = 1; more <= 3; ++more) known_order(rules, {64, (1 << 14) + more, 1});
  EXPECT_TRUE(same(*held, rules.order(shape)));
  EXPECT_NE(known_order(rules, shape), held);
}

}  // namespace
}  // namespace trainyard
