#include "step/timeline/awaited_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

std::array<double, 7> seconds_in(const ExposedTimes& t) {
  return {t.tensor.si(),  t.context.si(),  t.pipeline.si(), t.expert.si(),
          t.weights.si(), t.gradient.si(), t.offload.si()};
}

/// Every chain summed with the others is what it is alone, from the beginning and to the end of the step.
void expect_equal_sums(const StepSimulation& step) {
  const StepModel& model = step.detail->model;
  const Execution& run = step.detail->execution;
  AwaitedChains chains(model, run);
  const auto operations = static_cast<OperationId>(model.graph.size());
  const OperationId stride = std::max<OperationId>(1, operations / 1000);
  const auto found = std::find(run.finish.begin(), run.finish.end(), run.end);
  const auto last = static_cast<OperationId>(found - run.finish.begin());
  for (OperationId id = 0; id < operations; id += stride) {
    EXPECT_EQ(seconds_in(chains.transfers_until(id)), seconds_in(awaited_transfers(model, run, id, 0))) << id;
    const StepTime from = run.finish[id];
    if (from == run.end) continue;
    EXPECT_EQ(seconds_in(chains.transfers_to_the_end(from)),
              seconds_in(awaited_transfers(model, run, last, from)))
        << id;
  }
}

TEST(AwaitedChains, AreTheSumsOfEachAlone) {
  const std::vector<std::vector<std::string>> changes = {
      {},
      {"step.replicas=3", "step.jitter=0.05"},
      {"straggler=[{stage=1, slowdown=1.5}]"},
      {"step_failure=[{stage=0, what=\"scale_out\", lost=0.5, replicas=1}]"},
      {"step_failure=[{stage=1, what=\"device\", from=\"50 ms\", until=\"120 ms\"}]"},
  };
  for (const char* name : {"megatron-175b", "llama3-405b"}) {
    for (const std::vector<std::string>& change : changes) {
      ScenarioText text = ScenarioText::load(name);
      for (const std::string& setting : change) text.set(setting);
      expect_equal_sums(simulate_step(make_plan(text.resolve())));
    }
  }
}

}  // namespace
}  // namespace trainyard
