#include "step/transfer_model.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <queue>

#include "base/errors.h"

namespace trainyard {
namespace {

struct Later {
  bool operator()(const TransferEvent& a, const TransferEvent& b) const {
    if (a.time != b.time) return a.time > b.time;
    if (a.operation != b.operation) return a.operation > b.operation;
    return a.delivered && !b.delivered;
  }
};

class AnalyticTransfers : public TransferModel {
 public:
  AnalyticTransfers(const StepGraph& graph, const Networks& networks) : graph_(graph) {
    rates_[static_cast<std::size_t>(StepResource::scale_up)] = networks.scale_up;
    rates_[static_cast<std::size_t>(StepResource::scale_out)] = networks.scale_out;
    rates_[static_cast<std::size_t>(StepResource::wide_area)] = networks.wide_area;
    rates_[static_cast<std::size_t>(StepResource::host)] = {networks.host, Seconds(0)};
    for (const TransferClass& c : graph.classes()) {
      if (rate_of(c).rate.si() > 0) continue;
      fail_input(whole("network"), fmt::format("'{}' needs the {} network, whose rate is zero", c.name,
                                               step_resource_name(c.network)));
    }
  }

  void start(OperationId operation, StepTime now) override {
    const StepOperation& op = graph_.operation(operation);
    const TransferClass& c = graph_.class_of(operation);
    const NetworkRate& network = rate_of(c);
    const StepTime sent = now + step_time(Bytes(op.bytes) / (network.rate * c.rate_share));
    const StepTime delay = op.bytes > 0 ? step_time(network.delay * c.rounds) : 0;
    if (delay > 0) events_.push({sent, operation, false});
    events_.push({sent + delay, operation, true});
  }

  StepTime next() override { return events_.empty() ? kNeverInStep : events_.top().time; }

  void take(std::vector<TransferEvent>& events) override {
    const StepTime now = next();
    while (next() == now && !events_.empty()) {
      events.push_back(events_.top());
      events_.pop();
    }
  }

 private:
  const NetworkRate& rate_of(const TransferClass& c) const {
    return rates_[static_cast<std::size_t>(c.network)];
  }

  const StepGraph& graph_;
  std::array<NetworkRate, kStepResources> rates_{};
  std::priority_queue<TransferEvent, std::vector<TransferEvent>, Later> events_;
};

}  // namespace

std::unique_ptr<TransferModel> analytic_transfers(const StepGraph& graph, const Networks& networks) {
  return std::make_unique<AnalyticTransfers>(graph, networks);
}

}  // namespace trainyard
