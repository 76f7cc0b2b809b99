// Checkpoints on the network that training uses.
#pragma once

#include "trainyard/goodput.h"
#include "trainyard/operation.h"

namespace trainyard::operation {

/// `interval` of the checkpoints. Steps while one is written are those on a network that keeps what it
/// leaves.
CheckpointTraffic checkpoint_traffic(const Plan& plan, const GoodputCase& c, Seconds interval,
                                     const StepAtRate& step_at, bool shared);

}  // namespace trainyard::operation
