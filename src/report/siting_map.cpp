#include "report/siting_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "report/grouped.h"
#include "report/map_frame.h"
#include "report/map_grid.h"
#include "report/svg.h"

namespace trainyard {
namespace {

constexpr double kText = 12;
constexpr double kSmallText = 10;
constexpr double kPin = 8;  // radius of a numbered pin
constexpr std::size_t kNameLetters = 30;
constexpr int kArcSteps = 64;
constexpr int kCircleSteps = 48;

// Light by default, dark where the reader's system is.
constexpr std::string_view kStyle =
    "<style>.map text{font-family:system-ui,sans-serif;fill:#1d2733}"
    ".map .halo{paint-order:stroke;stroke:#fbfbf8;stroke-width:3px;stroke-linejoin:round}"
    ".map text.soft{fill:#5d6b7a}.map text.area{fill:#66727f;letter-spacing:.06em}"
    ".sea{fill:#edf2f6}.land{fill:#fbfbf8;stroke:#a9b5c0}.border{fill:none;stroke:#c6ced6}"
    ".land,.border,.wire,.node,.radius,.fibre{vector-effect:non-scaling-stroke}"
    ".wire{fill:none;stroke:#8c9fb3;stroke-linecap:round;opacity:.75}.ac1{stroke-width:.4}.ac2{stroke-width:."
    "8}"
    ".ac3{stroke-width:1.8}.dc{stroke:#7a5aa6;stroke-width:1.6;stroke-dasharray:5 2}"
    ".node{fill:none;stroke:#5d6b7a;stroke-width:1.6;stroke-linecap:round;opacity:.45}"
    ".f0{fill:#d89c5a}.f1{fill:#6f6a66}.f2{fill:#c07ab8}.f3{fill:#5c9bd1}.f4{fill:#63b39a}.f5{fill:#e3c544}"
    ".f6{fill:#9a6b4f}.f7{fill:#9aa583}.f0,.f1,.f2,.f3,.f4,.f5,.f6,.f7{fill-opacity:.55}"
    ".radius{fill:#1d2733;fill-opacity:.07;stroke:#1d2733;stroke-width:.8}"
    ".split .radius{fill:#c44500;fill-opacity:.14;stroke:#c44500}"
    ".fibre{fill:none;stroke:#c44500;stroke-width:2.6;stroke-linecap:round}"
    ".pin circle{fill:#1d2733;stroke:#fff;stroke-width:1.2}.pin .number{fill:#fff;font-weight:600}"
    ".pin .leader{stroke:#1d2733;stroke-width:1}.pin .target{fill:#c44500;stroke:#fff;stroke-width:1.4}"
    ".map text.chosen{fill:#a33900;font-weight:600}.ruler{fill:none;stroke:#1d2733;stroke-width:1.5}"
    ".bubble{fill:#8b97a3;fill-opacity:.35}.paper{fill:#fff}.frame{fill:none;stroke:#d5dbe1}"
    "@media(prefers-color-scheme:dark){.map text{fill:#e6ebf0}.map .halo{stroke:#161d25}"
    ".map text.soft,.map text.area{fill:#9fb0c0}.sea{fill:#0e141a}.land{fill:#1c242d;stroke:#5b6a78}"
    ".border{stroke:#35424f}.wire{stroke:#6c8197}.dc{stroke:#b394e0}.node{stroke:#9fb0c0}"
    ".radius{fill:#e6ebf0;stroke:#e6ebf0}.pin circle{fill:#e6ebf0;stroke:#12181f}.pin .number{fill:#12181f}"
    ".pin .leader,.ruler{stroke:#e6ebf0}.split .radius,.pin .target{fill:#ff8a3d;stroke:#ff8a3d}"
    ".fibre{stroke:#ff8a3d}.map "
    "text.chosen{fill:#ffab73}.paper{fill:#12181f}.frame{stroke:#33404d}}</style>\n";

/// At most so many bytes, cut between letters.
std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes - 3;
  while (end > 0 && (text[end] & '\xC0') == '\x80') --end;
  return text.substr(0, end) + "...";
}

/// Text at an offset from a place; "chosen" and "soft" are classes.
struct Label {
  std::string text;
  double size = kText;
  std::string_view css;
};

/// Lines of text as one block that hangs at a place.
struct Block {
  std::vector<Label> lines;

