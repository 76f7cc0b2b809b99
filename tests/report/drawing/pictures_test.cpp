#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <limits>
#include <set>

#include "../markup.h"
#include "report/drawing/svg.h"
#include "text_boxes.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/rail.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Plan plan(const std::string& name, const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

constexpr const char* kHostile = "</script><b title=\"x\">&";

TEST(Svg, EscapesText) {
  Svg svg(10, 10, kHostile);
  svg.text(1, 1, kHostile);
  const std::string picture = std::move(svg).finish();
  EXPECT_TRUE(well_formed(picture)) << picture;
  EXPECT_EQ(picture.find("<b"), std::string::npos);
}

Chart chart_of(std::vector<double> ys) {
  Chart chart{"c", "title", {"x", Unit::bits_per_second, true}, {"y", Unit::fraction, false}, {{"line", {}}}};
  double x = 1e9;
  for (const double y : ys) chart.lines.front().points.push_back({x *= 2, y});
  return chart;
}

TEST(Chart, LeavesAGapWhereThereIsNoPlan) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  // A line in one piece and its key are two polylines; a gap makes three.
  EXPECT_EQ(occurrences(chart_svg(chart_of({0.1, 0.2, 0.3, 0.4})), "<polyline"), 2u);
  EXPECT_EQ(occurrences(chart_svg(chart_of({0.1, 0.2, gap, 0.3, 0.4})), "<polyline"), 3u);
}

TEST(Chart, DrawsEvenWhenThereIsLittleToDraw) {
  for (const auto& ys : {std::vector<double>{}, {0.5}, {0, 0}, {std::numeric_limits<double>::quiet_NaN()}}) {
    EXPECT_TRUE(well_formed(chart_svg(chart_of(ys))));
    EXPECT_EQ(chart_svg(chart_of(ys)).find("nan"), std::string::npos);
  }
}

TEST(Drawings, OfEveryShippedPlanAreWellFormed) {
  for (const ShippedScenario& shipped : shipped_scenarios()) {
    if (shipped.leaves_free) continue;
    const Plan p = plan(shipped.name);
    EXPECT_TRUE(well_formed(placement_svg(p))) << shipped.name;
    EXPECT_TRUE(well_formed(layer_svg(p))) << shipped.name;
    EXPECT_EQ(layer_svg(p).find("nan"), std::string::npos) << shipped.name;
    EXPECT_EQ(ill_placed_texts(placement_svg(p)), "") << shipped.name;
    EXPECT_EQ(ill_placed_texts(layer_svg(p)), "") << shipped.name;
  }
}

TEST(Chart, HasRoomForManyLinesWithLongNames) {
  Chart chart = chart_of({0.1, 0.2});
  chart.lines.assign(30, {.label = "a source of runs that was named by a reader", .points = {}});
  EXPECT_EQ(ill_placed_texts(chart_svg(chart)), "");
}

TEST(Chart, LeavesOutNamesOfTicksThatWouldStandOnEachOther) {
  Chart chart = chart_of({0.1, 0.2});
  chart.lines.front().points = {{1e9, 0.1}, {1e12, 0.2}};  // 1 Gbps to 1 Tbps in ten names
  EXPECT_EQ(ill_placed_texts(chart_svg(chart)), "");
  chart.lines.front().points = {{1.1e9, 0.1}, {0.9e12, 0.2}};
  EXPECT_EQ(ill_placed_texts(chart_svg(chart)), "");
}

TEST(Chart, HasAColourForEachOfTwelveLines) {
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < 12; ++i) colours.insert(series_colour(i));
  EXPECT_EQ(colours.size(), 12u) << "Fig. 6 of HotNets '24 has as many";
}

