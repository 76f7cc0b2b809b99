#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/data/show.h"
#include "report/drawing/network_charts.h"
#include "report/drawing/svg.h"
#include "report/page/network_parts.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "trainyard/networks_compared.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

using Answers = std::vector<NetworkAnswer>;

/// Of those that join the most hosts: the inside of one HB domain is no cheap network of a datacenter.
const NetworkAnswer& cheapest(const Answers& answers) {
  return *std::min_element(
      answers.begin(), answers.end(), [](const NetworkAnswer& a, const NetworkAnswer& b) {
        return std::pair(-a.design.hosts, a.bill.price) < std::pair(-b.design.hosts, b.bill.price);
      });
}

PageFacts network_cards(const Answers& answers) {
  const NetworkAnswer& least = cheapest(answers);
  PageFacts out = {{"designs", grouped(answers.size())},
                   {"hosts", grouped(least.design.hosts)},
                   {answers.size() > 1 ? "cheapest" : "design", least.design.input.name},
                   {"its price", show(least.bill.price)},
                   {"a host", show(least.bill.price / static_cast<double>(least.design.hosts))}};
  if (const auto power = least.bill.power()) out.emplace_back("its power", show(*power));
  if (least.effect) out.emplace_back("its exposed communication", show_share(least.effect->exposed_share));
  return out;
}

std::vector<NetworkDesign> drawn(const Answers& answers) {
  std::vector<NetworkDesign> out;
  for (const NetworkAnswer& a : answers) out.push_back(a.design);
  return out;
}

/// Bars that compare designs: all on the scale of the dearest.
std::string price_bars(const Answers& answers) {
  double dearest = 0;
  for (const NetworkAnswer& a : answers) dearest = std::max(dearest, a.bill.price.si());
  PageParts parts;  // the same item has the same colour everywhere
  for (const NetworkAnswer& a : answers)
    for (const BillLine& line : a.bill.lines)
      if (std::none_of(parts.begin(), parts.end(), [&](const auto& p) { return p.first == line.item; }))
        parts.emplace_back(line.item, 0);
  std::string out;
  for (const NetworkAnswer& a : answers) {
    PageParts own = parts;
    for (const BillLine& line : a.bill.lines)
      for (auto& [name, value] : own)
        if (name == line.item) value += line.price.si();
    out += page_bar(a.design.input.name + ": " + show(a.bill.price), dearest, own, Unit::usd);
  }
  return out;
}

std::string bills(const Answers& answers) {
  PageTable table = bill_table();
  for (const NetworkAnswer& a : answers) add_bill(table, a.design.input.name, a.bill);
  return table.html(TableUse::filtered);
}

std::string cable_table(const Answers& answers) {
  PageTable table{{"design"},
                  {"product"},
                  {"between"},
                  number_column("cables"),
                  number_column("transceivers"),
                  number_column("length in all"),
                  number_column("longest"),
                  number_column("price"),
                  number_column("power")};
  for (const NetworkAnswer& a : answers) {
    for (const CableLine& c : a.bill.cables)
      table.row({a.design.input.name, c.product, c.of_hosts ? "hosts and switches" : "switches",
                 grouped(std::llround(c.cables)), grouped(std::llround(c.ends)), show(Metres(c.metres)),
                 show(c.longest), show(c.price), c.power ? show(*c.power) : "unknown"});
  }
  return table.html(TableUse::filtered);
}

std::string length_table(const Answers& answers) {
  constexpr double kNoLimit = 1e6;
  std::vector<PageColumn> columns = {{"up to"}};
  for (const NetworkAnswer& a : answers) columns.push_back(number_column(a.design.input.name));
  PageTable table(columns);
  for (const LengthClass& of_first : answers.front().bill.lengths) {
    std::vector<std::string> cells = {of_first.up_to.si() > kNoLimit ? "longer" : show(of_first.up_to)};
    for (const NetworkAnswer& a : answers) {
      double cables = 0;
      for (const LengthClass& c : a.bill.lengths)
        if (c.up_to == of_first.up_to) cables += c.cables;
      cells.push_back(grouped(std::llround(cables)));
    }
    table.row(cells);
  }
  return table.html();
}

