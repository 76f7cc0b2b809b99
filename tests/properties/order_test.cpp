// The order of keys and sections, and whether a setting stands in the text or in `--set`, do not matter.
#include <gtest/gtest.h>

#include "drawn_training.h"
#include "draws.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/plan.h"
#include "trainyard/report/step.h"
#include "trainyard/step.h"

namespace trainyard::properties {
namespace {

TEST(Order, OfKeysChangesNoDigitOfAPlanOrAStep) {
  for_all({40}, draw_training, make_plan, [](const Draft& draft, const Plan& plan, Dice& dice) {
    const Plan other = make_plan(Draft::parsed(draft.reordered(dice)).resolve());
    EXPECT_EQ(scenario_hash(other.scenario), scenario_hash(plan.scenario));
    EXPECT_EQ(plan_json(other), plan_json(plan));
    EXPECT_EQ(step_json(simulate_step(other), other), step_json(simulate_step(plan), plan));
  });
}

TEST(Order, OfSetsChangesNothingEither) {
  for_all({6}, draw_training, make_plan, [](const Draft& draft, const Plan& plan, Dice& dice) {
    const Scenario other = draft.set_one_by_one(dice);
    EXPECT_EQ(scenario_hash(other), scenario_hash(plan.scenario));
    EXPECT_EQ(plan_json(make_plan(other)), plan_json(plan));
  });
}

}  // namespace
}  // namespace trainyard::properties
