// The pipeline schedules, and what several of them are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "parallel/schedules.h"
#include "trainyard/units.h"

namespace trainyard::schedules {

// One file each in schedules/.
#define TRAINYARD_SCHEDULE(schedule, key, sentence) ScheduleRules schedule();
#include "trainyard/registries/pipeline_schedules.def"

using Shape = ScheduleShape;
using Order = std::vector<ChunkPass>;

/// Orders without passes; depth d stands on stage d mod p.
ScheduleOrder one_way(const Shape& s);

/// Refuses more than one chunk a stage.
std::string one_chunk(const Shape& s);

/// (p-1)(F+B) / v: GPipe and 1F1B with v = 1 (Narayanan et al. 2021, sections 2.2.1 and 2.2.2).
Seconds fill_and_drain(const Shape& s, Seconds forward, Seconds input, Seconds weight);

/// Warm-up forward passes, then forward and backward in turns, then the rest (Narayanan et al. 2021, Fig. 4).
/// The k-th forward and backward pass of a stage are given by functions.
template <class Forward, class Backward>
void one_forward_one_backward(Order& order, std::int32_t passes, std::int32_t warm_up, Forward forward,
                              Backward backward) {
  for (std::int32_t k = 0; k < warm_up; ++k) order.push_back(forward(k));
  for (std::int32_t k = warm_up; k < passes; ++k) {
    order.push_back(forward(k));
    order.push_back(backward(k - warm_up));
  }
  for (std::int32_t k = passes - warm_up; k < passes; ++k) order.push_back(backward(k));
}

}  // namespace trainyard::schedules
