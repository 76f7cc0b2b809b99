// Whole answers: against the figures that come with the grid of the United States, and on small grids.
#include "siting/siting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "grids.h"
#include "published_grid.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Scenario with(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

SitingPlan siting(const Grid& grid, const std::vector<std::string>& changes) {
  const Scenario scenario = with(changes);
  return plan_siting(scenario, plan_facility(scenario), grid);
}

TEST(Siting, TakesItsPowerFromTheFacility) {
  const Grid grid = parse_grid("g", triangle());
  EXPECT_NEAR(siting(grid, {}).power.count(), 23333 * 0.130 * 1.2 * 1.30, 1e-6);
  EXPECT_EQ(siting(grid, {"site.power=90 MW"}).power.count(), 90);
}

TEST(Siting, SparePowerIsAsTheSettingsSay) {
  const Grid grid = parse_grid("g", triangle());
  const auto used = [&](const std::vector<std::string>& changes) {
    std::map<std::string, std::optional<double>> out;
    std::vector<std::string> warnings;
    for (const SparePower& s : spare_power(grid, with(changes).site, warnings))
      out[s.code] = s.used ? std::optional(s.used->count()) : std::nullopt;
    return out;
  };
  EXPECT_EQ(used({})["AA"], 600);
  EXPECT_EQ(used({})["BB"], 0);                          // nothing published
  EXPECT_EQ(used({"site.spare=installed"})["AA"], 650);  // 900 + 300 - 550
  EXPECT_EQ(used({"site.spare=firm"})["AA"], 350);       // 900 - 550
  EXPECT_EQ(used({"site.spare=unlimited"})["BB"], std::nullopt);
  EXPECT_EQ(used({"site.available.BB=1.5 GW"})["BB"], 1500);
  EXPECT_THROW(used({"site.available.CC=1 GW"}), InputError);
}

TEST(Siting, AGridWithoutPublishedFiguresIsNotLimited) {
  const Grid grid = parse_grid("g", triangle_with("balancing_authorities.csv", "550,600", "550,"));
  const SitingPlan plan = siting(grid, {});
  EXPECT_FALSE(plan.authorities[0].used.has_value());
  EXPECT_FALSE(plan.warnings.empty());
}

/// Four gas plants, 300 km and more apart, each with a strong line to its neighbour.
Grid ring() {
  GridTexts texts;
  texts["plants.csv"] =
      grid_text("plants.csv",
                "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,ba_code,county_fips\n"
                "a1,A1,40,-100,500,gas,XX,a\na2,A2,40,-100,500,gas,XX,a\n"
                "b1,B1,44,-100,500,gas,YY,b\nb2,B2,44,-100,500,gas,YY,b\n"
                "c1,C1,44,-110,500,gas,YY,c\nc2,C2,44,-110,500,gas,YY,c\n");
  texts["substations.csv"] = grid_text("substations.csv",
                                       "node_id,state,lat_deg,lon_deg,peak_load_est_mw,interconnection\n"
                                       "a,P,40,-100,0,E\nb,Q,44,-100,0,E\nc,Q,44,-110,0,E\n");
  texts["lines.csv"] = grid_text("lines.csv", "from_node,to_node,capacity_fwd_mw\na,b,1000\nb,c,1000\n");
  texts["balancing_authorities.csv"] =
      grid_text("balancing_authorities.csv", "code,paper_available_mw\nXX,500\nYY,900\n");
  texts["states.csv"] =
      grid_text("states.csv", "state,industrial_price_usd_per_mwh,co2_kg_per_mwh\nP,80,100\nQ,40,300\n");
  return parse_grid("ring", texts);
}

