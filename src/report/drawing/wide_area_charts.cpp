#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "scenario/choices/transports.h"
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
    ChartLine line{fmt::format("{} sites", curve.front().sites), {}};
    for (std::size_t r = 0; r < answer.rates.size(); ++r)
      line.points.push_back({answer.rates[r].si(), curve[r].exposed_share});
    chart.lines.push_back(std::move(line));
  }
  return chart;
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
