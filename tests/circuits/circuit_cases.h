// Plans and steps to try circuits on.
#pragma once

#include <string>
#include <vector>

#include "circuits/runs.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

inline Plan circuit_plan(const std::vector<std::string>& changes,
                         const std::string& name = "llama3-circuits") {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

inline StepTime microseconds(double n) { return step_time(Seconds(n * 1e-6)); }

}  // namespace trainyard
