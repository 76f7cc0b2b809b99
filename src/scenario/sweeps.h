// Reading the [[sweep]] sections.
#pragma once

#include <vector>

namespace trainyard {

class Findings;
struct SweepInput;
struct Table;

/// Reads every [[sweep]]; values given as from, to and points are spread out.
void read_sweeps(std::vector<SweepInput>& sweeps, const Table& document, Findings& findings);

}  // namespace trainyard
