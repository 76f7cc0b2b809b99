// Reading the [[sweep]] sections.
#pragma once

#include <cstddef>
#include <vector>

namespace trainyard {

class Findings;
struct Location;
struct SweepInput;
struct Table;

/// Reads every [[sweep]]; values given as from, to and points are spread out.
void read_sweeps(std::vector<SweepInput>& sweeps, const Table& document, Findings& findings);

/// Where the value of this number stands.
const Location& place_of_value(const SweepInput& sweep, std::size_t value);

}  // namespace trainyard
