#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/model.h"
#include "parallel/memory.h"
#include "search/mapping_search.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

ScenarioText text(const std::string& name, const std::vector<std::string>& changes = {}) {
  ScenarioText out = ScenarioText::load(name);
  for (const std::string& change : changes) out.set(change);
  return out;
}

const std::vector<std::string> kOpen = {"mapping.tensor=auto", "mapping.pipeline=auto",
                                        "mapping.virtual_stages=1"};

std::vector<std::string> open_with(std::vector<std::string> more) {
  more.insert(more.begin(), kOpen.begin(), kOpen.end());
  return more;
}

double worth(const Plan& p) {
  return p.step.tokens_per_second * chance_of_room(p.mapping, p.step.memory_interval);
}

TEST(Search, FastestIsAtLeastAsFastAsAnyForcedCut) {
  const Plan best = make_plan(text("llama3-405b", kOpen).resolve());
  int compared = 0;
  for (const int tensor : {1, 2, 4, 8}) {
    for (const int pipeline : {1, 2, 7, 9, 14, 16, 18, 21, 42, 63, 126}) {
      try {
        const Plan forced = make_plan(
            text("llama3-405b", {"mapping.virtual_stages=1", "mapping.tensor=" + std::to_string(tensor),
                                 "mapping.pipeline=" + std::to_string(pipeline)})
                .resolve());
        EXPECT_LE(worth(forced), worth(best) * (1 + 1e-9)) << tensor << " " << pipeline;
        ++compared;
      } catch (const Infeasible&) {
        continue;  // does not fit: not a competitor
      }
    }
  }
  EXPECT_GT(compared, 5);
}

TEST(Search, SmallestTensorIsTheSmallestThatFits) {
  const Plan p = make_plan(text("hotnets24-dense").resolve());
  EXPECT_EQ(p.mapping.tensor, 18);
  for (const int smaller : {1, 2, 3, 4, 6, 8, 9, 12}) {
    EXPECT_THROW(make_plan(text("hotnets24-dense", {"mapping.tensor=" + std::to_string(smaller)}).resolve()),
                 Infeasible);
  }
}

TEST(Search, TheRemediesThatItNamesAreFeasible) {
  const std::vector<std::string> tight = {"mapping.zero_stage=1"};
  try {
    make_plan(text("llama3-405b", tight).resolve());
    FAIL();
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.constraint, "device memory");
    EXPECT_NE(answer.shortfall.find("activations"), std::string::npos);
    EXPECT_NE(answer.remedy.find("mapping.recompute = \"full\""), std::string::npos) << answer.remedy;
  }
  EXPECT_NO_THROW(
      make_plan(text("llama3-405b", {"mapping.zero_stage=1", "mapping.recompute=full"}).resolve()));
}

TEST(Search, ChangesThePlacementWhereTheOtherHasNoRoom) {
  const Plan p = make_plan(
      text("llama3-405b", {"model.name=llama3-8b", "facility.devices=8", "mapping.pipeline=8",
                           "mapping.tensor=1", "mapping.virtual_stages=1", "training.batch_tokens=131072"})
          .resolve());
  EXPECT_EQ(p.mapping.placement, Placement::consecutive_layers);
  ASSERT_FALSE(p.mapping.warnings.empty());
}

TEST(Search, SaysThatItPlacedDifferently) {
  // Why the paper puts replicas of one layer in a rack: a quarter of the gradients leave it.
  const Plan p = make_plan(text("hotnets24-dense").resolve());
  ASSERT_EQ(p.placements.size(), 2u);
  EXPECT_NEAR(p.placements[1].gradient_out_of_domain / p.placements[0].gradient_out_of_domain, 4, 1e-9);
  EXPECT_GT(p.placements[1].exposed_share, 5 * p.placements[0].exposed_share);
}

TEST(Search, TheOtherPlacementIsWhatAPlanWithItSays) {
  const std::vector<std::string> cut = {"facility.devices=1024",
                                        "model.name=llama3-70b",
                                        "training.batch_tokens=4194304",
                                        "mapping.tensor=2",
                                        "mapping.pipeline=4",
                                        "mapping.virtual_stages=1",
                                        "mapping.recompute=full",
                                        "assumptions.compute_model=calibrated"};
  std::vector<std::string> other = cut;
  other.emplace_back("mapping.placement=consecutive_layers");
  const Plan same = make_plan(text("llama3-405b", cut).resolve());
  const Plan consecutive = make_plan(text("llama3-405b", other).resolve());
  ASSERT_EQ(same.placements.size(), 2u);
  EXPECT_EQ(same.placements[0].exposed_share, same.step.exposed_share);
  EXPECT_EQ(same.placements[1].exposed_share, consecutive.step.exposed_share);
  ASSERT_EQ(consecutive.placements.size(), 2u);
  EXPECT_EQ(consecutive.placements[0].exposed_share, same.step.exposed_share);
  EXPECT_EQ(consecutive.placements[1].exposed_share, consecutive.step.exposed_share);
}

