#include "trainyard/report/chart.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/counted.h"
#include "report/drawing/svg.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

constexpr double kHeight = 420;  // or as high as the lines' names
constexpr double kLeft = 78;
constexpr double kPlotRight = 570;
constexpr double kKey = 190;  // the lines' names, or wider
constexpr double kKeyRow = 22;
constexpr double kTickSize = 11;
constexpr double kTickGap = 3;  // between names of ticks
constexpr double kTop = 44;
constexpr double kBottom = 58;
constexpr std::array<std::string_view, 4> kDashes = {
    "", "stroke-dasharray=\"7 4\"", "stroke-dasharray=\"2 3\"", "stroke-dasharray=\"9 3 2 3\""};

/// In which long times are shown, all ticks of an axis in the same.
struct LongUnit {
  double seconds;
  std::string_view name;
};
constexpr std::array<LongUnit, 3> kLongUnits = {{{365 * 86400.0, "year"}, {86400, "day"}, {3600, "h"}}};

/// From data to pixels along one axis.
class Scale {
 public:
  Scale(const ChartAxis& axis, double low, double high, double from, double to)
      : log_(axis.log && low > 0), low_(low), high_(high), from_(from), to_(to), unit_(axis.unit) {
    if (!(high_ - low_ > kOneValue * std::max(std::abs(low_), std::abs(high_)))) {
      const double around = low == 0 ? 1 : std::abs(low) / 2;
      low_ = log_ ? low / 2 : low - around;
      high_ = log_ ? high * 2 : high + around;
    }
  }

  /// Seconds of the unit in which times as long as the longest are shown.
  double shown_unit() const {
    if (unit_ != Unit::seconds) return 1;
    for (const LongUnit& unit : kLongUnits)
      if (high_ >= 2 * unit.seconds) return unit.seconds;
    return 1;
  }

  double at(double v) const {
    const double share = log_ ? std::log(v / low_) / std::log(high_ / low_) : (v - low_) / (high_ - low_);
    return from_ + share * (to_ - from_);
  }

  /// Round numbers inside the range: 1, 2, 5 in each decade, or steps of those; decades alone when there are
  /// many; equal steps when a logarithmic axis has fewer than three of the others. Times are round in the
  /// unit in which they are shown.
  std::vector<double> ticks() const {
    constexpr std::size_t kFewest = 3;
    const double unit = shown_unit();
    std::vector<double> out;
    if (log_) out = log_ticks(low_ / unit, high_ / unit);
    if (out.size() < kFewest) out = linear_ticks(low_ / unit, high_ / unit, log_ ? 4 : 6);
    for (double& v : out) v *= unit;
    return out;
  }

 private:
  static std::vector<double> log_ticks(double low, double high) {
    constexpr double kManyDecades = 3;
    constexpr int kMostLabels = 9;
    const double first = std::floor(std::log10(low));
    const double last = std::ceil(std::log10(high));
    const bool sparse = std::log10(high / low) > kManyDecades;
    const double stride = std::max(1.0, std::ceil((last - first) / kMostLabels));
    std::vector<double> out;
    for (double exponent = first; exponent <= last; exponent += stride) {
      for (const double m : {1.0, 2.0, 5.0}) {
        const double v = std::pow(10, exponent) * m;
        if ((m == 1.0 || !sparse) && v >= low * 0.999 && v <= high * 1.001) out.push_back(v);
      }
    }
    return out;
  }

  static std::vector<double> linear_ticks(double low, double high, double wanted) {
    const double rough = (high - low) / wanted;
    const double decade = std::pow(10, std::floor(std::log10(rough)));
    double step = decade * 10;
    for (const double m : {1.0, 2.0, 5.0}) {
      if (decade * m >= rough) {
        step = decade * m;
        break;
      }
    }
    std::vector<double> out;
    const double first = std::ceil(low / step - 1e-9);
    const auto count = static_cast<int>(std::floor(high / step + 1e-9) - first) + 1;
    for (int i = 0; i < count; ++i) out.push_back((first + i) * step);
    return out;
  }

  static constexpr double kOneValue = 1e-9;  // a narrower range is drawn as one value, which ticks can name

  bool log_;
  double low_;
  double high_;
  double from_;
  double to_;
  Unit unit_;
};

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

/// "2.000M" as "2M", "800.0 Gbps" as "800 Gbps".
std::string without_zeros(std::string text) {
  const auto dot = text.find('.');
  if (dot == std::string::npos || text.find('e') != std::string::npos) return text;
  const auto end = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
  auto keep = end;
  while (text[keep - 1] == '0') --keep;
  if (keep == dot + 1) keep = dot;
  return text.erase(keep, end - keep);
}

std::string tick_text(double v, Unit unit, double shown_unit) {
  for (const LongUnit& u : kLongUnits)
    if (shown_unit == u.seconds) {
      const std::string number = fmt::format("{:.4g}", v / shown_unit);
      return u.name == "h" ? number + " h" : counted(number, u.name);
    }
  if (unit == Unit::fraction) return fmt::format("{:g}%", std::round(v * 1e4) / 100);
  const bool large = unit == Unit::number && v >= 1000;
  return without_zeros(large ? format_quantity(v, Unit::usd).substr(1) : format_quantity(v, unit));
}

