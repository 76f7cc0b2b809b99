// Plans and networks that several tests of steps begin with.
#pragma once

#include <string>
#include <vector>

#include "trainyard/networks.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

/// Of a shipped scenario with `changes`, each `section.key=value`.
inline Plan plan_of(const std::string& name, const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

/// A byte takes a picosecond everywhere.
inline const Networks kNetworks{{BytesPerSecond(1e12), Seconds(0)},
                                {BytesPerSecond(1e12), Seconds(3e-12)},
                                {BytesPerSecond(1e12), Seconds(20e-12)},
                                BytesPerSecond(1e12)};

}  // namespace trainyard
