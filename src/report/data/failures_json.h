// The failures that an answer counts. Includes the JSON library: for .cpp files only.
#pragma once

#include "report/data/json.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// The set that they follow, and whether that is the default of a scenario without [resilience].
inline Json failures_json(const Scenario& scenario) {
  return {{"set", resilience_of(scenario).failures}, {"by_default", !scenario.resilience}};
}

}  // namespace trainyard
