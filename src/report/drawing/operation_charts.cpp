#include "report/drawing/operation_charts.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "trainyard/operation.h"

namespace trainyard {
namespace {

constexpr double kDayWidth = 960;
constexpr double kDayLeft = 70;
constexpr double kDayTop = 26;
constexpr double kDayDevices = 200;  // height of the upper panel
constexpr double kDayBetween = 34;
constexpr double kDayPower = 110;
constexpr double kDayBelow = 24;
constexpr double kDayEnd_s = 86400;
constexpr std::size_t kTrainingColour = 2;
constexpr std::size_t kOtherColour = 1;
constexpr std::size_t kPowerColour = 4;

double day_x(const OperationAnswer& a, Seconds at) {
  return kDayLeft + at / a.period * (kDayWidth - kDayLeft);
}

void draw_day_key(Svg& svg) {
  double x = kDayWidth - 300;
  constexpr double kMark = 11;
  for (const auto& [name, colour] :
       {std::pair{"training", kTrainingColour}, {"other work", kOtherColour}, {"power", kPowerColour}}) {
    svg.rect(x, kDayTop - 18, kMark, kMark, series_colour(colour));
    svg.text(x + kMark + 4, kDayTop - 8, name);
    x += 100;
  }
}

std::string hour_words(const OperationAnswer& a, const OperationHour& h) {
  return fmt::format("{}: {} train, {} of {} wanted do other work, {} of {}",
                     operation_moment(h.from, a.period), counted(grouped(h.training_devices), "device"),
                     grouped(h.service_devices), grouped(h.service_wanted), show(h.power), show(h.cap));
}

void draw_hour(Svg& svg, const OperationAnswer& a, const OperationHour& h) {
  const double x = day_x(a, h.from);
  const double width = day_x(a, h.to) - x;
  const double scale = kDayDevices / static_cast<double>(a.devices);
  const double training = static_cast<double>(h.training_devices) * scale;
  const double other = static_cast<double>(h.service_devices) * scale;
  const double bottom = kDayTop + kDayDevices;
  svg.rect(x, bottom - training, width, training, series_colour(kTrainingColour),
           "shape-rendering=\"crispEdges\"");
  svg.rect(x, bottom - training - other, width, other, series_colour(kOtherColour),
           "shape-rendering=\"crispEdges\"");
  const double power_bottom = bottom + kDayBetween + kDayPower;
  const double most = std::max(a.power_limit.si(), a.full_power.si());
  const double power = kDayPower * h.power.si() / most;
  const double cap = kDayPower * std::min(1.0, h.cap.si() / most);
  svg.rect(x, power_bottom - power, width, power, series_colour(kPowerColour),
           "shape-rendering=\"crispEdges\"");
  svg.line(x, power_bottom - cap, x + width, power_bottom - cap, "class=\"axis\"", 2);
  svg.rect_with_title(x, kDayTop, width, power_bottom - kDayTop, "transparent", hour_words(a, h));
}

/// Every three hours of a day, every midnight of a week.
void draw_times(Svg& svg, const OperationAnswer& a, double y) {
  constexpr int kMarks = 8;
  const bool week = a.period.si() > kDayEnd_s;
  const int marks = week ? 7 : kMarks;
  for (int mark = 0; mark <= marks; ++mark) {
    const bool last = mark == marks;
    if (week && last) break;
    const Seconds at(a.period.si() * mark / marks);
    svg.text(day_x(a, at), y, last ? "24:00" : operation_moment(at, a.period).substr(0, week ? 3 : 5),
             {.size = 11,
              .anchor = last                ? "end"
                        : mark == 0 || week ? "start"
                                            : "middle",
              .css = "soft"});
  }
}

void draw_day_axis(Svg& svg, const OperationAnswer& a) {
  const double bottom = kDayTop + kDayDevices;
  const double power_bottom = bottom + kDayBetween + kDayPower;
  const auto label = [&](double y, const std::string& text) {
    svg.line(kDayLeft, y, kDayWidth, y, "class=\"grid\"");
    svg.text(kDayLeft - 6, y + 4, text, {.size = 11, .anchor = "end", .css = "soft"});
  };
  label(kDayTop, grouped(a.devices));
  label(bottom, "0");
  label(power_bottom - kDayPower, show(std::max(a.power_limit, a.full_power)));
  label(power_bottom, "0");
  svg.text(kDayLeft, kDayTop - 8, "devices", {.size = 12, .css = "soft"});
  svg.text(kDayLeft, bottom + kDayBetween - 8, "power of the site; the line: its cap",
           {.size = 12, .css = "soft"});
  draw_times(svg, a, power_bottom + 18);
}

}  // namespace

std::string operation_in_time(const OperationAnswer& answer) {
  Svg svg(kDayWidth, kDayTop + kDayDevices + kDayBetween + kDayPower + kDayBelow,
          answer.period.si() > kDayEnd_s ? "Devices and power through the week"
                                         : "Devices and power through the day");
  draw_day_axis(svg, answer);
  for (const OperationHour& hour : answer.asked.hours) draw_hour(svg, answer, hour);
  draw_day_key(svg);
  return std::move(svg).finish();
}

std::vector<Chart> operation_charts(const OperationAnswer& answer) {
  Chart step{"step-power",
             "Power within a step",
             {"time in the step", Unit::seconds, false},
             {"power, without the PUE", Unit::watts, false},
             {}};
  ChartLine line{"all devices train", {}};
  const double span_s = answer.step.si() / std::max<double>(1, static_cast<double>(answer.step_power.size()));
  for (std::size_t i = 0; i < answer.step_power.size(); ++i)
    line.points.push_back({span_s * (static_cast<double>(i) + 0.5), answer.step_power[i].si()});
  step.lines.push_back(std::move(line));
  std::vector<Chart> out = {std::move(step)};
  if (answer.pauses.size() < 2) return out;
  Chart pauses{"pauses",
               "Training only in cheap hours",
               {"days to train", Unit::number, false},
               {"net cost", Unit::usd, false},
               {}};
  ChartLine days{"each price of the day", {}};
  for (const OperationDay& day : answer.pauses)
    if (day.days && day.cost) days.points.push_back({day.days->si() / kDayEnd_s, day.cost->si()});
  std::sort(days.points.begin(), days.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  pauses.lines.push_back(std::move(days));
  out.push_back(std::move(pauses));
  return out;
}

}  // namespace trainyard
