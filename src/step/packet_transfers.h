// Transfers of a step whose times the packet engine says.
//
// Chosen kinds of transfers over the scale-out network take as many times as long as in closed form as the
// last flow of a permutation, in the scenario's [simulation], takes over the least time of its size. In a
// permutation every host sends to one other and receives from one, as all devices of a stage do that pass a
// chunk on, and as ranks do in each step of a ring or of an all-to-all: a transfer of n ranks is n-1 such
// steps one after another (an all-reduce, and an all-to-all there and back, twice as many), and waits for the
// last flow of each, as HotNets '24 section 6.3 takes completion times. What is not chosen takes its closed
// form, and nothing shares links with anything but its own permutation.
//
// While a device has lost planes of its NIC, its transfers take as long as the last flow of a permutation in
// which one host has lost as many; whether senders know is simulation.failures_known.
#pragma once

#include <vector>

#include "step/timeline.h"
#include "trainyard/step_timeline.h"

namespace trainyard {

/// Transfers of these kinds over the scale-out network take `times` as long as in closed form, everything
/// else as in closed form. Throws InputError where the step has no such transfer of one of the kinds.
TransferModelMaker slowed_network(const std::vector<StepWork>& phases, double times);

/// Permutations of the plan's [simulation] say how many times as long. Throws InputError for what cannot be
/// simulated, where the step has no such transfer of one of the kinds, and for failures of parts of planes.
TransferModelMaker packet_network(const std::vector<StepWork>& phases);

}  // namespace trainyard
