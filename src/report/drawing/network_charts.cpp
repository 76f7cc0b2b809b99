#include "report/drawing/network_charts.h"

#include <string>
#include <utility>

#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"

namespace trainyard {
namespace {

constexpr ChartAxis price_axis() { return {"price of a datacenter's network", Unit::usd, false}; }

ChartLine mark(const std::string& name, double x, double y) {
  return {.label = name, .points = {{.x = x, .y = y, .label = name}}, .joined = false};
}

/// The front, the best apart from the others.
template <class Value>
Chart front_chart(const NetworkSearch& search, const char* name, const char* title, ChartAxis axis,
                  Value value) {
  Chart chart{name, title, {"price", Unit::usd, false}, std::move(axis), {}};
  ChartLine front{.label = "the front", .points = {}, .joined = false};
  ChartLine best{.label = "the cheapest within the tolerance", .points = {}, .joined = false};
  for (std::size_t i = 0; i < search.front.size(); ++i) {
    const NetworkChoice& c = search.front[i].choice;
    (i == search.best ? best : front)
        .points.push_back({.x = c.score.price.si(), .y = value(c.score), .label = c.input.name});
  }
  chart.lines = {std::move(best), std::move(front)};
  return chart;
}

Chart tolerance_chart(const NetworkSearch& search) {
  Chart chart{"tolerance",
              "What a slower step saves",
              {"the step may be slower by", Unit::fraction, false},
              {"price of the cheapest network", Unit::usd, false},
              {}};
  ChartLine line{.label = "cheapest network", .points = {}, .joined = false};
  for (const ToleratedNetwork& t : search.tolerated)
    line.points.push_back({.x = t.beyond, .y = t.choice.score.price.si(), .label = t.choice.input.name});
  chart.lines.push_back(std::move(line));
  return chart;
}

}  // namespace

std::vector<Chart> network_charts(const std::vector<NetworkAnswer>& answers) {
  Chart exposed{"exposed",
                "Exposed communication against price",
                price_axis(),
                {"exposed share of a step", Unit::fraction, false},
                {}};
  Chart kept{"kept",
             "What an HB domain keeps after one switch fails, against price",
             price_axis(),
             {"share of its rate", Unit::fraction, false},
             {}};
  for (const NetworkAnswer& a : answers) {
    const double price = a.bill.price.si();
    kept.lines.push_back(mark(a.design.input.name, price, a.counts.domain_kept));
    if (a.effect) exposed.lines.push_back(mark(a.design.input.name, price, a.effect->exposed_share));
  }
  std::vector<Chart> out;
  for (Chart* chart : {&exposed, &kept})
    if (chart->lines.size() > 1) out.push_back(std::move(*chart));
  return out;
}

std::vector<Chart> network_search_charts(const NetworkSearch& search) {
  std::vector<Chart> out = {
      front_chart(search, "exposed", "What a step loses to the network, against price",
                  {"lost share of a step", Unit::fraction, false},
                  [](const NetworkScore& s) { return s.lost_share; }),
      front_chart(search, "power", "Power against price", {"power", Unit::watts, false},
                  [](const NetworkScore& s) { return s.power.si(); }),
      front_chart(search, "kept", "What an HB domain keeps after one switch fails, against price",
                  {"share of its rate", Unit::fraction, false},
                  [](const NetworkScore& s) { return s.kept; })};
  if (search.tolerated.size() > 1) out.push_back(tolerance_chart(search));
  return out;
}

}  // namespace trainyard