TEST(Siting, OfASmallGridByHand) {
  const SitingPlan plan =
      siting(ring(), {"site.rule=paper", "site.power=700 MW", "site.sites=3", "facility.load=0.5"});
  // Each place leaves 1000 - 500 MW: none takes 700.
  EXPECT_EQ(plan.single_count, 0U);
  ASSERT_EQ(plan.splits.size(), 2U);
  const SplitResult& two = plan.splits[0];
  EXPECT_EQ(two.kept, 3U);
  EXPECT_EQ(two.feasible, 3U);  // b + c have 900 MW of their authority
  ASSERT_TRUE(two.chosen.has_value());
  const Split& best = two.splits[*two.chosen];
  // a and b are 4 degrees apart, 444.78 km; the cheap Q takes all it can, 500 MW.
  EXPECT_NEAR(best.pairs[0].distance.count(), 444.7803, 1e-3);
  EXPECT_NEAR(best.pairs[0].geodesic.count(), 444.28, 0.1);  // a degree of latitude is 111.07 km at 42 N
  EXPECT_NEAR(best.rtt.count(), 5.6627, 1e-3);
  std::map<std::string, double> power;
  for (const SplitSite& s : best.sites) power[plan.places[s.site].state] = s.power.count();
  EXPECT_NEAR(power["P"], 200, 1e-9);
  EXPECT_NEAR(power["Q"], 500, 1e-9);
  EXPECT_NEAR(best.cost.count(), (200 * 80 + 500 * 40) * 8760 * 0.5, 1e-3);
  EXPECT_NEAR(best.co2.count(), (200 * 0.1 + 500 * 0.3) * 8760 * 0.5, 1e-6);
  EXPECT_TRUE(best.joint->holds());
  std::int64_t domains = 0;
  for (const SplitSite& s : best.sites) domains += s.domains;
  EXPECT_EQ(domains, 23333);
  // Over three: 700 / 6 each at least; b and c share 900 MW.
  EXPECT_EQ(plan.splits[1].feasible, 1U);
}

TEST(Siting, OfTheShippedGridSaysThatItIsSmall) {
  const SitingPlan plan = siting(shipped_grid(), {"site.rule=paper"});
  EXPECT_TRUE(plan.shipped_grid);
  EXPECT_NE(plan.unknown.front().find("small grid"), std::string::npos);
  EXPECT_EQ(plan.single_count, 0U);
}

// Within 10 km no place of it has power to give, so that all are as good.
TEST(Siting, OfAGridInAnyOrderIsTheSame) {
  const Grid grid = shipped_grid();
  Grid turned = grid;
  std::reverse(turned.plants.begin(), turned.plants.end());
  const SitingPlan plan = siting(grid, {"site.rule=paper", "site.radii=[\"10 km\", \"25 km\", \"100 km\"]"});
  const SitingPlan other =
      siting(turned, {"site.rule=paper", "site.radii=[\"10 km\", \"25 km\", \"100 km\"]"});
  ASSERT_EQ(plan.radii.size(), other.radii.size());
  for (std::size_t i = 0; i < plan.radii.size(); ++i) {
    EXPECT_EQ(plan.radii[i].best->name, other.radii[i].best->name) << i;
    EXPECT_EQ(plan.radii[i].best->node.generation, other.radii[i].best->node.generation) << i;
  }
}

TEST(Siting, DoesNotCallPublishedWhatAnImportComputed) {
  Grid grid = ring();
  grid.authorities[0].published = Megawatts(700);
  const SitingPlan published = siting(grid, {"site.spare=published"});
  EXPECT_EQ(published.authorities.front().origin, "as published");
  grid.authorities[0].published_from = SpareFigure::hours;
  const SitingPlan computed = siting(grid, {"site.spare=published"});
  EXPECT_EQ(computed.authorities.front().origin, "from hours");
  EXPECT_EQ(computed.authorities.front().used, published.authorities.front().used);
  EXPECT_NE(computed.unknown, published.unknown);
}

TEST(Siting, OfEveryRuleAndSpreadAndGoalAnswers) {
  const Grid grid = ring();
  for (const char* rule : {"paper", "autonomous", "strict"}) {
    for (const char* spread : {"any", "authorities", "interconnections"}) {
      for (const char* goal : {"round_trip", "cost", "carbon"}) {
        const SitingPlan plan =
            siting(grid, {std::string("site.rule=") + rule, std::string("site.spread=") + spread,
                          std::string("site.goal=") + goal, "site.power=400 MW", "site.thin=false",
                          "site.spare=unlimited"});
        EXPECT_EQ(plan.splits.size(), 2U);
      }
    }
  }
}

bool is_fed(const Split& split) { return split.joint && split.joint->holds(); }

bool beats(const Split& a, const Split& b) {
  return a.rtt <= b.rtt && a.cost <= b.cost && a.co2 <= b.co2 &&
         (a.rtt < b.rtt || a.cost < b.cost || a.co2 < b.co2);
}

