// What a connection matrix of htsim implies of packets.
#pragma once

#include "trainyard/scenario.h"
#include "trainyard/transports.h"
#include "trainyard/units.h"

namespace trainyard {

class ScenarioText;
}  // namespace trainyard

namespace trainyard::workload {

/// What htsim's programs add to a packet's payload, and how large their acknowledgements are.
struct HtsimSizes {
  Bytes header;
  Bytes control_packet;
};

/// Nothing and 40 bytes in its TCP family (Swift, DCTCP, Cubic), else 64 and 64.
HtsimSizes htsim_sizes(Transport transport);

/// The question of a scenario whose flows are a connection matrix: simulation.header and
/// simulation.control_packet are htsim's for its transport, each unless the text or a --set has it. Throws
/// InputError.
Scenario resolve_with_connections(const ScenarioText& text);

}  // namespace trainyard::workload