TEST(Drawings, OfOneDomainAreWellFormed) {
  const Plan p =
      plan("llama3-405b", {"model.name=llama3-8b", "facility.devices=8", "mapping.pipeline=1",
                           "mapping.tensor=1", "mapping.virtual_stages=1", "training.batch_tokens=65536"});
  EXPECT_TRUE(well_formed(placement_svg(p)));
  EXPECT_TRUE(well_formed(layer_svg(p)));
}

TEST(LayerDrawing, PutsLabelsThatFindNoRoomUnderTheirLane) {
  // Two transfers of a few microseconds follow each other at the end of milliseconds of computation.
  const Plan p =
      plan("llama3-405b", {"model.name=llama3-8b", "facility.devices=8", "mapping.pipeline=2",
                           "mapping.tensor=2", "mapping.virtual_stages=1", "training.batch_tokens=1048576"});
  const std::string picture = layer_svg(p);
  EXPECT_EQ(occurrences(picture, ">PP "), 4u) << "a label and a tooltip for each pass";
  EXPECT_EQ(ill_placed_texts(picture), "");
  EXPECT_EQ(ill_placed_texts(placement_svg(p)), "");
}

TEST(PlacementDrawing, ShowsFourReplicasOfALayerInARack) {
  const std::string picture = placement_svg(plan("hotnets24-dense"));
  for (const char* text :
       {"4 replicas of 18", "stage 134", "layer 134", "datacenter 2: 87 HB domains a stage"}) {
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  }
}

TEST(LayerDrawing, ShowsTheTimesOfFig2) {
  const std::string picture = layer_svg(plan("hotnets24-dense"));
  for (const char* text :
       {"forward 132.8 ms", "backward 265.6 ms", "TP/SP 8.201 ms", "PP 2.171 ms", "all-reduce 98.27 ms"}) {
    EXPECT_NE(picture.find(text), std::string::npos) << text;
  }
}

TEST(PlacementDrawing, NamesContextRanks) {
  const std::vector<std::string> small = {"model.name=llama3-8b",
                                          "facility.devices=64",
                                          "mapping.context=4",
                                          "mapping.tensor=2",
                                          "mapping.pipeline=1",
                                          "mapping.virtual_stages=1",
                                          "mapping.zero_stage=2",
                                          "assumptions.compute_model=calibrated",
                                          "training.batch_tokens=2097152"};
  const Plan p = plan("llama3-405b", small);
  EXPECT_NE(placement_svg(p).find("a tensor x context group of 2 x 4 devices;"), std::string::npos);
  Plan spread = p;
  spread.mapping.domains_per_group = 2;
  const std::string picture = placement_svg(spread);
  EXPECT_NE(picture.find("part of a tensor x context group of 2 x 4 devices over 2 domains"),
            std::string::npos);
  EXPECT_NE(picture.find("stage 1: 4 devices"), std::string::npos);
  EXPECT_EQ(ill_placed_texts(picture), "");
}

TEST(LayerDrawing, TellsContextFromTensorTransfers) {
  Plan p = plan("llama3-405b",
                {"model.name=llama3-8b", "facility.devices=64", "mapping.context=4", "mapping.tensor=2",
                 "mapping.pipeline=1", "mapping.virtual_stages=1", "mapping.zero_stage=2",
                 "assumptions.compute_model=calibrated", "training.batch_tokens=2097152"});
  p.communication.context_forward = p.communication.tensor_forward;
  p.communication.context_backward = p.communication.tensor_backward;
  p.step.exposed_context = p.communication.context_forward + p.communication.context_backward;
  const std::string picture = layer_svg(p);
  EXPECT_EQ(occurrences(picture, ">CP "), 4u) << "a label and a tooltip for each pass";
  EXPECT_EQ(ill_placed_texts(picture), "");
}

// What runs beside compute is drawn there: of each pass's tensor transfers as much as the plan exposes is
// behind it.
TEST(LayerDrawing, HidesWhatThePlanHides) {
  Plan p = plan("hotnets24-dense");
  p.step.exposed_tensor = p.step.exposed_tensor / 4;
  const std::string picture = layer_svg(p);
  EXPECT_NE(picture.find("TP/SP 6.151 ms"), std::string::npos);
  EXPECT_NE(picture.find("TP/SP 2.050 ms"), std::string::npos);
}

