#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "facility/fuels.h"
#include "report/provenance_json.h"
#include "report/siting_text.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// Names of a foreign grid may be of another encoding.
std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A power node under the names that its test vectors have.
Json node_json(const std::string& name, const PowerNode& n, const Grid* grid) {
  Json json;
  json["site"] = name;
  json["lat_deg"] = n.at.lat_deg;
  json["lon_deg"] = n.at.lon_deg;
  json["radius_km"] = n.radius_km;
  json["plants"] = n.plants.size();
  json["nodes"] = n.nodes.size();
  json["generation_mw"] = n.generation_mw;
  json["firm_mw"] = n.firm_mw;
  json["coal_mw"] = n.coal_mw;
  json["largest_mw"] = n.largest_mw;
  if (grid) json["largest_name"] = n.largest == kNowhere ? "" : grid->plants[n.largest].name;
  json["top_fuel"] = n.plants.empty() ? std::string() : fuel_name(n.top_fuel);
  json["import_mw"] = n.import_mw;
  json["import_n1_mw"] = n.import_n1_mw;
  json["local_load_mw"] = n.local_load_mw;
  json["ba"] = n.authority;
  json["rule_ok"] = n.rule_ok ? 1 : 0;
  json["avail_paper_mw"] = n.paper_mw;
  json["avail_strict_mw"] = n.strict_mw;
  json["avail_autonomous_mw"] = n.autonomous_mw;
  return json;
}

void add_site(Json& json, const Site& s) {
  json["state"] = s.state;
  json["available_mw"] = s.available_mw;
  json["spare_mw"] = or_null(s.spare_mw);
  json["usable_mw"] = s.usable_mw;
  json["price_usd_per_mwh"] = or_null(s.price_usd_per_mwh);
  json["co2_kg_per_mwh"] = or_null(s.co2_kg_per_mwh);
  if (!s.deliverable) return;
  json["deliverable_mw"] = s.deliverable->intact_mw;
  json["deliverable_n1_mw"] = s.deliverable->producer_lost_mw;
  if (s.deliverable->line_lost_mw) json["deliverable_line_lost_mw"] = *s.deliverable->line_lost_mw;
}

Json site_json(const Site& s) {
  Json json = node_json(s.name, s.node, nullptr);
  add_site(json, s);
  return json;
}

Json pairs_json(const std::vector<SitePair>& pairs) {
  Json out = Json::array();
  for (const SitePair& p : pairs)
    out.push_back(
        {{"a", p.a}, {"b", p.b}, {"km", p.km}, {"geodesic_km", p.geodesic_km}, {"rtt_ms", p.rtt_ms}});
  return out;
}

/// In SI units, as `trainyard wide-area` has them.
Json training_json(const std::optional<TrainingRun>& run) {
  if (!run) return nullptr;
  if (!run->infeasible.empty()) return {{"infeasible", run->infeasible}};
  constexpr double kMega = 1e6;
  constexpr double kGiga = 1e9;
  constexpr double kMilli = 1e-3;
  Json json;
  if (!run->exchange.empty()) {
    json["exchange"] = run->exchange;
    json["wide_area_rate_bps"] = run->rate_gbps * kGiga;
    json["sent_bytes"] = run->sent_mb * kMega;
    json["exchange_s"] = run->exchange_ms * kMilli;
    json["backward_s"] = run->backward_ms * kMilli;
    json["added_s"] = run->added_ms * kMilli;
    json["hiding_rate_bps"] = run->hiding_gbps ? Json(*run->hiding_gbps * kGiga) : Json(nullptr);
  }
  json["step_s"] = run->step_s;
  json["added_share"] = run->added_share;
  json["days"] = run->days;
  json["days_added"] = run->days_added;
  json["energy_usd"] = run->energy_usd;
  json["fibre_usd"] = run->fibre_usd;
  json["capital_usd"] = run->capital_usd;
  json["run_usd"] = run->usd();
  return json;
}

