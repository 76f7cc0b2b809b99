// 1F1B over several chunks a stage (Narayanan et al. 2021).
#include <fmt/core.h>

#include <algorithm>

#include "base/whole_numbers.h"
#include "parallel/schedule_parts.h"

namespace trainyard::schedules {
namespace {

/// p microbatches through a chunk, then the same through the next (Narayanan et al. 2021, section 2.2.2).
ScheduleOrder order_of(const Shape& s) {
  ScheduleOrder out = one_way(s);
  const std::int32_t passes = s.microbatches * s.chunks;
  const std::int32_t round = s.stages * s.chunks;
  for (std::int32_t stage = 0; stage < s.stages; ++stage) {
    const auto pass = [&](ChunkWork work, std::int32_t k) {
      const std::int32_t turn = k % round / s.stages;
      const std::int32_t chunk = work == ChunkWork::forward ? turn : s.chunks - 1 - turn;
      return ChunkPass{work, k / round * s.stages + k % s.stages, chunk * s.stages + stage};
    };
    const std::int32_t warm_up = (s.stages - 1 - stage) * 2 + (s.chunks - 1) * s.stages;
    one_forward_one_backward(
        out.stages[index(stage)], passes, std::min(s.chunks == 1 ? s.stages - 1 - stage : warm_up, passes),
        [&](std::int32_t k) { return pass(ChunkWork::forward, k); },
        [&](std::int32_t k) { return pass(ChunkWork::backward, k); });
  }
  return out;
}

std::string refusal(const Shape& s) {
  if (s.microbatches % s.stages == 0) return "";
  return fmt::format("takes microbatches in rounds of the {} stages, and {} do not divide", s.stages,
                     s.microbatches);
}

}  // namespace

ScheduleRules interleaved() { return {.order = order_of, .bubble = fill_and_drain, .refusal = refusal}; }

}  // namespace trainyard::schedules
