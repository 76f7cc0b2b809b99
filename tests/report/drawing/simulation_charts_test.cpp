#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../small_simulation.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/simulation.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

TEST(SimulationCharts, ShowSlowdownOverSizeOnlyWhereSizesDiffer) {
  SimulationResult r = small_result();
  EXPECT_EQ(simulation_charts(r).size(), 3u);
  r.flows[1].finished = 10 * kMicrosecond;
  r.slowdowns[1] = 1.1;
  ASSERT_EQ(simulation_charts(r).size(), 4u);
  const Chart chart = slowdown_chart(r);
  ASSERT_EQ(chart.lines[0].points.size(), 2u);
  EXPECT_EQ(chart.lines[0].points[0].x, 5000);
  EXPECT_EQ(chart.lines[0].points[1].y, 1.1);
}

TEST(SimulationCharts, CompletionTimesEndAtTheLongestFlow) {
  SimulationResult r = small_result();
  r.flows.clear();
  for (Picoseconds i = 1; i <= 5000; ++i) {
    workload::Flow flow;
    flow.began = 0;
    flow.finished = i * kMicrosecond;
    r.flows.push_back(flow);
  }
  const std::vector<ChartPoint> points = completion_chart(r).lines.front().points;
  EXPECT_LE(points.size(), 1000u);
  EXPECT_EQ(points.front().y, 0);
  EXPECT_DOUBLE_EQ(points.back().x, 5e-3);
  EXPECT_EQ(points.back().y, 1);
}

/// Between neighbouring numbers no step is left for ticks.
TEST(SimulationCharts, ValuesThatAreAlmostOneAreDrawnAsOne) {
  for (const bool log : {false, true}) {
    for (const double low : {4.95e-6, -3e300, 0.0}) {
      Chart chart = completion_chart(small_result());
      chart.x.log = chart.y.log = log;
      const double high = std::nextafter(low, 1e308);
      chart.lines.front().points = {{low, low}, {high, high}};
      const std::string svg = chart_svg(chart);
      EXPECT_LT(svg.size(), 20'000U);
      EXPECT_EQ(svg.find("nan"), std::string::npos) << log << low;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << log << low;
    }
  }
}

TEST(SimulationCharts, ThroughputIsTheRiseOfWhatWasDelivered) {
  const std::vector<ChartPoint> points = throughput_chart(small_result()).lines.front().points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_DOUBLE_EQ(points[1].x, 2e-6);
  EXPECT_DOUBLE_EQ(points[1].y, 2000 * 8 / 4e-6);
}

}  // namespace
}  // namespace trainyard
