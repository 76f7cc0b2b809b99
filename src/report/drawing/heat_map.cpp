#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/drawing/png.h"
#include "report/drawing/svg.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/rail.h"
#include "trainyard/units.h"

namespace trainyard {
namespace {

// Nine steps of the viridis map, light for little (Smith and van der Walt 2015).
constexpr std::array<Rgb, 9> kSteps = {{{253, 231, 37},
                                        {159, 218, 58},
                                        {74, 193, 109},
                                        {31, 161, 135},
                                        {39, 127, 142},
                                        {54, 92, 141},
                                        {70, 50, 127},
                                        {72, 29, 111},
                                        {68, 1, 84}}};
constexpr Rgb kNothing = {255, 255, 255};

/// From the smallest to the largest positive number, in equal steps of the logarithm.
class LogColours {
 public:
  explicit LogColours(const std::vector<double>& values) {
    for (const double v : values) {
      if (v <= 0) continue;
      low_ = low_ == 0 ? v : std::min(low_, v);
      high_ = std::max(high_, v);
    }
  }
  /// -1 for nothing.
  int step(double v) const {
    if (v <= 0) return -1;
    if (high_ <= low_) return static_cast<int>(kSteps.size()) - 1;
    const double share = std::log(v / low_) / std::log(high_ / low_);
    return static_cast<int>(std::lround(share * (static_cast<double>(kSteps.size()) - 1)));
  }
  static Rgb colour(int step) { return step < 0 ? kNothing : kSteps[static_cast<std::size_t>(step)]; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = 0;
  double high_ = 0;
};

std::size_t side_of(const std::vector<double>& bytes) {
  return static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(bytes.size()))));
}

std::string hex(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

void paint_legend(Svg& svg, const LogColours& colours, double x, double y, double height) {
  const double each = height / static_cast<double>(kSteps.size());
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    svg.rect(x, y + height - each * static_cast<double>(i + 1), 18, each, hex(kSteps[i]));
  }
  svg.text(x + 24, y + 10, format_quantity(colours.high(), Unit::bytes), {.size = 11});
  svg.text(x + 24, y + height, format_quantity(colours.low(), Unit::bytes), {.size = 11});
  svg.text(x, y + height + 20, "blank: nothing", {.size = 11, .css = "soft"});
}

/// Places in the palette, 0 for nothing.
std::vector<std::uint8_t> pixels(const std::vector<double>& bytes, const LogColours& colours,
                                 std::size_t side, std::size_t zoom) {
  std::vector<std::uint8_t> out;
  out.reserve(side * zoom * side * zoom);
  for (std::size_t row = 0; row < side; ++row) {
    std::vector<std::uint8_t> line;
    for (std::size_t column = 0; column < side; ++column)
      line.insert(line.end(), zoom, static_cast<std::uint8_t>(colours.step(bytes[row * side + column]) + 1));
    for (std::size_t i = 0; i < zoom; ++i) out.insert(out.end(), line.begin(), line.end());
  }
  return out;
}

}  // namespace

std::string heat_map_svg(const std::vector<double>& bytes, const std::string& title) {
  constexpr double kSize = 600;
  constexpr double kTop = 40;
  const LogColours colours(bytes);
  const std::size_t side = side_of(bytes);
  Svg svg(kSize + 140, kSize + kTop + 10, title);
  svg.text(10, 24, title, {.size = 14, .bold = true});
  svg.rect(10, kTop, kSize, kSize, "#ffffff");
  const double cell = side > 0 ? kSize / static_cast<double>(side) : 0;
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t from = 0; from < side;) {
      const int step = colours.step(bytes[row * side + from]);
      std::size_t to = from + 1;
      while (to < side && colours.step(bytes[row * side + to]) == step) ++to;
      if (step >= 0) {
        svg.rect(10 + cell * static_cast<double>(from), kTop + cell * static_cast<double>(row),
                 cell * static_cast<double>(to - from), cell, hex(LogColours::colour(step)));
      }
      from = to;
    }
  }
  svg.rect(10, kTop, kSize, kSize, "class=\"frame\"");
  if (colours.high() > 0) paint_legend(svg, colours, kSize + 24, kTop, 200);
  return std::move(svg).finish();
}

std::string heat_map_png(const std::vector<double>& bytes) {
  constexpr std::size_t kSmallest = 512;
  const LogColours colours(bytes);
  const std::size_t side = side_of(bytes);
  PalettePicture out{1, 1, {}, {0}};
  for (int step = -1; step < static_cast<int>(kSteps.size()); ++step)
    out.palette.push_back(LogColours::colour(step));
  if (side > 0) {
    const std::size_t zoom = std::max<std::size_t>(1, (kSmallest + side - 1) / side);
    out.width = out.height = side * zoom;
    out.pixels = pixels(bytes, colours, side, zoom);
  }
  return png_file(out);
}

}  // namespace trainyard
