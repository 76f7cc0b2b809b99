// [[failure]] as faults of numbered ports.
#pragma once

#include <vector>

#include "network/wiring/faults.h"

namespace trainyard {
struct FailureInput;
}

namespace trainyard::wiring {

/// Both directions of every link that a failure names, in the order of time, on whole multiples of the
/// shortest delay. Throws InputError for a node or an uplink that is not there.
std::vector<Fault> faults_of(const Layout& layout, const std::vector<FailureInput>& failures);

}  // namespace trainyard::wiring
