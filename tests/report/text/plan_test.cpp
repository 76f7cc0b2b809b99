#include "trainyard/report/plan.h"

#include <gtest/gtest.h>

#include "report/data/show.h"
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

TEST(PlanText, ShowsDaysWithFailuresBesideIdealOnes) {
  const auto told = [](const char* name) { return plan_text(make_plan(ScenarioText::load(name).resolve())); };
  const std::string usual = told("llama3-405b");
  EXPECT_NE(usual.find("of the time is useful at default rates (`trainyard goodput`)"), std::string::npos)
      << usual;
  const std::string own = told("llama3-405b-months");
  EXPECT_NE(own.find("% of the time is useful (`trainyard goodput`)"), std::string::npos) << own;
  EXPECT_NE(plan_text(dense_plan()).find("training does not end"), std::string::npos);
  ScenarioText text = ScenarioText::load("llama3-405b-months");
  for (const char* change : {"resilience.crews=5", "resilience.spares=30", "training.tokens=5e11"})
    text.set(change);
  EXPECT_NE(plan_text(make_plan(text.resolve())).find("is useful, until servers run out (`trainyard"),
            std::string::npos);
  text.set("training.tokens=5e12");
  EXPECT_NE(plan_text(make_plan(text.resolve())).find("some may never end (`trainyard"), std::string::npos);
}

TEST(PlanText, SaysWhatPassesWaitForTheHost) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  EXPECT_EQ(plan_text(make_plan(text.resolve())).find("passes wait"), std::string::npos);
  for (const char* change : {"mapping.offload_activations=true", "network.host_rate=1 GB/s"})
    text.set(change);
  const Plan plan = make_plan(text.resolve());
  EXPECT_NE(
      plan_text(plan).find("passes wait " + show(plan.step.offload_exposed_step * plan.step.straggling)),
      std::string::npos);
}

TEST(PlanText, NamesWhatSavesMemory) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const char* change : {"mapping.recompute_modules=[\"mlp\", \"layernorm\"]", "mapping.zero_stage=2",
                             "mapping.offload_layers=63", "mapping.zero_group=8", "training.software=fsdp"})
    text.set(change);
  const std::string told = plan_text(make_plan(text.resolve()));
  EXPECT_NE(told.find("ZeRO stage 2 in groups of 8 replicas, recomputation of mlp, layernorm\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("in host memory"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
