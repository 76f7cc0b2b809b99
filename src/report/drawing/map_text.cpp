#include "report/drawing/map_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/drawing/svg.h"

namespace trainyard {

double MapBlock::width() const {
  double out = 0;
  for (const MapLabel& l : lines) out = std::max(out, text_width(l.text, l.size));
  return out;
}

double MapBlock::height() const {
  double out = 0;
  for (const MapLabel& l : lines) out += l.size * 1.2;
  return out;
}

MapBox MapSpot::box(MapPoint at, const MapBlock& block) const {
  const double width = block.width();
  const double left = at.x + dx - (anchor == "start" ? 0 : anchor == "end" ? width : width / 2);
  return {left, at.y + top, left + width, at.y + top + block.height()};
}

std::string block_markup(const MapBlock& block, const MapSpot& spot) {
  std::string out;
  double y = spot.top;
  for (const MapLabel& l : block.lines) {
    y += l.size * 1.2;
    out += fmt::format(
        "<text class=\"label halo {}\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>",
        l.css, paper_number(spot.dx), paper_number(y - l.size * 0.3), paper_number(l.size), spot.anchor,
        escape_markup(l.text));
  }
  return out;
}

std::optional<MapSpot> free_spot(const MapRoom& room, MapPoint at, const MapBlock& block, double radius) {
  const double middle = -block.height() / 2;
  const double gap = radius + 4;
  const MapSpot spots[] = {{gap, middle, "start"},
                           {-gap, middle, "end"},
                           {gap, -gap - block.height() / 2, "start"},
                           {gap, gap - block.height() / 2, "start"},
                           {-gap, -gap - block.height() / 2, "end"},
                           {-gap, gap - block.height() / 2, "end"},
                           {0, -gap - block.height(), "middle"},
                           {0, gap, "middle"},
                           {0, -3 * gap - block.height(), "middle"},
                           {0, 3 * gap, "middle"}};
  for (const MapSpot& spot : spots) {
    if (room.free(spot.box(at, block))) return spot;
  }
  return std::nullopt;
}

std::string pin(MapPoint at, std::string_view css, const std::string& tooltip, const std::string& content) {
  const std::string title = tooltip.empty() ? "" : "<title>" + escape_markup(tooltip) + "</title>";
  return fmt::format(
      "<g class=\"pin {0}\" data-x=\"{1}\" data-y=\"{2}\" transform=\"translate({1} {2})\">{3}{4}</g>\n", css,
      paper_number(at.x), paper_number(at.y), title, content);
}

MapBox around(MapPoint at, double radius) {
  return {at.x - radius, at.y - radius, at.x + radius, at.y + radius};
}

}  // namespace trainyard
