// Checkpoints on the network that training uses.
#pragma once

#include "trainyard/goodput.h"
#include "trainyard/operation.h"

namespace trainyard::operation {

/// `interval` of the checkpoints, every so many of which is backed up; `step` as it was simulated. While a
/// checkpoint is written it is longer by as much as the plan's closed form on a network that keeps what the
/// checkpoint leaves is over the plan's own.
CheckpointTraffic checkpoint_traffic(const Plan& plan, const GoodputCase& c, Seconds interval, Seconds step,
                                     const StepAtRate& step_at, bool shared);

}  // namespace trainyard::operation
