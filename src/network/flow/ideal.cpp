#include "network/flow/ideal.h"

#include <algorithm>
#include <cmath>

#include "network/flow/flow_simulation.h"
#include "network/flow/moment.h"
#include "workload/flow_order.h"

namespace trainyard::flow {
namespace {

/// Of every host the links of all planes together, out and in.
class HostLinks final : public flow::Network {
 public:
  HostLinks(const wiring::Layout& layout, const wiring::HostLimits& limits)
      : Network(layout.hosts(), ends(layout, limits)) {}

  bool route(const flow::RouteQuery& query, const flow::DownLinks&, flow::Route& out) const override {
    out = {{query.from, 1}, {hosts() + query.to, 1}};
    return true;
  }
  Seconds latency(std::uint32_t, std::uint32_t, Bytes) const override { return Seconds(0); }

 private:
  static std::vector<double> ends(const wiring::Layout& layout, const wiring::HostLimits& limits) {
    std::vector<double> out;
    for (const wiring::Pace pace : {limits.send, limits.receive}) {
      for (std::uint32_t host = 0; host < layout.hosts(); ++host) out.push_back(capacity(layout, host, pace));
    }
    return out;
  }

  /// Bytes a second of a host's links, unless its own pace is slower.
  static double capacity(const wiring::Layout& layout, std::uint32_t host, wiring::Pace pace) {
    const double links = static_cast<double>(layout.planes) * kPicosecondsPerSecond /
                         static_cast<double>(layout.host_link(host).picoseconds_per_byte);
    if (!pace.limits()) return links;
    const double own = static_cast<double>(wiring::Pace::kKib) * kPicosecondsPerSecond /
                       static_cast<double>(pace.picoseconds_per_kib);
    return std::min(links, own);
  }
};

}  // namespace

void run_fluid(const wiring::Layout& layout, const wiring::HostLimits& limits, workload::Workload& workload,
               const std::vector<Picoseconds>& latency) {
  std::vector<workload::Flow>& flows = workload.flows;
  const HostLinks network(layout, limits);
  flow::FlowSimulation simulation(network);
  std::vector<std::vector<std::uint32_t>> before(flows.size());
  for (const workload::Dependency& d : workload.dependencies) before[d.after].push_back(d.before);
  std::vector<flow::FlowId> id(flows.size());
  for (const std::uint32_t f : workload::order_of(flows.size(), workload.dependencies)) {
    flow::FlowRequest request;
    request.from = flows[f].from;
    request.to = flows[f].to;
    request.bytes = Bytes(static_cast<double>(flows[f].bytes));
    request.start = seconds(flows[f].start);
    request.latency = seconds(latency[f]);
    for (const std::uint32_t b : before[f]) request.after.push_back({id[b]});
    id[f] = simulation.add(request);
  }
  simulation.run();
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    const flow::FlowTimes times = simulation.times(id[f]);
    flows[f].began = moment(times.began, workload, f);
    flows[f].received = flows[f].finished = moment(times.received, workload, f);
  }
}

}  // namespace trainyard::flow
