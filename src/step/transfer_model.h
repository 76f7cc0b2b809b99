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
#include "trainyard/networks.h"

namespace trainyard {

constexpr StepTime kNeverInStep = std::numeric_limits<StepTime>::max();

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

/// How many times as long as alone an operation's bytes take to send.
using Slowdown = std::function<double(OperationId)>;

/// Closed form: rounds x delay + bytes / (rate x share), as transfer_time() of trainyard/networks.h, and the
/// class's own delay. Streams do not slow each other down; a stream is free when its bytes are sent, so that
/// delays overlap. Throws InputError for a network without bandwidth that the graph uses. The graph must
/// outlive the model. `slowdown`: sending takes so many times as long; delays do not.
std::unique_ptr<TransferModel> analytic_transfers(const StepGraph& graph, const Networks& networks,
                                                  Slowdown slowdown = {});

}  // namespace trainyard
