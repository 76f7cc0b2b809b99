#include "step/transfer_model.h"

#include <utility>

#include "step/transfer_queue.h"
#include "step/transfer_rates.h"

namespace trainyard {
namespace {

class AnalyticTransfers : public TransferModel {
 public:
  AnalyticTransfers(const StepGraph& graph, const Networks& networks, Slowdown slowdown)
      : graph_(graph), rates_(graph, networks), slowdown_(std::move(slowdown)) {}

  void start(OperationId operation, StepTime now) override {
    const double bytes = graph_.operation(operation).bytes;
    const TransferClass& c = graph_.class_of(operation);
    const double factor = slowdown_ ? slowdown_(operation) : 1;
    const StepTime sent = now + step_time(Bytes(bytes) / rates_.most(c) * factor);
    queue_.add(operation, sent, rates_.delay(c, bytes));
  }

  StepTime next() override { return queue_.next(); }

  void take(std::vector<TransferEvent>& events) override { queue_.take(next(), events); }

 private:
  const StepGraph& graph_;
  TransferRates rates_;
  Slowdown slowdown_;
  TransferQueue queue_;
};

}  // namespace

std::unique_ptr<TransferModel> analytic_transfers(const StepGraph& graph, const Networks& networks,
                                                  Slowdown slowdown) {
  return std::make_unique<AnalyticTransfers>(graph, networks, std::move(slowdown));
}

}  // namespace trainyard
