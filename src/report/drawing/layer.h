// One layer of a plan over time.
#pragma once

#include <string>

#include "trainyard/plan.h"

namespace trainyard {

/// Forward and backward pass of one layer on one device, to scale: computation, exposed transfers, and the
/// stages of the gradient exchange behind the backward pass (HotNets '24 Fig. 2).
std::string layer_svg(const Plan& plan);

}  // namespace trainyard
