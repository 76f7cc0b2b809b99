#include "report/drawing/siting_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "../markup.h"
#include "facility/geo.h"
#include "report/drawing/map_grid.h"
#include "report/drawing/map_outline.h"
#include "report/drawing/siting_picture.h"
#include "report/drawing/svg.h"
#include "siting/grid_files.h"
#include "siting/siting.h"
#include "trainyard/facility.h"
#include "trainyard/report/siting.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

// The sphere of Snyder's numerical examples, USGS Professional Paper 1395, p. 291.
TEST(MapProjection, AgreesWithSnydersExampleOfAlbers) {
  const MapPoint p = MapProjection::albers_united_states()({35, -75});
  EXPECT_NEAR(p.x, 0.2952720, 5e-8);
  EXPECT_NEAR(p.y, 0.2416774, 5e-8);
}

TEST(MapProjection, AlbersKeepsAreasAndItsStandardParallels) {
  const MapProjection project = MapProjection::albers_united_states();
  constexpr double kStep_deg = 1e-3;
  constexpr double kRadians = std::numbers::pi / 180;
  for (const double lat : {25.0, 29.5, 37.0, 45.5, 49.0}) {
    for (const double lon : {-124.0, -96.0, -70.0}) {
      const MapPoint o = project({lat, lon});
      const MapPoint e = project({lat, lon + kStep_deg});
      const MapPoint n = project({lat + kStep_deg, lon});
      const double area = (e.x - o.x) * (n.y - o.y) - (e.y - o.y) * (n.x - o.x);
      const double true_area = std::pow(kStep_deg * kRadians, 2) * std::cos((lat + kStep_deg / 2) * kRadians);
      EXPECT_NEAR(area / true_area, 1, 2e-5) << lat << " " << lon;
      const double east =
          std::hypot(e.x - o.x, e.y - o.y) / (kStep_deg * kRadians * std::cos(lat * kRadians));
      if (lat == 29.5 || lat == 45.5) {
        EXPECT_NEAR(east, 1, 1e-6) << lat;
      }
      // What the map says of its scale elsewhere.
      EXPECT_NEAR(east, 1, 0.02) << lat;
    }
  }
}

TEST(MapProjection, PlateCarreeGoesAcrossTheDateLine) {
  const MapProjection project = MapProjection::plate_carree(box_centre({{-19, 178}, {-17, -179}}));
  const MapPoint west = project({-18, 178});
  const MapPoint east = project({-18, -179});
  constexpr double kRadians = std::numbers::pi / 180;
  EXPECT_NEAR(east.x - west.x, 3 * kRadians * std::cos(18 * kRadians), 1e-12);
  EXPECT_NEAR(west.y, 0, 1e-12);
  EXPECT_NEAR(west.x, -east.x, 1e-12);
}

TEST(BoxCentre, IsTheMiddleOfTheSmallerBox) {
  EXPECT_NEAR(box_centre({{10, 20}, {30, 60}}).lon_deg, 40, 1e-9);
  EXPECT_NEAR(box_centre({{10, 20}, {30, 60}}).lat_deg, 20, 1e-9);
  EXPECT_NEAR(std::abs(box_centre({{0, 170}, {0, -170}}).lon_deg), 180, 1e-9);
  EXPECT_NEAR(box_centre({{5, 7}}).lon_deg, 7, 1e-9);
}

TEST(GreatCircle, HasTheLengthOfTheArcInEqualSteps) {
  const GeoPoint washington{38.895, -77.036};
  const GeoPoint celilo{45.595, -121.115};
  const auto points = great_circle(washington, celilo, 64);
  ASSERT_EQ(points.size(), 65u);
  const double whole_km = distance_km(washington, celilo);
  for (std::size_t i = 1; i < points.size(); ++i)
    EXPECT_NEAR(distance_km(points[i - 1], points[i]), whole_km / 64, 1e-6);
  // Opposite places and the same place have no direction; both must still end where they should.
  for (const GeoPoint end : {GeoPoint{-10, -160}, GeoPoint{10, 20}}) {
    for (const GeoPoint& p : great_circle({10, 20}, end, 8))
      EXPECT_TRUE(std::isfinite(p.lat_deg + p.lon_deg));
    EXPECT_NEAR(distance_km(great_circle({10, 20}, end, 8).back(), end), 0, 1e-9);
  }
}

TEST(CircleAround, KeepsItsDistance) {
  for (const GeoPoint centre : {GeoPoint{0, 0}, GeoPoint{60, 179.9}, GeoPoint{90, 0}}) {
    for (const GeoPoint& p : circle_around(centre, 100, 12)) EXPECT_NEAR(distance_km(centre, p), 100, 1e-6);
  }
}

