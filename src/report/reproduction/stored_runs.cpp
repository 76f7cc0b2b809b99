#include "trainyard/stored_runs.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/errors.h"
#include "base/hash.h"
#include "ranks/items.h"
#include "ranks/packing.h"
#include "report/reproduction/shipped_records.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

constexpr std::int64_t kQuickHosts = 1024;
constexpr std::int64_t kQuickRadix = 64;
constexpr Bytes kLongFlow{10e6};
constexpr double kShorter = 10;

constexpr std::string_view kStored = "simulated.csv";

std::vector<std::string> parts(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

double number(const std::string& text) { return shipped_number(kStored, text); }

StoredRun wanted(const std::vector<std::string>& fields) {
  StoredRun run;
  run.figure = fields[0];
  run.label = fields[1];
  run.scenario = fields[2];
  run.changes = parts(fields[3]);
  return run;
}

std::string name_of(const StoredRun& run) {
  return fmt::format("{} {} ({})", run.figure, run.label, fmt::join(run.changes, ", "));
}

/// Lines of a chart in the order in which their labels come first.
ChartLine& line_of(Chart& chart, const std::string& label) {
  for (ChartLine& line : chart.lines) {
    if (line.label == label) return line;
  }
  return chart.lines.emplace_back(ChartLine{label, {}});
}

double active_share(const StoredRun& run) {
  constexpr std::string_view kKey = "simulation.active=";
  for (const std::string& change : run.changes) {
    if (change.starts_with(kKey)) return number(change.substr(kKey.size()));
  }
  return 1;
}

/// The title of a figure, or of what it was reduced to.
std::string titled(const char* title, const std::vector<StoredRun>& runs) {
  const bool reduced = !runs.empty() && !runs.front().reduced.empty();
  return reduced ? fmt::format("{}, reduced: {}", title, runs.front().reduced) : title;
}

/// What quick_run computes, between ranks.
std::string packed(const StoredRun& run) {
  Packer pack;
  pack.put(std::string_view(run.settings_hash))
      .put(run.mean_s)
      .put(run.p99_s)
      .put(run.max_s)
      .put(run.ideal_s);
  pack.put(std::uint64_t{run.quantiles_s.size()}).put(run.quantiles_s);
  return pack.put(std::string_view(run.origin)).put(std::string_view(run.reduced)).take();
}

StoredRun unpacked(const std::string& bytes) {
  Unpacker read(bytes);
  StoredRun run;
  run.settings_hash = read.text();
  run.mean_s = read.real();
  run.p99_s = read.real();
  run.max_s = read.real();
  run.ideal_s = read.real();
  run.quantiles_s = read.reals(read.whole());
  run.origin = read.text();
  run.reduced = read.text();
  return run;
}

}  // namespace

StoredRun stored_run(const std::vector<std::string>& fields) {
  constexpr std::size_t kColumns = 16;
  TY_ASSERT(fields.size() == kColumns, "simulated.csv has sixteen columns");
  StoredRun run = wanted(fields);
  const std::string digest = text_hash(fmt::format("{}", fmt::join(fields.begin(), fields.end() - 1, ",")));
  if (digest != fields.back())
    throw std::runtime_error(fmt::format(
        "data/simulated.csv: the result of {} is not what was computed: its digest is {} and ought to be {}; "
        "tools/simulated computes it again",
        name_of(run), fields.back(), digest));
  run.settings_hash = fields[4];
  run.mean_s = number(fields[5]);
  run.p99_s = number(fields[6]);
  run.max_s = number(fields[7]);
  run.ideal_s = number(fields[8]);
  for (const std::string& q : parts(fields[9])) run.quantiles_s.push_back(number(q));
  run.origin = fmt::format("computed by {} on {} ({})", fields[10], fields[11], fields[12]);
  run.behaviour = static_cast<int>(number(fields[14]));
  return run;
}

Scenario scenario_of(const StoredRun& run) {
  ScenarioText text = ScenarioText::load(run.scenario);
  text.set(run.changes, "data/simulations.csv");
  return text.resolve();
}

