#include <cstdio>

#include "base/errors.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "report/data/rail.h"
#include "report/drawing/heat_map.h"
#include "report/drawing/sweep_charts.h"
#include "report/text/rail.h"
#include "search/sweep.h"

namespace trainyard {
namespace {

/// The matrix that the options ask for.
TrafficMatrix wanted_matrix(const TrafficOptions& options, const Scenario& scenario) {
  if (!options.rail) {
    const Plan plan = make_plan(scenario);
    TrafficMatrix matrix = traffic_of(plan);
    if (matrix.devices != plan.mapping.devices_used) {
      std::fprintf(stderr,
                   "warning: the matrix covers %lld devices and the plan uses %lld: replicas do not divide "
                   "evenly over HB domains and datacenters\n",
                   static_cast<long long>(matrix.devices), static_cast<long long>(plan.mapping.devices_used));
    }
    return matrix;
  }
  const RailAnalysis analysis = analyse_rail(scenario);
  return traffic_of(analysis.rail, analysis.best.model_group);
}

void write_heat_map(const TrafficOptions& options, const TrafficMatrix& matrix) {
  const auto block = traffic_block(matrix, options.first, options.count);
  const std::string title = "Bytes of a batch between devices " + std::to_string(options.first) + " to " +
                            std::to_string(options.first + options.count - 1);
  if (options.heat_map.ends_with(".svg")) {
    write_announced("heat map", options.heat_map, heat_map_svg(block, title));
  } else if (options.heat_map.ends_with(".png")) {
    write_announced("heat map", options.heat_map, heat_map_png(block));
  } else {
    fail_input(whole("--heat-map " + options.heat_map), "unknown kind of picture",
               "allowed: a name that ends in .svg or .png");
  }
}

}  // namespace

std::string run_rail(const RailOptions& options) {
  const Scenario scenario = load(options).resolve();
  if (!options.chart.empty())
    write_announced("chart", options.chart, chart_svg(rail_chart(analyse_rail(scenario))));
  if (!options.batch_chart.empty()) {
    const RailAnalysis analysis = analyse_rail(scenario);
    if (analysis.by_batch.empty())
      fail_input(whole("--batch-chart"), "the scenario has no rail.batches", "give several");
    write_announced("chart", options.batch_chart, chart_svg(rail_batch_chart(analysis)));
  }
  if (options.format == Format::json) return rail_json(scenario);
  if (options.format == Format::csv) return rail_csv(scenario);
  return rail_text(scenario);
}

std::string run_traffic(const TrafficOptions& options) {
  const Scenario scenario = load(options).resolve();
  const TrafficMatrix matrix = wanted_matrix(options, scenario);
  if (!options.heat_map.empty()) write_heat_map(options, matrix);
  const TrafficSummary summary = summarize(matrix);
  if (options.format == Format::json) return traffic_json(summary, provenance_of(scenario));
  if (options.format == Format::csv) return traffic_csv(summary);
  return traffic_text(summary);
}

}  // namespace trainyard
