#include "trainyard/quantities.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "formula.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/plan.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const ShippedScenario& scenario : shipped_scenarios()) {
    if (!scenario.leaves_free) names.push_back(scenario.name);
  }
  return names;
}

class ShippedPlan : public testing::TestWithParam<std::string> {
 protected:
  Plan plan_ = make_plan(ScenarioText::load(GetParam()).resolve());
  std::vector<PlanQuantity> quantities_ = plan_quantities(plan_);
};

TEST_P(ShippedPlan, EveryFormulaGivesItsQuantity) {
  int checked = 0;
  for (const PlanQuantity& q : quantities_) {
    if (q.formula.empty() || !q.known) continue;
    const double value = test::Formula(q.formula, [&](const std::string& key) {
                           return find_quantity(quantities_, key).value;
                         }).value();
    EXPECT_NEAR(value, q.value, 1e-9 * std::abs(q.value) + 1e-15) << q.key << " = " << q.formula;
    ++checked;
  }
  EXPECT_GT(checked, 40);
}

TEST_P(ShippedPlan, KeysAreUniqueAndCarryTheirUnit) {
  std::set<std::string> keys;
  for (const PlanQuantity& q : quantities_) {
    EXPECT_TRUE(keys.insert(q.key).second) << q.key;
    EXPECT_TRUE(q.key.ends_with(unit_suffix(q.unit))) << q.key;
    EXPECT_FALSE(q.label.empty()) << q.key;
    EXPECT_TRUE(std::isfinite(q.value)) << q.key;
  }
}

TEST_P(ShippedPlan, EveryQuantityCanBeExplained) {
  for (const PlanQuantity& q : quantities_)
    EXPECT_NE(explain(quantities_, q.key).find(q.key), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedPlan, testing::ValuesIn(shipped_names()), [](const auto& param) {
  std::string name = param.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// A formula that does not hold is left out, not shown.
TEST(Formulas, HoldForEveryCollectiveAndLatency) {
  for (const char* algorithm : {"ring", "tree", "halving_doubling", "in_network", "best"}) {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* key : {"assumptions.all_reduce=", "assumptions.exchange_in_domain=",
                            "assumptions.exchange_between_domains="})
      text.set(std::string(key) + algorithm);
    text.set("network.scale_up_latency=3 us");
    text.set("network.scale_out_latency=10 us");
    const auto quantities = plan_quantities(make_plan(text.resolve()));
    for (const PlanQuantity& q : quantities) {
      if (q.formula.empty() || !q.known) continue;
      const auto of = [&](const std::string& key) { return find_quantity(quantities, key).value; };
      EXPECT_NEAR(test::Formula(q.formula, of).value(), q.value, 1e-9 * std::abs(q.value) + 1e-15)
          << q.key << " = " << q.formula << " with " << algorithm;
    }
  }
}

TEST(Explain, FillsTheNumbersIn) {
  const Plan plan = make_plan(ScenarioText::load("hotnets24-dense").resolve());
  const std::string text = explain(plan_quantities(plan), "facility.power_it_w");
  EXPECT_NE(text.find("facility.power_compute_w + facility.power_overhead_w"), std::string::npos) << text;
  EXPECT_NE(text.find("3.033 GW + 606.7 MW"), std::string::npos) << text;
  EXPECT_NE(text.find("HotNets '24 section 2"), std::string::npos) << text;
}

TEST(Explain, SaysWhatIsNotKnown) {
  ScenarioText text = ScenarioText::load("llama3-405b-months");
  text.set("resilience.spares=0");
  const Plan plan = make_plan(text.resolve());
  const std::string told = explain(plan_quantities(plan), "step.calendar_time_s");
  EXPECT_NE(told.find("step.calendar_time_s = unknown\n"), std::string::npos) << told;
  EXPECT_TRUE(std::isnan(read_quantity_value(plan, "step.calendar_time_s")));
}

TEST(Explain, DaysWithFailuresAreThoseOfEveryPlan) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  const Plan plan = make_plan(text.resolve());
  const auto by_default = plan_quantities(plan);
  const double days = find_quantity(by_default, "step.calendar_time_s").value;
  EXPECT_GT(days, plan.step.days_to_train.si());
  EXPECT_NE(find_quantity(by_default, "step.useful_share").how.find("default rates"), std::string::npos);
  EXPECT_NE(plan_csv(plan).find("step.calendar_time_s,"), std::string::npos);
  // The same settings, written.
  text.set("resilience.failures=default");
  const auto written = plan_quantities(make_plan(text.resolve()));
  EXPECT_EQ(find_quantity(written, "step.calendar_time_s").value, days);
  EXPECT_EQ(find_quantity(written, "step.useful_share").how, "");
}

TEST(Explain, DaysWithFailuresAreUnknownWherePartsCannotBeCounted) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("network.scale_out_rate=1.6 Tbps");  // no switch has such ports
  const Plan plan = make_plan(text.resolve());
  EXPECT_FALSE(find_quantity(plan_quantities(plan), "step.useful_share").known);
  EXPECT_TRUE(std::isnan(read_quantity_value(plan, "step.calendar_time_s")));
  EXPECT_NE(plan_text(plan).find("with failures  unknown"), std::string::npos);
  EXPECT_GT(read_quantity_value(plan, "step.mfu"), 0);
}

TEST(Explain, TakesANameWithoutSectionAndUnitWhereOnlyOneFits) {
  const auto quantities = plan_quantities(make_plan(ScenarioText::load("hotnets24-dense").resolve()));
  EXPECT_EQ(find_quantity(quantities, "mfu").key, "step.mfu");
  EXPECT_EQ(find_quantity(quantities, "forward").key, "step.forward_s");
  EXPECT_THROW(find_quantity(quantities, "parameters"), InputError);  // of the model, and of the scaling law
}

TEST(Explain, NamesTheNearestQuantity) {
  const Plan plan = make_plan(ScenarioText::load("hotnets24-dense").resolve());
  try {
    explain(plan_quantities(plan), "step.exposd_share");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.findings().front().help.find("step.exposed_share"), std::string::npos);
  }
}

}  // namespace
}  // namespace trainyard