StoredRuns stored_runs() {
  StoredRuns out;
  for (const auto& fields : shipped_records(kStored)) {
    StoredRun run = stored_run(fields);
    if (run.behaviour != kEngineBehaviour) {
      out.outdated.push_back(
          fmt::format("{} was computed by an engine of behaviour {}, and this one is of {}", name_of(run),
                      run.behaviour, kEngineBehaviour));
    } else if (run.settings_hash != simulation_hash(scenario_of(run))) {
      out.outdated.push_back(fmt::format("{} was computed with other settings", name_of(run)));
    } else {
      out.runs.push_back(std::move(run));
    }
  }
  return out;
}

StoredRun quick_run(const Scenario& scenario) {
  Scenario small = scenario;
  for (DesignInput& design : small.designs) {
    design.hosts = kQuickHosts;
    design.radix = kQuickRadix;
  }
  const bool shorter = small.simulation.bytes > kLongFlow;
  if (shorter) small.simulation.bytes = small.simulation.bytes / kShorter;
  const SimulationResult result = simulate(small);
  StoredRun out;
  out.settings_hash = simulation_hash(scenario);
  out.mean_s = result.mean.si();
  out.p99_s = result.p99.si();
  out.max_s = result.longest.si();
  out.ideal_s = result.ideal.si();
  for (const Seconds time : result.quantiles) out.quantiles_s.push_back(time.si());
  out.origin = "computed now on 1,024 hosts";
  out.reduced = shorter ? "1,024 hosts, a tenth of the bytes" : "1,024 hosts";
  return out;
}

std::vector<StoredRun> quick_runs_of(const std::vector<Scenario>& scenarios, Ranks* ranks) {
  std::vector<StoredRun> out;
  if (!ranks) {
    out.reserve(scenarios.size());
    for (const Scenario& scenario : scenarios) out.push_back(quick_run(scenario));
    return out;
  }
  std::string identity;
  for (const Scenario& scenario : scenarios) identity += simulation_hash(scenario);
  const auto run = [&](std::uint64_t i) { return packed(quick_run(scenarios[i])); };
  for (const std::string& bytes :
       answer_together(*ranks, {.identity = identity, .count = scenarios.size(), .answer = run}))
    out.push_back(unpacked(bytes));
  return out;
}

std::vector<StoredRun> quick_runs(const std::string& figure, Ranks* ranks) {
  std::vector<StoredRun> runs;
  std::vector<Scenario> scenarios;
  for (const auto& fields : shipped_records("simulations.csv")) {
    StoredRun run = wanted(fields);
    if (run.figure != figure) continue;
    scenarios.push_back(scenario_of(run));
    runs.push_back(std::move(run));
  }
  std::vector<StoredRun> out = quick_runs_of(scenarios, ranks);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].figure = runs[i].figure;
    out[i].label = runs[i].label;
    out[i].scenario = runs[i].scenario;
    out[i].changes = runs[i].changes;
  }
  return out;
}

Chart fig5_chart(const std::vector<StoredRun>& runs) {
  Chart chart{"fig5",
              titled("Completion times of the pipeline transfers (HotNets '24 Fig. 5)", runs),
              {"completion time", Unit::seconds},
              {"share of the flows", Unit::fraction},
              {}};
  for (const StoredRun& run : runs) {
    if (run.figure != "fig5") continue;
    ChartLine& line = line_of(chart, run.label);
    for (std::size_t q = 0; q < run.quantiles_s.size(); ++q)
      line.points.push_back(
          {run.quantiles_s[q], static_cast<double>(q) / static_cast<double>(run.quantiles_s.size() - 1)});
  }
  return chart;
}

Chart fig6_chart(const std::vector<StoredRun>& runs) {
  Chart chart{"fig6",
              titled("The last of 2 MB flows at 100 Gbps (HotNets '24 Fig. 6)", runs),
              {"share of the nodes that take part", Unit::fraction},
              {"longest completion time", Unit::seconds},
              {}};
  for (const StoredRun& run : runs) {
    if (run.figure == "fig6") line_of(chart, run.label).points.push_back({active_share(run), run.max_s});
  }
  return chart;
}

}  // namespace trainyard
