#include "report/drawing/siting_marks.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/data/siting_numbers.h"
#include "report/drawing/map_grid.h"
#include "report/drawing/map_text.h"
#include "report/drawing/siting_picture.h"
#include "report/drawing/svg.h"

namespace trainyard {
namespace {

constexpr double kText = 12;
constexpr double kSmallText = 10;
constexpr double kPin = 8;  // radius of a numbered pin
constexpr std::size_t kNameLetters = 30;
constexpr int kArcSteps = 64;
constexpr int kCircleSteps = 48;

std::string share_words(const SplitSite& part) {
  return part.power > Megawatts() ? fmt::format("{} MW, {:.1f}%", grouped(part.power), 100 * part.share) : "";
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
                       site(pair.b).name, grouped(pair.distance), pair.rtt.count());
  }

  std::string mark(const SplitSite& part, MapRoom& room) const {
    const MapPoint at = frame_.at(site(part).node.at);
    MapBlock block{{{shortened(site(part).name, kNameLetters), kText, "chosen"}}};
    if (part.power > Megawatts()) block.lines.push_back({share_words(part), kText - 1, "chosen"});
    const MapSpot spot =
        free_spot(room, at, block, kMark).value_or(MapSpot{kMark + 4, -block.height() / 2, "start"});
    room.take(spot.box(at, block));
    const std::string share = part.power > Megawatts() ? "; of this split " + share_words(part) : "";
    return pin(at, "site", site_tooltip(site(part)) + share,
               "<path class=\"target\" d=\"M0-9L9 0L0 9L-9 0Z\"/>" + block_markup(block, spot));
  }

  std::string pair_label(const SitePair& pair, MapRoom& room) const {
    const std::vector<MapPoint> line = frame_.line(arc(pair));
    MapBlock block{
        {{fmt::format("{} km, {:.2f} ms", grouped(pair.distance), pair.rtt.count()), kText - 1, "chosen"}}};
    const auto& training = layer_.split.training;
    if (pair.rtt == layer_.split.rtt && training && training->infeasible.empty())
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

}  // namespace

std::string radius_markup(const MapFrame& frame, const Site& site) {
  if (site.node.radius <= Kilometres()) return {};
  return fmt::format(
      "<path class=\"radius\" d=\"{}\"/>\n",
      path_data(frame.line(circle_around(site.node.at, site.node.radius.count(), kCircleSteps)), true));
}

std::string split_lines(const SplitLayer& layer, const MapFrame& frame) {
  return SplitDrawing(layer, frame).lines();
}

std::string split_marks(const SplitLayer& layer, const MapFrame& frame, MapRoom& room) {
  return SplitDrawing(layer, frame).marks(room);
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
    const MapBlock block{{{shortened(authority.code, 12), kSmallText, "area"}}};
    const MapSpot spot{0, -block.height() / 2, "middle"};
    if (!room.free(spot.box(authority.at, block))) continue;
    room.take(spot.box(authority.at, block));
    out += pin(authority.at, "authority", authority.tooltip, block_markup(block, spot));
  }
  return out;
}

}  // namespace trainyard