Json split_json(const Split& split) {
  Json json;
  json["rtt_ms"] = split.rtt_ms;
  json["usd_per_year"] = split.usd_per_year;
  json["fibre_usd_per_year"] = split.fibre_usd_per_year;
  json["price_known"] = split.price_known;
  json["co2_t_per_year"] = split.co2_known ? Json(split.co2_t_per_year) : Json(nullptr);
  json["pareto"] = split.pareto;
  json["joint_wanted_mw"] = split.joint ? Json(split.joint->wanted_mw) : Json(nullptr);
  json["joint_delivered_mw"] = split.joint ? Json(split.joint->delivered_mw) : Json(nullptr);
  json["joint_producer_lost_mw"] = split.joint ? or_null(split.joint->producer_lost_mw) : Json(nullptr);
  json["joint_line_lost_mw"] = split.joint ? or_null(split.joint->line_lost_mw) : Json(nullptr);
  json["network_feeds_it"] = split.joint ? Json(split.joint->holds()) : Json(nullptr);
  json["sites"] = Json::array();
  for (const SplitSite& s : split.sites)
    json["sites"].push_back({{"place", s.site},
                             {"power_mw", s.power_mw},
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
          {"peak_demand_mw", or_null(a.peak_demand_mw)},
          {"published_mw", or_null(a.published_mw)},
          {"installed_less_peak_mw", or_null(a.installed_less_peak_mw)},
          {"firm_less_peak_mw", or_null(a.firm_less_peak_mw)},
          {"used_mw", or_null(a.used_mw)},
          {"origin", a.origin}};
}

Json radius_json(const RadiusResult& r) {
  Json json = {
      {"radius_km", r.radius_km}, {"places", r.places}, {"by_rule", r.by_rule}, {"by_spare", r.by_spare}};
  json["authorities"] = Json::object();
  for (const auto& [code, count] : r.authorities) json["authorities"][code] = count;
  json["best"] = r.best ? site_json(*r.best) : Json(nullptr);
  return json;
}

Json unmet_json(const std::optional<UnmetPower>& unmet) {
  if (!unmet) return nullptr;
  return {{"constraint", unmet->constraint}, {"shortfall", unmet->shortfall}, {"remedies", unmet->remedies}};
}

std::string csv_number(const std::optional<double>& value) { return value ? number_text(*value) : ""; }

std::string csv_training(const std::optional<TrainingRun>& run) {
  if (!run || !run->infeasible.empty()) return ",,,,,,";
  const std::string hiding = run->hiding_gbps ? number_text(*run->hiding_gbps * 1e9) : "";
  return fmt::format(",{},{},{},{},{},{}", run->exchange, number_text(run->exchange_ms / 1e3),
                     number_text(run->added_share), hiding, number_text(run->days), number_text(run->usd()));
}

/// A row for each site of a list or split.
std::string csv_row(const std::string& list, std::size_t rank, const Site& s, const SplitSite* part,
                    const Split* split) {
  std::string out = fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{}", list, rank, csv_field(s.name), number_text(s.node.at.lat_deg),
      number_text(s.node.at.lon_deg), number_text(s.node.radius_km), csv_field(s.node.authority),
      csv_field(s.state), number_text(s.available_mw), csv_number(s.spare_mw), number_text(s.usable_mw),
      csv_number(s.price_usd_per_mwh), csv_number(s.co2_kg_per_mwh));
  out += s.deliverable ? fmt::format(",{},{}", number_text(s.deliverable->intact_mw),
                                     number_text(s.deliverable->producer_lost_mw))
                       : ",,";
  if (!part) return out + ",,,,,,,,,,,,,,\n";
  return out + fmt::format(",{},{},{},{},{},{},{},{}{}\n", number_text(part->power_mw),
                           number_text(part->share), part->domains, number_text(part->racks),
                           number_text(split->rtt_ms), number_text(split->usd_per_year),
                           split->co2_known ? number_text(split->co2_t_per_year) : "",
                           split->joint ? (split->joint->holds() ? "1" : "0") : "",
                           csv_training(split->training));
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
  json["power_mw"] = plan.power_mw;
  json["hb_domains"] = plan.domains;
  json["racks"] = plan.racks;
  json["rule"] = choice_name(plan.input.rule);
  json["radius_km"] = plan.input.radius.si() / 1e3;
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

std::string siting_csv(const SitingPlan& plan) {
  std::string out =
      "list,rank,site,lat_deg,lon_deg,radius_km,ba,state,available_mw,spare_mw,usable_mw,price_usd_per_mwh,"
      "co2_kg_per_mwh,deliverable_mw,deliverable_n1_mw,power_mw,share,hb_domains,racks,split_rtt_ms,"
      "split_usd_per_year,split_co2_t_per_year,network_feeds_it,exchange,exchange_s,added_share,"
      "hiding_rate_bps,training_days,training_usd\n";
  for (std::size_t s = 0; s < plan.singles.size(); ++s)
    out += csv_row("single", s + 1, plan.singles[s], nullptr, nullptr);
  for (const SplitResult& result : plan.splits) {
    for (std::size_t s = 0; s < result.splits.size(); ++s) {
      const Split& split = result.splits[s];
      for (const SplitSite& part : split.sites)
        out += csv_row(fmt::format("split_{}", result.sites), s + 1, plan.places[part.site], &part, &split);
    }
  }
  return out;
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
  json["power_mw"] = plan.power_mw;
  json["unmet"] = unmet_json(plan.unmet);
  json["warnings"] = plan.warnings;
  json["unknown"] = plan.unknown;
  return dumped(json);
}

std::string places_csv(const PlacesPlan& plan, const Grid& grid) {
  std::string out;
  for (const PlaceResult& place : plan.places) {
    const Json json = place_json(place, grid);
    if (out.empty()) {
      for (const auto& [name, unused] : json.items()) out += (out.empty() ? "" : ",") + name;
      out += "\n";
    }
    std::string row;
    for (const auto& [name, value] : json.items()) {
      if (!row.empty()) row += ",";
      if (value.is_string()) row += csv_field(value.get<std::string>());
      if (value.is_number()) row += number_text(value.get<double>());
    }
    out += row + "\n";
  }
  return out;
}

}  // namespace trainyard
