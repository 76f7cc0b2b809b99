#include "report/drawing/siting_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "report/data/show.h"
#include "report/drawing/map_grid.h"
#include "report/drawing/map_legend.h"
#include "report/drawing/siting_marks.h"
#include "report/drawing/siting_picture.h"
#include "report/drawing/svg.h"
#include "trainyard/report/siting.h"

namespace trainyard {
namespace {

// Light by default, dark where the reader's system is.
constexpr std::string_view kStyle =
    "<style>.map text{font-family:system-ui,sans-serif;fill:#1d2733}.map "
    ".halo{paint-order:stroke;stroke:#fbfbf8;stroke-width:3px;stroke-linejoin:round}.map "
    "text.soft{fill:#5d6b7a}.map "
    "text.area{fill:#66727f;letter-spacing:.06em}.sea{fill:#edf2f6}.land{fill:#fbfbf8;stroke:#a9b5c0}.border{"
    "fill:none;stroke:#c6ced6}.land,.border,.wire,.node,.radius,.fibre{vector-effect:non-scaling-stroke}."
    "wire{fill:none;stroke:#8c9fb3;stroke-linecap:round;opacity:.75}.ac1{stroke-width:.4}.ac2{stroke-width:."
    "8}.ac3{stroke-width:1.8}.dc{stroke:#7a5aa6;stroke-width:1.6;stroke-dasharray:5 "
    "2}.node{fill:none;stroke:#5d6b7a;stroke-width:1.6;stroke-linecap:round;opacity:.45}.f0{fill:#d89c5a}.f1{"
    "fill:#6f6a66}.f2{fill:#c07ab8}.f3{fill:#5c9bd1}.f4{fill:#63b39a}.f5{fill:#e3c544}.f6{fill:#9a6b4f}.f7{"
    "fill:#9aa583}.f0,.f1,.f2,.f3,.f4,.f5,.f6,.f7{fill-opacity:.55}.radius{fill:#1d2733;fill-opacity:.07;"
    "stroke:#1d2733;stroke-width:.8}.split "
    ".radius{fill:#c44500;fill-opacity:.14;stroke:#c44500}.fibre{fill:none;stroke:#c44500;stroke-width:2.6;"
    "stroke-linecap:round}.pin circle{fill:#1d2733;stroke:#fff;stroke-width:1.2}.pin "
    ".number{fill:#fff;font-weight:600}.pin .leader{stroke:#1d2733;stroke-width:1}.pin "
    ".target{fill:#c44500;stroke:#fff;stroke-width:1.4}.map "
    "text.chosen{fill:#a33900;font-weight:600}.ruler{fill:none;stroke:#1d2733;stroke-width:1.5}.bubble{fill:#"
    "8b97a3;fill-opacity:.35}.paper{fill:#fff}.frame{fill:none;stroke:#d5dbe1}@media(prefers-color-scheme:"
    "dark){.map text{fill:#e6ebf0}.map .halo{stroke:#161d25}.map text.soft,.map "
    "text.area{fill:#9fb0c0}.sea{fill:#0e141a}.land{fill:#1c242d;stroke:#5b6a78}.border{stroke:#35424f}.wire{"
    "stroke:#6c8197}.dc{stroke:#b394e0}.node{stroke:#9fb0c0}.radius{fill:#e6ebf0;stroke:#e6ebf0}.pin "
    "circle{fill:#e6ebf0;stroke:#12181f}.pin .number{fill:#12181f}.pin .leader,.ruler{stroke:#e6ebf0}.split "
    ".radius,.pin .target{fill:#ff8a3d;stroke:#ff8a3d}.fibre{stroke:#ff8a3d}.map "
    "text.chosen{fill:#ffab73}.paper{fill:#12181f}.frame{stroke:#33404d}}</style>\n";

/// 1, 2 or 5 times a power of ten, at most this long.
double round_length(double most_km) {
  const double power = std::pow(10, std::floor(std::log10(most_km)));
  return power * (most_km >= 5 * power ? 5 : most_km >= 2 * power ? 2 : 1);
}

std::string ruler(const MapFrame& frame) {
  constexpr double kMost = 200;  // units of paper
  const double km = round_length(kMost * frame.km_per_unit());
  const double length = km / frame.km_per_unit();
  const double y = frame.height() - 18;
  return fmt::format(
      "<g class=\"scale\"><path class=\"ruler\" d=\"M20 {0}v6h{1}v-6\"/><text class=\"halo\" x=\"{2}\" "
      "y=\"{0}\" font-size=\"11\" text-anchor=\"middle\">{3} km</text></g>\n",
      paper_number(y), paper_number(length), paper_number(20 + length / 2),
      km >= 1 ? grouped(km) : fmt::format("{}", km));
}

std::vector<GeoPoint> places_of(const SitingPicture& picture, const Grid& grid) {
  std::vector<GeoPoint> out;
  for (const GridPlant& plant : grid.plants) out.push_back(plant.at);
  for (const GridNode& node : grid.nodes) out.push_back(node.at);
  for (const Site& site : picture.singles) out.push_back(site.node.at);
  return out;
}

/// Everything inside the frame. `splits`: how many layers are drawn.
std::string layers(const SitingPicture& picture, const Grid& grid, const MapFrame& frame,
                   std::size_t splits) {
  std::string out = fmt::format("<rect class=\"sea\" width=\"{}\" height=\"{}\"/>\n",
                                paper_number(frame.width()), paper_number(frame.height()));
  out += outline_markup(frame) + lines_markup(grid, frame) + nodes_markup(grid, frame) +
         plants_markup(grid, frame);
  for (const Site& site : picture.singles) out += radius_markup(frame, site);
  const std::size_t count = std::min(splits, picture.splits.size());
  std::string marks;
  MapRoom room(frame.width(), frame.height());
  room.take({0, frame.height() - 40, 230, frame.height()});  // the ruler
  MapRoom above = room;
  for (std::size_t s = 0; s < count; ++s) {
    out += fmt::format("<g class=\"split s{}\">{}</g>\n", s, split_lines(picture.splits[s], frame));
    // Only one layer shows at a time, so that others need no room.
    MapRoom own = room;
    marks += fmt::format("<g class=\"split s{}\">{}</g>\n", s, split_marks(picture.splits[s], frame, own));
    if (s == 0) above = own;
  }
  std::string pins;
  for (std::size_t i = 0; i < picture.singles.size(); ++i)
    pins += single_pin(picture.singles[i], i + 1, frame, above);
  const std::string authorities = authority_pins(grid, frame, above);
  return out + authorities + pins + marks + ruler(frame);
}

std::string projection_words(const MapFrame& frame) {
  return frame.united_states()
             ? "Albers equal-area conic projection, standard parallels 29.5 and 45.5 N; the scale holds on "
               "them, elsewhere within 2%."
             : "Plate carree; the scale holds along the middle parallel and every meridian.";
}

}  // namespace

std::string siting_map_svg(const SitingPicture& picture, const Grid& grid) {
  const MapFrame frame(places_of(picture, grid));
  constexpr double kHead = 34;
  const auto [entries, legend_height] = legend_markup(legend(picture, grid), frame.width());
  const double height = kHead + frame.height() + legend_height + 18;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\"><title>{2}</title>\n",
      paper_number(frame.width()), paper_number(height), escape_markup(picture.title));
  out += kStyle;
  out += fmt::format("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", paper_number(frame.width()),
                     paper_number(height));
  out += fmt::format("<text x=\"16\" y=\"23\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
                     escape_markup(picture.title));
  out += fmt::format("<svg y=\"{0}\" width=\"{1}\" height=\"{2}\" viewBox=\"0 0 {1} {2}\">\n{3}</svg>\n",
                     paper_number(kHead), paper_number(frame.width()), paper_number(frame.height()),
                     layers(picture, grid, frame, 1));
  out +=
      fmt::format("<g transform=\"translate(0 {})\">{}</g>\n", paper_number(kHead + frame.height()), entries);
  out += fmt::format(
      "<text class=\"soft\" x=\"16\" y=\"{}\" font-size=\"10\">{} Outlines: Natural Earth.</text>\n",
      paper_number(height - 8), projection_words(frame));
  return valid_utf8(out + "</svg>\n");
}

