// Which settings the shortest and the longest delay of a simulated network come from, for errors.
#pragma once

#include "network/network_rules.h"

namespace trainyard {

struct SimulationCase;

packet::DelaySources delay_sources(const SimulationCase& asked, const packet::Layout& layout);

}  // namespace trainyard
