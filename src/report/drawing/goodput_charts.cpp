#include "report/drawing/goodput_charts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "trainyard/goodput.h"

namespace trainyard {
namespace {

constexpr double kTimelineWidth = 760;
constexpr double kTimelineLeft = 70;
constexpr double kTimelineRow = 26;
constexpr double kTimelineBar = 18;
constexpr double kTimelineKey = 26;
constexpr int kTimelineRows = 6;
constexpr double kThinnest = 0.6;  // pixels: a pause of minutes in days still shows

struct StateLook {
  std::string_view name;
  std::size_t colour;
};

StateLook look_of(RunState state) {
  constexpr StateLook kLooks[] = {{"training", 2}, {"slow", 4}, {"down", 5}, {"waiting for servers", 0}};
  return kLooks[static_cast<std::size_t>(state)];
}

std::string words_of(const TimelinePiece& piece) {
  const bool has_cause = piece.state == RunState::down || piece.state == RunState::slow;
  return fmt::format("{}{}, {} at day {:.2f}", look_of(piece.state).name,
                     has_cause ? fmt::format(" ({})", failure_cause_name(piece.cause)) : "",
                     show(piece.to - piece.from), as<Days>(piece.from).count());
}

void draw_piece(Svg& svg, const TimelinePiece& piece, double row_s) {
  const double from = piece.from.si();
  const double to = piece.to.si();
  const int last = std::min(kTimelineRows - 1, static_cast<int>(to / row_s));
  for (int row = static_cast<int>(from / row_s); row <= last; ++row) {
    const double begin = std::max(from, row * row_s) - row * row_s;
    const double end = std::min(to, (row + 1) * row_s) - row * row_s;
    if (end <= begin) continue;
    const double scale = (kTimelineWidth - kTimelineLeft) / row_s;
    const double x = kTimelineLeft + begin * scale;
    svg.rect_with_title(x, row * kTimelineRow,
                        std::min(std::max(kThinnest, (end - begin) * scale), kTimelineWidth - x),
                        kTimelineBar, series_colour(look_of(piece.state).colour), words_of(piece));
  }
}

void draw_key(Svg& svg) {
  double x = kTimelineLeft;
  constexpr double kStep = 150;
  constexpr double kMark = 12;
  const double y = kTimelineRows * kTimelineRow + 6;
  for (const RunState state : {RunState::training, RunState::slow, RunState::down, RunState::waiting}) {
    svg.rect(x, y, kMark, kMark, series_colour(look_of(state).colour));
    svg.text(x + kMark + 4, y + kMark - 2, look_of(state).name);
    x += kStep;
  }
}

Chart worth_chart(const char* name, const char* title, const char* axis, const std::vector<WorthRow>& rows) {
  Chart chart{name, title, {axis, Unit::number, false}, {"useful time", Unit::fraction, false}, {}};
  ChartLine line{"closed form", {}};
  for (const WorthRow& row : rows) line.points.push_back({row.value, row.ettr});
  chart.lines.push_back(std::move(line));
  return chart;
}

}  // namespace

std::string months_timeline(const MonthsResult& months) {
  Svg svg(kTimelineWidth, kTimelineRows * kTimelineRow + kTimelineKey,
          "What the job was doing in the first run");
  const double row_s = months.period_h * 3600 / kTimelineRows;
  const bool in_days = months.period_h >= 24;
  for (int row = 0; row < kTimelineRows; ++row)
    svg.text(0, row * kTimelineRow + kTimelineBar - 4,
             in_days ? fmt::format("day {:.3g}", row * row_s / 86400) : show(Seconds(row * row_s)));
  // What is short stands over what is long.
  for (const bool pauses : {false, true}) {
    for (const TimelinePiece& piece : months.timeline)
      if ((piece.state == RunState::down || piece.state == RunState::waiting) == pauses)
        draw_piece(svg, piece, row_s);
  }
  draw_key(svg);
  return std::move(svg).finish();
}

std::vector<Chart> goodput_charts(const GoodputAnswer& answer) {
  return {worth_chart("spares", "Useful time by spare servers", "spare servers", answer.spares),
          worth_chart("detection", "Useful time by the time until failures are seen",
                      "time until seen, over the set's", answer.detection)};
}

}  // namespace trainyard
