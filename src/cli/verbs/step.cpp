// step: a training step as a simulated timeline.
#include "trainyard/report/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "cli/loading.h"
#include "cli/offers.h"
#include "cli/screen.h"
#include "cli/unread.h"
#include "cli/unused.h"
#include "cli/verb.h"
#include "trainyard/files.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

struct StepOptions : ScenarioOptions {
  std::string network = "analytic";  // --network
  std::vector<std::string> phases;   // --phases of --network packet; empty: pipeline
  std::string schedule;              // short for step.schedule; empty: as it is
  std::string trace;                 // --trace FILE
  std::string trace_from;            // --trace-from TIME; empty: the beginning
  std::string trace_length;          // --trace-length TIME or all; empty: what a browser opens well
  std::string report;                // --report FILE
};

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const StepNetwork network : step_networks()) names.emplace_back(step_network_name(network));
  return names;
}

void declare_step(Flags& flags, StepOptions& options) {
  flags.scenario(options);
  flags
      .option("--network", options.network,
              "how transfers are timed: analytic, flow (they share links) or packet (simulated)")
      .offers(network_names);
  flags
      .option("--phases", options.phases,
              "with --network packet: transfers that packets time: pipeline (the default), expert, "
              "weights, gradient")
      .list();
  flags.option("--schedule", options.schedule, "short for --set step.schedule=...").offers([] {
    return choices_of("step.schedule");
  });
  flags.option("--trace", options.trace, "write operations for Perfetto or chrome://tracing").writes();
  flags.option("--trace-from", options.trace_from, "with --trace: the moment at which it begins (0 s)");
  flags.option("--trace-length", options.trace_length,
               "with --trace: how much time it shows, or all (default: 150,000 operations)");
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
}

std::vector<StepWork> chosen_phases(const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const StepWork phase : packet_phases()) names.emplace_back(step_work_name(phase));
  std::vector<StepWork> out;
  for (const std::string& name : wanted) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      fail_input(whole("--phases"), "no transfers '" + name + "'", suggestion(name, names));
    out.push_back(packet_phases()[static_cast<std::size_t>(found - names.begin())]);
  }
  return out;
}

/// Defaults would simulate a network that nobody asked for.
void check_has(const ScenarioText& text, const StepOptions& options, const char* section,
               const char* written) {
  if (text.has(section)) return;
  fail_input(whole(options.scenario),
             fmt::format("--network packet needs a {} section: the scenario has none", written),
             fmt::format("trainyard describe {} lists its keys", section));
}

StepNetwork chosen_network(const std::string& wanted) {
  for (const StepNetwork network : step_networks())
    if (step_network_name(network) == wanted) return network;
  fail_input(whole("--network"), "no network model '" + wanted + "'", suggestion(wanted, network_names()));
}

StepRun chosen_run(const StepOptions& options, const ScenarioText& text) {
  StepRun run{.network = chosen_network(options.network)};
  if (run.network != StepNetwork::packet) {
    if (!options.phases.empty())
      fail_input(whole("--phases"), "only packets time chosen transfers", "--network packet");
    return run;
  }
  check_has(text, options, "design", "[[design]]");
  check_has(text, options, "simulation", "[simulation]");
  if (!options.phases.empty()) run.phases = chosen_phases(options.phases);
  return run;
}

/// What packets alone read.
std::vector<std::string> sections_not_read(StepNetwork network) {
  std::vector<std::string> out;
  if (network == StepNetwork::packet) return out;
  for (const std::string& section : packet_sections()) {
    const bool has_design = section == "simulation" && network == StepNetwork::flow;
    if (!has_design) out.push_back(section);
  }
  return out;
}

Seconds time_of(const char* flag, const std::string& text) {
  const ParsedQuantity time = parse_quantity(text, Unit::seconds);
  if (!time.error.empty()) fail_input(whole(flag), time.error, "a time, as in \"1.5 s\"");
  if (time.si < 0) fail_input(whole(flag), "'" + text + "' is below 0", "allowed: 0 s or more");
  return Seconds(time.si);
}

TraceWindow trace_window(const StepOptions& options) {
  TraceWindow window;
  if (options.trace.empty() && !(options.trace_from.empty() && options.trace_length.empty())) {
    fail_input(whole(options.trace_from.empty() ? "--trace-length" : "--trace-from"), "no trace is written",
               "--trace FILE");
  }
  if (!options.trace_from.empty()) window.from = time_of("--trace-from", options.trace_from);
  if (options.trace_length.empty()) return window;
  window.length =
      options.trace_length == "all" ? kWholeStep : time_of("--trace-length", options.trace_length);
  return window;
}

void write_trace(const StepOptions& options, const StepTrace& trace) {
  write_announced("trace", options.trace, trace.json);
  remark(fmt::format("  {}{}\n", trace.shown,
                     trace.whole ? "" : "; --trace-from and --trace-length choose others"));
}

Seconds processor_time() { return Seconds(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

void check_packet_settings(const StepOptions& options, const Scenario& scenario) {
  const ScenarioText set = set_by_command(options);
  const std::vector<Finding> findings = unused_of(set, settings_no_step_uses(scenario));
  if (!findings.empty()) throw InputError(set.placed(findings));
}

std::string run_step(const StepOptions& options) {
  std::vector<FlagChange> changes;
  if (!options.schedule.empty()) changes.push_back({"step.schedule=" + options.schedule, "--schedule"});
  const ScenarioText text = load(options, changes);
  const StepRun run = chosen_run(options, text);
  const Scenario scenario = text.resolve();
  refuse_sections(options, sections_not_read(run.network), "--network packet");
  if (run.network == StepNetwork::packet) check_packet_settings(options, scenario);
  const TraceWindow window = trace_window(options);
  for (const std::string& path : {options.trace, options.report}) {
    if (!path.empty()) check_writable(path);
  }
  const Plan plan = plan_as_stated(scenario);
  const Seconds before = processor_time();
  StepSimulation step = simulate_step(plan, run);
  if (run.network == StepNetwork::packet) step.add_warnings(idle_warnings(text, idle_settings(scenario, {})));
  if (!options.trace.empty()) write_trace(options, step_trace(step, window));
  if (!options.report.empty()) write_announced("report", options.report, step_page(step, plan));
  switch (options.format) {
    case Format::json:
      return step_json(step, plan);
    case Format::csv:
      for (const std::string& warning : step.timeline.warnings) remark(fmt::format("warning: {}\n", warning));
      return step_csv(step);
    case Format::text:
      return step_text(step, plan, processor_time() - before);
  }
  return {};
}

}  // namespace

Verb step_verb() {
  return make_verb("step", "simulate a training step: timeline, exposed communication, memory", declare_step,
                   run_step);
}

}  // namespace trainyard
