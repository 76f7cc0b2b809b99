#include "step/flow_transfers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "facility/networks.h"
#include "network/flow/flow_simulation.h"
#include "step/transfer_queue.h"
#include "step/transfer_rates.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/plan.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

/// Links without places: every flow brings its route.
class OpenLinks : public flow::Network {
 public:
  static constexpr std::uint32_t kFrom = 0;
  static constexpr std::uint32_t kTo = 1;

  explicit OpenLinks(std::vector<double> capacities) : Network(2, std::move(capacities)) {}

  bool route(const flow::RouteQuery&, const flow::DownLinks&, flow::Route&) const override { return false; }
  Seconds latency(std::uint32_t, std::uint32_t, Bytes) const override { return Seconds(0); }
};

/// Links of a device, one way.
enum class DeviceLink : std::uint8_t { scale_up, nic, fabric, wide_area };
constexpr std::uint32_t kDeviceLinks = 4;
constexpr std::uint32_t kWays = 2;  // out, in

/// The links of all classes of devices, then one for each stream, class of transfers on it and stage that
/// they go to.
class StepLinks {
 public:
  StepLinks(const StepGraph& graph, const TransferRates& rates, double fabric_share)
      : graph_(graph), rates_(rates) {
    for (const StepStream& s : graph.streams()) {
      stages_ = std::max(stages_, s.stage + 1);
      replicas_ = std::max(replicas_, s.replica + 1);
    }
    const double nic = rates.on(StepResource::scale_out).rate.si();
    const double of_device[kDeviceLinks] = {rates.on(StepResource::scale_up).rate.si(), nic,
                                            nic * fabric_share, rates.on(StepResource::wide_area).rate.si()};
    for (std::int32_t device = 0; device < stages_ * replicas_; ++device) {
      for (const double capacity : of_device) capacities_.insert(capacities_.end(), kWays, capacity);
    }
    for (OperationId id = 0; id < graph.size(); ++id) {
      if (is_transfer(graph.operation(id).work)) add_own_link(id);
    }
  }

  const std::vector<double>& capacities() const { return capacities_; }

  /// The links that a transfer crosses, and how much of its bytes.
  flow::Route route(OperationId id) const {
    const StepOperation& op = graph_.operation(id);
    const StepStream& stream = graph_.streams()[op.stream];
    const std::int32_t to = graph_.receiving_stage(id);
    flow::Route out = {{own_.at({op.stream, op.transfer, to}).link, 1}};
    const std::int32_t first = stream.replica == kSharedReplica ? 0 : stream.replica;
    const std::int32_t end = stream.replica == kSharedReplica ? replicas_ : first + 1;
    for (std::int32_t r = first; r < end; ++r) {
      cross(out, graph_.class_of(id), r * stages_ + stream.stage, 0);
      cross(out, graph_.class_of(id), r * stages_ + to, 1);
    }
    return out;
  }

  /// Calls f(link, share) for what failures leave of links in an interval.
  template <class F>
  void each_share(const StepFailures& failures, std::size_t interval, const F& f) const {
    constexpr std::pair<DeviceLink, StepResource> kNetworks[] = {
        {DeviceLink::scale_up, StepResource::scale_up},
        {DeviceLink::nic, StepResource::scale_out},
        {DeviceLink::wide_area, StepResource::wide_area}};
    for (std::int32_t device = 0; device < stages_ * replicas_; ++device) {
      for (const auto& [link, network] : kNetworks) {
        const double left = failures.left_of(device % stages_, device / stages_, network, interval);
        for (std::uint32_t way = 0; way < kWays; ++way) f(device_link(device, link, way), left);
      }
    }
    for (const auto& [of, own] : own_) f(own.link, failures.left(graph_, own.first, interval));
  }

 private:
  /// Of a stream's transfers of one class to one stage, and the first of them.
  struct OwnLink {
    std::uint32_t link = 0;
    OperationId first = 0;
  };

  void add_own_link(OperationId id) {
    const StepOperation& op = graph_.operation(id);
    const auto next = static_cast<std::uint32_t>(capacities_.size());
    if (own_.try_emplace({op.stream, op.transfer, graph_.receiving_stage(id)}, OwnLink{next, id}).second)
      capacities_.push_back(rates_.most(graph_.classes()[op.transfer]).si());
  }

  static std::uint32_t device_link(std::int32_t device, DeviceLink link, std::uint32_t way) {
    return (static_cast<std::uint32_t>(device) * kDeviceLinks + static_cast<std::uint32_t>(link)) * kWays +
           way;
  }

