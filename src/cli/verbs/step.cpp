// step: a training step as a simulated timeline.
#include "report/data/step.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "base/errors.h"
#include "base/nearest.h"
#include "base/quantity_text.h"
#include "cli/loading.h"
#include "cli/verb.h"
#include "report/data/step_trace.h"
#include "report/page/step.h"
#include "report/text/step.h"
#include "search/sweep.h"
#include "step/flow_transfers.h"
#include "step/packet_transfers.h"
#include "step/timeline.h"

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

void declare_step(Flags& flags, StepOptions& options) {
  flags.scenario(options);
  flags.option("--network", options.network,
               "how transfers are timed: analytic, flow (they share links) or packet (simulated)");
  flags
      .option("--phases", options.phases,
              "with --network packet: transfers that packets time: pipeline (the default), expert, "
              "weights, gradient")
      .list();
  flags.option("--schedule", options.schedule, "short for --set step.schedule=...");
  flags.option("--trace", options.trace, "write operations for Perfetto or chrome://tracing").writes();
  flags.option("--trace-from", options.trace_from, "with --trace: the moment at which it begins (0 s)");
  flags.option("--trace-length", options.trace_length,
               "with --trace: how much time it shows, or all (default: 150,000 operations)");
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
}

/// How --network is written, and what makes it.
struct NetworkChoice {
  const char* name;
  TransferModelMaker (*maker)(const StepOptions& options, const ScenarioText& text);
};

void refuse_phases(const StepOptions& options) {
  if (!options.phases.empty())
    fail_input(whole("--phases"), "only packets time chosen transfers", "--network packet");
}

std::vector<StepWork> chosen_phases(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return {StepWork::pipeline};
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

TransferModelMaker packets(const StepOptions& options, const ScenarioText& text) {
  check_has(text, options, "design", "[[design]]");
  check_has(text, options, "simulation", "[simulation]");
  return packet_network(chosen_phases(options.phases));
}

const std::vector<NetworkChoice>& networks() {
  static const std::vector<NetworkChoice> all = {{"analytic",
                                                  [](const StepOptions& options, const ScenarioText&) {
                                                    refuse_phases(options);
                                                    return analytic_network();
                                                  }},
                                                 {"flow",
                                                  [](const StepOptions& options, const ScenarioText&) {
                                                    refuse_phases(options);
                                                    return flow_network();
                                                  }},
                                                 {"packet", packets}};
  return all;
}

TransferModelMaker chosen_network(const StepOptions& options, const ScenarioText& text) {
  std::vector<std::string> names;
  for (const NetworkChoice& choice : networks()) {
    if (choice.name == options.network) return choice.maker(options, text);
    names.emplace_back(choice.name);
  }
  fail_input(whole("--network"), "no network model '" + options.network + "'",
             suggestion(options.network, names));
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
  std::fprintf(stderr, "  %s%s\n", trace.shown.c_str(),
               trace.whole ? "" : "; --trace-from and --trace-length choose others");
}

Seconds processor_time() { return Seconds(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }

std::string run_step(const StepOptions& options) {
  ScenarioText text = load(options);
  if (!options.schedule.empty()) text.set("step.schedule=" + options.schedule, "--schedule");
  const TransferModelMaker network = chosen_network(options, text);
  const TraceWindow window = trace_window(options);
  for (const std::string& path : {options.trace, options.report}) {
    if (!path.empty()) check_writable(path);
  }
  const Plan plan = make_plan(text.resolve());
  const Seconds before = processor_time();
  StepSimulation step = simulate_step(plan, network);
  step.timeline.network = options.network;
  if (!options.trace.empty()) write_trace(options, step_trace(step, window));
  if (!options.report.empty()) write_announced("report", options.report, step_page(step, plan));
  switch (options.format) {
    case Format::json:
      return step_json(step, plan);
    case Format::csv:
      for (const std::string& warning : step.timeline.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
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
