#include "step/transfer_model.h"

#include <utility>

#include "step/transfer_queue.h"
#include "step/transfer_rates.h"

namespace trainyard {
namespace {

class AnalyticTransfers : public TransferModel {
 public:
  AnalyticTransfers(const StepGraph& graph, const Networks& networks, const StepFailures& failures,
                    SendingPace pace)
      : graph_(graph), rates_(graph, networks), failures_(failures), pace_(std::move(pace)) {}

  void start(OperationId operation, StepTime now) override {
    const double bytes = graph_.operation(operation).bytes;
    const TransferClass& c = graph_.class_of(operation);
    queue_.add(operation, sent(operation, now, rates_.alone(c, bytes)), rates_.delay(c, bytes));
  }

  StepTime next() override { return queue_.next(); }

  void take(std::vector<TransferEvent>& events) override { queue_.take(next(), events); }

 private:
  StepTime sent(OperationId id, StepTime now, StepTime alone) const {
    if (!pace_) return failures_.end(graph_, id, now, alone);
    return failures_.end(now, alone, [&](std::size_t interval) { return pace_(id, interval); });
  }

  const StepGraph& graph_;
  TransferRates rates_;
  const StepFailures& failures_;
  SendingPace pace_;
  TransferQueue queue_;
};

}  // namespace

std::unique_ptr<TransferModel> analytic_transfers(const StepGraph& graph, const Networks& networks,
                                                  const StepFailures& failures, SendingPace pace) {
  return std::make_unique<AnalyticTransfers>(graph, networks, failures, std::move(pace));
}

}  // namespace trainyard
