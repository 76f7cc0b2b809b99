// Sweeps for programs.
#pragma once

#include <string>
#include <vector>

#include "report/data/provenance.h"
#include "search/sweep.h"
#include "trainyard/plan.h"

namespace trainyard {

/// Reads a quantity by its key off each plan of a sweep. Throws InputError with the nearest key; `example` is
/// any plan of the scenario.
QuantityReader reader_of(const std::string& key, const Plan& example);

std::string sweeps_json(const std::vector<SweepResult>& sweeps, const Provenance& provenance);
std::string sweeps_csv(const std::vector<SweepResult>& sweeps);

}  // namespace trainyard
