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

/// What of a layer's work decides how the host issues it.
struct HostLoad {
  double experts = 0;  // of the device
  bool low_precision = false;
  bool fused_attention = true;
  double ring_steps = 0;            // of attention in a ring of context ranks, but the first
  double collectives = 0;           // of tensor ranks in a pass, but those inside of products
  bool overlapped_experts = false;  // their all-to-alls run beside the compute of another microbatch
};

/// Time in which the host issues the operators of a layer: *host_operator* for each (twice for a product in 8
/// bits, which needs casts and scales), *host_expert* for each product of each of the device's experts (a
/// quarter of it in 16 bits), twice *host_operator* for each collective of the tensor group, half as much
/// again backward, and the program's `overlapped_launches` times all of it where layers are cut into pieces
/// so that all-to-alls run beside them. Captured graphs need none, but for experts, whose shapes change with
/// the tokens. docs/models.md, "Bound by the host".
HostTimes host_times(const std::vector<Operator>& operators, const Software& software,
                     const Calibration& calibration, const HostLoad& load);

}  // namespace trainyard
