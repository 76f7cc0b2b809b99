// Network designs as text, JSON, CSV and drawings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/network_drawing.h"
#include "report/network_search_text.h"
#include "report/network_text.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

const Scenario& all_topologies() {
  static const Scenario scenario = ScenarioText::load("topologies").resolve();
  return scenario;
}

const std::vector<NetworkAnswer>& answers() {
  static const std::vector<NetworkAnswer> all = answer_networks(all_topologies());
  return all;
}

TEST(Networks, EveryTopologyOfTheRegistryIsShown) {
  for (const Topology& topology : topologies()) {
    const bool shown = std::any_of(answers().begin(), answers().end(), [&](const NetworkAnswer& a) {
      return a.design.input.topology == topology.kind;
    });
    EXPECT_TRUE(shown) << static_cast<int>(topology.kind);
  }
}

TEST(Networks, TextHasAColumnForEachDesign) {
  const std::string text = networks_text(answers());
  for (const NetworkAnswer& a : answers()) EXPECT_NE(text.find(a.design.input.name), std::string::npos);
}

TEST(Networks, JsonAndCsvHoldTheSameNumbers) {
  const Json json = Json::parse(networks_json(answers(), provenance_of(all_topologies())));
  ASSERT_EQ(json["designs"].size(), answers().size());
  for (std::size_t i = 0; i < answers().size(); ++i) {
    const Json& design = json["designs"][i];
    EXPECT_EQ(design["name"], answers()[i].design.input.name);
    EXPECT_EQ(design["switches"], answers()[i].counts.chips);
    EXPECT_NEAR(design["price_usd"].get<double>(), answers()[i].bill.price.si(), 1);
    double sum = 0;
    for (const Json& line : design["bill"]) sum += line["price_usd"].get<double>();
    EXPECT_NEAR(sum, design["price_usd"].get<double>(), 1e-6 * sum + 1e-6);
  }
  const std::string csv = networks_csv(answers());
  EXPECT_NE(csv.find("fat_tree,switches,320\n"), std::string::npos);
}

TEST(Networks, AFullyProvisionedNetworkDoesNotSlowTraining) {
  const double least = answers().front().effect->exposed_share;
  for (const NetworkAnswer& a : answers()) {
    if (!a.effect) continue;
    EXPECT_GE(a.effect->exposed_share, least - 1e-12) << a.design.input.name;
    const bool full_tree = a.design.fabric->clos() && a.counts.bisection_share > 0.999;
    if (full_tree) {
      EXPECT_NEAR(a.effect->exposed_share, least, 1e-12) << a.design.input.name;
    }
  }
}

TEST(Networks, DrawingsShowEveryDesign) {
  std::vector<NetworkDesign> designs;
  for (const NetworkAnswer& a : answers()) designs.push_back(a.design);
  const std::string svg = networks_svg(designs);
  for (const NetworkDesign& d : designs)
    EXPECT_NE(svg.find(d.input.title), std::string::npos) << d.input.title;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Networks, DotHasALineForEachNodeAndLink) {
  const NetworkDesign& design = answers().back().design;  // a rack
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  const std::string dot = network_dot(design);
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (auto at = dot.find(what); at != std::string::npos; at = dot.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(" -- "), graph.links.size());
  EXPECT_EQ(count("[label="), graph.nodes);
}

TEST(Networks, LoadsAreWrittenAlike) {
  const NetworkDesign& design = answers().front().design;
  const std::vector<TrafficAnswer> loads = {
      {design.input.name, "ring", "", load_of(design, named_traffic(design, "ring", Bytes(1e6), 1))}};
  const Json json = Json::parse(loads_json(loads, provenance_of(all_topologies())));
  EXPECT_EQ(json["loads"][0]["links"].size(), loads[0].load.links.size());
  EXPECT_NE(loads_text(loads).find("takes at least"), std::string::npos);
  EXPECT_NE(loads_csv(loads).find("fat-tree,ring,host to leaf"), std::string::npos);
}

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

TEST_F(Search, TheBestDoesNotSlowTrainingAndIsTheCheapestSuch) {
  const NetworkScore& best = found().front[found().best].choice.score;
  EXPECT_EQ(best.exposed_share, found().least_exposed);
  for (const FrontMember& m : found().front) {
    if (m.choice.score.exposed_share == found().least_exposed) {
      EXPECT_GE(m.choice.score.price.si(), best.price.si());
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
    EXPECT_NEAR(full.effect->exposed_share, m.choice.score.exposed_share, 1e-4) << input.name;
  }
}

TEST_F(Search, ExplainsItsNeighbours) {
  const FrontMember& best = found().front[found().best];
  EXPECT_FALSE(best.neighbours.empty());
  for (const NetworkNeighbour& n : best.neighbours) {
    EXPECT_FALSE(n.verdict.empty());
    const bool better = n.choice.score.dominates(best.choice.score) && !n.choice.input.name.empty();
    EXPECT_FALSE(better) << n.change;
  }
  const std::string text = network_search_text(found());
  EXPECT_NE(text.find("why not a step beside it"), std::string::npos);
  const Json json = Json::parse(network_search_json(found(), provenance_of(all_topologies())));
  EXPECT_EQ(json["front"].size(), found().front.size());
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
