// Training over the splits of a grid: against the wide area's own answer for the same places, and by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "siting/grid_files.h"
#include "siting/siting.h"
#include "step/wide_area.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/site.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

Scenario with(const std::vector<std::string>& changes, const std::string& name = "hotnets24-moe") {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

std::shared_ptr<const SourceText> file(const std::string& name, const std::string& text) {
  return std::make_shared<const SourceText>(SourceText{name, text});
}

/// Four places in a row, 5 degrees of latitude apart, each of two plants and with a line to its neighbour;
/// the first is dear, the others get cheaper.
Grid row() {
  GridTexts texts;
  std::string plants = "plant_id,name,lat_deg,lon_deg,capacity_mw,primary_fuel,ba_code,county_fips\n";
  std::string nodes = "node_id,name,state,lat_deg,lon_deg,peak_load_est_mw,interconnection\n";
  std::string states = "state,industrial_price_usd_per_mwh,co2_kg_per_mwh\n";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    const std::string at = std::to_string(30 + 5 * i) + ",-100,";
    plants += "a" + n + ",A" + n + "," + at + "5000,gas,XX," + n + "\nb" + n + ",B" + n + "," + at +
              "5000,gas,XX," + n + "\n";
    nodes += n + ",N" + n + ",S" + n + "," + at + "0,E\n";
    states += "S" + n + "," + std::to_string(100 - 20 * i) + ",100\n";
  }
  texts["plants.csv"] = file("plants.csv", plants);
  texts["substations.csv"] = file("substations.csv", nodes);
  texts["states.csv"] = file("states.csv", states);
  texts["lines.csv"] = file("lines.csv", "from_node,to_node,capacity_fwd_mw\n0,1,9000\n1,2,9000\n2,3,9000\n");
  texts["balancing_authorities.csv"] = file("balancing_authorities.csv", "code\nXX\n");
  return parse_grid("row", texts);
}

SitingPlan sited(const Scenario& scenario, const Grid& grid) {
  return plan_sites(scenario, plan_facility(scenario), grid);
}

const std::vector<std::string> kTwo = {"site.sites=2",
                                       "site.power=4 GW",
                                       "site.rule=paper",
                                       "network.tail_loss_rtts=1",
                                       R"(network.wide_area_rate="2 Gbps")",
                                       "site.shown=50",
                                       "site.confirmed=50"};

