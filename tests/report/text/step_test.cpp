#include "trainyard/report/step.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../simulated_step.h"
#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

TEST(StepText, EndsWithWarningsAsJsonAndPageHaveThem) {
  ScenarioText text = ScenarioText::load("deepseek-v3");
  text.set("assumptions.compute_model=calibrated");
  text.set("facility.hb_domain=nvl576");
  const Plan plan = make_plan(text.resolve());
  const StepSimulation step = simulate_step(plan);
  const std::string words = "nothing was measured on the";
  EXPECT_NE(step_text(step, plan, Seconds(0)).find("\nwarning: " + words), std::string::npos);
  EXPECT_NE(step_json(step, plan).find(words), std::string::npos);
  EXPECT_NE(step_page(step, plan).find("<p class=\"warning\">" + words), std::string::npos);
}

TEST(StepText, ShowsEachStage) {
  const std::string text = step_text(small().step, small().plan, Seconds(0));
  EXPECT_NE(text.find("schedule 1f1b, 6 stages, 18 microbatches, analytic network"), std::string::npos);
  EXPECT_NE(text.find("   5     .."), std::string::npos);  // the last stage begins late
  EXPECT_NE(text.find("   busy          compute "), std::string::npos);
  EXPECT_NE(text.find("   memory of a device, in tenths of "), std::string::npos);
  EXPECT_NE(text.find("   stage 0   "), std::string::npos);
}

TEST(FailingStepText, SaysWhatFailsAndWhatItCosts) {
  const std::string text = step_text(failing().step, failing().plan, Seconds(0));
  EXPECT_NE(text.find("stage 2 of 1 replica, device gone from 2.000 s to 5.000 s"), std::string::npos)
      << text;
  EXPECT_NE(text.find("stopped +"), std::string::npos) << text;
  EXPECT_NE(text.find("2 x1 "), std::string::npos) << text;
  EXPECT_NE(text.find("warning: step.replicas has no effect"), std::string::npos) << text;
}

}  // namespace
}  // namespace trainyard
