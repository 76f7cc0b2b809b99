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

Chart sweep_chart(const SweepResult& sweep) {
  Chart chart{sweep.input.name,
              sweep.input.title.empty() ? sweep.input.name : sweep.input.title,
              {sweep.x_label, sweep.x_unit, sweep.input.log_scale},
              {sweep.y_label, sweep.y_unit, false},
              {}};
  for (const SweepLine& line : sweep.lines) {
    ChartLine out{line.label, {}};
    for (const SweepPoint& point : line.points) out.points.push_back({point.x, point.y});
    chart.lines.push_back(std::move(out));
  }
  return chart;
}

Chart scaling_chart(const std::vector<ScalingCurve>& curves) {
  Chart chart{"scaling",
              "Loss-optimal model sizes",
              {"training time", Unit::seconds, true},
              {"parameters", Unit::number, true},
              {}};
  for (const ScalingCurve& curve : curves) {
    ChartLine line{curve.name, {}};
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      line.points.push_back({curve.durations[i].si(), curve.points[i].parameters});
    }
    chart.lines.push_back(std::move(line));
  }
  return chart;
}

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