/// A split that the network does not feed is not on the front and keeps no other from it.
void expect_front_of_what_is_fed(const SplitResult& result) {
  for (const Split& split : result.splits) {
    const bool beaten = std::any_of(result.splits.begin(), result.splits.end(),
                                    [&](const Split& other) { return is_fed(other) && beats(other, split); });
    EXPECT_EQ(split.pareto, is_fed(split) && !beaten) << split.rtt.count() << " ms";
  }
}

TEST(Siting, TheFrontIsOfSplitsThatTheNetworkFeeds) {
  for (const Grid& grid : {ring(), shipped_grid()}) {
    for (const char* power : {"400 MW", "1000 MW", "3000 MW"}) {
      const SitingPlan plan =
          siting(grid, {std::string("site.power=") + power, "site.radius=150 km", "site.spare=unlimited",
                        "site.reserve=unit", "site.thin=false", "site.least_share=0.2"});
      for (const SplitResult& result : plan.splits) expect_front_of_what_is_fed(result);
    }
  }
}

TEST(Places, ASplitOverNamedPlaces) {
  const Grid grid = ring();
  const Scenario scenario = with({"site.rule=paper"});
  const PlacesPlan plan =
      examine_places(scenario, {}, grid, Megawatts(700), {{40, -100}, {44, -100}}, {Kilometres(25)});
  ASSERT_EQ(plan.places.size(), 2U);
  // 500 MW alone; from 444.78 km on with its neighbour 1500 MW, and the line to the third to fall back on.
  EXPECT_EQ(plan.places[0].least_paper_km, 445);
  ASSERT_TRUE(plan.split.has_value());
  EXPECT_NEAR((plan.split->sites[0].power + plan.split->sites[1].power).count(), 700, 1e-9);
  EXPECT_FALSE(examine_places(scenario, {}, grid, Megawatts(5000), {{40, -100}, {44, -100}}, {Kilometres(25)})
                   .split.has_value());
}

TEST(Siting, UnknownCarbonComesLast) {
  Grid grid = ring();
  for (GridState& state : grid.states) {
    if (state.code == "P") state.co2.reset();
  }
  const SitingPlan plan = siting(
      grid, {"site.rule=paper", "site.power=700 MW", "site.sites=2", "site.goal=carbon", "site.radii=[]"});
  const auto& splits = plan.splits.at(0).splits;
  ASSERT_EQ(splits.size(), 3U);
  EXPECT_TRUE(splits[0].co2_known);  // b and c, though a and b are nearer
  EXPECT_FALSE(splits[1].co2_known);
  EXPECT_FALSE(splits[2].co2_known);
  EXPECT_TRUE(std::any_of(plan.warnings.begin(), plan.warnings.end(),
                          [](const std::string& w) { return w.starts_with("site.goal = carbon"); }));
}

TEST(Places, OneThatCannotTakeThePowerSaysSo) {
  const Scenario scenario = with({"site.rule=paper"});
  const auto at = [&](double power_mw) {
    return examine_places(scenario, {}, ring(), Megawatts(power_mw), {{40, -100}}, {Kilometres(25)});
  };
  EXPECT_FALSE(at(500).unmet.has_value());  // 1000 - 500 MW
  ASSERT_TRUE(at(501).unmet.has_value());
  EXPECT_EQ(at(501).unmet->remedies.front(), "site.power = 500 MW");
  EXPECT_FALSE(at(0).unmet.has_value());  // none is asked
}

TEST(Places, OfCirclesThatOverlapAreNamed) {
  const auto warnings = [](double radius_km) {
    std::vector<std::string> out;
    for (const std::string& w : examine_places(with({}), {}, ring(), Megawatts(700),
                                               {{40, -100}, {44, -100}, {44, -110}}, {Kilometres(radius_km)})
                                    .warnings) {
      if (w.find("apart") != std::string::npos) out.push_back(w);
    }
    return out;
  };
  EXPECT_TRUE(warnings(222).empty());  // 444.78 km apart
  ASSERT_EQ(warnings(223).size(), 1U);
  EXPECT_NE(warnings(223).front().find("40,-100"), std::string::npos);
  EXPECT_NE(warnings(223).front().find("44,-100"), std::string::npos);
}

