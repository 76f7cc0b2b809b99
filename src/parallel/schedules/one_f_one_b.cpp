// One forward, one backward (Narayanan et al. 2021).
#include <algorithm>

#include "base/whole_numbers.h"
#include "parallel/schedule_parts.h"

namespace trainyard::schedules {
namespace {

ScheduleOrder order_of(const Shape& s) {
  ScheduleOrder out = one_way(s);
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    one_forward_one_backward(
        out.stages[index(stage)], s.microbatches, std::min(s.stages - 1 - stage, s.microbatches),
        [&](std::int32_t k) {
          return ChunkPass{ChunkWork::forward, k, stage};
        },
        [&](std::int32_t k) {
          return ChunkPass{ChunkWork::backward, k, stage};
        });
  }
  return out;
}

}  // namespace

ScheduleRules one_f_one_b() { return {.order = order_of, .bubble = fill_and_drain, .refusal = one_chunk}; }

}  // namespace trainyard::schedules
