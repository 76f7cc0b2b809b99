// What the host needs to launch a layer's operators one by one: a floor of the layer's time where kernels are
// small.
#pragma once

#include <vector>

#include "trainyard/units.h"

namespace trainyard {

struct Calibration;
struct Operator;
struct Software;

struct HostTimes {
  Seconds forward;
  Seconds backward;
};

/// Time in which the host issues the operators of a layer: *host_operator* for each (twice for a product in 8
/// bits, which needs casts and scales), *host_expert* for each product of each of the device's experts (a
/// quarter of it in 16 bits), and half as much again backward. Captured graphs need none, but for experts,
/// whose shapes change with the tokens. docs/models.md, "Bound by the host".
HostTimes host_times(const std::vector<Operator>& operators, const Software& software,
                     const Calibration& calibration, double experts_of_device, bool low_precision,
                     bool fused_attention);

}  // namespace trainyard
