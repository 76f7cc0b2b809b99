// Parts of what a step waits for, beside what each of its microbatches waits for.
#include "cost/exposed_parts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "trainyard/plan/mapping.h"
#include "trainyard/plan/step.h"

namespace trainyard {
namespace {

double drawn(int most = 1000) { return static_cast<double>(*rc::gen::inRange(0, most)) * 1e-3; }

/// Microbatches go at a pace of which transfers are a part, and so does what fills and drains: no second is
/// counted twice or lost, whichever part it is told under.
RC_GTEST_PROP(ExposedParts, AndIdlingAreAllThatIsNotComputing, ()) {
  MappingPlan m;
  m.layers_per_stage = *rc::gen::inRange(1, 20);
  m.microbatches = *rc::gen::inRange(1, 64);
  const auto layers = static_cast<double>(m.layers_per_stage);
  const auto microbatches = static_cast<double>(m.microbatches);
  StepTimes step;
  step.exposed_tensor = Seconds(drawn());
  step.exposed_context = Seconds(drawn());
  step.exposed_expert = Seconds(drawn());
  step.expert_layers = static_cast<double>(*rc::gen::inRange<std::int64_t>(0, m.layers_per_stage + 1));
  step.exposed_weights = Seconds(drawn());
  step.exposed_pipeline = Seconds(drawn());
  step.gradient_exposed_step = Seconds(drawn(9000));
  const bool gathers_once = *rc::gen::arbitrary<bool>();
  if (gathers_once) step.weights_exposed_step = Seconds(1 + drawn(9000));
  step.fill_sends = Seconds(drawn());
  step.stall = Seconds(drawn());
  const double filling_s = drawn(90000);
  step.bubble = Seconds(filling_s) + step.fill_sends + step.stall;
  const double waits_s = layers * (step.exposed_tensor + step.exposed_context).si() +
                         step.expert_layers * step.exposed_expert.si() +
                         (gathers_once ? 0 : layers * step.exposed_weights.si());
  step.pace = Seconds(waits_s + 0.001 + drawn());  // and computing
  step.straggling = 1 + drawn();
  const ExposedParts parts = exposed_parts(step, m);
  const double expected_s =
      step.straggling * (microbatches * waits_s + filling_s + step.stall.si() + step.fill_sends.si() +
                         layers * microbatches * step.exposed_pipeline.si() +
                         step.gradient_exposed_step.si() + step.weights_exposed_step.si());
  RC_ASSERT(std::abs((parts.exposed() + parts.bubble).si() - expected_s) <= 1e-9 * (1 + expected_s));
  const auto near = [](Seconds a, double b) { return std::abs(a.si() - b) <= 1e-9 * (1 + std::abs(b)); };
  // Fill and drain wait as often as microbatches of their length do.
  const double passes = microbatches + filling_s / step.pace.si();
  RC_ASSERT(near(parts.tensor, step.straggling * passes * layers * step.exposed_tensor.si()));
  RC_ASSERT(near(parts.context, step.straggling * passes * layers * step.exposed_context.si()));
  RC_ASSERT(near(parts.expert, step.straggling * passes * step.expert_layers * step.exposed_expert.si()));
  RC_ASSERT(near(parts.gradient, step.straggling * step.gradient_exposed_step.si()));
  RC_ASSERT(parts.bubble.si() >= step.straggling * step.stall.si() * (1 - 1e-12));
}

}  // namespace
}  // namespace trainyard
