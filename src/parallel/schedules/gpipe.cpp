// GPipe (Huang et al. 2019).
#include "base/whole_numbers.h"
#include "parallel/schedule_parts.h"

namespace trainyard::schedules {
namespace {

/// All forward passes, then all backward passes, last microbatch first (Huang et al. 2019, Fig. 2).
ScheduleOrder order_of(const Shape& s) {
  ScheduleOrder out = one_way(s);
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    Order& order = out.stages[index(stage)];
    for (std::int32_t i = 0; i < s.microbatches; ++i) order.push_back({ChunkWork::forward, i, stage});
    for (std::int32_t i = s.microbatches; i-- > 0;) order.push_back({ChunkWork::backward, i, stage});
  }
  return out;
}

}  // namespace

ScheduleRules gpipe() {
  return {.order = order_of, .bubble = fill_and_drain, .refusal = one_chunk, .keeps_all = true};
}

}  // namespace trainyard::schedules
