// The least completion time of a flow that has the network for itself.
#pragma once

#include "trainyard/picoseconds.h"

namespace trainyard {
struct SimulationInput;
}

namespace trainyard::wiring {

struct HostLimits;
struct Layout;

/// The least time of a flow alone whose way goes up to a tier and down again, until its sender has the last
/// acknowledgement: its packets dealt to the planes on the slowest link, or one by one through a limited
/// host, and what the last one and its acknowledgement need elsewhere.
Picoseconds least_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                       std::uint64_t bytes, std::uint32_t tier);

}  // namespace trainyard::wiring
