#include "trainyard/network_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../shown_networks.h"
#include "topology/topology.h"
#include "trainyard/plan.h"
#include "trainyard/provenance.h"
#include "trainyard/report/networks.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

class Search : public testing::Test {
 protected:
  static const NetworkSearch& found() {
    static const NetworkSearch search = [] {
      ScenarioText text = ScenarioText::load("topologies");
      text.set("optimize.switches=[\"tomahawk5\", \"tomahawk4\"]");
      return search_networks(text.resolve());
    }();
    return search;
  }
};

TEST_F(Search, NothingOnTheFrontIsBetterInEverything) {
  for (const FrontMember& a : found().front) {
    for (const FrontMember& b : found().front) EXPECT_FALSE(a.choice.score.dominates(b.choice.score));
  }
}

TEST_F(Search, TheBestIsTheCheapestWithinTheTolerance) {
  const NetworkScore& best = found().front[found().best].choice.score;
  EXPECT_EQ(found().tolerance, 0.001);
  EXPECT_LE(best.lost_share, found().least_lost + 0.001 + 1e-9);
  for (const FrontMember& m : found().front) {
    if (m.choice.score.lost_share <= found().least_lost + 0.001) {
      EXPECT_GE(m.choice.score.price.si(), best.price.si());
    }
  }
}

TEST_F(Search, EveryTenthOfAPercentHasItsPrice) {
  const std::vector<ToleratedNetwork>& steps = found().tolerated;
  ASSERT_GT(steps.size(), 1U);
  EXPECT_EQ(steps.front().beyond, 0);
  EXPECT_EQ(steps.back().choice.input.name, found().front.front().choice.input.name);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(steps[i].choice.score.price.si(), steps[i - 1].choice.score.price.si());
    }
    const double next = i + 1 < steps.size() ? steps[i + 1].beyond : 1;
    for (const FrontMember& m : found().front) {
      // Whatever is cheaper belongs to a later step.
      if (m.choice.score.price.si() < steps[i].choice.score.price.si()) {
        EXPECT_GT(m.choice.score.lost_share, found().least_lost + next - 0.001);
      }
    }
  }
}

TEST_F(Search, ScoresAreThoseOfTheFullComputation) {
  Scenario scenario = all_topologies();
  const Plan plan = make_plan(scenario);
  for (const FrontMember& m : found().front) {
    DesignInput input = m.choice.input;
    const NetworkAnswer full = answer_network(scenario, resolve_design(scenario, input), &plan);
    EXPECT_EQ(full.counts.chips, m.choice.chips) << input.name;
    EXPECT_NEAR(full.bill.price / m.choice.score.price, 1, 0.03) << input.name;
    EXPECT_NEAR(full.effect->shares.pipeline, m.choice.shares.pipeline, 1e-9) << input.name;
    EXPECT_NEAR(full.effect->shares.gradient, m.choice.shares.gradient, 1e-9) << input.name;
    EXPECT_NEAR(full.effect->exposed_share, m.choice.exposed_share, 1e-4) << input.name;
  }
}

TEST_F(Search, ExplainsItsNeighbours) {
  const FrontMember& best = found().front[found().best];
  EXPECT_FALSE(best.neighbours.empty());
  for (const NetworkNeighbour& n : best.neighbours) {
    EXPECT_FALSE(n.verdict.empty());
    const bool better = n.choice.score.dominates(best.choice.score) && !n.choice.input.name.empty() &&
                        !n.verdict.starts_with("does not carry");
    EXPECT_FALSE(better) << n.change;
  }
  const std::string text = network_search_text(found());
  EXPECT_NE(text.find("why not a step beside it"), std::string::npos);
  const Json json = Json::parse(network_search_json(found(), provenance_of(all_topologies())));
  EXPECT_EQ(json["front"].size(), found().front.size());
  ASSERT_EQ(json["requirements"].size(), 4U);
  for (const Json& r : json["requirements"]) {
    EXPECT_GE(r["carried"].get<double>(), r["least"].get<double>() - 1e-9) << r["key"];
    EXPECT_NE(text.find(r["title"].get<std::string>()), std::string::npos) << r["key"];
    EXPECT_EQ(r["binds"].get<bool>(), !r["without"].is_null()) << r["key"];
  }
  const std::string csv = network_search_csv(found());
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), found().front.size() + 1);
}

TEST(SearchOfTheMoe, GatewaysAndUnevenReplicasAreWeighedExactly) {
  // Two datacenters: gradients leave by gateways. The search's crossings are those of the full computation.
  ScenarioText text = ScenarioText::load("hotnets24-moe");
  text.set("facility.budget=$1B");
  text.set("model.name=llama3-70b");
  text.set("mapping.pipeline=4");
  text.set("mapping.tensor=8");
  text.set("optimize.planes=[1, 4]");
  text.set("optimize.oversubscription=[1, 2, 8]");
  const Scenario scenario = text.resolve();
  const Plan plan = make_plan(scenario);
  const NetworkSearch search = search_networks(scenario);
  for (const FrontMember& m : search.front) {
    const NetworkAnswer full = answer_network(scenario, resolve_design(scenario, m.choice.input), &plan);
    EXPECT_NEAR(full.effect->shares.pipeline, m.choice.shares.pipeline, 1e-9) << m.choice.input.name;
    EXPECT_NEAR(full.effect->shares.gradient, m.choice.shares.gradient, 1e-9) << m.choice.input.name;
  }
}

}  // namespace
}  // namespace trainyard