  double width() const {
    double out = 0;
    for (const Label& l : lines) out = std::max(out, text_width(l.text, l.size));
    return out;
  }
  double height() const {
    double out = 0;
    for (const Label& l : lines) out += l.size * 1.2;
    return out;
  }
};

/// Where a block stands, from its place: its left or right end or its middle, and its top.
struct Spot {
  double dx = 0;
  double top = 0;
  std::string_view anchor = "start";

  MapBox box(MapPoint at, const Block& block) const {
    const double width = block.width();
    const double left = at.x + dx - (anchor == "start" ? 0 : anchor == "end" ? width : width / 2);
    return {left, at.y + top, left + width, at.y + top + block.height()};
  }
};

std::string block_markup(const Block& block, const Spot& spot) {
  std::string out;
  double y = spot.top;
  for (const Label& l : block.lines) {
    y += l.size * 1.2;
    out += fmt::format(
        "<text class=\"label halo {}\" x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>",
        l.css, paper_number(spot.dx), paper_number(y - l.size * 0.3), paper_number(l.size), spot.anchor,
        escape_markup(l.text));
  }
  return out;
}

/// The first spot around a mark of this radius that is free, nearer ones first.
std::optional<Spot> free_spot(const MapRoom& room, MapPoint at, const Block& block, double radius) {
  const double middle = -block.height() / 2;
  const double gap = radius + 4;
  const Spot spots[] = {{gap, middle, "start"},
                        {-gap, middle, "end"},
                        {gap, -gap - block.height() / 2, "start"},
                        {gap, gap - block.height() / 2, "start"},
                        {-gap, -gap - block.height() / 2, "end"},
                        {-gap, gap - block.height() / 2, "end"},
                        {0, -gap - block.height(), "middle"},
                        {0, gap, "middle"},
                        {0, -3 * gap - block.height(), "middle"},
                        {0, 3 * gap, "middle"}};
  for (const Spot& spot : spots) {
    if (room.free(spot.box(at, block))) return spot;
  }
  return std::nullopt;
}

/// A group that keeps its size when a page zooms the map.
std::string pin(MapPoint at, std::string_view css, const std::string& tooltip, const std::string& content) {
  const std::string title = tooltip.empty() ? "" : "<title>" + escape_markup(tooltip) + "</title>";
  return fmt::format(
      "<g class=\"pin {0}\" data-x=\"{1}\" data-y=\"{2}\" transform=\"translate({1} {2})\">{3}{4}</g>\n", css,
      paper_number(at.x), paper_number(at.y), title, content);
}

std::string radius_markup(const MapFrame& frame, const Site& site) {
  if (site.node.radius_km <= 0) return {};
  return fmt::format(
      "<path class=\"radius\" d=\"{}\"/>\n",
      path_data(frame.line(circle_around(site.node.at, site.node.radius_km, kCircleSteps)), true));
}

std::string share_words(const SplitSite& part) {
  return part.power_mw > 0 ? fmt::format("{} MW, {:.1f}%", grouped(part.power_mw), 100 * part.share) : "";
}

MapBox around(MapPoint at, double radius) {
  return {at.x - radius, at.y - radius, at.x + radius, at.y + radius};
}

/// One layer: circles and fibre below, marks with names and shares above.
class SplitDrawing {
 public:
  SplitDrawing(const SplitLayer& layer, const MapFrame& frame) : layer_(layer), frame_(frame) {}

  std::string lines() const {
    std::string out;
    for (const SplitSite& part : layer_.split.sites) out += radius_markup(frame_, layer_.places[part.site]);
    for (const SitePair& pair : layer_.split.pairs) {
      out += fmt::format("<path class=\"fibre\" d=\"{}\"><title>{}</title></path>\n",
                         path_data(frame_.line(arc(pair))), escape_markup(words(pair)));
    }
    return out;
  }

