#include "report/drawing/map_frame.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors.h"
#include "facility/geo.h"
#include "report/drawing/map_outline.h"

namespace trainyard {
namespace {

constexpr double kWidth = 1200;
constexpr double kMostHeight = 1000;
constexpr double kLeastHeight = 360;
constexpr double kMargin = 0.04;  // of the larger side
constexpr double kLeastExtent = 200 / kEarthRadius_km;
// Borders along parallels are straight lines in the files and curves on a cone.
constexpr double kStep_deg = 1;

MapBox nothing() {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  return {kFar, kFar, -kFar, -kFar};
}

void hold(MapBox& box, MapPoint p) {
  box.left = std::min(box.left, p.x);
  box.right = std::max(box.right, p.x);
  box.top = std::min(box.top, p.y);
  box.bottom = std::max(box.bottom, p.y);
}

bool conterminous(GeoPoint p) {
  return p.lat_deg > 24 && p.lat_deg < 50 && p.lon_deg > -125.5 && p.lon_deg < -66;
}

/// Long straight lines of longitude and latitude in steps.
std::vector<GeoPoint> in_steps(const std::vector<GeoPoint>& line) {
  std::vector<GeoPoint> out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i > 0) {
      const GeoPoint a = line[i - 1];
      const GeoPoint b = line[i];
      const int steps = static_cast<int>(
          std::ceil(std::max(std::abs(b.lat_deg - a.lat_deg), std::abs(b.lon_deg - a.lon_deg)) / kStep_deg));
      for (int s = 1; s < steps; ++s) {
        const double part = static_cast<double>(s) / steps;
        out.push_back(
            {a.lat_deg + part * (b.lat_deg - a.lat_deg), a.lon_deg + part * (b.lon_deg - a.lon_deg)});
      }
    }
    out.push_back(line[i]);
  }
  return out;
}

/// What of the places the paper has to show: of a grid of the United States that part of the country, with
/// its coasts where the grid fills most of it.
MapBox shown_box(const MapProjection& projection, const std::vector<GeoPoint>& places) {
  MapBox box = nothing();
  for (const GeoPoint& p : places) {
    if (!projection.equal_area() || conterminous(p)) hold(box, projection(p));
  }
  if (!projection.equal_area()) return box;
  MapBox country = nothing();
  for (const OutlineLine& line : united_states_outline()) {
    for (const GeoPoint& p : line.points) hold(country, projection(p));
  }
  const bool most = 2 * (box.right - box.left) > country.right - country.left &&
                    2 * (box.bottom - box.top) > country.bottom - country.top;
  if (!most) return box;
  hold(box, {country.left, country.top});
  hold(box, {country.right, country.bottom});
  return box;
}

}  // namespace

MapFrame::MapFrame(const std::vector<GeoPoint>& places)
    : projection_(MapProjection::plate_carree(box_centre(places))) {
  TY_ASSERT(!places.empty(), "a map without places");
  const auto inside = std::count_if(places.begin(), places.end(), conterminous);
  constexpr double kNearlyAll = 0.9;
  if (static_cast<double>(inside) >= kNearlyAll * static_cast<double>(places.size()))
    projection_ = MapProjection::albers_united_states();
  const MapBox box = shown_box(projection_, places);
  const double margin = kMargin * std::max({box.right - box.left, box.bottom - box.top, kLeastExtent});
  const double across = box.right - box.left + 2 * margin;
  const double up = box.bottom - box.top + 2 * margin;
  width_ = kWidth;
  height_ = std::clamp(kWidth * up / across, kLeastHeight, kMostHeight);
  scale_ = std::min(width_ / std::max(across, kLeastExtent), height_ / std::max(up, kLeastExtent / 4));
  left_ = (box.left + box.right - width_ / scale_) / 2;
  top_ = (box.top + box.bottom + height_ / scale_) / 2;
}

double MapFrame::km_per_unit() const { return kEarthRadius_km / scale_; }

std::vector<MapPoint> MapFrame::line(const std::vector<GeoPoint>& places) const {
  std::vector<MapPoint> out = projection_.line(places);
  for (MapPoint& p : out) p = on_paper(p);
  return out;
}

std::vector<std::vector<MapPoint>> MapFrame::lines_on_paper(const std::vector<GeoPoint>& places) const {
  const std::vector<MapPoint> first = line(places);
  const MapBox paper{0, 0, width_, height_};
  const double turn = projection_.turn() * scale_;
  std::vector<std::vector<MapPoint>> out;
  for (const int turns : {0, -1, 1}) {
    if (turns != 0 && turn == 0) continue;
    std::vector<MapPoint> moved = first;
    MapBox box = nothing();
    for (MapPoint& p : moved) {
      p.x += turns * turn;
      hold(box, p);
    }
    if (box.meets(paper)) out.push_back(std::move(moved));
  }
  return out;
}

std::string paper_number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string path_data(const std::vector<MapPoint>& points, bool closed) {
  std::string out;
  std::string last;
  for (const MapPoint& p : points) {
    const std::string here = paper_number(p.x) + " " + paper_number(p.y);
    if (here == last) continue;
    out += (out.empty() ? "M" : "L") + here;
    last = here;
  }
  return out + (closed ? "Z" : "");
}

std::string outline_markup(const MapFrame& frame) {
  std::string land;
  std::string borders;
  for (const OutlineLine& line : frame.united_states() ? united_states_outline() : countries_outline()) {
    for (const auto& points :
         frame.lines_on_paper(frame.united_states() ? in_steps(line.points) : line.points))
      (line.land ? land : borders) += path_data(points, line.land);
  }
  return fmt::format("<path class=\"land\" d=\"{}\"/>\n<path class=\"border\" d=\"{}\"/>\n", land, borders);
}

bool MapRoom::free(const MapBox& box) const {
  const bool on_paper = box.left >= paper_.left && box.right <= paper_.right && box.top >= paper_.top &&
                        box.bottom <= paper_.bottom;
  return on_paper &&
         std::none_of(taken_.begin(), taken_.end(), [&](const MapBox& other) { return other.meets(box); });
}

}  // namespace trainyard
