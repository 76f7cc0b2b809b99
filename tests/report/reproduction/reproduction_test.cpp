#include "trainyard/reproduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "report/reproduction/all_rows.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

TEST(Reproduction, EveryRowIsWithinItsTolerance) {
  for (const ReproducedRow& row : all_rows()) {
    ASSERT_EQ(row.verdict, Verdict::ok) << row.id << ": published " << *row.published << ", computed "
                                        << row.computed.value_or(-1) << " " << row.unit;
  }
}

TEST(Reproduction, OnlyARowWithoutToleranceIsABound) {
  for (const ReproducedRow& row : all_rows()) {
    if (!row.computed) continue;
    EXPECT_EQ(row.relation == Relation::equal, row.tolerance_pct.has_value()) << row.id;
  }
}

// Fig. 5's stored simulation gives how much longer pipeline transfers take: HotNets '24 section 6.3.
TEST(Reproduction, SinglePathSharesSayWhatSlowedThem) {
  int rows = 0;
  for (const ReproducedRow& row : all_rows()) {
    if (!row.id.starts_with("hn.exposed.single_path.")) continue;
    ++rows;
    EXPECT_NE(row.note.find("7 times, computed by"), std::string::npos) << row.note;
  }
  EXPECT_EQ(rows, 2);
}

// Section 6 again, through the simulated step: within 0.5% of the closed form.
TEST(Reproduction, SectionSixGoesThroughTheStep) {
  std::set<std::string> stepped;
  for (const ReproducedRow& row : all_rows()) {
    if (!row.step) continue;
    stepped.insert(row.id);
    EXPECT_LE(std::abs(row.step->apart_pct()), 0.5) << row.id;
    EXPECT_LE(std::abs(row.step->pace_pct), 0.5) << row.id;
    EXPECT_NE(row.step->simulated, row.step->closed) << row.id << " is simulated, not copied";
  }
  EXPECT_EQ(stepped, (std::set<std::string>{"hn.dense.fwd", "hn.moe.fwd", "hn.dense.bwd", "hn.moe.bwd",
                                            "hn.dense.exposed", "hn.moe.exposed", "hn.moe.dp.masked",
                                            "hn.fig3a.dense.800", "hn.fig3a.moe.800", "hn.fig3b.dense.100",
                                            "hn.fig3b.moe.100", "hn.fig3b.moe.1600", "hn.fig3c.mask",
                                            "hn.exposed.single_path.dense", "hn.exposed.single_path.moe"}));
}

TEST(Reproduction, AStepThatIsNotItsClosedFormFails) {
  std::vector<ReproducedRow> rows = {all_rows().front()};
  EXPECT_TRUE(all_hold(rows, false));
  rows.front().verdict = Verdict::differs;
  EXPECT_FALSE(all_hold(rows, false));
  EXPECT_FALSE(all_hold(rows, true));
  rows.front().long_simulation = true;  // on fewer hosts
  EXPECT_TRUE(all_hold(rows, true));
  EXPECT_FALSE(all_hold(rows, false));
}

TEST(Reproduction, PointsOfAFigureGoThroughTheStep) {
  const std::vector<ReproducedRow> points = figure_points("fig3b");
  ASSERT_EQ(points.size(), 12u);  // six rates, two models
  EXPECT_EQ(points.front().id, "hn.fig3b.dense_100t.100_gbps");
  for (const ReproducedRow& point : points) {
    EXPECT_EQ(point.verdict, Verdict::ok) << point.id;
    ASSERT_TRUE(point.step) << point.id;
    EXPECT_FALSE(point.published) << point.id;
    EXPECT_LE(std::abs(point.step->apart_pct()), 0.5) << point.id;
  }
  EXPECT_THROW(figure_points("fig4"), InputError);
}

TEST(Reproduction, PapersCanBeAskedForAlone) {
  std::set<std::string> sources;
  for (const ReproducedRow& row : reproduce("railonly23")) sources.insert(row.source);
  EXPECT_EQ(sources, std::set<std::string>{"railonly23"});
  EXPECT_THROW(reproduce("railonly32"), InputError);
}

}  // namespace
}  // namespace trainyard