// 8,080,464 km2: Census Bureau 2010, land and water of the 48 states and DC, less 155,000 km2 of Great Lakes
// and coastal water that the outline leaves out. Coasts are coarse: 2 percent.
TEST(Outline, OfTheUnitedStatesHasTheCountrysArea) {
  const MapProjection project = MapProjection::albers_united_states();
  double area = 0;
  for (const OutlineLine& line : united_states_outline()) {
    if (!line.land) continue;
    const std::vector<MapPoint> p = project.line(line.points);
    double ring = 0;
    for (std::size_t i = 1; i < p.size(); ++i) ring += (p[i - 1].x * p[i].y - p[i].x * p[i - 1].y) / 2;
    area += std::abs(ring);
  }
  EXPECT_NEAR(area * kEarthRadius_km * kEarthRadius_km, 7.85e6, 0.16e6);
}

TEST(Outline, LandIsClosedAndOnTheEarth) {
  for (const auto* outline : {&united_states_outline(), &countries_outline()}) {
    EXPECT_GT(outline->size(), 50u);
    for (const OutlineLine& line : *outline) {
      ASSERT_GE(line.points.size(), 2u);
      if (line.land) {
        EXPECT_EQ(line.points.front().lon_deg, line.points.back().lon_deg);
      }
      for (const GeoPoint& p : line.points)
        EXPECT_TRUE(std::abs(p.lat_deg) <= 90 && std::abs(p.lon_deg) <= 180);
    }
  }
}

TEST(MapFrame, ShowsEveryPlaceWithTheScaleOfTheGround) {
  const std::vector<std::vector<GeoPoint>> grids = {
      {{47.6, -122.3}, {25.8, -80.2}, {44.8, -68.8}, {32.7, -117.2}},  // United States
      {{47.5, 7.6}, {46.2, 6.1}, {46.0, 8.95}},                        // Switzerland
      {{-17.8, 177.4}, {-16.8, -179.9}},                               // Fiji
      {{-18.5, -70.3}, {-53.2, -70.9}},                                // Chile
      {{52, 5}}};
  for (const auto& places : grids) {
    const MapFrame frame(places);
    EXPECT_LE(frame.height(), 1000);
    for (const GeoPoint& p : places) EXPECT_TRUE(frame.shows(frame.at(p))) << p.lat_deg << " " << p.lon_deg;
    const GeoPoint a = box_centre(places);
    const GeoPoint b{a.lat_deg + 0.1, a.lon_deg};
    const MapPoint on_a = frame.at(a);
    const MapPoint on_b = frame.at(b);
    const double km = std::hypot(on_a.x - on_b.x, on_a.y - on_b.y) * frame.km_per_unit();
    EXPECT_NEAR(km / distance_km(a, b), 1, 0.02);
  }
}

TEST(ValidUtf8, ReplacesWhatIsNone) {
  EXPECT_EQ(valid_utf8("Grand-M\xC3\xA8re \xF0\x9F\x94\x8C"), "Grand-M\xC3\xA8re \xF0\x9F\x94\x8C");
  for (const std::string bad : {"\xE8", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"})
    EXPECT_EQ(valid_utf8("a" + bad).substr(0, 4), "a\xEF\xBF\xBD") << bad.size();
}

Scenario scenario_of(const std::string& power) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  text.set("site.power=" + power);
  text.set("site.rule=paper");
  text.set("site.radius=200 km");
  text.set("site.spare=unlimited");
  return text.resolve();
}

SitingPlan plan_on(const Grid& grid, const Scenario& scenario) {
  return plan_siting(scenario, plan_facility(scenario), grid);
}

TEST(SitingMap, DrawsSitesSplitsSharesAndLegend) {
  const Grid grid = shipped_grid();
  const SitingPlan plan = plan_on(grid, scenario_of("2 GW"));
  const SitingPicture picture = siting_picture(plan);
  const std::string svg = siting_map_svg(picture, grid);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(occurrences(svg, "class=\"pin single\""), plan.singles.size());
  EXPECT_NE(svg.find("km</text>"), std::string::npos);
  EXPECT_NE(svg.find("Pacific") == std::string::npos ? svg.find("direct current") : 0, std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find(" 1 plants"), std::string::npos);
  EXPECT_EQ(svg.find(">1 lines"), std::string::npos);
  EXPECT_EQ(svg.find("http", svg.find("xmlns") + 20), std::string::npos);
}

// Names of a grid are a stranger's text.
TEST(SitingMap, EscapesEveryName) {
  Grid grid = shipped_grid();
  const std::string hostile = "</title></svg><script>alert(1)</script>\"'&\xFF";
  for (GridPlant& plant : grid.plants) plant.name = hostile;
  for (Authority& authority : grid.authorities) authority.name = hostile;
  grid.name = hostile;
  SitingPlan plan = plan_on(grid, scenario_of("2 GW"));
  plan.warnings.push_back(hostile);
  const SitingPicture picture = siting_picture(plan);
  const std::string svg = siting_map_svg(picture, grid);
  EXPECT_TRUE(well_formed(svg));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  EXPECT_EQ(svg, valid_utf8(svg));
  Scenario scenario = scenario_of("2 GW");
  scenario.title = hostile;
  const std::string page = siting_page(plan, grid, scenario);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page, valid_utf8(page));
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
}