TEST(HeatMap, MergesEqualNeighbours) {
  const std::vector<double> block = {0, 5, 5, 0, 0, 5, 0, 0, 0};
  // Background, frame, nine steps of the legend, and two runs of cells.
  EXPECT_EQ(occurrences(heat_map_svg(block, "t"), "<rect"), 1u + 1u + 9u + 2u);
}

struct Decoded {
  unsigned width = 0;
  std::vector<unsigned char> rgb;
};

Decoded decoded(const std::string& png) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Decoded out{image.width, std::vector<unsigned char>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, out.rgb.data(), 0, nullptr), 0) << image.message;
  return out;
}

TEST(HeatMap, PngHasTheColoursOfItsCells) {
  const Decoded map = decoded(heat_map_png({0, 1, 1, 10}));
  ASSERT_EQ(map.width, 512u);
  const auto colour = [&](std::size_t row, std::size_t column) {
    const auto at = map.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (row * map.width + column));
    return std::vector<int>(at, at + 3);
  };
  EXPECT_EQ(colour(0, 0), (std::vector{255, 255, 255}));     // nothing
  EXPECT_EQ(colour(255, 256), (std::vector{253, 231, 37}));  // little
  EXPECT_EQ(colour(511, 511), (std::vector{68, 1, 84}));     // much
}

TEST(HeatMap, PngOfNothingIsAPixel) { EXPECT_EQ(decoded(heat_map_png({})).width, 1u); }

/// Texts below the axis: those of the row that stands 18 below it.
std::vector<std::string> x_labels(const Chart& chart) {
  const std::string svg = chart_svg(chart);
  std::vector<std::string> out;
  const std::string row = "y=\"380\" class=\"soft\"";
  for (std::size_t at = svg.find(row); at != std::string::npos; at = svg.find(row, at + 1)) {
    const std::size_t begin = svg.find('>', at) + 1;
    out.push_back(svg.substr(begin, svg.find('<', begin) - begin));
  }
  return out;
}

Chart over(Unit unit, bool log, double low, double high) {
  return {
      "c", "title", {"x", unit, log}, {"y", Unit::fraction, false}, {{"line", {{low, 0.1}, {high, 0.2}}}}};
}

TEST(ChartTicks, AreThreeAtLeastOnALogarithmicAxis) {
  for (const double high : {150.0, 300.0, 1e3, 1e5, 1e9, 1e20}) {
    const std::size_t labels = x_labels(over(Unit::number, true, 110, high)).size();
    EXPECT_GE(labels, 3u) << high;
    EXPECT_LE(labels, 10u) << high;
  }
}

TEST(ChartTicks, OfLongTimesAreRoundInOneUnit) {
  constexpr double kYear = 365 * 86400.0;
  EXPECT_EQ(x_labels(over(Unit::seconds, false, 0.0833 * kYear, 5 * kYear)),
            (std::vector<std::string>{"1 year", "2 years", "3 years", "4 years", "5 years"}));
  EXPECT_EQ(x_labels(over(Unit::seconds, false, 0, 10 * 86400)),
            (std::vector<std::string>{"0 days", "2 days", "4 days", "6 days", "8 days", "10 days"}));
}

TEST(ChartBars, ReachFromLowestToHighest) {
  Chart chart = over(Unit::number, false, 1, 2);
  const std::size_t before = occurrences(chart_svg(chart), "<line");
  chart.lines[0].points[0].bar = ErrorBar{0.05, 0.4};
  EXPECT_EQ(occurrences(chart_svg(chart), "stroke-opacity"), 1u);
  EXPECT_NE(occurrences(chart_svg(chart), "<line"), before);
}

}  // namespace
}  // namespace trainyard
