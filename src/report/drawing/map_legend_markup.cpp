#include <fmt/core.h>

#include "report/drawing/map_frame.h"
#include "report/drawing/map_legend.h"
#include "report/drawing/svg.h"

namespace trainyard {

std::pair<std::string, double> legend_markup(const std::vector<LegendEntry>& entries, double width) {
  constexpr double kRow = 20;
  constexpr double kSymbol = 30;
  constexpr double kGap = 16;
  double x = 16;
  double y = 10;
  std::string out;
  for (const LegendEntry& e : entries) {
    const double wide = kSymbol + text_width(e.text, 11) + kGap;
    if (x + wide > width) {
      x = 16;
      y += kRow;
    }
    out += fmt::format(
        "<g transform=\"translate({} {})\">{}<text x=\"{}\" y=\"11\" font-size=\"11\">{}</text></g>\n",
        paper_number(x), paper_number(y), e.drawing, paper_number(kSymbol), escape_markup(e.text));
    x += wide;
  }
  return {out, y + kRow + 6};
}

}  // namespace trainyard
