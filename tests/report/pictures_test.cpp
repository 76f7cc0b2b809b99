#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <limits>

#include "report/chart.h"
#include "report/drawings.h"
#include "report/heat_map.h"
#include "report/html.h"
#include "report/svg.h"
#include "report/web_report.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

/// Opening and closing tags match; attributes are quoted.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos) return false;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

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
    const Plan p = plan(shipped.name);
    EXPECT_TRUE(well_formed(placement_svg(p))) << shipped.name;
    EXPECT_TRUE(well_formed(layer_svg(p))) << shipped.name;
    EXPECT_EQ(layer_svg(p).find("nan"), std::string::npos) << shipped.name;
  }
}

TEST(Drawings, OfOneDomainAreWellFormed) {
  const Plan p =
      plan("llama3-405b", {"model.name=llama3-8b", "facility.devices=8", "mapping.pipeline=1",
                           "mapping.tensor=1", "mapping.virtual_stages=1", "training.batch_tokens=65536"});
  EXPECT_TRUE(well_formed(placement_svg(p)));
  EXPECT_TRUE(well_formed(layer_svg(p)));
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

TEST(HeatMap, MergesEqualNeighbours) {
  const std::vector<double> block = {0, 5, 5, 0, 0, 5, 0, 0, 0};
  // Background, frame, nine steps of the legend, and two runs of cells.
  EXPECT_EQ(occurrences(heat_map_svg(block, "t"), "<rect"), 1u + 1u + 9u + 2u);
}

TEST(HeatMap, PngHoldsItsSizeAndChecks) {
  const std::string png = heat_map_png(std::vector<double>(16, 1.0));
  ASSERT_GT(png.size(), 33u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(png[i]); };
  const unsigned width = (static_cast<unsigned>(byte(18)) << 8) + byte(19);
  EXPECT_EQ(width, 512u);
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(png.data() + 12), 17);
  EXPECT_EQ(crc & 0xff, byte(32));
}

TEST(Report, CannotBeBrokenOutOf) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  text.set("title='</script><b title=\"x\">&'");
  const Plan p = make_plan(text.resolve());
  Chart chart = chart_of({0.1, 0.2});
  chart.title = chart.lines.front().label = kHostile;
  Scenario small = ScenarioText::load("topologies").resolve();
  small.designs.resize(1);
  small.designs[0].name = small.designs[0].title = kHostile;
  const std::string html = html_report(p, {chart}, answer_networks(small));
  EXPECT_EQ(html.find("<b title"), std::string::npos);
  EXPECT_EQ(occurrences(html, "</script>"), 3u);  // data, library, code: none from the title
}

TEST(Report, NamesNothingOutsideItself) {
  const Plan p = plan("llama3-405b");
  const std::string html = web_report(p, {});
  for (const char* reference :
       {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
  }
}

}  // namespace
}  // namespace trainyard