WebMap siting_map_web(const SitingPicture& picture, const Grid& grid) {
  const MapFrame frame(places_of(picture, grid));
  WebMap out{{}, {}, projection_words(frame), frame};
  out.svg = valid_utf8(
      fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" id=\"map\" tabindex=\"0\" "
                  "viewBox=\"0 0 {} {}\" data-km-per-unit=\"{:.6g}\" role=\"img\" "
                  "aria-label=\"{}\">\n{}{}</svg>\n",
                  paper_number(frame.width()), paper_number(frame.height()), frame.km_per_unit(),
                  escape_markup(picture.title), kStyle, layers(picture, grid, frame, picture.splits.size())));
  for (const LegendEntry& e : legend(picture, grid)) {
    const std::string size = e.capacity_mw > 0 ? fmt::format(" data-mw=\"{:.0f}\"", e.capacity_mw) : "";
    out.legend += fmt::format(
        "<span><svg class=\"map\" width=\"26\" height=\"14\" viewBox=\"0 0 26 14\">{}</svg>"
        "<span{}>{}</span></span>\n",
        e.drawing, size, escape_markup(e.text));
  }
  return out;
}

std::string siting_map_svg(const SitingPlan& plan, const Grid& grid) {
  return siting_map_svg(siting_picture(plan), grid);
}

std::string siting_map_svg(const PlacesPlan& plan, const Grid& grid) {
  return siting_map_svg(siting_picture(plan), grid);
}

}  // namespace trainyard
