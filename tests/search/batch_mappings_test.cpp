// The best of all mappings of a batch beside a loop over plans.
#include "search/batch_mappings.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

ScenarioText scenario() {
  return ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml",
      "[facility]\ndevices = 32\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[mapping]\n"
      "tensor = 2\npipeline = 2\ndata = 8\ncontext = 1\nvirtual_stages = 1\nmicrobatch = 1\n"
      "microbatches = 8\nzero_stage = 1\nrecompute = \"full\"\nexpert = 1\n"}));
}

std::optional<Seconds> step_of(int tensor, int pipeline, int microbatch, int zero, const char* recompute) {
  const int data = 32 / (tensor * pipeline);
  if (64 % (data * microbatch) != 0) return std::nullopt;
  ScenarioText text = scenario();
  for (const auto& [key, value] : {std::pair{"tensor", tensor},
                                   {"pipeline", pipeline},
                                   {"data", data},
                                   {"microbatch", microbatch},
                                   {"microbatches", 64 / (data * microbatch)},
                                   {"zero_stage", zero}})
    text.set(std::string("mapping.") + key + "=" + std::to_string(value));
  text.set(std::string("mapping.recompute=\"") + recompute + "\"");
  try {
    return make_plan(text.resolve()).step.step;
  } catch (const Infeasible&) {
    return std::nullopt;
  }
}

TEST(BatchMappings, AreNoSlowerThanAnyPlanOfTheBatch) {
  const Plan plan = make_plan(scenario().resolve());
  const BatchMappings found = best_of_batch(plan.scenario, plan.facility, plan.model, {64, 32});
  ASSERT_TRUE(found.best.has_value());
  EXPECT_GT(found.tried, found.fitting);
  EXPECT_LT(found.step, plan.step.step);
  for (const int tensor : {1, 2, 4, 8}) {
    for (const int pipeline : {1, 2, 4}) {
      for (const int microbatch : {1, 2, 4}) {
        for (const char* recompute : {"none", "selective", "full"}) {
          const auto step = step_of(tensor, pipeline, microbatch, 1, recompute);
          if (!step) continue;
          EXPECT_LE(found.step, *step) << tensor << " " << pipeline << " " << microbatch;
        }
      }
    }
  }
}

TEST(BatchMappings, TheBestIsAPlanOfTheSameTime) {
  const Plan plan = make_plan(scenario().resolve());
  const BatchMappings found = best_of_batch(plan.scenario, plan.facility, plan.model, {64, 32});
  Scenario best = plan.scenario;
  best.mapping = *found.best;
  const Plan again = make_plan(best);
  EXPECT_EQ(again.step.step, found.step);
  EXPECT_EQ(again.mapping.batch_sequences, 64);
  EXPECT_EQ(again.mapping.devices_used, 32);
}

TEST(BatchMappings, HoldWhatAProgramDoesNotOffer) {
  ScenarioText text = scenario();
  text.set("training.software=\"megatron-2021\"");
  text.set("mapping.zero_stage=0");
  text.set("mapping.sequence_parallel=false");
  const Plan plan = make_plan(text.resolve());
  const BatchMappings found = best_of_batch(plan.scenario, plan.facility, plan.model, {64, 32});
  EXPECT_EQ(found.best->zero_stage, 0);
  EXPECT_NE(found.best->recompute, Recompute::selective);
  const BatchMappings held = best_of_batch(plan.scenario, plan.facility, plan.model, {64, 32, true});
  EXPECT_EQ(held.best->recompute, Recompute::full);
  EXPECT_GE(held.step, found.step);
}

}  // namespace
}  // namespace trainyard
