#include "report/drawing/schedule_charts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/counted.h"
#include "report/data/schedule_words.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "trainyard/schedule.h"

namespace trainyard {
namespace {

constexpr double kDay_s = 86400;
constexpr double kHour_s = 3600;
constexpr double kInTimeWidth = 960;
constexpr double kInTimeLeft = 64;
constexpr double kInTimeTop = 26;
constexpr double kInTimeDevices = 220;  // height of the upper panel
constexpr double kInTimeBetween = 34;
constexpr double kInTimeQueue = 110;
constexpr double kInTimeBelow = 24;
constexpr std::size_t kInTimeColumns = 448;  // of two units
constexpr std::size_t kUsedColour = 2;
constexpr std::size_t kDownColour = 1;
constexpr std::size_t kSpareColour = 4;
constexpr std::size_t kQueueColour = 3;

/// Means over equal columns of the time.
std::vector<ScheduleMoment> in_columns(const ScheduleAnswer& answer) {
  const double span = answer.totals.span.si();
  std::vector<ScheduleMoment> out(span > 0 && !answer.moments.empty() ? kInTimeColumns : 0);
  const double width = span / static_cast<double>(kInTimeColumns);
  std::size_t moment = 0;
  for (std::size_t c = 0; c < out.size(); ++c) {
    const double begin = static_cast<double>(c) * width;
    const double end = begin + width;
    double known = 0;
    ScheduleMoment& sum = out[c];
    for (std::size_t m = moment; m < answer.moments.size(); ++m) {
      const ScheduleMoment& it = answer.moments[m];
      const double from = m == 0 ? 0 : answer.moments[m - 1].time.si();
      const double part = std::min(end, it.time.si()) - std::max(begin, from);
      if (part > 0) {
        known += part;
        sum.used += part * it.used;
        sum.down += part * it.down;
        sum.queued_devices += part * it.queued_devices;
        sum.queued_jobs += part * it.queued_jobs;
      }
      if (it.time.si() <= end) moment = m;
      if (from >= end) break;
    }
    if (known <= 0) known = 1;
    sum.time = Seconds(begin);
    sum.used /= known;
    sum.down /= known;
    sum.queued_devices /= known;
    sum.queued_jobs /= known;
  }
  return out;
}

struct Panel {
  double top = 0;
  double height = 0;
  double most = 1;  // value at its top

