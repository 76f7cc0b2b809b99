// Folded Clos networks of any tiers: the fabric of fat trees, of rails, and of one tier inside HB domains.
#pragma once

#include <memory>

namespace trainyard {

class Fabric;
struct FabricCase;

/// Of design.tiers, or of the fewest that join the endpoints. Throws InputError with the key of [[design]].
std::unique_ptr<Fabric> make_clos(const FabricCase& wanted);

/// Of one tier, whatever the design says.
std::unique_ptr<Fabric> make_single_tier(const FabricCase& wanted);

}  // namespace trainyard
