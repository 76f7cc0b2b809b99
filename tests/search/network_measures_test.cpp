// Measures of a network in `trainyard search` beside what `trainyard network` answers point by point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "measures.h"
#include "trainyard/errors.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

using testing::HasSubstr;

ScenarioText with_designs(const std::string& designs, const std::string& tensor = "{ search = [4, 8] }") {
  const std::string text =
      "[facility]\ndevices = 512\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-70b\"\n[mapping]\n"
      "tensor = " +
      tensor + "\npipeline = 8\n" + designs;
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{"test.toml", text}));
}

const std::string kOneDesign =
    "[[design]]\nname = \"d\"\ntopology = { search = [\"fat_tree\", \"rail_optimized\"] }\n"
    "planes = { search = [1, 2] }\noversubscription = { search = [[1], [4]] }\n";

TEST(NetworkMeasures, AreWhatTheNetworkIsAnsweredWith) {
  const ScenarioText text = with_designs(kOneDesign);
  SearchQuestion question{.objectives = {measure("network_price"), measure("network_power"),
                                         measure("bisection_share"), measure("network_step_time"),
                                         measure("network_exposed")}};
  question.ranked = 16;
  const SearchResult found = search(text, question);
  ASSERT_EQ(found.ranked.size(), 16);
  double cheapest = found.ranked.front().objectives[0];
  for (const SearchPoint& point : found.ranked) {
    const Plan plan = plan_point(text, point.choice);
    const NetworkAnswer answer = answer_networks(plan.scenario).front();
    ASSERT_TRUE(answer.effect.has_value());
    EXPECT_EQ(point.objectives[0], answer.bill.price.si());
    EXPECT_EQ(point.objectives[1], answer.bill.power()->si());
    EXPECT_EQ(point.objectives[2], answer.counts.bisection_share);
    EXPECT_EQ(point.objectives[3], answer.effect->step.si());
    EXPECT_EQ(point.objectives[4], answer.effect->exposed_share);
    EXPECT_GE(point.objectives[0], cheapest);
    cheapest = point.objectives[0];
  }
}

TEST(Networks, AreTheSameOnAnyNumberOfThreads) {
  const Scenario usual = with_designs("", "8").resolve();
  int looks = 0;
  const std::vector<NetworkAnswer> one =
      answer_networks(usual, {}, [&](const std::vector<NetworkAnswer>&) { ++looks; });
  const std::vector<NetworkAnswer> three = answer_networks(usual, {}, {}, 3);
  EXPECT_EQ(looks, 0) << "a first look at effects that are there at once";
  ASSERT_GT(one.size(), 2U);
  ASSERT_EQ(three.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(three[i].design.input.name, one[i].design.input.name);
    EXPECT_EQ(three[i].bill.price, one[i].bill.price);
    EXPECT_EQ(three[i].effect->step, one[i].effect->step);
    EXPECT_EQ(three[i].effect->load.bound, one[i].effect->load.bound);
  }
}

TEST(NetworkMeasures, LimitASearchForTheFastestStep) {
  const ScenarioText text = with_designs(kOneDesign);
  SearchQuestion question{.objectives = {measure("network_price")}};
  question.limits = {{measure("bisection_share"), false, 0.9, "bisection_share >= 0.9"}};
  const SearchResult full = search(text, question);
  question.limits.clear();
  const SearchResult any = search(text, question);
  ASSERT_FALSE(full.ranked.empty());
  EXPECT_GE(full.ranked.front().limited[0], 0.9);
  EXPECT_LT(any.ranked.front().objectives[0], full.ranked.front().objectives[0]);
}

TEST(NetworkMeasures, AreOfOneDesignOfTheClusterItself) {
  const auto refusal = [](const std::string& designs) -> std::string {
    try {
      search(with_designs(designs), {.objectives = {measure("network_price")}});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(refusal(""), HasSubstr("0 designs, and measures of a network are about one"));
  EXPECT_THAT(refusal("[[design]]\nname = \"a\"\n[[design]]\nname = \"b\"\n"), HasSubstr("2 designs"));
  EXPECT_THAT(refusal("[[design]]\nname = \"a\"\nhosts = 64\n"), HasSubstr("design 'a' is for"));
  // One that cannot be built is no answer; the others are.
  const SearchResult some = search(with_designs("[[design]]\nname = \"a\"\ntiers = { search = [1, 2] }\n"),
                                   {.objectives = {measure("network_price")}});
  EXPECT_EQ(some.losses.refused, 2);
  EXPECT_FALSE(some.losses.refusal.empty());
  EXPECT_FALSE(some.ranked.empty());
}

}  // namespace
}  // namespace trainyard
