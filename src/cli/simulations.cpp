#include <sys/resource.h>

#include <chrono>

#include "cli/commands.h"
#include "cli/loading.h"
#include "network/packet/simulate.h"
#include "report/simulation_text.h"

namespace trainyard {
namespace {

double seconds_of(const timeval& time) {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * kMicro;
}

/// Processor time and memory of this process so far.
RunCost used() {
  constexpr double kKilo = 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {Seconds(seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime)), Seconds(0),
          static_cast<double>(usage.ru_maxrss) * kKilo};
}

/// Finished flows and simulated time, on a terminal.
std::function<void(std::uint64_t, std::uint64_t, Seconds, std::uint64_t)> simulation_progress() {
  if (isatty(STDERR_FILENO) == 0) return {};
  return [windows = std::uint64_t{0}](std::uint64_t done, std::uint64_t all, Seconds now, std::uint64_t) mutable {
    constexpr std::uint64_t kEvery = 256;
    constexpr double kMicro = 1e6;
    if (windows++ % kEvery == 0 || done == all) {
      std::fprintf(stderr, "\r%llu of %llu flows, %.1f us simulated%s", static_cast<unsigned long long>(done),
                   static_cast<unsigned long long>(all), now.si() * kMicro, done == all ? "\n" : "");
    }
  };
}

}  // namespace

std::string run_simulation(const ScenarioOptions& options) {
  const Scenario scenario = load(options).resolve();
  const RunCost before = used();
  const auto begin = std::chrono::steady_clock::now();
  const SimulationResult result = simulate(scenario, {.threads = 1, .progress = simulation_progress()});
  RunCost cost = used();
  cost.cpu -= before.cpu;
  cost.wall = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  if (options.format == Format::json) return simulation_json(result, cost, scenario);
  if (options.format == Format::csv) return simulation_csv(result);
  return simulation_text(result, cost);
}

}  // namespace trainyard