class ChartPainter {
 public:
  explicit ChartPainter(const Chart& chart)
      : chart_(chart),
        svg_(kPlotRight + key_width(chart), std::max(kHeight, key_row(chart.lines.size())), chart.title),
        x_(chart.x, extent_x().low, extent_x().high, kLeft, kPlotRight),
        y_(chart.y, extent_y().low, extent_y().high, kHeight - kBottom, kTop) {}

  std::string paint() {
    svg_.text(kLeft, 24, chart_.title, {.size = 15, .bold = true});
    paint_axes();
    for (std::size_t i = 0; i < chart_.lines.size(); ++i) paint_line(i);
    return std::move(svg_).finish();
  }

 private:
  Extent extent_x() const {
    Extent e;
    for (const ChartLine& line : chart_.lines) {
      for (const ChartPoint& p : line.points) e.add(p.x);
    }
    return e.low <= e.high ? e : Extent{0, 1};
  }

  /// Shares and other linear quantities start at zero.
  Extent extent_y() const {
    Extent e;
    for (const ChartLine& line : chart_.lines) {
      for (const ChartPoint& p : line.points) {
        e.add(p.y);
        if (!p.bar) continue;
        e.add(p.bar->low);
        e.add(p.bar->high);
      }
    }
    if (!(e.low <= e.high)) return {0, 1};
    if (!chart_.y.log) e.add(0);
    if (!chart_.y.log) e.high *= 1.05;
    return e;
  }

  static constexpr double kKeyText = 44;  // behind a piece of the line
  static constexpr double kKeySize = 12;

  static double key_row(std::size_t index) { return kTop + 12 + kKeyRow * static_cast<double>(index); }

  static double key_width(const Chart& chart) {
    double widest = 0;
    for (const ChartLine& line : chart.lines) widest = std::max(widest, text_width(line.label, kKeySize));
    return std::max(kKey, kKeyText + widest + 12);
  }

  void paint_axes() {
    double taken = 0;  // up to where the names of ticks reach
    for (const double v : x_.ticks()) {
      const double x = x_.at(v);
      svg_.line(x, kTop, x, kHeight - kBottom, "class=\"grid\"");
      const std::string name = tick_text(v, chart_.x.unit, x_.shown_unit());
      const double half = text_width(name, kTickSize) / 2;
      if (x - half < taken) continue;
      svg_.text(x, kHeight - kBottom + 18, name, {.size = kTickSize, .anchor = "middle", .css = "soft"});
      taken = x + half + kTickGap;
    }
    for (const double v : y_.ticks()) {
      const double y = y_.at(v);
      svg_.line(kLeft, y, kPlotRight, y, "class=\"grid\"");
      svg_.text(kLeft - 8, y + 4, tick_text(v, chart_.y.unit, y_.shown_unit()),
                {.size = 11, .anchor = "end", .css = "soft"});
    }
    svg_.line(kLeft, kHeight - kBottom, kPlotRight, kHeight - kBottom, "class=\"axis\"");
    svg_.line(kLeft, kTop, kLeft, kHeight - kBottom, "class=\"axis\"");
    svg_.text((kLeft + kPlotRight) / 2, kHeight - 14, chart_.x.label,
              {.size = 12, .anchor = "middle", .css = "soft"});
    svg_.text(16, (kTop + kHeight - kBottom) / 2, chart_.y.label,
              {.size = 12, .anchor = "middle", .css = "soft", .rotate = -90});
  }

  void paint_bar(const ChartPoint& p, std::string_view colour) {
    if (!p.bar) return;
    const double x = x_.at(p.x);
    svg_.line(x, y_.at(p.bar->low), x, y_.at(p.bar->high), colour, 1, "stroke-opacity=\"0.55\"");
  }

  void paint_line(std::size_t index) {
    const ChartLine& line = chart_.lines[index];
    const std::string_view colour = series_colour(index);
    const std::string_view dash = kDashes[(index + index / series_colour_count()) % kDashes.size()];
    std::string run;
    const auto flush = [&] {
      if (!run.empty()) svg_.polyline(run, colour, 2.2, dash);
      run.clear();
    };
    for (const ChartPoint& p : line.points) {
      if (!std::isfinite(p.y)) {
        flush();
        continue;
      }
      paint_bar(p, colour);
      if (line.joined)
        run += fmt::format("{}{},{}", run.empty() ? "" : " ", coordinate(x_.at(p.x)), coordinate(y_.at(p.y)));
      if (line.points.size() <= 40 || !line.joined) svg_.circle(x_.at(p.x), y_.at(p.y), 2.8, colour);
    }
    flush();
    const double y = key_row(index);
    if (line.joined) {
      svg_.polyline(fmt::format("{},{} {},{}", kPlotRight + 12, y, kPlotRight + 38, y), colour, 2.2, dash);
    } else {
      svg_.circle(kPlotRight + 25, y, 2.8, colour);
    }
    svg_.text(kPlotRight + kKeyText, y + 4, line.label, {.size = kKeySize});
  }

  const Chart& chart_;
  Svg svg_;
  Scale x_;
  Scale y_;
};

}  // namespace

std::string chart_svg(const Chart& chart) { return ChartPainter(chart).paint(); }

}  // namespace trainyard
