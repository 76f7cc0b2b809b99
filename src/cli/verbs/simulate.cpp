// simulate: flows over a network design.
#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "cli/left_out.h"
#include "cli/loading.h"
#include "cli/offers.h"
#include "cli/outcomes.h"
#include "cli/progress.h"
#include "cli/run_cost.h"
#include "cli/screen.h"
#include "cli/signals.h"
#include "cli/unused.h"
#include "cli/verb.h"
#include "trainyard/connections.h"
#include "trainyard/files.h"
#include "trainyard/picoseconds.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/simulation.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// Defaults for runs that are given by files alone.
constexpr const char* kPlainScenario = "ndp-permutation";

struct SimulateOptions : ScenarioOptions {
  std::string report;  // --report FILE
  std::string fct_svg;
  std::string queue_svg;
  std::string series;                     // --series FILE
  std::string trace;                      // --trace FILE
  std::vector<std::int64_t> trace_flows;  // --trace-flows
  unsigned threads = 1;
  std::string checkpoint;          // --checkpoint FILE
  double checkpoint_every = 60;    // seconds
  std::string resume;              // --resume FILE
  std::string topology;            // --topology FILE.topo, in place of a [[design]]
  std::string connections;         // --connections FILE.cm, in place of simulation.traffic
  std::string flows;               // --flows FILE.csv, the same
  std::string network = "packet";  // --network packet | flow
  // Short for settings of [simulation]; empty: as they are.
  std::string transport;
  std::string load_balancing;
  std::string routing;
  std::string window;
  std::string queue;
  std::string mtu;
  std::string seed;
  bool identity = false;            // --identity
  std::vector<FlagChange> changes;  // what those that are short for settings set
};

void declare_threads_and_checkpoints(Flags& flags, SimulateOptions& options, const Flag& identity) {
  const Flag threads = flags.threads(options.threads, "threads that simulate (1); the result is the same");
  const Flag checkpoint = flags
                              .option("--checkpoint", options.checkpoint,
                                      "save the run in this file from time to time, and when SIGINT, "
                                      "SIGTERM or SIGHUP ends it; removed at its end")
                              .writes();
  flags.option("--checkpoint-every", options.checkpoint_every, "seconds from one to the next (60)")
      .not_negative()
      .needs(checkpoint);
  const Flag resume =
      flags.option("--resume", options.resume, "continue the run that this checkpoint was saved from")
          .reads("--checkpoint");
  identity.excludes({threads, checkpoint, resume});
}

void declare_settings(Flags& flags, SimulateOptions& options) {
  flags.option("--transport", options.transport, "short for --set simulation.transport=...").offers([] {
    return choices_of("simulation.transport");
  });
  flags.option("--load-balancing", options.load_balancing, "short for --set simulation.load_balancing=...")
      .offers([] { return choices_of("simulation.load_balancing"); });
  flags.option("--routing", options.routing, "short for --set simulation.routing=...").offers([] {
    return choices_of("simulation.routing");
  });
  flags.option("--window", options.window, "short for --set simulation.window=..., packets");
  flags.option("--queue", options.queue, "short for --set simulation.queue=..., packets");
  flags.option("--mtu", options.mtu, "short for --set simulation.packet=..., bytes of payload");
  flags.option("--seed", options.seed, "short for --set simulation.seed=...").seed();
}

void declare_pictures(Flags& flags, SimulateOptions& options, const Flag& identity) {
  const Flag report = flags.option("--report", options.report, "write a self-contained HTML report").writes();
  const Flag times =
      flags.option("--fct-svg", options.fct_svg, "draw the distribution of completion times").writes();
  const Flag queue =
      flags.option("--queue-svg", options.queue_svg, "draw the longest queue over time").writes();
  const Flag series =
      flags.option("--series", options.series, "write what every [[probe]] saw over simulated time as CSV")
          .writes();
  const Flag trace =
      flags.option("--trace", options.trace, "write every event of the packets of chosen flows as CSV")
          .writes();
  const Flag flows = flags.option("--trace-flows", options.trace_flows, "their numbers, separated by commas")
                         .list()
                         .repeatable();
  trace.needs(flows);
  flows.needs(trace);
  identity.excludes({report, times, queue, series, trace});
}

