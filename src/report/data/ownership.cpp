#include "trainyard/ownership.h"

#include "report/data/csv.h"
#include "report/data/failures_json.h"
#include "report/data/goodput_words.h"
#include "report/data/json.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/ownership.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

Json owned_phases_json(const std::vector<OwnedPhase>& phases) {
  Json out = Json::array();
  for (const OwnedPhase& p : phases) {
    out.push_back({{"name", p.name},
                   {"hb_domain", p.hb_domain},
                   {"devices", p.devices},
                   {"ordered_s", p.ordered.si()},
                   {"delivered_s", p.delivered.si()},
                   {"serves_s", p.serves.si()},
                   {"retires_s", p.retires.si()},
                   {"price_usd", p.price.si()},
                   {"ports", or_null(p.ports)},
                   {"power_w", p.power.si()},
                   {"useful_share", p.failures ? Json(p.useful) : Json(nullptr)},
                   {"failures_counted", p.failures},
                   {"useful_tokens_per_second", p.tokens_per_second},
                   {"mfu", p.mfu},
                   {"usd_per_million_tokens", p.per_million_tokens.si()}});
  }
  return out;
}

Json owned_months_json(const Ownership& o) {
  Json out = Json::array();
  for (const OwnedMonth& m : o.months) {
    out.push_back({{"from_s", m.from.si()},
                   {"to_s", m.to.si()},
                   {"devices", m.devices},
                   {"paid_usd", m.paid.si()},
                   {"energy_usd", m.energy.si()},
                   {"upkeep_usd", m.upkeep.si()},
                   {"book_usd", m.book.si()},
                   {"tokens", m.tokens}});
  }
  return out;
}

Json way_json(const Ownership& o) {
  return {{"name", o.name},
          {"trained_s", or_null(o.trained)},
          {"tokens", o.tokens},
          {"paid_usd", o.paid.si()},
          {"energy_usd", o.energy.si()},
          {"upkeep_usd", o.upkeep.si()},
          {"book_usd", o.book.si()},
          {"cost_usd", o.cost.si()},
          {"present_value_usd", o.present_value.si()},
          {"usd_per_million_tokens", or_null(o.per_million_tokens)},
          {"usd_per_million_tokens_levelized", or_null(o.per_million_tokens_levelized)}};
}

Json watches_json(const std::vector<Watch>& watches) {
  Json out = Json::array();
  for (const Watch& w : watches) {
    out.push_back({{"interval_s", w.interval.si()},
                   {"bytes_per_second", w.rate.si()},
                   {"kept_bytes", w.kept.si()},
                   {"detection_s", w.detection.si()},
                   {"useful_share", or_null(w.useful)}});
  }
  return out;
}

}  // namespace

std::string ownership_json(const Scenario& scenario, const OwnershipAnswer& a) {
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["failures"] = failures_json(scenario);
  json["target_tokens"] = a.target_tokens;
  json["phases"] = owned_phases_json(a.phases);
  json["asked"] = way_json(a.asked);
  json["others"] = Json::array();
  for (const Ownership& way : a.others) json["others"].push_back(way_json(way));
  json["months"] = owned_months_json(a.asked);
  json["ports"] = or_null(a.ports);
  if (!a.ports) json["not_watched"] = no_watches_words(a);
  json["watched_phases"] = Json::array();
  std::int64_t devices = 0;
  for (const std::size_t i : a.watched) {
    json["watched_phases"].push_back(a.phases[i].name);
    devices += a.phases[i].devices;
  }
  json["watched_devices"] = devices;
  json["watches"] = watches_json(a.watches);
  return dumped(json);
}

std::string ownership_csv(const OwnershipAnswer& a) {
  CsvTable table("from_s,to_s,devices,paid_usd,energy_usd,upkeep_usd,book_usd,tokens");
  for (const OwnedMonth& m : a.asked.months)
    table.row(m.from, m.to, m.devices, m.paid, m.energy, m.upkeep, m.book, m.tokens);
  return std::move(table).text();
}

std::vector<Chart> ownership_charts(const OwnershipAnswer& a) {
  Chart money{"money",
              "Money over the years",
              {"years", Unit::number, false},
              {"dollars so far", Unit::usd, false},
              {}};
  ChartLine spent{"paid, energy and upkeep", {}};
  ChartLine book{"in the books", {}};
  Chart trained{
      "tokens", "Tokens over the years", {"years", Unit::number, false}, {"tokens", Unit::number, false}, {}};
  ChartLine tokens{"trained", {}};
  double usd = 0;
  double many = 0;
  for (const OwnedMonth& m : a.asked.months) {
    const double year = as<Years>(m.to).count();
    usd += (m.paid + m.energy + m.upkeep).si();
    many += m.tokens;
    spent.points.push_back({year, usd});
    book.points.push_back({year, m.book.si()});
    tokens.points.push_back({year, many});
  }
  money.lines = {std::move(spent), std::move(book)};
  trained.lines = {std::move(tokens)};
  Chart watch{"watch",
              "Bytes against time to detect",
              {"time to detect", Unit::seconds, true},
              {"samples, bytes a second", Unit::bytes_per_second, true},
              {}};
  ChartLine line{"all ports", {}};
  for (const Watch& w : a.watches) line.points.push_back({w.detection.si(), w.rate.si()});
  watch.lines = {std::move(line)};
  return {std::move(money), std::move(trained), std::move(watch)};
}

}  // namespace trainyard
