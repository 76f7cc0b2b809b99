// How long transfers take: the door through which a step uses a network.
//
// The executor tells a model when a transfer starts and asks it for what happens next, so that a model may
// let transfers slow each other down. `analytic` gives every transfer delay + bytes / rate; `flow`
// (flow_transfers.h) lets transfers share links; `packet` (packet_transfers.h) lets packets time some of
// them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "step/graph.h"
#include "step/step_failures.h"

namespace trainyard {

struct Networks;

/// What a network says of a transfer.
struct TransferEvent {
  StepTime time = 0;
  OperationId operation = 0;
  bool delivered = false;  // the last byte has arrived; false: it has been sent, and the stream is free
};

/// A network under a step. Every transfer gets at most one `sent` and exactly one `delivered`, in this order
/// or at once; without a `sent`, its stream is free when it is delivered.
class TransferModel {
 public:
  virtual ~TransferModel() = default;

  /// A transfer of the graph begins. `now` never falls from call to call.
  virtual void start(OperationId operation, StepTime now) = 0;

  /// When something happens next, not before now; kNeverInStep when nothing does. start() may change it.
  virtual StepTime next() = 0;

  /// Appends what happens at next(), and moves on; nothing where only rates change then.
  virtual void take(std::vector<TransferEvent>& events) = 0;

  /// What a reader of the results should know of the transfers' times; empty: nothing.
  virtual std::string note() const { return {}; }
};

/// Share of its pace alone at which an operation's bytes are sent, in an interval of the step's failures.
using SendingPace = std::function<double(OperationId, std::size_t interval)>;

/// Closed form: rounds x delay + bytes / (rate x share), as transfer_time() of trainyard/networks.h, at what
/// `failures` leave of the rate, and the class's own delay. Streams do not slow each other down; a stream is
/// free when its bytes are sent, so that delays overlap. Throws InputError for a network without bandwidth
/// that the graph uses. The graph and the failures must outlive the model. `pace` in place of what the
/// failures leave; delays stay.
std::unique_ptr<TransferModel> analytic_transfers(const StepGraph& graph, const Networks& networks,
                                                  const StepFailures& failures = no_step_failures(),
                                                  SendingPace pace = {});

}  // namespace trainyard
