// What a simulation costs, and how far it is.
#pragma once

#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "trainyard/report/simulation.h"
#include "trainyard/simulation_progress.h"

namespace trainyard {

inline double seconds_of(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

/// Time on the wall since it was made.
class Stopwatch {
 public:
  Seconds passed() const {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Processor time and memory of this process so far.
inline RunCost used() {
  constexpr double kKilo = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)), Seconds(0),
          static_cast<double>(usage.ru_maxrss) * kKilo};
}

/// How far the run is, on a terminal: one line that is written over.
class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shown_at_.si() > 0) std::fputs("\n", stderr);
  }

  void show(const SimulationProgress& progress) {
    constexpr Seconds kEvery{0.2};
    const Seconds wall = watch_.passed();
    if (wall - shown_at_ < kEvery && (shown_at_.si() == 0 || progress.flows_finished < progress.flows))
      return;
    shown_at_ = wall;
    constexpr const char* kClearRest = "\x1b[K";
    std::fprintf(stderr, "\r%s%s", progress_text(progress, wall).c_str(), kClearRest);
  }

 private:
  Stopwatch watch_;
  Seconds shown_at_{0};
};

}  // namespace trainyard