std::string failure_table(const Answers& answers) {
  PageTable table{{"design"},
                  {"what fails"},
                  number_column("hosts that lose"),
                  number_column("of their rate"),
                  {"towards"}};
  for (const NetworkAnswer& a : answers) {
    for (const BlastRadius& b : a.counts.blast)
      table.row({a.design.input.name, b.what, grouped(std::llround(b.hosts)), show_share(b.share),
                 b.out_of_reach ? "hosts elsewhere" : "all"});
  }
  return table.html(TableUse::filtered);
}

/// What the plan's traffic puts on every kind of link.
std::string loads_section(const Answers& answers) {
  PageTable table{{"design"},
                  {"links"},
                  number_column("count"),
                  number_column("carry nothing"),
                  number_column("worst"),
                  number_column("mean")};
  std::string bounds;
  for (const NetworkAnswer& a : answers) {
    if (!a.effect) continue;
    const NetworkLoad& load = a.effect->load;
    for (const LinkLoad& l : load.links)
      table.row({a.design.input.name, l.name, show_count(l.links), show_count(l.idle), show(l.worst),
                 show(l.mean)});
    bounds += "<li>" +
              escape_markup(fmt::format("{}: a batch takes at least {} ({}); the hosts' links alone {}.",
                                        a.design.input.name, show(load.bound),
                                        load.worst_link.empty() ? "nothing is sent" : load.worst_link,
                                        show(load.host_bound))) +
              "</li>\n";
  }
  if (bounds.empty()) return {};
  return "<section id=\"traffic\"><h2>The plan's traffic</h2><p class=\"soft\">Bytes of a batch on a link, "
         "the "
         "larger of its directions.</p>" +
         table.html(TableUse::filtered) + "<ul>" + bounds + "</ul></section>\n";
}

std::string network_notes(const Answers& answers) {
  std::string out;
  const auto add = [&](const std::string& text) {
    out += "<p class=\"soft\">" + escape_markup(text) + "</p>\n";
  };
  for (const NetworkAnswer& a : answers) {
    const std::string& name = a.design.input.name;
    std::string items;
    for (const std::string& item : a.bill.power_unknown()) items += (items.empty() ? "" : ", ") + item;
    if (!items.empty())
      add(fmt::format("The power of {} is not known whole: {} of the rest, none known of {}.", name,
                      show(a.bill.power_known), items));
    if (!a.effect) add(fmt::format("No step time for {}: {}.", name, a.no_effect));
    if (!a.counted_on_graph) add(fmt::format("{} is counted in closed form.", name));
  }
  return out;
}

}  // namespace

std::string network_page(const Scenario& scenario, const Answers& answers) {
  const std::vector<Chart> charts = network_charts(answers);
  return page("network",
              {.kind = "network",
               .title = page_title(scenario),
               .subject = fmt::format(
                   "{} of one datacenter, {} in all", answers.size() == 1 ? "A network" : "Networks",
                   grouped(answers.front().design.datacenters) +
                       (answers.front().design.datacenters == 1 ? " datacenter" : " datacenters")),
               .cards = network_cards(answers),
               .footer = page_footer(scenario)},
              {{"drawing", networks_svg(drawn(answers))},
               {"comparison", network_comparison(answers)},
               {"notes", network_notes(answers)},
               {"charts", chart_section("Price, exposed time and failures", charts)},
               {"bars", price_bars(answers)},
               {"bill", bills(answers)},
               {"cables", cable_table(answers)},
               {"lengths", length_table(answers)},
               {"blast", failure_table(answers)},
               {"loads", loads_section(answers)},
               {"settings", page_facts(page_settings(scenario, {"design.", "floor.", "network."}))}},
              charts);
}

}  // namespace trainyard
