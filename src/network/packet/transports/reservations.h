// Who may send when, and how fast: the answer of a central controller that knows all flows and links (as B4
// does: Jain et al. 2013).
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/packet.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

struct Reservation {
  double rate = 0;       // bytes on the wire a picosecond
  Picoseconds wait = 0;  // until the flow is admitted
};

struct ReservationRules {
  double utilization = 0.95;              // of every link that is given away
  std::uint32_t most_flows = 0;           // that a link takes at one time; 0: all
  double wire_factor = 1;                 // bytes on the wire for a byte of a flow
  std::vector<std::uint32_t> steps = {};  // of each flow, of which no two overlap; empty: all in one
};

/// How many dependencies stand in a row before each flow.
std::vector<std::uint32_t> steps_of(std::size_t flows, const std::vector<Dependency>& dependencies);

/// Max-min fair rates (water-filling, Bertsekas & Gallager 1992, section 6.5.2) over hosts' links and, tier
/// by tier, over all links together that lead up from and down to a block: flows have to spread over them in
/// proportion to their rates. All flows of a step count as active at once.
///
/// With `most_flows`, flows are admitted in waves, in their order; a wave begins when the one before has been
/// sent, and its flows have the network for themselves.
std::vector<Reservation> reserve(const Layout& layout, const std::vector<Flow>& flows,
                                 const ReservationRules& rules);

}  // namespace trainyard::packet
