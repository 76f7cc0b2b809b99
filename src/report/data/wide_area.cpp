#include "trainyard/report/wide_area.h"

#include <fmt/core.h>

#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "scenario/choices/wide_area.h"
#include "trainyard/provenance.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

Json point_json(const SitesPoint& p) {
  if (!p.infeasible.empty()) return {{"sites", p.sites}, {"infeasible", p.infeasible}};
  Json out = {{"sites", p.sites},
              {"exchange", choice_name(p.exchange.kind)},
              {"longest_rtt_s", p.longest_rtt.si()},
              {"chunk_bytes", p.chunk.si()},
              {"sent_bytes", p.sent.si()},
              {"expected_repeats", p.repeats},
              {"exchange_s", p.time.si()},
              {"exposed_s", p.exposed.si()},
              {"added_s", p.added.si()},
              {"exposed_share", p.exposed_share},
              {"step_s", p.step.si()},
              {"added_share", p.added_share}};
  out["hiding_rate_bps"] = p.hiding_rate ? Json(p.hiding_rate->si()) : Json(nullptr);
  return out;
}

/// Endless repeats and times without an end are written as "inf".
std::string with_infinity(double value) { return fmt::format("{}", value); }

}  // namespace

std::string wide_area_json(const Scenario& scenario, const WideAreaAnswer& answer) {
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["wide_area_rate_bps"] = scenario.network.wide_area_rate.si();
  json["nic_rate_bps"] = answer.nic_rate.si();
  json["too_many_sites"] = answer.too_many ? Json(*answer.too_many) : Json(nullptr);
  json["points"] = Json::array();
  for (const SitesPoint& p : answer.points) {
    json["points"].push_back(point_json(p));
    json["points"].back()["notes"] = p.notes;
  }
  json["curves"] = Json::array();
  for (const auto& curve : answer.curves) {
    for (std::size_t r = 0; r < answer.rates.size(); ++r) {
      Json point = point_json(curve[r]);
      point["rate_bps"] = answer.rates[r].si();
      json["curves"].push_back(std::move(point));
    }
  }
  json["distances"] = Json::array();
  for (const auto& points : answer.distances) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      Json point = point_json(points[i]);
      point["longest_rtt_s"] = answer.rtts[i].si();
      json["distances"].push_back(std::move(point));
    }
  }
  return dumped(json);
}

std::string wide_area_csv(const WideAreaAnswer& answer) {
  CsvTable table(
      "sites,rate_bps,exchange,longest_rtt_s,chunk_bytes,sent_bytes,expected_repeats,exchange_s,exposed_s,"
      "added_s,exposed_share,step_s,added_share,hiding_rate_bps");
  for (const auto& curve : answer.curves) {
    for (std::size_t r = 0; r < answer.rates.size(); ++r) {
      const SitesPoint& p = curve[r];
      table.row(p.sites, answer.rates[r], choice_name(p.exchange.kind), p.longest_rtt, p.chunk, p.sent,
                with_infinity(p.repeats), with_infinity(p.time.si()), with_infinity(p.exposed.si()),
                with_infinity(p.added.si()), with_infinity(p.exposed_share), with_infinity(p.step.si()),
                with_infinity(p.added_share), p.hiding_rate);
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