std::vector<std::string> two(const std::vector<std::string>& more) {
  std::vector<std::string> out = kTwo;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(TrainingOverASplit, OfEqualSharesIsTheWideAreasOwn) {
  const SitingPlan plan = sited(with(two({"site.least_share=0.5"})), row());
  ASSERT_EQ(plan.splits.size(), 1U);
  ASSERT_EQ(plan.splits[0].splits.size(), 6U);
  for (const Split& split : plan.splits[0].splits) {
    std::string places;
    for (const SplitSite& part : split.sites) {
      const GeoPoint at = plan.places[part.site].node.at;
      places += (places.empty() ? "[" : ", [") + std::to_string(at.lat_deg) + ", " +
                std::to_string(at.lon_deg) + "]";
    }
    const Scenario same = with(two({"wide_area.sites=[" + places + "]", "wide_area.most_sites=2"}));
    const SitesPoint point = plan_wide_area(same).points.at(1);
    ASSERT_TRUE(split.training.has_value());
    EXPECT_NEAR(split.training->exchange_time.count(), point.time.si() * 1e3, 1e-6);
    EXPECT_NEAR(split.training->added_share, point.added_share, 1e-9);
    EXPECT_NEAR(split.training->step.si(), point.step.si(), 1e-6 * point.step.si());
    EXPECT_GT(split.training->added_share, 0);
  }
}

TEST(TrainingOverASplit, IsPlannedForItsOwnRoundTrip) {
  const std::vector<std::string> changes = {"site.sites=2", "site.rule=paper", "site.least_share=0.5",
                                            "site.power=4 GW"};
  const SitingPlan plan = sited(with(changes, "railonly23-gpt3"), row());
  ASSERT_EQ(plan.splits.at(0).splits.size(), 6U);
  for (const Split& split : plan.splits[0].splits) {
    Scenario same = with(changes, "railonly23-gpt3");
    same.facility.datacenters = 2;
    same.network.wide_area_rtt = as<Seconds>(split.rtt);
    const Plan own = make_plan(same);
    const SitesPoint point = sites_point(own, same.network.wide_area_rate);
    ASSERT_TRUE(split.training.has_value());
    EXPECT_NEAR(split.training->step.si(), point.step.si(), 1e-9 * point.step.si());
  }
}

TEST(TrainingOverASplit, CostsEnergyAtItsPlacesAndWearForAsLongAsItTakes) {
  const Scenario scenario = with(two({"site.fibre_price=1000"}));
  const SitingPlan plan = sited(scenario, row());
  ASSERT_TRUE(plan.one_site.has_value());
  Scenario alone = scenario;
  alone.facility.datacenters = 1;
  const Plan one = make_plan(alone);
  EXPECT_NEAR(plan.one_site->duration.count(), one.step.days_to_train.si() / 86400, 1e-6);
  // Of the plan, whatever power is divided.
  const double energy_usd = one.cost.energy_cost.si();
  const double larger = one.facility.power_high.si() / 4e9;
  EXPECT_NEAR(plan.one_site->energy.si(), energy_usd, 1e-6 * energy_usd);
  EXPECT_NEAR(plan.one_site->capital.si(), one.cost.capital_cost.si(), 1e-6 * one.cost.capital_cost.si());
  for (const Split& split : plan.splits[0].splits) {
    const TrainingRun& run = *split.training;
    const double years = run.duration.count() / 365;
    double usd_per_hour = 0;
    for (const SplitSite& part : split.sites)
      usd_per_hour += part.power.count() * plan.places[part.site].price->count() * scenario.facility.load;
    EXPECT_NEAR(run.energy.si(), larger * usd_per_hour * 24 * run.duration.count(), 1e-6 * run.energy.si());
    EXPECT_NEAR(run.fibre.si(), split.fibre_cost.count() * years, 1e-6 * run.fibre.si());
    EXPECT_GT(run.fibre.si(), 0);
    EXPECT_NEAR(run.capital / run.duration / (one.cost.capital_cost / plan.one_site->duration), 1, 1e-6);
    EXPECT_NEAR(run.added_duration / run.duration, run.added_share, 1e-9);
  }
}

TEST(TrainingOverASplit, IsWhatItsGoalsOrderBy) {
  const auto sorted_by = [](const SitingPlan& plan, const auto& value) {
    const auto& splits = plan.splits[0].splits;
    return std::is_sorted(splits.begin(), splits.end(), [&](const Split& a, const Split& b) {
      return value(*a.training) < value(*b.training) * (1 - 1e-9);
    });
  };
  const Grid grid = row();
  EXPECT_TRUE(sorted_by(sited(with(two({"site.goal=training_time"})), grid),
                        [](const TrainingRun& r) { return r.duration.count(); }));
  EXPECT_TRUE(sorted_by(sited(with(two({"site.goal=training_cost"})), grid),
                        [](const TrainingRun& r) { return r.cost().si(); }));
  // The cheapest energy is at the far end, and even shares need half the capacity of uneven ones.
  const SitingPlan even = sited(with(two({"site.least_share=0.5"})), grid);
  const SitingPlan uneven = sited(with(two({"site.least_share=0.1"})), grid);
  EXPECT_NEAR(
      *uneven.splits[0].splits[0].training->hiding_rate / *even.splits[0].splits[0].training->hiding_rate, 5,
      1e-6);
}

TEST(TrainingOverASplit, IsLeftOutWithAReasonWhereThereIsNoPlan) {
  // A few racks do not hold one copy of the model.
  const std::vector<std::string> changes = two({"facility.budget=\"$30M\""});
  const SitingPlan plan = sited(with(changes), row());
  EXPECT_FALSE(plan.one_site.has_value());
  ASSERT_FALSE(plan.splits[0].splits.empty());
  EXPECT_FALSE(plan.splits[0].splits[0].training.has_value());
  EXPECT_TRUE(std::any_of(plan.warnings.begin(), plan.warnings.end(), [](const std::string& w) {
    return w.find("no time of training") != std::string::npos;
  }));
  std::vector<std::string> wanted = changes;
  wanted.emplace_back("site.goal=training_time");
  EXPECT_THROW(sited(with(wanted), row()), Infeasible);
}

TEST(TrainingOverASplit, OfAnotherPowerIsThePlansOwn) {
  const auto warns = [](const SitingPlan& plan) {
    return std::any_of(plan.warnings.begin(), plan.warnings.end(), [](const std::string& warning) {
      return warning.find("training is the whole plan's") != std::string::npos;
    });
  };
  const SitingPlan own = sited(with({"site.sites=2", "site.rule=paper"}), row());
  const SitingPlan small = sited(with({"site.sites=2", "site.rule=paper", "site.power=1 MW"}), row());
  ASSERT_TRUE(own.one_site && small.one_site);
  EXPECT_FALSE(warns(own));
  EXPECT_TRUE(warns(small));
  EXPECT_EQ(small.one_site->duration, own.one_site->duration);
  EXPECT_EQ(small.one_site->energy, own.one_site->energy);
  EXPECT_EQ(small.one_site->capital, own.one_site->capital);
}

TEST(TrainingOverASplit, OfPlacesThatWereNamed) {
  const Scenario scenario = with(two({}));
  const PlacesPlan plan = plan_places(scenario, plan_facility(scenario), row(), Megawatts(4000),
                                      {{30, -100}, {35, -100}}, {Kilometres(25)});
  ASSERT_TRUE(plan.split.has_value());
  ASSERT_TRUE(plan.split->training.has_value());
  EXPECT_GT(plan.split->training->duration, plan.one_site->duration);
  EXPECT_GT(plan.split->cost.count(), 0);
  EXPECT_GT(plan.split->sites[0].domains, 0);
}

TEST(Unmet, SaysWhatIsMissingAndWhatWouldHold) {
  const Scenario scenario = with({"site.power=60 GW", "site.rule=paper", "site.sites=2"});
  const SitingPlan plan = sited(scenario, row());
  ASSERT_TRUE(plan.unmet.has_value());
  EXPECT_NE(plan.unmet->shortfall.find("one place gives at most 5000 MW"), std::string::npos);
  // Two places leave 5 GW each, and 2 x 5 of the 10 GW of their plants by flow.
  const auto power = std::find_if(plan.unmet->remedies.begin(), plan.unmet->remedies.end(),
                                  [](const std::string& r) { return r.starts_with("site.power = "); });
  ASSERT_NE(power, plan.unmet->remedies.end());
  const double mw = std::stod(power->substr(13));
  EXPECT_LE(mw, 10000);
  EXPECT_GT(mw, 10000 - 60000.0 / 64 - 1);
  EXPECT_FALSE(
      sited(with({"site.power=" + std::to_string(mw) + " MW", "site.rule=paper", "site.sites=2"}), row())
          .unmet.has_value());
}

}  // namespace
}  // namespace trainyard
