#include "trainyard/report/wide_area.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/counted.h"
#include "report/data/hiding_words.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "scenario/choices/transports.h"
#include "scenario/choices/wide_area.h"
#include "trainyard/long_haul.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

std::string finite(Seconds time) { return std::isinf(time.si()) ? "never" : show(time); }

std::string hiding_text(const SitesPoint& p, BitRate nic_rate) {
  return p.sites == 1 ? "" : hiding_words(p.hiding_rate, nic_rate);
}

/// The last number of sites that adds no more than the scenario allows.
std::int64_t most_sites(const WideAreaAnswer& a) {
  std::int64_t out = 1;
  for (const SitesPoint& p : a.points) {
    if (a.too_many && p.sites >= *a.too_many) break;
    if (p.infeasible.empty()) out = p.sites;
  }
  return out;
}

PageFacts wide_area_cards(const Scenario& scenario, const WideAreaAnswer& a) {
  PageFacts out = {{"capacity for each device", show(scenario.network.wide_area_rate)},
                   {"NICs of a device", show(a.nic_rate)},
                   {"most sites that add at most " + show_share(scenario.wide_area.largest_exposed_share),
                    grouped(most_sites(a))}};
  for (const SitesPoint& p : a.points) {
    if (p.sites != 2 || !p.infeasible.empty()) continue;
    out.emplace_back("two sites: round trip", finite(p.longest_rtt));
    out.emplace_back("two sites: added to a step", show_share(p.added_share));
    out.emplace_back("two sites: capacity that hides it", hiding_text(p, a.nic_rate));
  }
  return out;
}

std::string sites_table(const WideAreaAnswer& a) {
  PageTable table{number_column("sites"),
                  {"exchange"},
                  number_column("round trip"),
                  number_column("sent by a device"),
                  number_column("exchange of a layer"),
                  number_column("exposed of a layer"),
                  number_column("exposed share"),
                  number_column("step"),
                  number_column("added to the step"),
                  number_column("capacity that hides it")};
  for (const SitesPoint& p : a.points) {
    if (!p.infeasible.empty()) {
      table.row({grouped(p.sites), "no plan", "", "", "", "", "", "", "", ""});
      continue;
    }
    table.row({grouped(p.sites), p.sites == 1 ? "" : std::string(choice_name(p.exchange.kind)),
               finite(p.longest_rtt), show(p.sent), finite(p.time), finite(p.exposed),
               show_share(p.exposed_share), finite(p.step), show_share(p.added_share),
               hiding_text(p, a.nic_rate)});
  }
  return table.html();
}

std::string site_notes(const WideAreaAnswer& a) {
  std::string out;
  for (const SitesPoint& p : a.points) {
    if (!p.infeasible.empty())
      out += fmt::format("<li>{}: {}</li>\n", counted(p.sites, "site"), escape_markup(p.infeasible));
    for (const std::string& note : p.notes)
      out += fmt::format("<li>{}: {}</li>\n", counted(p.sites, "site"), escape_markup(note));
  }
  return out.empty() ? out : "<ul>" + out + "</ul>\n";
}

std::string capacity_table(const WideAreaAnswer& a) {
  std::vector<PageColumn> columns = {{"capacity for each device"}};
  for (const auto& curve : a.curves) columns.push_back(number_column(counted(curve.front().sites, "site")));
  PageTable table(columns);
  for (std::size_t r = 0; r < a.rates.size(); ++r) {
    std::vector<std::string> cells = {show(a.rates[r])};
    for (const auto& curve : a.curves) cells.push_back(show_share(curve[r].exposed_share));
    table.row(cells);
  }
  return table.html();
}

std::string distance_table(const WideAreaAnswer& a) {
  PageTable table{number_column("sites"),
                  number_column("round trip"),
                  {"exchange"},
                  number_column("exchange of a layer"),
                  number_column("added to the step"),
                  number_column("capacity that hides it")};
  for (const auto& points : a.distances) {
    for (const SitesPoint& p : points) {
      const bool ends = p.infeasible.empty();
      table.row({grouped(p.sites), show(p.longest_rtt), std::string(choice_name(p.exchange.kind)),
                 ends ? show(p.time) : "never", ends ? show_share(p.added_share) : "",
                 hiding_text(p, a.nic_rate)});
    }
  }
  return table.html(TableUse::filtered);
}

