// wide-area: one cluster over several sites.
#include "trainyard/report/wide_area.h"

#include <fmt/core.h>

#include "cli/loading.h"
#include "cli/progress.h"
#include "cli/unread.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/long_haul.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/simulation.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

struct WideAreaOptions : ScenarioOptions {
  std::string chart;
  std::string report;
  bool packets = false;  // simulate [long_haul] in place of the closed forms
  unsigned threads = 1;
};

void declare_wide_area(Flags& flags, WideAreaOptions& options) {
  flags.scenario(options);
  const Flag packets =
      flags.flag("--packets", options.packets, "send packets between sites as [long_haul] says");
  flags
      .option("--chart", options.chart,
              "write exposed share against capacity as SVG; with --packets, completion time "
              "against bit-error rate")
      .writes();
  flags.option("--report", options.report, "write a self-contained HTML report").writes();
  flags.threads(options.threads, "threads that simulate (1); the result is the same").needs(packets);
}

std::string run_packets(const WideAreaOptions& options, const Scenario& scenario) {
  std::vector<LongHaulResult> results;
  const std::vector<LongHaulCase> cases = long_haul_cases(scenario);
  ProgressLine line;
  for (LongHaulCase one : cases) {
    one.threads = options.threads;
    const Stopwatch watch;
    results.push_back(simulate_long_haul(scenario, one, [&](const SimulationProgress& now) {
      line.show([&](Seconds) {
        return fmt::format("run {} of {}: {}", results.size() + 1, cases.size(),
                           progress_text(now, watch.passed()));
      });
    }));
  }
  if (!options.chart.empty()) {
    const Chart chart = long_haul_chart(results);
    if (chart.lines.empty())
      fail_input(whole("--chart"), "no bit-error rate above 0 to draw",
                 "long_haul.bit_error_rates, such as [1e-9, 1e-8]");
    write_announced("chart", options.chart, chart_svg(chart));
  }
  if (!options.report.empty()) write_announced("report", options.report, long_haul_page(scenario, results));
  if (options.format == Format::json) return long_haul_json(scenario, results);
  if (options.format == Format::csv) return long_haul_csv(results);
  return long_haul_text(scenario, results);
}

std::string run_wide_area(const WideAreaOptions& options) {
  const Scenario scenario = load(options).resolve();
  std::vector<std::string> of_packets = packet_sections();
  of_packets.emplace_back("long_haul");
  if (!options.packets) refuse_sections(options, of_packets, "--packets");
  if (!options.report.empty()) check_writable(options.report);
  if (options.packets) return run_packets(options, scenario);
  const WideAreaAnswer answer = plan_wide_area(scenario);
  if (!options.chart.empty()) write_announced("chart", options.chart, chart_svg(wide_area_chart(answer)));
  if (!options.report.empty()) write_announced("report", options.report, wide_area_page(scenario, answer));
  if (options.format == Format::json) return wide_area_json(scenario, answer);
  if (options.format == Format::csv) return wide_area_csv(answer);
  return wide_area_text(scenario, answer);
}

}  // namespace

Verb wide_area_verb() {
  return make_verb("wide-area", "one cluster over several sites: how many, how far, at what capacity",
                   declare_wide_area, run_wide_area);
}

}  // namespace trainyard
