// [[tier]]: links of one tier that are longer, faster or slower than the others, and the queues before them.
#pragma once

#include <vector>

#include "network/wiring/layout.h"

namespace trainyard {
struct Scenario;
struct TierInput;
}  // namespace trainyard

namespace trainyard {

/// Gives the links of a layout, by tier from the hosts up (of other networks than folded Clos ones: in the
/// order in which results name them), and the queues before them what [[tier]] says. Throws InputError at a
/// section for a tier that the network has not, for one that is described twice, and for queues that have no
/// room for a packet or are up or down where nothing is.
void apply_tiers(const Scenario& scenario, wiring::Layout& layout);

/// The same for links of a folded Clos network, one entry for each tier.
void apply_tiers(const std::vector<TierInput>& tiers, std::vector<wiring::LinkRules>& links);

}  // namespace trainyard
