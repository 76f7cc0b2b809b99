// Searches by evolution beside exhaustive ones, and the bounds of both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "free_counts.h"
#include "search/plan_stages.h"
#include "search/space/full_rate.h"
#include "search/space/planned_part.h"
#include "search/space/point_planner.h"
#include "search/space/space_bound.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

ScenarioText scenario_of(const std::string& settings) {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", settings}));
}

SearchMeasure named(const std::string& name) { return *find_measure(name); }

/// Some thousand points, of which most are refused or do not fit.
const std::string kSmall =
    "[facility]\ndevices = { search = [512, 1024] }\nhb_domain = { search = [\"dgx-h100\", \"dgx-a100\"] }\n"
    "[model]\nname = \"llama3-70b\"\n[mapping]\ntensor = { search = [1, 2, 4, 8] }\n"
    "pipeline = { search = { from = 1, to = 20, step = 1 } }\nvirtual_stages = { search = [1, 2, 4, 5] }\n"
    "microbatch = { search = [1, 2, 4] }\nrecompute = { search = \"all\" }\n";

/// 10^30 points, nearly all of which contradict themselves or do not fit.
const std::string kVast =
    "[facility]\ndevices = { search = { from = 1024, to = 1024000, step = 1024 } }\nhb_domain = "
    "\"dgx-h100\"\n"
    "[model]\nname = \"llama3-70b\"\n"
    "[training]\nbatch_tokens = { search = { from = 1e6, to = 1e9, step = 1e6 } }\n[mapping]\n"
    "tensor = { search = { from = 1, to = 1000, step = 1 } }\n"
    "pipeline = { search = { from = 1, to = 1000, step = 1 } }\n"
    "context = { search = { from = 1, to = 1000, step = 1 } }\n"
    "virtual_stages = { search = { from = 1, to = 1000, step = 1 } }\n"
    "microbatch = { search = { from = 1, to = 1000, step = 1 } }\n"
    "data = { search = { from = 1, to = 1000, step = 1 } }\n"
    "[network]\nscale_out_rate = { search = { from = \"100 Gbps\", to = \"10090 Gbps\", step = \"10 Gbps\" } "
    "}\n"
    "wide_area_rate = { search = { from = \"1 Gbps\", to = \"1000 Gbps\", step = \"1 Gbps\" } }\n";

SearchQuestion evolution(std::uint64_t evaluations, std::uint64_t seed) {
  return {.objectives = {named("days")},
          .method = SearchMethod::evolution,
          .evaluations = evaluations,
          .seed = seed};
}

void expect_once(const std::vector<SearchPoint>& points) {
  std::set<std::vector<std::size_t>> choices;
  for (const SearchPoint& point : points) EXPECT_TRUE(choices.insert(point.choice).second);
}

TEST(Evolution, FindsTheOptimumOfNearlyEverySeed) {
  const ScenarioText text = scenario_of(kSmall);
  const SearchResult all = search(text, {.objectives = {named("days")}});
  ASSERT_EQ(all.points, 11520U);
  constexpr int kSeeds = 20;
  int found = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const SearchResult sample = search(text, evolution(2000, seed));
    EXPECT_LE(sample.evaluated, 2000U);
    EXPECT_GE(sample.ranked.front().objectives[0], all.ranked.front().objectives[0]);
    ASSERT_TRUE(sample.bound.value);
    EXPECT_LE(*sample.bound.value, all.ranked.front().objectives[0]);
    found += sample.ranked.front().objectives == all.ranked.front().objectives;
    expect_once(sample.ranked);
  }
  RecordProperty("found", found);
  EXPECT_GE(found, kSeeds * 9 / 10);
}

TEST(Evolution, FrontsAreNearlyThoseOfAllPoints) {
  const ScenarioText text = scenario_of(kSmall);
  SearchQuestion question = evolution(6000, 1);
  question.objectives = {named("days"), named("memory"), named("gpu_hours")};
  const SearchResult sample = search(text, question);
  question.method = SearchMethod::exhaustive;
  const SearchResult all = search(text, question);
  expect_once(sample.front);
  std::set<std::vector<std::size_t>> whole;
  for (const SearchPoint& point : all.front) whole.insert(point.choice);
  std::size_t met = 0;
  for (const SearchPoint& point : sample.front) met += whole.count(point.choice);
  RecordProperty("met", static_cast<int>(met));
  RecordProperty("whole", static_cast<int>(whole.size()));
  EXPECT_GE(met, whole.size() / 2);
}

