// Whole runs of `site` on a small grid, or on the files that the input brings.
#include "question.h"
#include "siting/grid_files.h"
#include "trainyard/catalog.h"
#include "trainyard/facility.h"
#include "trainyard/provenance.h"
#include "trainyard/report/siting.h"
#include "trainyard/scenario.h"
#include "trainyard/site.h"

namespace trainyard::fuzz {
namespace {

const std::map<std::string, std::string>& small_grid() {
  static const std::map<std::string, std::string> files = {
      {"plants.csv", R"(plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,ba_code,county_fips
p1,Gas One,10.0,20.0,900,gas,AA,001
p2,Windy,11.0,20.0,300,wind,AA,002
p3,Sooty,10.0,21.0,400,coal,BB,
p4,Dam,10.5,20.2,350,hydro,AA,001
p5,Split,12.5,22.0,1200,nuclear,BB,003
)"},
      {"substations.csv", R"(node_id,lat_deg,lon_deg,peak_load_est_mw,ba_group,interconnection
001,10.0,20.0,500,AA,East
002,11.0,20.0,50,AA,East
003,10.0,21.0,100,BB,West
004,12.5,22.0,90,BB,West
)"},
      {"lines.csv", R"(from_node,to_node,kind,capacity_fwd_mw,capacity_rev_mw
001,002,AC,300,200
001,003,B2B,150,
002,003,AC,80,80
003,004,AC,700,600
)"},
      {"balancing_authorities.csv", R"(code,name,interconnection,peak_demand_mw,paper_available_mw
AA,Alpha,East,550,600
BB,Beta,West,,
)"}};
  return files;
}

Grid grid_of(const Question& question) {
  GridTexts texts;
  for (const auto& [name, text] : small_grid()) {
    const auto given = question.file(name);
    texts[name] = given ? given : std::make_shared<const SourceText>(SourceText{name, text});
  }
  return parse_grid("grid", texts);
}

bool is_small(const SiteInput& input) {
  constexpr std::size_t kFewRadii = 6;
  return input.radii.size() <= kFewRadii;
}

std::string of_places(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid) {
  const auto power = as<Megawatts>(scenario.site.power.value_or(facility.power_high));
  std::vector<Kilometres> radii;
  for (const Metres radius : scenario.site.radii) radii.push_back(as<Kilometres>(radius));
  const PlacesPlan plan = plan_places(scenario, facility, grid, power, {{10, 20}, {11, 20.5}}, radii);
  return places_json(plan, grid) + places_csv(plan, grid) + places_text(plan, grid) +
         siting_map_svg(plan, grid);
}

std::string answer_site(const Question& question, const ScenarioText& text) {
  const Scenario scenario = text.resolve();
  if (!is_small(scenario.site)) return {};
  const FacilityPlan facility = plan_facility(scenario);
  const Grid grid = grid_of(question);
  if (question.words[0] == "places") return of_places(scenario, facility, grid);
  const SitingPlan plan = plan_sites(scenario, facility, grid);
  const std::string page = question.words[0] == "page" ? siting_page(plan, grid, scenario) : "";
  return siting_json(plan, provenance_of(scenario)) + siting_csv(plan) + siting_text(plan) +
         siting_map_svg(plan, grid) + page;
}

}  // namespace

const Asking& asking() {
  static const Asking all = {
      {{"search", "places", "page"}}, {"site", "facility", "wide_area", "network"}, answer_site};
  return all;
}

}  // namespace trainyard::fuzz