  void cross(flow::Route& out, const TransferClass& c, std::int32_t device, std::uint32_t way) const {
    const auto add = [&](DeviceLink link, double share) {
      out.push_back({device_link(device, link, way), share});
    };
    // A class may count more than its network's rate; alone it has what the closed form gives it.
    const double share = std::min(1.0, 1 / c.rate_share);
    if (c.network == StepResource::scale_up) add(DeviceLink::scale_up, share);
    if (c.network == StepResource::wide_area) add(DeviceLink::wide_area, share);
    if (c.network != StepResource::scale_out && c.network != StepResource::wide_area) return;
    add(DeviceLink::nic, share);
    add(DeviceLink::fabric, share);
  }

  const StepGraph& graph_;
  const TransferRates& rates_;
  std::int32_t stages_ = 1;
  std::int32_t replicas_ = 1;
  std::vector<double> capacities_;
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::int32_t>, OwnLink> own_;
};

/// Flows end when their bytes are sent; delays follow in a queue. The flows' time may be a part of a
/// picosecond before or after the step's.
class FlowTransfers : public TransferModel {
 public:
  FlowTransfers(const StepGraph& graph, const Networks& networks, double fabric_share,
                const StepFailures& failures)
      : graph_(graph),
        rates_(graph, networks),
        links_(graph, rates_, fabric_share),
        network_(links_.capacities()),
        flows_(network_),
        fabric_share_(fabric_share) {
    std::vector<double> now(network_.capacities().size(), 1);
    for (std::size_t i = 0; !failures.none() && i < failures.intervals().size(); ++i) {
      links_.each_share(failures, i, [&](std::uint32_t link, double left) {
        if (std::exchange(now[link], left) != left)
          flows_.set_link_share(link, left, seconds_of(failures.intervals()[i]));
      });
    }
  }

  void start(OperationId operation, StepTime now) override {
    now_ = now;
    const double bytes = graph_.operation(operation).bytes;
    if (bytes == 0) return delays_.add(operation, now, 0);
    const flow::Route route = links_.route(operation);
    flows_.add({.from = OpenLinks::kFrom,
                .to = OpenLinks::kTo,
                .bytes = Bytes(bytes),
                .start = seconds_of(now),
                .latency = Seconds(0),
                .route = route});
    operations_.push_back(operation);
  }

  StepTime next() override { return std::min(next_of_flows(), delays_.next()); }

  void take(std::vector<TransferEvent>& events) override {
    now_ = next();
    if (next_of_flows() == now_) {
      for (const flow::FlowId flow : flows_.advance(flows_.next_event())) {
        const OperationId id = operations_[flow];
        delays_.add(id, now_, rates_.delay(graph_.class_of(id), graph_.operation(id).bytes));
      }
    }
    delays_.take(now_, events);
  }

  std::string note() const override {
    if (fabric_share_ >= 1) return {};
    return fmt::format("the scale-out fabric carries {:.3g} of its hosts' rate", fabric_share_);
  }

 private:
  StepTime next_of_flows() {
    const Seconds next = flows_.next_event();
    if (next == flow::kForever) return kNeverInStep;
    if (next >= seconds_of(kLongestStep)) return std::max(now_, kLongestStep + 1);
    return std::max(now_, static_cast<StepTime>(std::llround(next.si() * kStepTimesPerSecond)));
  }

  const StepGraph& graph_;
  TransferRates rates_;
  StepLinks links_;
  OpenLinks network_;
  flow::FlowSimulation flows_;
  double fabric_share_;
  std::vector<OperationId> operations_;  // by flow
  TransferQueue delays_;
  StepTime now_ = 0;
};

double fabric_share_of(const Scenario& scenario) {
  if (scenario.designs.empty()) return 1;
  return std::min(1.0, count(simulated_design(scenario)).bisection_share);
}

}  // namespace

std::unique_ptr<TransferModel> flow_transfers(const StepGraph& graph, const Networks& networks,
                                              double fabric_share, const StepFailures& failures) {
  TY_ASSERT(fabric_share > 0, "a fabric carries something");
  return std::make_unique<FlowTransfers>(graph, networks, fabric_share, failures);
}

TransferModelMaker flow_network() {
  return [](const StepModel& model, const Plan& plan) {
    return flow_transfers(model.graph, networks_of(plan.scenario), fabric_share_of(plan.scenario),
                          model.failures);
  };
}

}  // namespace trainyard
