#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "cli/commands.h"
#include "cli/loading.h"
#include "cli/signals.h"
#include "network/simulate.h"
#include "network/simulate_flows.h"
#include "report/drawing/chart.h"
#include "report/drawing/simulation_charts.h"
#include "report/page/simulation.h"
#include "report/text/simulation.h"

namespace trainyard {
namespace {

/// Defaults for runs that are given by files alone.
constexpr const char* kPlainScenario = "ndp-permutation";

double seconds_of(const timeval& time) {
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
RunCost used() {
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

/// Says before a long run what could not be written after it.
void check_outputs(const SimulateOptions& options) {
  for (const std::string& path :
       {options.report, options.fct_svg, options.queue_svg, options.trace, options.checkpoint}) {
    if (!path.empty()) check_writable(path);
  }
}

bool sets(const SimulateOptions& options, const std::string& key) {
  return std::any_of(options.sets.begin(), options.sets.end(),
                     [&](const std::string& set) { return set.starts_with(key + "="); });
}

/// What htsim adds to a packet and gives acknowledgements: nothing and 40 bytes in its TCP family, else 64.
void count_as_htsim(SimulateOptions& options) {
  const bool plain = std::any_of(options.sets.begin(), options.sets.end(), [](const std::string& set) {
    return set == "simulation.transport=swift" || set == "simulation.transport=dctcp" ||
           set == "simulation.transport=cubic";
  });
  if (!sets(options, "simulation.header"))
    options.sets.push_back(plain ? "simulation.header=0 B" : "simulation.header=64 B");
  if (!sets(options, "simulation.control_packet"))
    options.sets.push_back(plain ? "simulation.control_packet=40 B" : "simulation.control_packet=64 B");
}

/// The flags that are short for settings, as settings.
SimulateOptions spelled_out(SimulateOptions options) {
  const std::pair<const std::string&, const char*> shorts[] = {{options.transport, "transport"},
                                                               {options.load_balancing, "load_balancing"},
                                                               {options.window, "window"},
                                                               {options.queue, "queue"},
                                                               {options.seed, "seed"}};
  for (const auto& [value, key] : shorts) {
    if (!value.empty()) options.sets.push_back(fmt::format("simulation.{}={}", key, value));
  }
  if (!options.mtu.empty()) {
    const bool bare = options.mtu.find_first_not_of("0123456789") == std::string::npos;
    options.sets.push_back("simulation.packet=" + options.mtu + (bare ? " B" : ""));
  }
  if (options.network == "flow" && !options.queue_svg.empty())
    fail_input(whole("--queue-svg"), "at flow level there are no queues", "--network packet");
  if (!options.connections.empty()) count_as_htsim(options);
  if (!options.scenario.empty()) return options;
  if (options.topology.empty())
    fail_input(whole("trainyard simulate"), "no scenario",
               "a scenario, or --topology with --connections or --flows");
  if (options.connections.empty() && options.flows.empty())
    fail_input(whole("--topology"), "a topology file says nothing of traffic",
               "--connections, --flows, or a scenario");
  options.scenario = kPlainScenario;
  return options;
}

SimulationFiles files_of(const SimulateOptions& options) {
  SimulationFiles files;
  if (!options.topology.empty()) files.topology = read_text(options.topology);
  if (!options.connections.empty()) files.connections = read_text(options.connections);
  if (!options.flows.empty()) files.flows = read_text(options.flows);
  return files;
}

struct Ran {
  SimulationResult result;
  RunCost cost;
};

Ran simulate_measured(const Scenario& scenario, const SimulateOptions& options) {
  ProgressLine line;
  SimulationRun run{
      .files = files_of(options), .threads = options.threads, .traced_flows = options.trace_flows};
  if (isatty(STDERR_FILENO) != 0) run.progress = [&](const SimulationProgress& now) { line.show(now); };
  run.checkpoints = {options.checkpoint, Seconds(options.checkpoint_every), options.resume,
                     [] { return StopSignals::caught() != 0; },
                     [](const std::string& why) { std::fputs(why.c_str(), stderr); }};
  std::optional<StopSignals> signals;
  if (!options.checkpoint.empty()) signals.emplace();
  const RunCost before = used();
  const Stopwatch watch;
  Ran out{options.network == "flow" ? simulate_flows(scenario, run) : simulate(scenario, run), {}};
  out.cost = used();
  out.cost.cpu -= before.cpu;
  out.cost.wall = watch.passed();
  return out;
}

Ran simulate_resumable(const Scenario& scenario, const SimulateOptions& options) {
  try {
    return simulate_measured(scenario, options);
  } catch (const SimulationStopped& stop) {
    throw Interrupted(StopSignals::caught(),
                      fmt::format("{}; continue with --resume {}", stop.what(), options.checkpoint));
  }
}

void write_files(const SimulateOptions& options, const Ran& ran, const Scenario& scenario) {
  const SimulationResult& result = ran.result;
  if (!options.report.empty())
    write_announced("report", options.report, simulation_page(result, ran.cost, scenario));
  if (!options.fct_svg.empty())
    write_announced("completion times", options.fct_svg, chart_svg(completion_chart(result)));
  if (!options.queue_svg.empty()) write_announced("queue", options.queue_svg, chart_svg(queue_chart(result)));
  if (!options.trace.empty()) write_announced("trace", options.trace, trace_csv(result));
}

}  // namespace

std::string run_simulation(const SimulateOptions& given) {
  const SimulateOptions options = spelled_out(given);
  check_outputs(options);
  const Scenario scenario = load(options).resolve();
  const Ran ran = simulate_resumable(scenario, options);
  write_files(options, ran, scenario);
  if (!options.checkpoint.empty()) std::remove(options.checkpoint.c_str());
  switch (options.format) {
    case Format::json:
      return simulation_json(ran.result, ran.cost, scenario);
    case Format::csv:
      return simulation_csv(ran.result);
    case Format::text:
      return simulation_text(ran.result, ran.cost);
  }
  return {};
}

}  // namespace trainyard
