// Simulations at random: a small network, its traffic, a transport, every time that is a setting given.
#pragma once

#include <string>

#include "dice.h"
#include "draft.h"

namespace trainyard::properties {

/// For the packet engine: folded Clos networks of 16 to 64 hosts. `transport` as in [simulation].
Draft draw_packets(Dice& dice, const std::string& transport);

/// For the flow engine: any topology, sprayed or one path a flow.
Draft draw_flows(Dice& dice);

/// One [[design]] of any topology over `hosts` hosts in domains of `domain`.
void draw_design(Dice& dice, Draft& draft, std::int64_t hosts, std::int64_t domain);

}  // namespace trainyard::properties