  std::string marks(MapRoom& room) const {
    std::string out;
    for (const SplitSite& part : layer_.split.sites) room.take(around(frame_.at(site(part).node.at), kMark));
    for (const SplitSite& part : layer_.split.sites) out += mark(part, room);
    for (const SitePair& pair : layer_.split.pairs) out += pair_label(pair, room);
    return out;
  }

 private:
  static constexpr double kMark = 8;

  const Site& site(const SplitSite& part) const { return layer_.places[part.site]; }
  const Site& site(std::size_t of_split) const { return site(layer_.split.sites[of_split]); }

  std::vector<GeoPoint> arc(const SitePair& pair) const {
    return great_circle(site(pair.a).node.at, site(pair.b).node.at, kArcSteps);
  }

  std::string words(const SitePair& pair) const {
    return fmt::format("{} - {}: great circle {} km, round trip {:.2f} ms", site(pair.a).name,
                       site(pair.b).name, grouped(pair.km), pair.rtt_ms);
  }

  std::string mark(const SplitSite& part, MapRoom& room) const {
    const MapPoint at = frame_.at(site(part).node.at);
    Block block{{{shortened(site(part).name, kNameLetters), kText, "chosen"}}};
    if (part.power_mw > 0) block.lines.push_back({share_words(part), kText - 1, "chosen"});
    const Spot spot =
        free_spot(room, at, block, kMark).value_or(Spot{kMark + 4, -block.height() / 2, "start"});
    room.take(spot.box(at, block));
    const std::string share = part.power_mw > 0 ? "; of this split " + share_words(part) : "";
    return pin(at, "site", site_tooltip(site(part)) + share,
               "<path class=\"target\" d=\"M0-9L9 0L0 9L-9 0Z\"/>" + block_markup(block, spot));
  }

  std::string pair_label(const SitePair& pair, MapRoom& room) const {
    const std::vector<MapPoint> line = frame_.line(arc(pair));
    Block block{{{fmt::format("{} km, {:.2f} ms", grouped(pair.km), pair.rtt_ms), kText - 1, "chosen"}}};
    const auto& training = layer_.split.training;
    if (pair.rtt_ms == layer_.split.rtt_ms && training && training->infeasible.empty())
      block.lines.push_back({training->added_share > 0
                                 ? fmt::format("adds {:.2f}% to the step", 100 * training->added_share)
                                 : std::string("adds nothing to the step"),
                             kText - 1, "chosen"});
    // From the middle outwards.
    for (const std::size_t step : {32U, 26U, 38U, 20U, 44U}) {
      const MapPoint at = line[std::min<std::size_t>(step, line.size() - 1)];
      const auto spot = free_spot(room, at, block, 2);
      if (!spot) continue;
      room.take(spot->box(at, block));
      return pin(at, "pair", words(pair), block_markup(block, *spot));
    }
    return {};
  }

