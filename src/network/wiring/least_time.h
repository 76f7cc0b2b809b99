// The least completion time of a flow that has the network for itself.
#pragma once

#include "network/wiring/layout.h"
#include "trainyard/picoseconds.h"

namespace trainyard {
struct SimulationInput;
}

namespace trainyard::wiring {

struct HostLimits;

/// The least time of a flow alone over a shortest way, until its sender has the last acknowledgement: its
/// packets dealt to the planes on the slowest link, or one by one through a limited host, and what the last
/// one and its acknowledgement need elsewhere.
Picoseconds least_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                       std::uint64_t bytes, Reach reach);

/// Of that, what the last acknowledgement takes.
Picoseconds answer_time(const SimulationInput& input, const Layout& layout, const HostLimits& limits,
                        Reach reach);

}  // namespace trainyard::wiring
