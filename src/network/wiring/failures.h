// [[failure]] as faults of numbered ports.
#pragma once

#include <vector>

#include "network/wiring/faults.h"

namespace trainyard {
struct FailureInput;
}

namespace trainyard::wiring {

/// One direction of a link has this share of its rate from then on; 0: it is down.
struct LinkChange {
  Picoseconds time = 0;
  std::uint32_t port = 0;
  double share = 1;
};

/// What failures leave of both directions of every link that they name, in the order of time, on whole
/// multiples of the shortest delay. Throws InputError for a node or an uplink that is not there.
std::vector<LinkChange> link_changes(const Layout& layout, const std::vector<FailureInput>& failures);

/// The same as faults. Adds to the layout's links those that are slower for a while.
std::vector<Fault> faults_of(Layout& layout, const std::vector<FailureInput>& failures);

}  // namespace trainyard::wiring