void declare_simulate(Flags& flags, SimulateOptions& options) {
  flags.scenario(options).required(false);
  const Flag identity = flags.flag(
      "--identity", options.identity,
      "print what tells this simulation from others, as stored results name it, as JSON, and do not run "
      "it");
  flags
      .option("--topology", options.topology,
              "switches and links of htsim's file (.topo), in place of a design")
      .reads();
  const Flag connections =
      flags
          .option("--connections", options.connections,
                  "flows of htsim's connection matrix (.cm), packets as htsim counts them")
          .reads();
  flags.option("--flows", options.flows, "flows of a CSV file: from,to,bytes,start_s")
      .reads()
      .excludes(connections);
  flags
      .option("--network", options.network,
              "packet: every packet (the default); flow: max-min fair rates, without packets")
      .one_of({"packet", "flow"});
  declare_settings(flags, options);
  declare_pictures(flags, options, identity);
  declare_threads_and_checkpoints(flags, options, identity);
}

/// Says before a long run what could not be written after it.
void check_outputs(const SimulateOptions& options) {
  for (const std::string& path : {options.report, options.fct_svg, options.queue_svg, options.series,
                                  options.trace, options.checkpoint}) {
    if (!path.empty()) check_writable(path);
  }
}

/// The flags that are short for settings, as settings.
SimulateOptions spelled_out(SimulateOptions options) {
  struct Short {
    const std::string& value;
    const char* key;
    const char* flag;
  };
  const Short shorts[] = {{options.transport, "transport", "--transport"},
                          {options.load_balancing, "load_balancing", "--load-balancing"},
                          {options.routing, "routing", "--routing"},
                          {options.window, "window", "--window"},
                          {options.queue, "queue", "--queue"},
                          {options.seed, "seed", "--seed"}};
  for (const Short& one : shorts) {
    if (!one.value.empty())
      options.changes.push_back({fmt::format("simulation.{}={}", one.key, one.value), one.flag});
  }
  if (!options.mtu.empty()) {
    const bool bare = options.mtu.find_first_not_of("0123456789") == std::string::npos;
    options.changes.push_back({"simulation.packet=" + options.mtu + (bare ? " B" : ""), "--mtu"});
  }
  if (options.network == "flow" && options.threads > 1)
    fail_input(whole("--threads"), "one thread shares rates at flow level", "--network packet");
  if (options.network == "flow" && !options.queue_svg.empty())
    fail_input(whole("--queue-svg"), "at flow level there are no queues", "--network packet");
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

Scenario resolved(const SimulateOptions& options, const ScenarioText& text) {
  return options.connections.empty() ? text.resolve() : workload::resolve_with_connections(text);
}

SimulationFiles files_of(const SimulateOptions& options) {
  SimulationFiles files;
  if (!options.topology.empty()) files.topology = read_list(options.topology);
  if (!options.connections.empty()) files.connections = read_list(options.connections);
  if (!options.flows.empty()) files.flows = read_list(options.flows);
  return files;
}

SimulationRun run_of(const SimulateOptions& options) {
  return {.engine = options.network == "flow" ? SimulationEngine::flow : SimulationEngine::packet,
          .files = files_of(options),
          .threads = options.threads,
          .traced_flows = options.trace_flows};
}

bool has_no_packets(const Scenario& scenario, const SimulationRun& run) {
  return run.engine == SimulationEngine::flow || scenario.simulation.transport == Transport::ideal;
}

void add_queues_of_tiers(const Scenario& scenario, std::vector<Finding>& findings) {
  for (const TierInput& tier : scenario.tiers) {
    if (!tier.places) continue;
    for (const auto& [key, where] : tier.places->keys) {
      if (key.starts_with("queue"))
        findings.push_back({where, "'tier." + key + "': without packets there are no queues", "without it"});
    }
  }
}

/// What this command sets and the run does not use: a scenario's text may serve other runs, too.
void refuse_unused(const SimulateOptions& options, const Scenario& scenario, const SimulationRun& run) {
  if (options.sets.empty() && options.changes.empty()) return;
  const ScenarioText set = set_by_command(options, options.changes);
  std::vector<Finding> findings = unused_of(set, unused_settings(scenario, run));
  if (has_no_packets(scenario, run) && set.has("tier")) add_queues_of_tiers(scenario, findings);
  if (!findings.empty()) throw InputError(set.placed(findings));
}

struct Ran {
  SimulationResult result;
  RunCost cost;
  bool left_checkpoint = false;  // of this run, no longer needed
};

Ran simulate_measured(const Scenario& scenario, const SimulateOptions& options, SimulationRun run) {
  ProgressLine line;
  run.progress = [&](const SimulationProgress& now) {
    line.show([&](Seconds wall) { return progress_text(now, wall); });
  };
  run.checkpoints = {options.checkpoint, Seconds(options.checkpoint_every), options.resume,
                     [] { return StopSignals::caught() != 0; }, [](const std::string& why) { remark(why); }};
  bool saved = !options.checkpoint.empty() && same_file(options.checkpoint, options.resume);
  run.checkpoints.saved = [&saved] { saved = true; };
  std::optional<StopSignals> signals;
  if (!options.checkpoint.empty()) signals.emplace();
  const RunCost before = used();
  const Stopwatch watch;
  Ran out{simulate(scenario, run), {}};
  out.left_checkpoint = saved;
  out.cost = used();
  out.cost.cpu -= before.cpu;
  out.cost.wall = watch.passed();
  return out;
}

Ran simulate_resumable(const Scenario& scenario, const SimulateOptions& options, SimulationRun run) {
  try {
    return simulate_measured(scenario, options, std::move(run));
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
  if (!options.series.empty()) write_announced("series", options.series, series_csv(result));
  if (!options.trace.empty()) write_announced("trace", options.trace, trace_csv(result));
}

/// Probes that begin after the end of the run.
void warn_of_silent_probes(const SimulationResult& result) {
  const packet::ProbeSeries* first = nullptr;
  std::size_t count = 0;
  for (const packet::ProbeSeries& series : result.series) {
    if (!series.queue.empty() || !series.flow.empty()) continue;
    if (!first) first = &series;
    ++count;
  }
  if (!first) return;
  remark(
      fmt::format("trainyard: warning: {} of {} series of probes have no samples: that of {} begins at {}, "
                  "and the run ends at {}\n",
                  count, result.series.size(), first->probe.name,
                  format_quantity(seconds(first->probe.from).si(), Unit::seconds),
                  format_quantity(result.end.si(), Unit::seconds)));
}

std::string run_simulation(const SimulateOptions& given) {
  const SimulateOptions options = spelled_out(given);
  check_outputs(options);
  const ScenarioText text = load(options, options.changes);
  const Scenario scenario = resolved(options, text);
  if (!options.series.empty() && scenario.probes.empty())
    fail_input(whole("--series"), "the scenario has no [[probe]] to sample",
               "a table [[probe]] with 'node' or 'flow': docs/guide.md");
  if (options.identity && options.format == Format::csv)
    fail_input(whole("--identity"), "has no CSV", "without --csv");
  if (options.identity) return identity_json(scenario);
  SimulationRun run = run_of(options);
  refuse_unused(options, scenario, run);
  std::vector<std::string> warnings = idle_warnings(text, idle_settings(scenario, run));
  for (const std::string& warning : warnings) remark(fmt::format("trainyard: warning: {}\n", warning));
  Ran ran = simulate_resumable(scenario, options, std::move(run));
  ran.result.warnings = std::move(warnings);
  write_files(options, ran, scenario);
  warn_of_silent_probes(ran.result);
  if (options.topology.empty()) warn_of_domains_left_out(scenario);
  if (ran.left_checkpoint) remove_written(options.checkpoint);
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

}  // namespace

Verb simulate_verb() {
  return make_verb("simulate", "send flows over a network design: their completion times", declare_simulate,
                   run_simulation);
}

}  // namespace trainyard
