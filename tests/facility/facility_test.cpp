#include "trainyard/facility.h"

#include <gtest/gtest.h>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Scenario with(std::vector<std::string> changes) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

// HotNets '24 section 2, by hand: floor(70e9 / 3e6) racks of 72 at 130 kW, a fifth more for storage and
// network.
TEST(Facility, BuysThePapersDatacenter) {
  const FacilityPlan f = plan_facility(with({}));
  EXPECT_EQ(f.domains, 23333);
  EXPECT_EQ(f.devices, 23333 * 72);
  EXPECT_DOUBLE_EQ(f.power_compute.si(), 23333 * 130e3);
  EXPECT_DOUBLE_EQ(f.power_it.si(), 23333 * 130e3 * 1.2);
  EXPECT_DOUBLE_EQ(f.power_high.si(), 23333 * 130e3 * 1.2 * 1.30);
  EXPECT_DOUBLE_EQ((*f.dense.at(Precision::fp4)).si(), 23333 * 72 * 10e15);
}

Scenario started_from(const std::string& start) {
  return ScenarioText::parse(
             std::make_shared<const SourceText>(SourceText{
                 "test.toml",
                 "[facility]\n" + start + "\nhb_domain = \"nvl72-gb200\"\n[model]\nname = \"llama3-8b\"\n"}))
      .resolve();
}

TEST(Facility, APowerLimitHoldsAtTheHigherPue) {
  const FacilityPlan f = plan_facility(started_from("power_limit = \"100 MW\""));
  EXPECT_LE(f.power_high.si(), 100e6);
  EXPECT_GT(f.power_high.si() * 494 / 493, 100e6);
  EXPECT_EQ(f.domains, 493);  // floor(100e6 / (130e3 x 1.2 x 1.3))
}

TEST(Facility, DevicesAreRoundedUpToWholeDomains) {
  EXPECT_EQ(plan_facility(started_from("devices = 73")).domains, 2);
  EXPECT_EQ(plan_facility(started_from("devices = 72")).domains, 1);
}

TEST(Facility, WithoutMoneyForOneDomainSaysHowMuchIsNeeded) {
  try {
    plan_facility(with({"facility.budget=$4M"}));
    FAIL();
  } catch (const Infeasible& answer) {
    EXPECT_EQ(answer.constraint, "facility.budget");
    EXPECT_NE(answer.remedy.find("$4.286M"), std::string::npos) << answer.remedy;  // 3e6 / 0.7
  }
}

TEST(Cost, IsEnergyTimesPriceAndDepreciation) {
  const Scenario s = with({"facility.electricity_price=0.1 $/kWh", "facility.depreciation=1 years"});
  const FacilityPlan f = plan_facility(s);
  const CostPlan c = plan_cost(s, f, Seconds(86400), 1e6);
  EXPECT_NEAR(c.energy_cost.si(), f.power_high.si() / 1e3 * 24 * 0.1, 1);
  EXPECT_NEAR(c.capital_cost.si(), 100e9 / 365, 1);
  EXPECT_DOUBLE_EQ(c.per_million_tokens.si(), c.run_cost.si());
}

}  // namespace
}  // namespace trainyard