TEST(Evolution, IsTheSameOnAnyThreads) {
  const ScenarioText text = scenario_of(kSmall);
  SearchQuestion question = evolution(8000, 7);
  question.objectives.push_back(named("memory"));
  const SearchResult one = search(text, question);
  question.threads = 3;
  const SearchResult three = search(text, question);
  EXPECT_EQ(one.points, three.points);
  EXPECT_EQ(one.evaluated, three.evaluated);
  ASSERT_EQ(one.front.size(), three.front.size());
  for (std::size_t i = 0; i < one.front.size(); ++i) {
    EXPECT_EQ(one.front[i].index, three.front[i].index);
    EXPECT_EQ(one.front[i].choice, three.front[i].choice);
    EXPECT_EQ(one.front[i].objectives, three.front[i].objectives);
  }
  question.seed = 8;
  EXPECT_NE(search(text, question).points, one.points);
}

TEST(Evolution, TakesSpacesBeyondAllCounts) {
  const ScenarioText text = scenario_of(kVast);
  SearchQuestion question{.objectives = {named("days")}, .evaluations = 20'000};
  const SearchResult found = search(text, question);
  EXPECT_EQ(found.method, SearchMethod::evolution);
  EXPECT_GT(found.size, 0.9e30);
  ASSERT_FALSE(found.ranked.empty());
  expect_once(found.ranked);
  EXPECT_FALSE(found.bound.value);
  EXPECT_THAT(found.bound.unknown, HasSubstr("combinations"));
}

TEST(Evolution, SaysWhyThereIsNoAnswer) {
  const ScenarioText text = scenario_of(kSmall);
  SearchQuestion question = evolution(2000, 1);
  question.limits = {{named("mfu"), false, 0.99, "mfu >= 0.99"}};
  const SearchResult sample = search(text, question);
  EXPECT_TRUE(sample.ranked.empty());
  EXPECT_GT(sample.losses.beyond[0], 0U);
  EXPECT_GT(sample.losses.infeasible, 0U);
  EXPECT_NE(sample.losses.infeasibility, "");
  EXPECT_NE(sample.losses.refusal, "");
  question.method = SearchMethod::exhaustive;
  EXPECT_EQ(sample.losses.closest[0], search(text, question).losses.closest[0]);
  EXPECT_EQ(sample.losses.refused + sample.losses.infeasible + sample.losses.beyond_limits, sample.points);
}

TEST(Evolution, RefusesShares) {
  SearchQuestion question = evolution(1000, 1);
  question.share = {1, 2};
  EXPECT_THROW(search(scenario_of(kSmall), question), InputError);
}

TEST(SpaceBound, NoPlanIsBetter) {
  for (const std::string& settings : free_counts()) {
    const ScenarioText text = scenario_of(settings);
    std::vector<SearchMeasure> measures;
    std::vector<double> bounds;
    for (const SearchMeasure& m : search_measures()) {
      const SearchBound bound = space_bound(text, text.free(), {.objectives = {m}});
      EXPECT_EQ(bound.value.has_value(), m.bounded || m.of_facility) << m.name;
      if (!bound.value) continue;
      measures.push_back(m);
      bounds.push_back(*bound.value);
    }
    const std::vector<FreeSetting> space = free_settings(text);
    PointPlanner planner(text, text.free(), PointPlanner::Wanted::numbers);
    std::mt19937_64 random(3);
    constexpr int kDraws = 4000;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<std::size_t> choice;
      for (const FreeSetting& setting : space) choice.push_back(random() % setting.values.size());
      if (planner.begin(choice) != PointPlanner::State::begun) continue;
      if (planner.finish() != PointPlanner::State::planned) continue;
      for (std::size_t i = 0; i < measures.size(); ++i) {
        const double value = measures[i].read(planner.plan());
        EXPECT_FALSE(measures[i].largest ? value > bounds[i] : value < bounds[i]) << measures[i].name;
      }
    }
  }
}

