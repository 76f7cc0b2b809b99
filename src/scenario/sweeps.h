// Reading the [[sweep]] sections.
#pragma once

#include <vector>

#include "base/document.h"
#include "base/errors.h"
#include "trainyard/scenario/sweeps.h"

namespace trainyard {

/// Reads every [[sweep]]; values given as from, to and points are spread out.
void read_sweeps(std::vector<SweepInput>& sweeps, const Table& document, Findings& findings);

}  // namespace trainyard
