// site: where on a power grid the datacenter can stand.
#include "trainyard/site.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <utility>

#include "cli/loading.h"
#include "cli/outcomes.h"
#include "cli/verb.h"
#include "trainyard/catalog.h"
#include "trainyard/facility.h"
#include "trainyard/files.h"
#include "trainyard/grid.h"
#include "trainyard/provenance.h"
#include "trainyard/report/siting.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostPlaces = 8;  // sites of a split
constexpr double kHalfEarth_km = 20000;

struct SiteOptions : ScenarioOptions {
  std::string grid;              // --grid DIR, in place of site.grid
  std::vector<std::string> at;   // --at LAT,LON
  std::optional<double> radius;  // --radius KM
  std::string report;            // --report FILE
  std::string map;               // --map FILE.svg
};

std::string complaint_of_grid(const std::string& folder) {
  return folder.empty() ? "is empty: a folder of a power grid's files is needed" : "";
}

void declare_site(Flags& flags, SiteOptions& options) {
  flags.scenario(options).required(false);
  flags.option("--grid", options.grid, "folder of a power grid's files, in place of site.grid")
      .reads()
      .called("DIR")
      .check(complaint_of_grid);
  flags
      .option("--at", options.at,
              "look at this place only: LAT,LON in degrees (repeatable: a split over them)")
      .repeatable();
  flags.option("--radius", options.radius, "km around a place, in place of site.radius");
  flags.option("--report", options.report, "write a self-contained HTML report with a map").writes();
  flags.option("--map", options.map, "draw sites, splits and the grid on a map, as SVG").writes();
}

/// A number that is all of the text and lies within the bounds.
double degrees(std::string_view text, double most, const std::string& flag) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Written so that not-a-number fails, too.
  const bool valid =
      code == std::errc{} && end == text.data() + text.size() && value >= -most && value <= most;
  if (!valid)
    fail_input(whole(flag),
               "'" + std::string(text) + "' is not within -" + std::to_string(static_cast<int>(most)) +
                   " to " + std::to_string(static_cast<int>(most)),
               "latitude,longitude in degrees, north and east positive: 38.895,-77.036");
  return value;
}

GeoPoint point(const std::string& text) {
  const std::string flag = "--at " + text;
  const auto comma = text.find(',');
  if (comma == std::string::npos)
    fail_input(whole(flag), "is not a place", "latitude,longitude in degrees: 38.895,-77.036");
  const std::string_view both = text;
  return {degrees(both.substr(0, comma), 90, flag), degrees(both.substr(comma + 1), 180, flag)};
}

void check_radius(double km) {
  const bool valid = km >= 0 && km <= kHalfEarth_km;
  if (!valid)
    fail_input(whole("--radius"), fmt::format("{:g} km is no radius on Earth", km), "allowed: 0 to 20000");
}

/// The same plants cannot feed two sites.
void check_different(const std::vector<GeoPoint>& places, const std::vector<std::string>& texts) {
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = a + 1; b < places.size(); ++b) {
      if (same_place(places[a], places[b]))
        fail_input(whole("--at " + texts[b]), "is the same place as --at " + texts[a], "name it once");
    }
  }
}

/// The scenario, or the defaults where only places are asked for.
Scenario wanted_scenario(const SiteOptions& options) {
  if (!options.scenario.empty()) return load(options).resolve();
  if (options.at.empty())
    fail_input(whole("site"), "no scenario", "a scenario file, the name of a shipped one, or --at LAT,LON");
  if (!options.sets.empty()) fail_input(whole("--set"), "there is no scenario to change", "name one first");
  Scenario defaults;
  defaults.catalog = shipped_catalog();
  defaults.source_name = "no scenario";
  return defaults;
}

/// The files that were asked for.
template <class Plan>
void write_files(const SiteOptions& options, const Plan& plan, const Grid& grid, const Scenario& scenario) {
  if (!options.map.empty()) write_announced("map", options.map, siting_map_svg(plan, grid));
  if (!options.report.empty()) write_announced("report", options.report, siting_page(plan, grid, scenario));
}

/// What was found, also where nothing takes the power.
std::string answer(const std::optional<UnmetPower>& unmet, std::string text) {
  if (!unmet) return text;
  std::string remedy;
  for (const std::string& r : unmet->remedies)
    remedy += (remedy.empty() ? "it would hold with " : ", or ") + r;
  throw UnmetAnswer(Infeasible(unmet->constraint, unmet->shortfall, remedy), std::move(text));
}

std::string answer_places(const SiteOptions& options, const Scenario& scenario, const FacilityPlan& facility,
                          const Grid& grid, Megawatts power) {
  const SiteInput& input = scenario.site;
  if (options.at.size() > kMostPlaces) fail_input(whole("--at"), "more than 8 places", "allowed: 1 to 8");
  std::vector<GeoPoint> places;
  for (const std::string& text : options.at) places.push_back(point(text));
  check_different(places, options.at);
  std::vector<Kilometres> radii;
  if (options.radius) {
    radii.emplace_back(*options.radius);
  } else {
    for (const Metres radius : input.radii) radii.push_back(as<Kilometres>(radius));
  }
  const PlacesPlan plan = plan_places(scenario, facility, grid, power, places, radii);
  write_files(options, plan, grid, scenario);
  return answer(plan.unmet, options.format == Format::json  ? places_json(plan, grid)
                            : options.format == Format::csv ? places_csv(plan, grid)
                                                            : places_text(plan, grid));
}

std::string run_site(const SiteOptions& options) {
  if (options.radius) check_radius(*options.radius);
  for (const std::string& path : {options.map, options.report}) {
    if (!path.empty()) check_writable(path);
  }
  Scenario scenario = wanted_scenario(options);
  if (!options.grid.empty()) scenario.site.grid = options.grid;
  if (options.radius) scenario.site.radius = as<Metres>(Kilometres(*options.radius));
  const bool planned = !options.scenario.empty();
  const FacilityPlan facility = planned ? plan_facility(scenario) : FacilityPlan{};
  const Grid grid = grid_of(scenario.site);
  const auto power = as<Megawatts>(scenario.site.power.value_or(facility.power_high));
  if (!options.at.empty()) return answer_places(options, scenario, facility, grid, power);
  const SitingPlan plan = plan_sites(scenario, facility, grid);
  write_files(options, plan, grid, scenario);
  return answer(plan.unmet, options.format == Format::json  ? siting_json(plan, provenance_of(scenario))
                            : options.format == Format::csv ? siting_csv(plan)
                                                            : siting_text(plan));
}

}  // namespace

Verb site_verb() {
  return make_verb("site", "where on a power grid the datacenter can stand, and how to divide it",
                   declare_site, run_site);
}

}  // namespace trainyard