/// How round trips translate.
std::string distance_words(const WideAreaInput& w) {
  constexpr double kLight_km_per_s = 299792.458;
  const double rtt_of_1000_km = 2 * 1000 * w.fibre_ratio * w.refractive_index / kLight_km_per_s;
  return fmt::format(
      "By distance all sites are equally far apart. Fibre is {:.4g} times as long as the great circle, so "
      "that 1,000 km are a round trip of {}.",
      w.fibre_ratio, show(Seconds(rtt_of_1000_km)));
}

std::string run_name(const LongHaulResult& r) {
  return fmt::format("{}, {}{}", choice_name(r.run.transport),
                     r.run.bit_error_rate > 0 ? fmt::format("bit errors {:.1e}", r.run.bit_error_rate)
                                              : std::string("no bit errors"),
                     r.run.wide_area_first ? ", wide area first" : "");
}

std::string exchange_bars(const std::vector<LongHaulResult>& results) {
  Seconds longest{0};
  for (const LongHaulResult& r : results) longest = std::max(longest, r.exchange);
  std::string out;
  for (const LongHaulResult& r : results) {
    const double ideal = std::min(1.0, r.ideal / longest);
    const double rest = std::max(0.0, r.exchange / longest - ideal);
    out += fmt::format(
        "<div class=\"bar\"><p>{}: {}, {:.2f} times the least</p><div class=\"stack\"><span "
        "style=\"width:{:.2f}%;background:{}\"></span><span style=\"width:{:.2f}%;background:{}\"></span>"
        "</div></div>\n",
        escape_markup(run_name(r)), show(r.exchange), r.exchange / r.ideal, 100 * ideal, series_colour(0),
        100 * rest, series_colour(4));
  }
  return out;
}

std::string runs_table(const std::vector<LongHaulResult>& results) {
  PageTable table{{"transport"},
                  number_column("bit errors"),
                  number_column("median"),
                  number_column("p99"),
                  number_column("longest"),
                  number_column("exchange"),
                  number_column("over the least"),
                  number_column("overhead"),
                  number_column("lost to errors"),
                  number_column("dropped"),
                  number_column("repeated"),
                  number_column("longest inside a site")};
  for (const LongHaulResult& r : results) {
    table.row({std::string(choice_name(r.run.transport)) + (r.run.wide_area_first ? ", wide area first" : ""),
               fmt::format("{:.1e}", r.run.bit_error_rate), show(r.median), show(r.p99), show(r.longest),
               show(r.exchange), fmt::format("{:.2f}", r.exchange / r.ideal), show_share(r.overhead),
               grouped(r.counters.corrupted), grouped(r.counters.drops), grouped(r.counters.repeats),
               r.local_longest > Seconds(0) ? show(r.local_longest) : ""});
  }
  return table.html(TableUse::filtered);
}

}  // namespace

std::string wide_area_page(const Scenario& scenario, const WideAreaAnswer& answer) {
  return page("wide_area",
              {.kind = "wide area",
               .title = page_title(scenario),
               .subject = "One cluster over several sites that sum their gradients",
               .cards = wide_area_cards(scenario, answer),
               .footer = page_footer(scenario)},
              {{"sites", sites_table(answer)},
               {"notes", site_notes(answer)},
               {"distance", escape_markup(distance_words(scenario.wide_area))},
               {"capacities", capacity_table(answer)},
               {"distances", distance_table(answer)},
               {"settings", page_facts(page_settings(scenario, {"wide_area.", "network.wide_area"}))}},
              wide_area_charts(answer));
}

std::string long_haul_page(const Scenario& scenario, const std::vector<LongHaulResult>& results) {
  const LongHaulResult& first = results.front();
  std::vector<Chart> charts = {long_haul_chart(results)};
  if (charts.front().lines.empty()) charts.clear();
  return page(
      "long_haul",
      {.kind = "wide area by packets",
       .title = page_title(scenario),
       .subject = fmt::format("{}, {}: {}, each host sums {}", counted(scenario.long_haul.sites, "site"),
                              choice_name(scenario.long_haul.exchange), counted(grouped(first.flows), "flow"),
                              show(first.run.bytes)),
       .cards = {{"at the least, without losses", show(first.ideal)},
                 {"paths", grouped(scenario.long_haul.path_rates.size())},
                 {"runs", grouped(results.size())}},
       .footer = page_footer(scenario)},
      {{"bars", exchange_bars(results)},
       {"charts", chart_section("Time against bit errors", charts)},
       {"runs", runs_table(results)},
       {"settings", page_facts(page_settings(scenario, {"long_haul."}))}},
      charts);
}

}  // namespace trainyard
