#include <utility>
#include <vector>

#include "trainyard/planning.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/sweeps.h"

namespace trainyard {

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

}  // namespace trainyard