QuantityReader exposed_reader() {
  return {"exposed", Unit::fraction, [](const Plan& plan) { return plan.step.exposed_share; }};
}

SweepInput sweep_of(const std::string& key, std::vector<std::string> values) {
  SweepInput sweep;
  sweep.name = sweep.key = key;
  sweep.values = std::move(values);
  sweep.series.push_back({"", {}});
  return sweep;
}

TEST(Sweep, TellsPointsThatAreDone) {
  std::vector<std::pair<std::size_t, std::size_t>> told;
  run_sweep(text("hotnets24-dense"), sweep_of("network.scale_out_rate", {"100 Gbps", "200 Gbps", "400 Gbps"}),
            exposed_reader(), [&](std::size_t done, std::size_t all) { told.emplace_back(done, all); });
  EXPECT_EQ(told, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 3}, {2, 3}, {3, 3}}));
}

TEST(Sweep, EqualsSinglePlans) {
  const SweepResult result = run_sweep(
      text("hotnets24-moe"), sweep_of("network.scale_out_rate", {"100 Gbps", "1.6 Tbps"}), exposed_reader());
  const auto& points = result.lines.front().points;
  EXPECT_EQ(points[0].x, 100e9);
  EXPECT_EQ(
      points[0].y,
      make_plan(text("hotnets24-moe", {"network.scale_out_rate=100 Gbps"}).resolve()).step.exposed_share);
  EXPECT_EQ(
      points[1].y,
      make_plan(text("hotnets24-moe", {"network.scale_out_rate=1.6 Tbps"}).resolve()).step.exposed_share);
}

TEST(Sweep, MarksInfeasiblePointsAndGoesOn) {
  const SweepResult result =
      run_sweep(text("hotnets24-dense"), sweep_of("mapping.tensor", {"12", "18"}), exposed_reader());
  const auto& points = result.lines.front().points;
  EXPECT_TRUE(std::isnan(points[0].y));
  EXPECT_NE(points[0].infeasible, "");
  EXPECT_TRUE(std::isfinite(points[1].y));
}

TEST(Sweep, PointsHavePlansWhereTheScenarioHasNone) {
  const ScenarioText none = text("llama3-405b", {"mapping.tensor=2"});
  EXPECT_THROW(make_plan(none.resolve()), Infeasible);
  const Plan example = example_plan(none, none.resolve(), {sweep_of("mapping.tensor", {"1", "8", "4"})});
  EXPECT_EQ(example.mapping.tensor, 8);
  EXPECT_THROW(example_plan(none, none.resolve(), {sweep_of("mapping.tensor", {"1"})}), Infeasible);
}

TEST(Sweep, RefusesChangesThatItOverrules) {
  const SweepInput sweep = sweep_of("mapping.tensor", {"4", "8"});
  EXPECT_THROW(refuse_swept_changes({" mapping.tensor = 2"}, {sweep}, "--set"), InputError);
  SweepInput fixed = sweep_of("mapping.pipeline", {"4", "8"});
  fixed.series = {{"a", {{"mapping.tensor", "2"}}}, {"b", {{"mapping.tensor", "4"}}}};
  EXPECT_THROW(refuse_swept_changes({"mapping.tensor=2"}, {sweep, fixed}, "--set"), InputError);
  fixed.series.push_back({"as it is", {}});
  EXPECT_NO_THROW(refuse_swept_changes({"mapping.tensor=2"}, {sweep, fixed}, "--set"));
}

TEST(Sweep, RefusesUnknownKeysAndValues) {
  EXPECT_THROW(
      run_sweep(text("hotnets24-dense"), sweep_of("network.scale_out", {"1 Gbps"}), exposed_reader()),
      InputError);
  EXPECT_THROW(
      run_sweep(text("hotnets24-dense"), sweep_of("network.scale_out_rate", {"1 GW"}), exposed_reader()),
      InputError);
}

// The longest searches that a scenario can ask for end.
TEST(Search, EndsOnExtremeInput) {
  for (const std::vector<std::string>& extreme : {std::vector<std::string>{"model.layers=100000"},
                                                  {"facility.devices=1000000000"},
                                                  {"model.vocabulary=100000000"},
                                                  {"model.sequence=100000000"}}) {
    try {
      make_plan(text("llama3-405b", open_with(extreme)).resolve());
    } catch (const Infeasible& answer) {
      EXPECT_FALSE(answer.constraint.empty());
    }
  }
}

}  // namespace
}  // namespace trainyard
