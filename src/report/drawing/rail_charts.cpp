#include <fmt/core.h>

#include <string>

#include "trainyard/quantity_text.h"
#include "trainyard/rail.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/sweeps.h"

namespace trainyard {
namespace {

/// Adds a point to the last line, or to a new one when the label changes.
void add_point(Chart& chart, const std::string& label, ChartPoint point) {
  if (chart.lines.empty() || chart.lines.back().label != label) chart.lines.push_back({label, {}});
  chart.lines.back().points.push_back(point);
}

}  // namespace

Chart rail_chart(const RailAnalysis& analysis) {
  Chart chart{"rail",
              "Iteration time over HB-domain size",
              {"GPUs of an HB domain", Unit::number, true},
              {"iteration time", Unit::seconds, true},
              {}};
  for (const RailPoint& p : analysis.by_domain) {
    add_point(chart, format_quantity(p.gpus, Unit::count) + " GPUs", {p.domain, p.iteration.total().si()});
  }
  return chart;
}

Chart rail_batch_chart(const RailAnalysis& analysis) {
  Chart chart{"rail-batch",
              "Performance relative to one HB network for all GPUs",
              {"tokens of a batch", Unit::number, false},
              {"relative performance", Unit::fraction, false},
              {}};
  for (const RailPoint& p : analysis.by_batch) {
    add_point(chart, fmt::format("K = {}", p.domain), {p.batch_tokens, p.relative_performance()});
  }
  return chart;
}

}  // namespace trainyard
