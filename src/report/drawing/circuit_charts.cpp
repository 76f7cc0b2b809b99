#include "report/drawing/circuit_charts.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "trainyard/circuits.h"

namespace trainyard {
namespace {

constexpr double kPortsWidth = 960;
constexpr double kPortsLeft = 70;
constexpr double kPortsRow = 20;
constexpr double kPortsBar = 14;
constexpr double kPortsAxis = 22;
constexpr double kPortsKey = 26;
constexpr std::string_view kAxisColour = "#8896a5";
constexpr std::size_t kChangeColour = 5;
constexpr std::int64_t kMostRows = 32;

/// Colours of kinds, in the order of the table of uses.
std::size_t colour_of_kind(const CircuitsAnswer& answer, const CircuitPiece& piece) {
  if (piece.changing) return kChangeColour;
  std::size_t at = 0;
  while (at < answer.uses.size() && answer.uses[at].kind != piece.kind) ++at;
  return at < kChangeColour ? at : at + 1;
}

void draw_ports_key(Svg& svg, const CircuitsAnswer& answer, double y) {
  double x = kPortsLeft;
  constexpr double kStep = 150;
  constexpr double kMark = 12;
  const auto entry = [&](std::string_view name, std::size_t colour) {
    svg.rect(x, y, kMark, kMark, series_colour(colour));
    svg.text(x + kMark + 4, y + kMark - 2, name);
    x += kStep;
  };
  for (const CircuitUse& use : answer.uses) {
    if (!use.electrical) entry(use.kind, colour_of_kind(answer, {0, {}, {}, use.kind, false}));
  }
  entry("circuits change", kChangeColour);
}

void draw_ports_axis(Svg& svg, double end_s, double y) {
  constexpr int kMostTicks = 8;
  constexpr double kTick = 4;
  constexpr double kText = 16;
  svg.line(kPortsLeft, y, kPortsWidth, y, kAxisColour);
  const double step = round_step(end_s, kMostTicks);
  for (int i = 0; i * step <= end_s; ++i) {
    const double x = kPortsLeft + i * step / end_s * (kPortsWidth - kPortsLeft);
    svg.line(x, y, x, y + kTick, kAxisColour);
    svg.text(x, y + kText, fmt::format("{}", show(Seconds(i * step))), {.size = 11, .css = "soft"});
  }
}

}  // namespace

std::string circuits_timeline(const CircuitsAnswer& answer) {
  std::int64_t rows = 1;
  for (const CircuitPiece& piece : answer.timeline) rows = std::max(rows, piece.stage + 1);
  rows = std::min(rows, kMostRows);
  const double height = static_cast<double>(rows) * kPortsRow;
  Svg svg(kPortsWidth, height + kPortsAxis + kPortsKey, "What the ports of each stage did");
  double end = answer.step.step.si();
  for (const CircuitPiece& piece : answer.timeline) end = std::max(end, piece.to.si());
  const double scale = end > 0 ? (kPortsWidth - kPortsLeft) / end : 0;
  for (std::int64_t row = 0; row < rows; ++row)
    svg.text(0, static_cast<double>(row) * kPortsRow + kPortsBar - 2, fmt::format("stage {}", row));
  for (const CircuitPiece& piece : answer.timeline) {
    if (piece.stage >= rows) continue;
    const double x = kPortsLeft + piece.from.si() * scale;
    const double width = (piece.to - piece.from).si() * scale;
    svg.rect_with_title(x, static_cast<double>(piece.stage) * kPortsRow, width, kPortsBar,
                        series_colour(colour_of_kind(answer, piece)),
                        fmt::format("{}{}, {} at {}", piece.changing ? "change to " : "", piece.kind,
                                    show(piece.to - piece.from), show(piece.from)));
  }
  if (end > 0) draw_ports_axis(svg, end, height);
  draw_ports_key(svg, answer, height + kPortsAxis + 6);
  return std::move(svg).finish();
}

std::vector<Chart> circuit_charts(const CircuitsAnswer& answer) {
  Chart chart{"change",
              "Step by the time of a change",
              {"time of a change", Unit::seconds, true},
              {"step", Unit::seconds, false},
              {}};
  ChartLine circuits{"circuits", {}};
  ChartLine electrical{"electrical rails", {}};
  for (const CircuitChoice& row : answer.times) {
    if (!row.step || row.change.si() <= 0) continue;
    circuits.points.push_back({row.change.si(), row.step->step.si()});
    electrical.points.push_back({row.change.si(), answer.electrical.si()});
  }
  chart.lines = {std::move(circuits), std::move(electrical)};
  return {std::move(chart)};
}

}  // namespace trainyard
