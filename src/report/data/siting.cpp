#include "trainyard/report/siting.h"

#include <utility>
#include <vector>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/siting_choices.h"
#include "report/data/siting_numbers.h"
#include "trainyard/siting.h"

namespace trainyard {
namespace {

/// A power node under the names that its test vectors have.
Json node_json(const std::string& name, const PowerNode& n, const Grid* grid) {
  Json json;
  json["site"] = name;
  json["lat_deg"] = n.at.lat_deg;
  json["lon_deg"] = n.at.lon_deg;
  json["radius_km"] = n.radius.count();
  json["plants"] = n.plants.size();
  json["nodes"] = n.nodes.size();
  json["generation_mw"] = n.generation.count();
  json["firm_mw"] = n.firm.count();
  json["coal_mw"] = n.coal.count();
  json["largest_mw"] = n.largest_power.count();
  if (grid) json["largest_name"] = n.largest == kNowhere ? "" : grid->plants[n.largest].name;
  json["top_fuel"] = top_fuel(n, "");
  json["import_mw"] = n.imports.count();
  json["import_n1_mw"] = n.imports_n1.count();
  json["local_load_mw"] = n.local_load.count();
  json["ba"] = n.authority;
  json["rule_ok"] = n.rule_ok ? 1 : 0;
  json["avail_paper_mw"] = n.paper.count();
  json["avail_strict_mw"] = n.strict.count();
  json["avail_autonomous_mw"] = n.autonomous.count();
  return json;
}

void add_site(Json& json, const Site& s) {
  json["state"] = s.state;
  json["available_mw"] = s.available.count();
  json["spare_mw"] = or_null(count_of(s.spare));
  json["usable_mw"] = s.usable.count();
  json["price_usd_per_mwh"] = or_null(count_of(s.price));
  json["co2_kg_per_mwh"] = or_null(count_of(s.co2));
  if (!s.deliverable) return;
  json["deliverable_mw"] = s.deliverable->intact.count();
  json["deliverable_n1_mw"] = s.deliverable->producer_lost.count();
  if (s.deliverable->line_lost) json["deliverable_line_lost_mw"] = s.deliverable->line_lost->count();
}

Json site_json(const Site& s) {
  Json json = node_json(s.name, s.node, nullptr);
  add_site(json, s);
  return json;
}

Json pairs_json(const std::vector<SitePair>& pairs) {
  Json out = Json::array();
  for (const SitePair& p : pairs)
    out.push_back({{"a", p.a},
                   {"b", p.b},
                   {"km", p.distance.count()},
                   {"geodesic_km", p.geodesic.count()},
                   {"rtt_ms", p.rtt.count()}});
  return out;
}

/// In SI units, as `trainyard wide-area` has them.
Json training_json(const std::optional<TrainingRun>& run) {
  if (!run) return nullptr;
  if (!run->infeasible.empty()) return {{"infeasible", run->infeasible}};
  constexpr double kMilli = 1e-3;
  Json json;
  if (!run->exchange.empty()) {
    json["exchange"] = run->exchange;
    json["wide_area_rate_bps"] = as<BitRate>(run->rate).si();
    json["sent_bytes"] = as<Bytes>(run->sent).si();
    json["exchange_s"] = run->exchange_time.count() * kMilli;
    json["backward_s"] = run->backward.count() * kMilli;
    json["added_s"] = run->added.count() * kMilli;
    json["hiding_rate_bps"] = or_null(run->hiding_bit_rate());
    json["nic_rate_bps"] = as<BitRate>(run->nic_rate).si();
  }
  json["step_s"] = run->step.si();
  json["added_share"] = run->added_share;
  json["days"] = run->duration.count();
  json["days_added"] = run->added_duration.count();
  json["energy_usd"] = run->energy.si();
  json["fibre_usd"] = run->fibre.si();
  json["capital_usd"] = run->capital.si();
  json["run_usd"] = run->cost().si();
  return json;
}

Json split_json(const Split& split) {
  Json json;
  json["rtt_ms"] = split.rtt.count();
  json["usd_per_year"] = split.cost.count();
  json["fibre_usd_per_year"] = split.fibre_cost.count();
  json["price_known"] = split.price_known;
  json["co2_t_per_year"] = split.co2_known ? Json(split.co2.count()) : Json(nullptr);
  json["pareto"] = split.pareto;
  json["joint_wanted_mw"] = split.joint ? Json(split.joint->wanted.count()) : Json(nullptr);
  json["joint_delivered_mw"] = split.joint ? Json(split.joint->delivered.count()) : Json(nullptr);
  json["joint_producer_lost_mw"] =
      split.joint ? or_null(count_of(split.joint->producer_lost)) : Json(nullptr);
  json["joint_line_lost_mw"] = split.joint ? or_null(count_of(split.joint->line_lost)) : Json(nullptr);
  json["network_feeds_it"] = split.joint ? Json(split.joint->holds()) : Json(nullptr);
  json["sites"] = Json::array();
  for (const SplitSite& s : split.sites)
    json["sites"].push_back({{"place", s.site},
                             {"power_mw", s.power.count()},
                             {"share", s.share},
                             {"hb_domains", s.domains},
                             {"racks", s.racks}});
  json["pairs"] = pairs_json(split.pairs);
  json["training"] = training_json(split.training);
  return json;
}

Json splits_json(const SplitResult& result) {
  Json json;
  json["sites"] = result.sites;
  json["places_combined"] = result.kept;
  json["places_compared"] = result.compared;
  json["feasible_sets"] = result.feasible;
  json["exact"] = result.exact;
  json["chosen"] = or_null(result.chosen);
  json["splits"] = Json::array();
  for (const Split& split : result.splits) json["splits"].push_back(split_json(split));
  return json;
}

Json authority_json(const SparePower& a) {
  return {{"code", a.code},
          {"name", a.name},
          {"peak_demand_mw", or_null(count_of(a.peak_demand))},
          {"published_mw", or_null(count_of(a.published))},
          {"installed_less_peak_mw", or_null(count_of(a.installed_less_peak))},
          {"firm_less_peak_mw", or_null(count_of(a.firm_less_peak))},
          {"used_mw", or_null(count_of(a.used))},
          {"origin", a.origin}};
}

Json radius_json(const RadiusResult& r) {
  Json json = {{"radius_km", r.radius.count()},
               {"places", r.places},
               {"by_rule", r.by_rule},
               {"by_spare", r.by_spare}};
  json["authorities"] = Json::object();
  for (const auto& [code, count] : r.authorities) json["authorities"][code] = count;
  json["best"] = r.best ? site_json(*r.best) : Json(nullptr);
  return json;
}

Json unmet_json(const std::optional<UnmetPower>& unmet) {
  if (!unmet) return nullptr;
  return {{"constraint", unmet->constraint}, {"shortfall", unmet->shortfall}, {"remedies", unmet->remedies}};
}

Json place_json(const PlaceResult& place, const Grid& grid) {
  Json json = node_json(place.site.name, place.site.node, &grid);
  add_site(json, place.site);
  json["least_radius_paper_km"] = or_null(place.least_paper_km);
  json["least_radius_autonomous_km"] = or_null(place.least_autonomous_km);
  json["least_radius_strict_km"] = or_null(place.least_strict_km);
  return json;
}

}  // namespace

std::string siting_json(const SitingPlan& plan, const Provenance& provenance) {
  Json json;
  json["provenance"] = provenance_json(provenance);
  json["grid"] = {{"name", plan.grid},
                  {"shipped", plan.shipped_grid},
                  {"plants", plan.plants},
                  {"nodes", plan.nodes},
                  {"lines", plan.lines}};
  json["power_mw"] = plan.power.count();
  json["hb_domains"] = plan.domains;
  json["racks"] = plan.racks;
  json["rule"] = name_of(plan.input.rule);
  json["radius_km"] = as<Kilometres>(plan.input.radius).count();
  json["authorities"] = Json::array();
  for (const SparePower& a : plan.authorities) json["authorities"].push_back(authority_json(a));
  json["radii"] = Json::array();
  for (const RadiusResult& r : plan.radii) json["radii"].push_back(radius_json(r));
  json["single_site_places"] = plan.single_count;
  json["single_sites"] = Json::array();
  for (const Site& s : plan.singles) json["single_sites"].push_back(site_json(s));
  json["training_at_one_site"] = training_json(plan.one_site);
  json["places"] = Json::array();
  for (const Site& s : plan.places) json["places"].push_back(site_json(s));
  json["splits"] = Json::array();
  for (const SplitResult& result : plan.splits) json["splits"].push_back(splits_json(result));
  json["unmet"] = unmet_json(plan.unmet);
  json["warnings"] = plan.warnings;
  json["unknown"] = plan.unknown;
  return dumped(json);
}

std::string places_json(const PlacesPlan& plan, const Grid& grid) {
  Json json;
  if (plan.places.size() == 1) {
    json = place_json(plan.places.front(), grid);
  } else {
    json["places"] = Json::array();
    for (const PlaceResult& place : plan.places) json["places"].push_back(place_json(place, grid));
    json["pairs"] = pairs_json(plan.pairs);
    json["split"] = plan.split ? split_json(*plan.split) : Json(nullptr);
    json["training_at_one_site"] = training_json(plan.one_site);
  }
  json["grid"] = plan.grid;
  json["power_mw"] = plan.power.count();
  json["unmet"] = unmet_json(plan.unmet);
  json["warnings"] = plan.warnings;
  json["unknown"] = plan.unknown;
  return dumped(json);
}

std::string places_csv(const PlacesPlan& plan, const Grid& grid) {
  std::vector<Json> places;
  for (const PlaceResult& place : plan.places) places.push_back(place_json(place, grid));
  std::string columns;
  for (const auto& [name, unused] : places.at(0).items()) columns += (columns.empty() ? "" : ",") + name;
  CsvTable table(columns);
  for (const Json& place : places) {
    for (const Json& value : place) {
      if (value.is_string()) {
        table.add(value.get_ref<const std::string&>());
      } else if (value.is_number()) {
        table.add(value.get<double>());
      } else {
        table.add(std::nullopt);
      }
    }
    table.end_row();
  }
  return std::move(table).text();
}

}  // namespace trainyard
