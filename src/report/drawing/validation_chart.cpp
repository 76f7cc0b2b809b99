#include <algorithm>
#include <limits>

#include "report/data/show.h"
#include "trainyard/report/validation.h"
#include "trainyard/validation.h"

namespace trainyard {

Chart validation_chart(const Validation& validation) {
  constexpr std::size_t kLabelLength = 24;
  Chart chart{.name = "validation",
              .title = "Step times of measured runs",
              .x = {.label = "measured", .unit = Unit::seconds, .log = true},
              .y = {.label = "predicted", .unit = Unit::seconds, .log = true},
              .lines = {}};
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const SourceErrors& s : validation.by_source) {
    ChartLine line{.label = shortened(s.source.empty() ? "no source" : s.source, kLabelLength),
                   .points = {},
                   .joined = false};
    for (const ValidatedRun& v : validation.runs) {
      if (v.run.source != s.source || !v.counts()) continue;
      const double measured = v.measured_step->si();
      const double predicted = v.plan->si();
      line.points.push_back({measured, predicted});
      low = std::min({low, measured, predicted});
      high = std::max({high, measured, predicted});
    }
    chart.lines.push_back(std::move(line));
  }
  if (!chart.lines.empty())
    chart.lines.push_back({.label = "equal", .points = {{low, low}, {high, high}}, .joined = true});
  return chart;
}

}  // namespace trainyard