  double y(double value) const { return top + height * (1 - std::clamp(value / most, 0.0, 1.0)); }
};

void draw_levels(Svg& svg, const Panel& panel, std::string_view title, int lines) {
  svg.text(kInTimeLeft, panel.top - 8, title, {.size = 12, .css = "soft"});
  const double step = std::max(1.0, round_step(panel.most, lines));
  for (double at = 0; at <= panel.most * 1.0001; at += step) {
    svg.line(kInTimeLeft, panel.y(at), kInTimeWidth, panel.y(at), "class=\"grid\"");
    svg.text(kInTimeLeft - 6, panel.y(at) + 4, grouped(at), {.size = 11, .anchor = "end", .css = "soft"});
  }
}

/// Of columns whose lower ends lie on another area.
void draw_area(Svg& svg, const Panel& panel, std::size_t column, double from, double to, std::size_t colour) {
  constexpr double kColumnWidth = (kInTimeWidth - kInTimeLeft) / static_cast<double>(kInTimeColumns);
  const double height = panel.y(from) - panel.y(to);
  if (height <= 0) return;
  svg.rect(kInTimeLeft + static_cast<double>(column) * kColumnWidth, panel.y(to), kColumnWidth, height,
           series_colour(colour), "shape-rendering=\"crispEdges\"");
}

std::string column_words(const ScheduleMoment& m, double devices) {
  return fmt::format("{}: {} used, {} down, {} free; {:.1f} jobs of {} wait", wait_text(m.time),
                     grouped(m.used), grouped(m.down), grouped(std::max(0.0, devices - m.used - m.down)),
                     m.queued_jobs, counted(grouped(m.queued_devices), "device"));
}

void draw_time_axis(Svg& svg, double span_s, double y) {
  const bool in_days = span_s >= 2 * kDay_s;
  const double unit = in_days ? kDay_s : kHour_s;
  const double step = round_step(span_s / unit, 10);
  for (double at = 0; at <= span_s / unit; at += step) {
    const double x = kInTimeLeft + at * unit / span_s * (kInTimeWidth - kInTimeLeft);
    svg.line(x, y, x, y + 4, "class=\"axis\"");
    svg.text(x, y + 16, fmt::format("{}{:.4g}", at == 0 ? (in_days ? "day " : "hour ") : "", at),
             {.size = 11, .anchor = at == 0 ? "start" : "middle", .css = "soft"});
  }
}

void draw_use_key(Svg& svg, bool down, bool spare) {
  double x = kInTimeWidth - 300;
  constexpr double kMark = 11;
  const auto entry = [&](std::string_view name, std::size_t colour) {
    svg.rect(x, kInTimeTop - 18, kMark, kMark, series_colour(colour));
    svg.text(x + kMark + 4, kInTimeTop - 8, name);
    x += 100;
  };
  entry("used", kUsedColour);
  if (down) entry("down", kDownColour);
  if (spare) entry("kept free", kSpareColour);
}

ChartLine class_line(const char* label, const ScheduleAnswer& answer, Seconds ScheduleClass::*wait) {
  ChartLine line{label, {}};
  for (const ScheduleClass& row : answer.classes)
    line.points.push_back({static_cast<double>(row.most_devices), (row.*wait).si() / kHour_s});
  return line;
}

Chart wait_chart(const ScheduleAnswer& answer) {
  Chart chart{"wait",
              "Wait by size",
              {"devices of the job, up to", Unit::number, true},
              {"wait, hours", Unit::number, false},
              {}};
  chart.lines = {class_line("mean", answer, &ScheduleClass::mean_wait),
                 class_line("median", answer, &ScheduleClass::median_wait),
                 class_line("90% wait less", answer, &ScheduleClass::p90_wait)};
  ChartLine recorded{"mean that the trace recorded", {}};
  for (const ScheduleClass& row : answer.classes) {
    if (row.mean_wait_recorded)
      recorded.points.push_back(
          {static_cast<double>(row.most_devices), row.mean_wait_recorded->si() / kHour_s});
  }
  if (!recorded.points.empty()) chart.lines.push_back(std::move(recorded));
  return chart;
}

Chart slower_chart(const ScheduleAnswer& answer) {
  Chart chart{"slower",
              "Contention by size",
              {"devices of the job, up to", Unit::number, true},
              {"work takes longer by", Unit::fraction, false},
              {}};
  ChartLine line{"mean of the jobs", {}};
  for (const ScheduleClass& row : answer.classes)
    line.points.push_back({static_cast<double>(row.most_devices), row.mean_slowdown - 1});
  chart.lines.push_back(std::move(line));
  return chart;
}

Chart shares_chart(const ScheduleAnswer& answer) {
  Chart chart{"shares",
              "Fragmentation and contention in time",
              {"day", Unit::number, false},
              {"share", Unit::fraction, false},
              {}};
  ChartLine fragmented{"free devices in HB domains that others use", {}};
  ChartLine contended{"used devices whose jobs are slowed down", {}};
  constexpr std::size_t kMostPoints = 600;
  const std::size_t step = answer.moments.size() / kMostPoints + 1;
  for (std::size_t m = 0; m < answer.moments.size(); m += step) {
    fragmented.points.push_back({answer.moments[m].time.si() / kDay_s, answer.moments[m].fragmented});
    contended.points.push_back({answer.moments[m].time.si() / kDay_s, answer.moments[m].contended});
  }
  chart.lines = {std::move(fragmented), std::move(contended)};
  return chart;
}

}  // namespace

std::string schedule_in_time(const ScheduleAnswer& answer) {
  const std::vector<ScheduleMoment> columns = in_columns(answer);
  const double devices = static_cast<double>(answer.cluster.devices);
  const double spare = static_cast<double>(answer.cluster.spares * answer.cluster.domain_devices);
  double queued = 1;
  bool down = false;
  for (const ScheduleMoment& m : columns) {
    queued = std::max(queued, m.queued_devices);
    down = down || m.down > 0;
  }
  const Panel upper{kInTimeTop, kInTimeDevices, devices};
  const Panel lower{kInTimeTop + kInTimeDevices + kInTimeBetween, kInTimeQueue, queued};
  Svg svg(kInTimeWidth, lower.top + kInTimeQueue + kInTimeBelow, "The cluster in time");
  draw_levels(svg, upper, "devices", 5);
  draw_levels(svg, lower, "devices that waiting jobs ask for", 3);
  draw_use_key(svg, down, spare > 0);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const ScheduleMoment& m = columns[c];
    draw_area(svg, upper, c, 0, m.used, kUsedColour);
    draw_area(svg, upper, c, m.used, m.used + m.down, kDownColour);
    draw_area(svg, upper, c, std::max(devices - spare, m.used + m.down), devices, kSpareColour);
    draw_area(svg, lower, c, 0, m.queued_devices, kQueueColour);
    constexpr double kColumnWidth = (kInTimeWidth - kInTimeLeft) / static_cast<double>(kInTimeColumns);
    svg.rect_with_title(kInTimeLeft + static_cast<double>(c) * kColumnWidth, kInTimeTop, kColumnWidth,
                        lower.top + lower.height - kInTimeTop, "transparent", column_words(m, devices));
  }
  draw_time_axis(svg, std::max(1.0, answer.totals.span.si()), lower.top + lower.height);
  return std::move(svg).finish();
}

std::vector<Chart> schedule_charts(const ScheduleAnswer& answer) {
  std::vector<Chart> out = {wait_chart(answer), shares_chart(answer)};
  const bool slower = std::any_of(answer.classes.begin(), answer.classes.end(),
                                  [](const ScheduleClass& row) { return row.mean_slowdown > 1; });
  if (slower) out.insert(out.begin() + 1, slower_chart(answer));
  return out;
}

}  // namespace trainyard
