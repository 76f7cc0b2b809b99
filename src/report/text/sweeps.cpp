#include "trainyard/report/sweeps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/data/show.h"
#include "trainyard/planning.h"

namespace trainyard {
namespace {

std::string point_text(const SweepPoint& point, Unit unit) {
  return point.infeasible.empty() && std::isfinite(point.y) ? show(point.y, unit) : "infeasible";
}

}  // namespace

std::string sweep_text(const SweepResult& sweep) {
  std::string out =
      fmt::format("{}\n{} over {}\n", sweep.input.title.empty() ? sweep.input.name : sweep.input.title,
                  sweep.y_label, sweep.input.key);
  std::size_t width = 14;
  for (const SweepLine& line : sweep.lines) width = std::max(width, line.label.size() + 2);
  out += fmt::format("{:<22}", "");
  for (const SweepLine& line : sweep.lines) out += fmt::format("{:>{}}", line.label, width);
  out += "\n";
  const std::size_t rows = sweep.lines.empty() ? 0 : sweep.lines.front().points.size();
  for (std::size_t i = 0; i < rows; ++i) {
    out += fmt::format("{:<22}", sweep.lines.front().points[i].value);
    for (const SweepLine& line : sweep.lines)
      out += fmt::format("{:>{}}", point_text(line.points[i], sweep.y_unit), width);
    out += "\n";
  }
  return out;
}

std::string scaling_text(const std::vector<ScalingCurve>& curves, FlopRate rate) {
  std::string out =
      fmt::format("Loss-optimal parameters (tokens) for a training time at {}\n{:<14}", show(rate), "");
  for (const ScalingCurve& curve : curves) out += fmt::format("{:>22}", curve.name);
  out += "\n";
  for (std::size_t i = 0; i < curves.front().durations.size(); ++i) {
    out += fmt::format("{:<14}", show(curves.front().durations[i]));
    for (const ScalingCurve& curve : curves) {
      const LawPoint& p = curve.points[i];
      out += fmt::format("{:>22}", fmt::format("{} ({})", show_many(p.parameters), show_many(p.tokens)));
    }
    out += "\n";
  }
  return out;
}

}  // namespace trainyard
