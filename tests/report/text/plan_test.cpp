#include "trainyard/report/plan.h"

#include <gtest/gtest.h>

#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Plan dense_plan() { return make_plan(ScenarioText::load("hotnets24-dense").resolve()); }

TEST(PlanText, TellsTheStoryInOrderOnTwoScreens) {
  const std::string text = plan_text(dense_plan());
  std::size_t at = 0;
  for (const char* section : {"Infrastructure", "Scaling laws", "Model", "Mapping and memory",
                              "Communication", "Step time", "Cost of the training run"}) {
    const std::size_t found = text.find(section, at);
    ASSERT_NE(found, std::string::npos) << section;
    at = found;
  }
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 80);
}

}  // namespace
}  // namespace trainyard
