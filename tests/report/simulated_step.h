// Steps that tests of several surfaces show.
#pragma once

#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

struct Simulated {
  Plan plan;
  StepSimulation step;
};

/// A pipeline of six stages, few microbatches.
inline const Simulated& small() {
  static const Simulated result = [] {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "training.batch_tokens=auto", "mapping.microbatches=18"})
      text.set(change);
    Simulated out;
    out.plan = make_plan(text.resolve());
    out.step = simulate_step(out.plan);
    out.step.timeline.network = "analytic";
    return out;
  }();
  return result;
}

/// The same with a device that is gone for a while, in the middle of it.
inline const Simulated& failing() {
  static const Simulated result = [] {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "assumptions.compute_model=roofline", "training.software=none", "training.batch_tokens=auto",
          "mapping.microbatches=18", "step.replicas=2",
          "step_failure=[{ stage = 2, what = \"device\", from = \"2 s\", until = \"5 s\" }]"})
      text.set(change);
    Simulated out;
    out.plan = make_plan(text.resolve());
    out.step = simulate_step(out.plan);
    return out;
  }();
  return result;
}

}  // namespace trainyard