  const SplitLayer& layer_;
  const MapFrame& frame_;
};

/// Where a numbered pin finds room: at its place, else on a ring around it.
MapPoint pin_offset(const MapRoom& room, MapPoint at) {
  constexpr int kRings = 5;
  constexpr int kDirections = 12;
  constexpr double kRing = 2.4 * kPin;
  if (room.free(around(at, kPin))) return {};
  for (int ring = 1; ring <= kRings; ++ring) {
    for (int d = 0; d < kDirections; ++d) {
      const double angle = 2 * std::numbers::pi * d / kDirections;
      const MapPoint offset{ring * kRing * std::cos(angle), ring * kRing * std::sin(angle)};
      if (room.free(around({at.x + offset.x, at.y + offset.y}, kPin))) return offset;
    }
  }
  return {};
}

std::string single_pin(const Site& site, std::size_t rank, const MapFrame& frame, MapRoom& room) {
  const MapPoint at = frame.at(site.node.at);
  const MapPoint offset = pin_offset(room, at);
  room.take(around({at.x + offset.x, at.y + offset.y}, kPin));
  std::string leader;
  if (offset.x != 0 || offset.y != 0) {
    leader = fmt::format("<line class=\"leader\" x1=\"0\" y1=\"0\" x2=\"{}\" y2=\"{}\"/>",
                         paper_number(offset.x), paper_number(offset.y));
  }
  return pin(
      at, "single", fmt::format("{}. {}", rank, site_tooltip(site)),
      fmt::format(
          "{}<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/><text class=\"number\" x=\"{}\" y=\"{}\" font-size=\"10\" "
          "text-anchor=\"middle\">{}</text>",
          leader, paper_number(offset.x), paper_number(offset.y), paper_number(kPin), paper_number(offset.x),
          paper_number(offset.y + 3.5), rank));
}

std::string authority_pins(const Grid& grid, const MapFrame& frame, MapRoom& room) {
  std::string out;
  for (const AuthorityLabel& authority : authority_labels(grid, frame)) {
    const Block block{{{shortened(authority.code, 12), kSmallText, "area"}}};
    const Spot spot{0, -block.height() / 2, "middle"};
    if (!room.free(spot.box(authority.at, block))) continue;
    room.take(spot.box(authority.at, block));
    out += pin(authority.at, "authority", authority.tooltip, block_markup(block, spot));
  }
  return out;
}

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
      "y=\"{0}\" "
      "font-size=\"11\" text-anchor=\"middle\">{3} km</text></g>\n",
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
    const SplitDrawing drawing(picture.splits[s], frame);
    out += fmt::format("<g class=\"split s{}\">{}</g>\n", s, drawing.lines());
    // Only one layer shows at a time, so that others need no room.
    MapRoom own = room;
    marks += fmt::format("<g class=\"split s{}\">{}</g>\n", s, drawing.marks(own));
    if (s == 0) above = own;
  }
  std::string pins;
  for (std::size_t i = 0; i < picture.singles.size(); ++i)
    pins += single_pin(picture.singles[i], i + 1, frame, above);
  const std::string authorities = authority_pins(grid, frame, above);
  return out + authorities + pins + marks + ruler(frame);
}

/// An entry of the legend: a drawing of 26 by 14 units, and its meaning.
struct LegendEntry {
  std::string drawing;
  std::string text;
  double capacity_mw = 0;  // of a circle that shows sizes
};

std::vector<LegendEntry> legend(const SitingPicture& picture, const Grid& grid) {
  std::vector<LegendEntry> out;
  const auto fuels = used_fuels(grid);
  for (std::size_t f = 0; f < kFuelGroups; ++f) {
    if (fuels[f])
      out.push_back({fmt::format("<circle cx=\"13\" cy=\"7\" r=\"6\" class=\"{}\"/>", fuel_groups()[f].css),
                     std::string(fuel_groups()[f].name)});
  }
  constexpr double kRow = 6;  // the largest circle that the legend has room for
  const double largest_mw = plant_radius(4000, grid) < kRow ? 4000 : 1000;
  for (const double mw : {largest_mw / 40, largest_mw / 4, largest_mw}) {
    out.push_back(
        {fmt::format("<circle cx=\"13\" cy=\"7\" r=\"{:.1f}\" class=\"bubble\"/>", plant_radius(mw, grid)),
         grouped(mw) + " MW", mw});
  }
  out.push_back({"<path class=\"node\" d=\"M13 7h0\"/>", "node of the network"});
  const auto lines = used_lines(grid);
  for (std::size_t c = 0; c < kLineClasses; ++c) {
    if (lines[c])
      out.push_back({fmt::format("<path class=\"wire {}\" d=\"M1 7h24\"/>", line_classes()[c].css),
                     fmt::format("line, {}", line_classes()[c].name)});
  }
  if (!picture.singles.empty()) {
    out.push_back(
        {"<g class=\"pin\"><circle cx=\"13\" cy=\"7\" r=\"6.5\"/><text class=\"number\" x=\"13\" y=\"10.3\" "
         "font-size=\"9\" text-anchor=\"middle\">1</text></g>",
         fmt::format("site, by rank; radius {} km", grouped(picture.singles.front().node.radius_km))});
  }
  if (!picture.splits.empty()) {
    out.push_back(
        {"<g class=\"pin\"><path class=\"target\" d=\"M13 0l7 7l-7 7l-7-7Z\"/></g>", "site of the split"});
    out.push_back({"<path class=\"fibre\" d=\"M1 7h24\"/>",
                   "fibre: great circle, round trip, what the farthest adds to a training step"});
  }
  return out;
}

