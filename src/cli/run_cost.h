// What a run costs.
#pragma once

#include <sys/resource.h>

#include "trainyard/report/simulation.h"

namespace trainyard {

inline double seconds_of(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

/// Processor time and memory of this process so far.
inline RunCost used() {
  constexpr double kKilo = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)), Seconds(0),
          static_cast<double>(usage.ru_maxrss) * kKilo};
}

}  // namespace trainyard
