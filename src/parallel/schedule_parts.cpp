#include "parallel/schedule_parts.h"

#include <fmt/core.h>

#include "base/whole_numbers.h"

namespace trainyard::schedules {

ScheduleOrder one_way(const Shape& s) {
  ScheduleOrder out;
  out.depths = s.stages * s.chunks;
  out.stages.resize(index(s.stages));
  out.stage_of.resize(1);
  for (std::int32_t d = 0; d < out.depths; ++d) out.stage_of[0].push_back(d % s.stages);
  return out;
}

std::string one_chunk(const Shape& s) {
  return s.chunks == 1 ? "" : fmt::format("takes one chunk a stage, not {}", s.chunks);
}

Seconds fill_and_drain(const Shape& s, Seconds forward, Seconds input, Seconds weight) {
  return (forward + input + weight) * (real(s.stages - 1) / real(s.chunks));
}

}  // namespace trainyard::schedules