/// A grid of the country's size at random places.
Grid large_grid(std::size_t plants, std::size_t nodes) {
  Grid grid = shipped_grid();
  const auto spread = [](std::size_t i, double step) {
    return std::fmod(static_cast<double>(i) * step, 1.0);
  };
  for (std::size_t n = grid.nodes.size(); n < nodes; ++n) {
    GridNode node = grid.nodes.front();
    node.id = "n" + std::to_string(n);
    node.at = {28 + 19 * spread(n, 0.754877666), -120 + 45 * spread(n, 0.569840291)};
    grid.nodes.push_back(node);
    grid.lines.push_back({static_cast<std::uint32_t>(n),
                          static_cast<std::uint32_t>(n / 2),
                          "AC",
                          {},
                          Megawatts(500),
                          Megawatts(500),
                          Kilometres(1),
                          "",
                          ""});
  }
  for (std::size_t p = grid.plants.size(); p < plants; ++p) {
    GridPlant plant = grid.plants.front();
    plant.fuel = static_cast<Fuel>(p % kFuelCount);
    plant.capacity = Megawatts(1 + static_cast<double>(p % 97));
    plant.at = grid.nodes[p % grid.nodes.size()].at;
    grid.plants.push_back(plant);
  }
  return grid;
}

TEST(SitingMap, StaysSmallOnAGridOfACountrysSize) {
  const Grid grid = large_grid(20000, 7000);
  SitingPicture picture;
  picture.title = "large";
  const std::string svg = siting_map_svg(picture, grid);
  EXPECT_LT(svg.size(), 5u << 20);
  EXPECT_TRUE(well_formed(svg));
}

// Small plants share circles, and none of their capacity is lost: the sums of all tooltips.
TEST(SitingMap, SharedCirclesHoldAllCapacity) {
  const Grid grid = large_grid(3000, 500);
  std::vector<GeoPoint> places;
  for (const GridPlant& plant : grid.plants) places.push_back(plant.at);
  const std::string markup = plants_markup(grid, MapFrame(places));
  double drawn_mw = 0;
  for (std::size_t at = markup.find(" MW"); at != std::string::npos; at = markup.find(" MW", at + 1)) {
    std::string digits;
    for (std::size_t i = at;
         i-- > 0 && (std::isdigit(static_cast<unsigned char>(markup[i])) || markup[i] == ',');)
      if (markup[i] != ',') digits.insert(digits.begin(), markup[i]);
    drawn_mw += std::stod(digits);
  }
  const double all_mw =
      std::accumulate(grid.plants.begin(), grid.plants.end(), 0.0,
                      [](double sum, const GridPlant& p) { return sum + p.capacity.count(); });
  EXPECT_NEAR(drawn_mw, all_mw, 30);  // whole MW in tooltips
}

TEST(SitingPicture, OfPlacesKeepsOneMarkForAPlaceAtSeveralRadii) {
  const Grid grid = shipped_grid();
  const GeoPoint celilo{45.6, -121.1};
  const PlacesPlan plan =
      examine_places({}, {}, grid, Megawatts(1000), {celilo}, {Kilometres(10), Kilometres(50)});
  ASSERT_EQ(plan.places.size(), 2u);
  const SitingPicture picture = siting_picture(plan);
  EXPECT_EQ(picture.singles.size(), 1u);
  EXPECT_TRUE(well_formed(siting_map_svg(picture, grid)));
  EXPECT_NE(siting_page(plan, grid, ScenarioText::load("hotnets24-dense").resolve()).find("50"),
            std::string::npos);
}

}  // namespace
}  // namespace trainyard
