// What a step's timeline warns of, and that it is silent at the limit and where a setting is used.
#include "step/timeline/warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

StageTimeline stage(std::int64_t number, double gigabytes, double up, double out, double wide) {
  StageTimeline s;
  s.stage = number;
  s.peak_memory = Bytes(gigabytes * 1e9);
  s.scale_up_share = up;
  s.scale_out_share = out;
  s.wide_area_share = wide;
  return s;
}

std::vector<std::string> overloads_of(const std::vector<StageTimeline>& stages) {
  MappingPlan mapping;
  mapping.device_memory = Bytes(80e9);
  return overloads(stages, mapping);
}

TEST(Overloads, AreBeyondWhatDevicesAndLinksHave) {
  EXPECT_TRUE(overloads_of({stage(0, 80, 1, 1, 1), stage(1, 79, 0.5, 0.5, 0.5)}).empty());
  const auto memory = overloads_of({stage(0, 80, 0, 0, 0), stage(1, 90, 0, 0, 0), stage(2, 85, 0, 0, 0)});
  ASSERT_EQ(memory.size(), 1U);
  EXPECT_EQ(memory[0].find("stage 1 holds 90.00 GB at once and a device has 80.00 GB: "), 0U) << memory[0];
  const auto links = overloads_of({stage(0, 1, 1.25, 0.5, 2), stage(1, 1, 1.5, 1.125, 1)});
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(links[0].find("stage 1 sends 150.0% of what its scale-up link carries"), 0U) << links[0];
  EXPECT_EQ(links[1].find("stage 1 sends 112.5% of what its scale-out link carries"), 0U) << links[1];
  EXPECT_EQ(links[2].find("stage 0 sends 200.0% of what its wide-area link carries"), 0U) << links[2];
}

/// Warnings of settings that change nothing, of a small step.
std::vector<std::string> without_effect(std::vector<std::string> changes) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  std::vector<std::string> all = {
      "model.layers=2",         "mapping.tensor=8",           "mapping.pipeline=2",
      "mapping.microbatches=4", "mapping.zero_stage=1",       "mapping.virtual_stages=1",
      "training.software=none", "training.batch_tokens=auto", "assumptions.compute_model=roofline"};
  all.insert(all.end(), changes.begin(), changes.end());
  for (const std::string& change : all) text.set(change);
  std::vector<std::string> out;
  for (const std::string& w : simulate_step(make_plan(text.resolve())).timeline.warnings)
    if (w.find("has no effect") != std::string::npos) out.push_back(w);
  return out;
}

TEST(SettingsWithoutEffect, AreNamedWithWhatWouldUseThem) {
  struct Case {
    std::vector<std::string> unused;
    std::vector<std::vector<std::string>> used;
    std::string says;
  };
  for (const Case& c : {
           Case{{"step.replicas=2"},
                {{"step.replicas=1"}, {"step.replicas=2", "step.jitter=0.1"}},
                "step.replicas has no effect: replicas are told apart by step.jitter"},
           Case{{"step.seed=7"},
                {{"step.seed=7", "step.jitter=0.1"}},
                "step.seed has no effect: there is no step.jitter"},
           Case{{"step.tensor_overlap=0.5", "mapping.tensor=1"},
                {{"step.tensor_overlap=0.5"}, {"step.tensor_overlap=0", "mapping.tensor=1"}},
                "step.tensor_overlap has no effect: there is no tensor parallelism"},
           Case{{"step.prefetch=2"},
                {{"step.prefetch=2", "mapping.zero_stage=3"}},
                "step.prefetch has no effect: weights are gathered under mapping.zero_stage = 3"},
           Case{{"step.gradient_bucket=1 GB", "step.gradient_overlap=beside_pass"},
                {{"step.gradient_bucket=1 GB"}},
                "step.gradient_bucket has no effect: gradients do not leave in pieces"},
       }) {
    EXPECT_EQ(without_effect(c.unused), std::vector<std::string>{c.says});
    for (const auto& used : c.used) EXPECT_EQ(without_effect(used), std::vector<std::string>{}) << c.says;
  }
}

}  // namespace
}  // namespace trainyard
