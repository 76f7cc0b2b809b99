#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/counted.h"
#include "scenario/choices/transports.h"
#include "trainyard/long_haul.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/wide_area.h"

namespace trainyard {

Chart wide_area_chart(const WideAreaAnswer& answer) {
  Chart chart{"wide-area",
              "Exposed communication against capacity between sites",
              {"capacity for each device", Unit::bits_per_second, true},
              {"exposed share", Unit::fraction, false},
              {}};
  for (const auto& curve : answer.curves) {
    ChartLine line{counted(curve.front().sites, "site"), {}};
    for (std::size_t r = 0; r < answer.rates.size(); ++r)
      line.points.push_back({answer.rates[r].si(), curve[r].exposed_share});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

namespace {

/// A line for each number of sites over the round trip; what never ends or is hidden by nothing is a gap.
template <class Value>
Chart distance_chart(const WideAreaAnswer& answer, const char* name, const char* title, ChartAxis axis,
                     Value value) {
  Chart chart{name, title, {"round trip between sites", Unit::seconds, true}, std::move(axis), {}};
  for (const auto& points : answer.distances) {
    ChartLine line{counted(points.front().sites, "site"), {}};
    for (std::size_t i = 0; i < points.size(); ++i)
      line.points.push_back(
          {answer.rtts[i].si(), points[i].infeasible.empty() ? value(points[i]) : std::nan("")});
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

}  // namespace

std::vector<Chart> wide_area_charts(const WideAreaAnswer& answer) {
  if (answer.curves.empty()) return {};
  std::vector<Chart> out = {
      wide_area_chart(answer),
      distance_chart(answer, "exchange", "Exchange of a layer against distance",
                     {"time of the exchange", Unit::seconds, true},
                     [](const SitesPoint& p) { return p.time.si(); }),
      distance_chart(answer, "added", "Added to a step, against distance",
                     {"share of the step", Unit::fraction, false},
                     [](const SitesPoint& p) { return p.added_share; }),
      distance_chart(answer, "hiding", "Capacity that hides the exchange, against distance",
                     {"capacity for each device", Unit::bits_per_second, true}, [](const SitesPoint& p) {
                       return p.hiding_rate && p.hiding_rate->si() > 0 ? p.hiding_rate->si() : std::nan("");
                     })};
  ChartLine nics{"NICs of a device", {}};
  for (const Seconds rtt : answer.rtts) nics.points.push_back({rtt.si(), answer.nic_rate.si()});
  out.back().lines.push_back(std::move(nics));
  return out;
}

Chart long_haul_chart(const std::vector<LongHaulResult>& results) {
  Chart chart{"long-haul",
              "Time of an exchange between sites",
              {"bit-error rate", Unit::number, true},
              {"time of the exchange", Unit::seconds, false},
              {}};
  for (const LongHaulResult& r : results) {
    if (r.run.bit_error_rate <= 0) continue;  // not on a logarithmic axis
    const std::string label =
        std::string(choice_name(r.run.transport)) + (r.run.wide_area_first ? ", wide area first" : "");
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(),
                             [&](const ChartLine& l) { return l.label == label; });
    if (line == chart.lines.end()) line = chart.lines.insert(chart.lines.end(), ChartLine{label, {}});
    line->points.push_back({r.run.bit_error_rate, r.exchange.si()});
  }
  return chart;
}

}  // namespace trainyard
