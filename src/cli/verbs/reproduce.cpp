// reproduce: the papers' numbers beside ours.
#include <fmt/core.h>

#include "cli/loading.h"
#include "cli/outcomes.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/circuit_truth.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/ranks.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/reproduction.h"
#include "trainyard/reproduction.h"
#include "trainyard/stored_runs.h"

namespace trainyard {
namespace {

struct ReproduceOptions {
  std::string paper = "all";
  bool quick = false;  // --quick
  std::string points;  // --points FIGURE
  std::string fig5;    // --fig5 FILE.svg
  std::string fig6;
  Format format = Format::text;
};

void declare_reproduce(Flags& flags, ReproduceOptions& options) {
  flags.option("paper", options.paper,
               "hotnets24, railonly23 or all (of both); circuits: what papers say of optical circuits");
  flags.flag("--quick", options.quick,
             "run the packet simulations now, on 1,024 hosts, in place of their stored results");
  flags.option("--points", options.points,
               "every point of a figure as well, through simulated steps: fig3a, fig3b, fig3c or "
               "fig3 for all");
  flags.option("--fig5", options.fig5, "draw Fig. 5 of HotNets '24 as SVG").writes();
  flags.option("--fig6", options.fig6, "draw Fig. 6 of HotNets '24 as SVG").writes();
  flags.formats(options.format);
}

/// Stored results that are not used.
void warn_of_outdated() {
  for (const std::string& line : stored_runs().outdated)
    remark(fmt::format("trainyard: warning: the stored result of {}; tools/simulated computes it again\n",
                       line));
}

constexpr const char* kCircuits = "circuits";

std::string run_circuit_truth(const ReproduceOptions& options) {
  if (options.quick || !options.points.empty() || !options.fig5.empty() || !options.fig6.empty())
    fail_input(whole("reproduce circuits"), "has no simulations and no figures", "--json or --csv");
  const std::vector<CircuitTruth> rows = published_circuits();
  std::string shown =
      in_format(options.format == Format::text ? circuit_truth_table(rows) : circuit_truth_records(rows),
                options.format);
  if (!stated_hold(rows)) throw FailedCheck(shown, "rows differ from what is published");
  return shown;
}

/// What rank 0's run_reproduce asks all ranks for, in the same order.
std::string assist_reproduce(const ReproduceOptions& options, Ranks* ranks) {
  reproduce(options.paper, options.quick, {}, ranks);
  if (options.quick && !options.fig5.empty()) quick_runs("fig5", ranks);
  if (options.quick && !options.fig6.empty()) quick_runs("fig6", ranks);
  return {};
}

std::string run_reproduce(const ReproduceOptions& options, Ranks* ranks) {
  if (options.paper == kCircuits)
    return ranks && !ranks->leads() ? std::string() : run_circuit_truth(options);
  if (ranks && !ranks->leads()) return assist_reproduce(options, ranks);
  for (const std::string& path : {options.fig5, options.fig6}) {
    if (!path.empty()) check_writable(path);
  }
  const auto points = options.points.empty() ? std::vector<ReproducedRow>{}
                                             : figure_points(options.points, progress_of(options.points));
  if (!options.quick) warn_of_outdated();
  auto rows = reproduce(options.paper, options.quick, progress_of("rows"), ranks);
  rows.insert(rows.end(), points.begin(), points.end());
  const auto runs = [&](const char* figure) {
    return options.quick ? quick_runs(figure, ranks) : stored_runs().runs;
  };
  if (!options.fig5.empty()) write_announced("Fig. 5", options.fig5, chart_svg(fig5_chart(runs("fig5"))));
  if (!options.fig6.empty()) write_announced("Fig. 6", options.fig6, chart_svg(fig6_chart(runs("fig6"))));
  const auto shown = [&] {
    if (options.format == Format::json) return reproduction_json(rows);
    if (options.format == Format::csv) return reproduction_csv(rows);
    return reproduction_text(rows, errata(options.paper));
  };
  if (!all_hold(rows, options.quick)) throw FailedCheck(shown(), "rows differ from what is published");
  return shown();
}

}  // namespace

Verb reproduce_verb() {
  return make_verb("reproduce", "the papers' numbers beside ours", declare_reproduce, run_reproduce);
}

}  // namespace trainyard