/// What facility and model alone decide is that of the best of all of them, whichever of the values make it
/// up.
TEST(SpaceBound, OfFacilitiesIsTheirBest) {
  const ScenarioText text = scenario_of(
      "[facility]\ndevices = { search = [512, 1024, 256] }\nhb_domain = { search = [\"dgx-h100\", "
      "\"dgx-a100\"] }\n"
      "[model]\nname = { search = [\"llama3-8b\", \"llama3-70b\"] }\n");
  PointPlanner planner(text, text.free(), PointPlanner::Wanted::numbers);
  std::size_t measures = 0;
  for (const SearchMeasure& m : search_measures()) {
    if (!m.of_facility) continue;
    ++measures;
    std::optional<double> best;
    for (std::size_t number = 0; number < 12; ++number) {
      const std::vector<std::size_t> choice = {number % 3, number / 3 % 2, number / 6};
      ASSERT_EQ(planner.begin(choice), PointPlanner::State::begun);
      ASSERT_EQ(planner.finish(), PointPlanner::State::planned);
      const double value = m.read(planner.plan());
      if (!best || (m.largest ? value > *best : value < *best)) best = value;
    }
    EXPECT_EQ(space_bound(text, text.free(), {.objectives = {m}}).value, best) << m.name;
  }
  EXPECT_GT(measures, 2U);
}

TEST(SpaceBound, KnowsWhatLayersTake) {
  const ScenarioText text = scenario_of(kSmall);
  const SearchQuestion question{.objectives = {named("throughput")}};
  Plan ideal = begin_plan(text.resolve(text.free().document(std::vector<std::size_t>{1, 0, 0, 0, 0, 0, 0})));
  assume_full_rate(ideal);
  const double best = search(text, question).ranked.front().objectives[0];
  const double bound = *space_bound(text, text.free(), question).value;
  EXPECT_LT(bound, ideal.step.tokens_per_second * 0.9);
  EXPECT_LT(bound, best * 1.3);
}

/// In whatever order the values of what layers take stand: the best may be the first or the last.
TEST(SpaceBound, KnowsTheFirstAndTheLastOfWhatLayersTake) {
  std::vector<double> bounds;
  for (const char* tensor : {"[1, 2, 4, 8]", "[8, 4, 2, 1]", "[2]", "[4]", "[8]"}) {
    for (const char* microbatch : {"[1, 2, 4]", "[4, 2, 1]"}) {
      const ScenarioText text = scenario_of(
          std::string("[facility]\ndevices = 512\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n"
                      "[mapping]\ntensor = { search = ") +
          tensor + " }\npipeline = { search = [4, 8] }\nmicrobatch = { search = " + microbatch + " }\n");
      const SearchQuestion question{.objectives = {named("throughput")}};
      const SearchBound bound = space_bound(text, text.free(), question);
      ASSERT_TRUE(bound.value.has_value()) << tensor << microbatch;
      const double best = search(text, question).ranked.front().objectives[0];
      EXPECT_GE(*bound.value, best) << tensor << microbatch;
      EXPECT_LT(*bound.value, 1.3 * best) << tensor << microbatch;
      bounds.push_back(*bound.value);
    }
  }
  EXPECT_EQ(bounds[0], bounds[1]);
  EXPECT_EQ(bounds[0], bounds[2]);
  EXPECT_EQ(bounds[0], bounds[3]);
}

TEST(SpaceBound, PruningByLayersChangesNothing) {
  const ScenarioText text = scenario_of(
      "[facility]\ndevices = { search = [256, 512, 1024] }\nhb_domain = { search = [\"dgx-b200\", "
      "\"dgx-h100\"] }\n"
      "[model]\nname = \"llama3-8b\"\n[mapping]\ntensor = { search = [2, 4] }\n"
      "pipeline = { search = { from = 1, to = 32, step = 1 } }\n"
      "virtual_stages = { search = { from = 1, to = 16, step = 1 } }\n");
  // The best of few devices are B200, those of H100 are many: few H100, which come last, are settled by
  // bounds.
  SearchQuestion question{.objectives = {named("throughput")}};
  const SearchResult pruned = search(text, question);
  question.prunes = false;
  const SearchResult all = search(text, question);
  EXPECT_GT(pruned.pruned, 0U);
  ASSERT_EQ(pruned.ranked.size(), all.ranked.size());
  for (std::size_t i = 0; i < all.ranked.size(); ++i)
    EXPECT_EQ(pruned.ranked[i].choice, all.ranked[i].choice);
  for (std::size_t s = 0; s < all.space.size(); ++s) {
    for (std::size_t v = 0; v < all.worth[s].size(); ++v)
      EXPECT_EQ(pruned.worth[s][v].objective, all.worth[s][v].objective);
  }
}

}  // namespace
}  // namespace trainyard