TEST(Siting, AReserveOfUnitsThatNoPlantHasIsAWarning) {
  const auto count = [](const Grid& grid) {
    const auto warnings = siting(grid, {"site.reserve=unit"}).warnings;
    return std::count_if(warnings.begin(), warnings.end(),
                         [](const std::string& w) { return w.starts_with("site.reserve"); });
  };
  Grid grid = ring();
  EXPECT_EQ(count(grid), 1);
  grid.plants[0].largest_unit = Megawatts(250);
  EXPECT_EQ(count(grid), 0);
}

// Findings that come with the grid of the United States (P = 4,160 MW, the paper's rule).
TEST(PublishedGrid, SinglePlacesByRadius) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const SitingPlan plan =
      siting(read_grid(published_grid_folder()), {"site.rule=paper", "site.power=4160 MW", "site.sites=1",
                                                  "site.radii=[\"10 km\", \"25 km\", \"50 km\"]"});
  const auto of = [&](std::size_t radius, const std::string& authority) {
    const auto& counts = plan.radii.at(radius).authorities;
    for (const auto& [code, count] : counts) {
      if (code == authority) return count;
    }
    return std::size_t{0};
  };
  EXPECT_EQ(plan.radii[0].places, 5974U);
  EXPECT_EQ(plan.radii[0].by_rule, 11U);
  EXPECT_EQ(of(0, "NYIS"), 11U);
  EXPECT_EQ(of(0, "PJM"), 0U);
  EXPECT_EQ(plan.radii[0].by_spare, 0U);  // "we couldn't find a single location"
  EXPECT_EQ(of(1, "PJM"), 40U);
  EXPECT_EQ(of(1, "CISO"), 31U);
  EXPECT_EQ(of(1, "NYIS"), 30U);
  EXPECT_EQ(of(2, "PJM"), 121U);
}

TEST(PublishedGrid, SplitsOverTwo) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const std::vector<std::string> paper = {"site.rule=paper", "site.power=4160 MW", "site.sites=2",
                                          "site.radii=[]"};
  const SplitResult any = siting(grid, paper).splits.at(0);
  EXPECT_EQ(any.kept, 25U);
  EXPECT_EQ(any.feasible, 129U);
  EXPECT_NEAR(any.splits[0].rtt.count(), 0.77, 0.01);
  EXPECT_NEAR(any.splits[0].joint->delivered.count(), 3410, 20);
  EXPECT_NEAR(any.splits[1].rtt.count(), 1.03, 0.01);
  EXPECT_EQ(any.chosen, 1U);
  EXPECT_FALSE(any.splits[0].pareto);  // the nearest pair, which is fed 3,410 of 4,160 MW
  EXPECT_TRUE(any.splits[1].pareto);
  expect_front_of_what_is_fed(any);
  auto coasts = paper;
  coasts.emplace_back("site.spread=interconnections");
  const SplitResult two = siting(grid, coasts).splits.at(0);
  EXPECT_EQ(two.feasible, 50U);
  EXPECT_NEAR(two.splits[0].rtt.count(), 28.93, 0.01);
  std::vector<double> power = {two.splits[0].sites[0].power.count(), two.splits[0].sites[1].power.count()};
  std::sort(power.begin(), power.end());
  EXPECT_NEAR(power[0], 2047, 0.5);
  EXPECT_NEAR(power[1], 2113, 0.5);
}

// "An equal Washington-Celilo split works for 4,160 MW but not for 4,710 (2,355 > BPAT's 2,143)."
TEST(PublishedGrid, WashingtonAndCelilo) {
  SKIP_WITHOUT_PUBLISHED_GRID();
  const Grid grid = read_grid(published_grid_folder());
  const Scenario scenario = with({"site.rule=paper", "site.least_share=0.5"});
  const std::vector<GeoPoint> places = {{38.89511, -77.03637}, {45.595, -121.115}};
  const PlacesPlan plan = examine_places(scenario, {}, grid, Megawatts(4160), places, {Kilometres(100)});
  EXPECT_NEAR(plan.pairs[0].distance.count(), 3656.1, 0.1);
  EXPECT_NEAR(plan.pairs[0].rtt.count(), 46.55, 0.01);
  ASSERT_TRUE(plan.split.has_value());
  EXPECT_TRUE(plan.split->joint->holds());
  EXPECT_FALSE(
      examine_places(scenario, {}, grid, Megawatts(4710), places, {Kilometres(100)}).split.has_value());
}

}  // namespace
}  // namespace trainyard
