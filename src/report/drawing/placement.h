// Where a plan puts what.
#pragma once

#include <string>

#include "trainyard/plan.h"

namespace trainyard {

/// Which pipeline stage stands in which HB domain, with the replicas inside; long rows and columns are
/// elided.
std::string placement_svg(const Plan& plan);

}  // namespace trainyard
