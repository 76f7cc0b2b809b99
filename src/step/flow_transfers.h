// Transfers of a step that share links: at every moment each gets its max-min fair rate (network/flow).
//
// A device of a class (a stage of equal replicas) stands for all of them. It has, each way: a port of the
// scale-up network, a NIC, a share of the fabric behind the NIC, and its rate in the wide area.
//
//   - A collective sends and receives the same: it crosses the device's links both ways. One that all
//   replicas
//     share crosses those of each of their classes, and goes as fast as the slowest.
//   - A pipeline transfer leaves the device of one stage and enters that of another.
//   - Scale-out transfers cross NIC and fabric; so do wide-area ones, besides their own rate.
//   - No transfer is faster than alone: its share of the network's rate is a link of its own.
//   - Transfers to and from the host meet nothing.
//   - A failure takes its share of the device's link, and of the links that transfers of that device have.
#pragma once

#include <memory>

#include "step/step_failures.h"
#include "step/timeline.h"
#include "step/transfer_model.h"

namespace trainyard {

struct Networks;

/// `fabric_share`: what the scale-out fabric carries of the devices' rate when all send, 1 without
/// oversubscription; above 0. Alone on its links a transfer takes what it takes in closed form. Throws
/// InputError for a network without bandwidth that the graph uses. The graph and the failures must outlive
/// the model.
std::unique_ptr<TransferModel> flow_transfers(const StepGraph& graph, const Networks& networks,
                                              double fabric_share = 1,
                                              const StepFailures& failures = no_step_failures());

/// The plan's networks; the fabric of simulation.design, or of the first [[design]], carries its bisection
/// over half of its hosts' rate; without designs, all. Throws InputError for designs that cannot be built.
TransferModelMaker flow_network();

}  // namespace trainyard
