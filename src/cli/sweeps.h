// The sweeps of a scenario, for the verbs that show them.
#pragma once

#include "cli/progress.h"
#include "trainyard/planning.h"
#include "trainyard/printable.h"
#include "trainyard/report/sweeps.h"

namespace trainyard {

/// The sweeps of a scenario over its plan.
inline std::vector<SweepResult> run_all(const ScenarioText& text, const std::vector<SweepInput>& sweeps,
                                        const Plan& plan, Ranks* ranks) {
  std::vector<SweepResult> results;
  for (const SweepInput& sweep : sweeps) {
    results.push_back(
        run_sweep(text, sweep, reader_of(sweep, plan), progress_of(printable(sweep.name)), ranks));
  }
  return results;
}

}  // namespace trainyard
