#include "report/wide_area_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/quantity_text.h"
#include "report/output.h"
#include "report/provenance_json.h"
#include "scenario/choices.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string show(Seconds time) {
  return std::isinf(time.si()) ? "never" : format_quantity(time.si(), Unit::seconds);
}
std::string show(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }
std::string show(BitRate rate) { return format_quantity(rate.si(), Unit::bits_per_second); }
std::string show_share(double share) { return format_quantity(share, Unit::fraction); }

std::string show_repeats(double rounds) {
  return std::isinf(rounds) ? "endless" : fmt::format("{:.2f}", rounds);
}

std::string header() {
  return fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n",
                     "sites", "exchange", "RTT", "sent", "repeats", "exchange", "exposed", "added", "exposed",
                     "step", "added to", "capacity that") +
         fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n", "",
                     "", "", "a device", "", "a layer", "a layer", "a layer", "share", "", "the step",
                     "hides it, a device");
}

std::string row(const SitesPoint& p) {
  if (!p.infeasible.empty()) return fmt::format("   {:>5} {}\n", p.sites, p.infeasible);
  const std::string hiding = p.sites == 1 ? "" : p.hiding_rate ? show(*p.hiding_rate) : "none does";
  return fmt::format("   {:>5} {:>11} {:>9} {:>10} {:>8} {:>10} {:>10} {:>10} {:>9} {:>10} {:>9}  {}\n",
                     p.sites, p.sites == 1 ? "" : std::string(choice_name(p.exchange.kind)),
                     show(p.longest_rtt), show(p.sent), show_repeats(p.repeats), show(p.time),
                     show(p.exposed), show(p.added), show_share(p.exposed_share), show(p.step),
                     show_share(p.added_share), hiding);
}

std::string conclusion(const Scenario& scenario, const WideAreaAnswer& answer) {
  const std::string most = show_share(scenario.wide_area.largest_exposed_share);
  if (answer.too_many)
    return fmt::format("{} sites are too many: the wide area adds more than {} to the step.\n",
                       *answer.too_many, most);
  const auto last = std::find_if(answer.points.rbegin(), answer.points.rend(),
                                 [](const SitesPoint& p) { return p.infeasible.empty(); });
  return fmt::format("No number of sites up to {} adds more than {} to the step.\n", last->sites, most);
}

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

std::string csv_row(BitRate rate, const SitesPoint& p) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.sites, rate.si(),
                     choice_name(p.exchange.kind), p.longest_rtt.si(), p.chunk.si(), p.sent.si(), p.repeats,
                     p.time.si(), p.exposed.si(), p.added.si(), p.exposed_share, p.step.si(), p.added_share,
                     p.hiding_rate ? fmt::format("{}", p.hiding_rate->si()) : "");
}

}  // namespace

std::string wide_area_text(const Scenario& scenario, const WideAreaAnswer& answer) {
  const WideAreaInput& w = scenario.wide_area;
  std::string out = fmt::format("{}\n\nOne cluster over several sites, {} between sites for each device\n",
                                scenario.title, show(scenario.network.wide_area_rate));
  if (w.sync_every > 1)
    out +=
        fmt::format("   sites exchange every {} batches; times of a layer and shares are means over them\n",
                    w.sync_every);
  out += header();
  for (const SitesPoint& p : answer.points) out += row(p);
  for (const SitesPoint& p : answer.points) {
    for (const std::string& note : p.notes) out += fmt::format("   {} sites: {}\n", p.sites, note);
  }
  out += "\n" + conclusion(scenario, answer);
  if (answer.curves.empty()) return out;
  out += "\nExposed share against capacity for each device\n   capacity ";
  for (const auto& curve : answer.curves)
    out += fmt::format(" {:>9}", fmt::format("{} sites", curve.front().sites));
  out += "\n";
  for (std::size_t r = 0; r < answer.rates.size(); ++r) {
    out += fmt::format("   {:>9}", show(answer.rates[r]));
    for (const auto& curve : answer.curves) out += fmt::format(" {:>9}", show_share(curve[r].exposed_share));
    out += "\n";
  }
  return out;
}

std::string wide_area_json(const Scenario& scenario, const WideAreaAnswer& answer) {
  Json json;
  json["provenance"] = provenance_json(provenance_of(scenario));
  json["wide_area_rate_bps"] = scenario.network.wide_area_rate.si();
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string wide_area_csv(const WideAreaAnswer& answer) {
  std::string out =
      "sites,rate_bps,exchange,longest_rtt_s,chunk_bytes,sent_bytes,expected_repeats,exchange_s,exposed_s,"
      "added_s,"
      "exposed_share,step_s,added_share,hiding_rate_bps\n";
  for (const auto& curve : answer.curves) {
    for (std::size_t r = 0; r < answer.rates.size(); ++r) out += csv_row(answer.rates[r], curve[r]);
  }
  return out;
}

Chart wide_area_chart(const WideAreaAnswer& answer) {
  Chart chart{"wide-area",
              "Exposed communication against capacity between sites",
              {"capacity for each device", Unit::bits_per_second, true},
              {"exposed share", Unit::fraction, false},
              {}};
  for (const auto& curve : answer.curves) {
    ChartLine line{fmt::format("{} sites", curve.front().sites), {}};
    for (std::size_t r = 0; r < answer.rates.size(); ++r)
      line.points.push_back({answer.rates[r].si(), curve[r].exposed_share});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace trainyard