/// Entries side by side, in as many rows as they need. Height in units of paper.
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

std::string projection_words(const MapFrame& frame) {
  return frame.united_states()
             ? "Albers equal-area conic projection, standard parallels 29.5 and 45.5 N; the scale holds on "
               "them, "
               "elsewhere within 2%."
             : "Plate carree; the scale holds along the middle parallel and every meridian.";
}

}  // namespace

std::string site_tooltip(const Site& s) {
  std::string out = s.name;
  out += fmt::format(": usable {} MW (gives {} MW, authority {} spares {})", grouped(s.usable_mw),
                     grouped(s.available_mw), s.node.authority.empty() ? "unknown" : s.node.authority,
                     s.spare_mw ? grouped(*s.spare_mw) + " MW" : "any");
  if (s.deliverable)
    out += fmt::format("; deliverable {} MW, {} MW without the largest producer",
                       grouped(s.deliverable->intact_mw), grouped(s.deliverable->producer_lost_mw));
  return out;
}

SitingPicture siting_picture(const SitingPlan& plan) {
  SitingPicture out{fmt::format("{} MW on {}", grouped(plan.power_mw), plan.grid), plan.singles, {}};
  for (const SplitResult& result : plan.splits) {
    if (result.splits.empty()) continue;
    const Split& split = result.splits[result.chosen.value_or(0)];
    SplitLayer layer{fmt::format("{} sites", result.sites), split, {}, result.chosen.has_value()};
    for (SplitSite& part : layer.split.sites) {
      layer.places.push_back(plan.places[part.site]);
      part.site = layer.places.size() - 1;
    }
    out.splits.push_back(std::move(layer));
  }
  return out;
}

SitingPicture siting_picture(const PlacesPlan& plan) {
  SitingPicture out{plan.power_mw > 0 ? fmt::format("{} MW on {}", grouped(plan.power_mw), plan.grid)
                                      : "Places on " + plan.grid,
                    {},
                    {}};
  for (const PlaceResult& place : plan.places) {
    // A place that was asked for at several radii is one mark.
    const bool repeated = !out.singles.empty() &&
                          out.singles.back().node.at.lat_deg == place.site.node.at.lat_deg &&
                          out.singles.back().node.at.lon_deg == place.site.node.at.lon_deg;
    if (!repeated) out.singles.push_back(place.site);
  }
  if (plan.split) {
    out.splits.push_back({fmt::format("{} sites", plan.sites.size()), *plan.split, plan.sites,
                          plan.split->joint && plan.split->joint->holds()});
  } else if (!plan.pairs.empty()) {
    SplitLayer layer{fmt::format("{} places", plan.sites.size()), {}, plan.sites, false};
    for (std::size_t s = 0; s < plan.sites.size(); ++s) layer.split.sites.push_back({s, 0, 0, 0, 0});
    layer.split.pairs = plan.pairs;
    out.splits.push_back(std::move(layer));
  }
  return out;
}

std::string siting_map_svg(const SitingPicture& picture, const Grid& grid) {
  const MapFrame frame(places_of(picture, grid));
  constexpr double kHead = 34;
  const auto [entries, legend_height] = legend_markup(legend(picture, grid), frame.width());
  const double height = kHead + frame.height() + legend_height + 18;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "role=\"img\"><title>{2}</title>\n",
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

}  // namespace trainyard
