// Work whose cost is part of its answer: for pages and for data.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <ctime>

#include "serve/ask.h"
#include "trainyard/report/search.h"
#include "trainyard/report/simulation.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation_result.h"
#include "trainyard/step.h"
#include "trainyard/units.h"

namespace trainyard::serving {

constexpr std::int64_t kMostThreads = 64;

/// Time since it was made, on the wall and of the processor.
class Stopwatch {
 public:
  Seconds wall() const {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count());
  }
  Seconds processor() const { return Seconds(static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::clock_t clock_ = std::clock();
};

inline double peak_memory_bytes() {
  constexpr double kKilo = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * kKilo;
}

struct Simulated {
  Scenario scenario;
  SimulationResult result;
  RunCost cost;
};

/// By the options `network` and `threads` of the question.
StepSimulation stepped(const Ask& ask, const Plan& plan);
SearchAnswer searched(const Ask& ask, Teller& teller);
Simulated simulated(const Ask& ask, Teller& teller);

}  // namespace trainyard::serving
