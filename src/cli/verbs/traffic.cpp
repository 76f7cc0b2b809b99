// traffic: which devices talk to which, and how much.
#include "trainyard/traffic.h"

#include <fmt/core.h>

#include "cli/loading.h"
#include "cli/screen.h"
#include "cli/verb.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/rail.h"
#include "trainyard/report/rail.h"
#include "trainyard/report/sweeps.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

struct TrafficOptions : ScenarioOptions {
  std::string heat_map;  // .svg or .png
  long long first = 0;
  long long count = 256;
  bool rail = false;  // of the rail-only analysis in place of the plan's mapping
};

void declare_traffic(Flags& flags, TrafficOptions& options) {
  flags.scenario(options);
  flags.flag("--rail", options.rail, "the mapping of the rail-only analysis in place of the plan's");
  const Flag map = flags.option("--heat-map", options.heat_map, "write a heat map, .svg or .png").writes();
  flags.option("--first", options.first, "first device of the heat map").at_least(0).needs(map);
  flags.option("--count", options.count, "devices of the heat map").at_least(1).needs(map);
}

/// The matrix that the options ask for.
TrafficMatrix wanted_matrix(const TrafficOptions& options, const Scenario& scenario) {
  if (!options.rail) {
    const Plan plan = make_plan(scenario);
    TrafficMatrix matrix = traffic_of(plan);
    if (matrix.devices != plan.mapping.devices_used) {
      remark(fmt::format(
          "warning: the matrix covers {} of the {} devices that the plan uses: replicas do not divide "
          "evenly over HB domains and datacenters\n",
          matrix.devices, plan.mapping.devices_used));
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

std::string run_traffic(const TrafficOptions& options) {
  const Scenario scenario = load(options).resolve();
  if (!options.rail) refuse_sections(options, {"rail"}, "--rail");
  const TrafficMatrix matrix = wanted_matrix(options, scenario);
  if (!options.heat_map.empty()) write_heat_map(options, matrix);
  const TrafficSummary summary = summarize(matrix);
  if (options.format == Format::json) return traffic_json(summary, provenance_of(scenario));
  if (options.format == Format::csv) return traffic_csv(summary);
  return traffic_text(summary);
}

}  // namespace

Verb traffic_verb() {
  return make_verb("traffic", "which devices talk to which, and how much", declare_traffic, run_traffic);
}

}  // namespace trainyard
