#include "network/flow/ideal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "network/flow/flow_simulation.h"
#include "network/flow/moment.h"
#include "workload/flow_order.h"

namespace trainyard::flow {
namespace {

/// Of every host the links of all planes together, out and in; behind them, of each flow that is slower
/// alone, a link of its own.
class HostLinks final : public flow::Network {
 public:
  HostLinks(const wiring::Layout& layout, const wiring::HostLimits& limits,
            const std::vector<FluidFlow>& fluid)
      : Network(layout.hosts(), links(layout, limits, fluid)) {}

  bool route(const flow::RouteQuery& query, const flow::DownLinks&, flow::Route& out) const override {
    out = {{query.from, 1}, {hosts() + query.to, 1}};
    return true;
  }
  Seconds latency(std::uint32_t, std::uint32_t, Bytes) const override { return Seconds(0); }

 private:
  static std::vector<double> links(const wiring::Layout& layout, const wiring::HostLimits& limits,
                                   const std::vector<FluidFlow>& fluid) {
    std::vector<double> out;
    for (const wiring::Pace pace : {limits.send, limits.receive}) {
      for (std::uint32_t host = 0; host < layout.hosts(); ++host) out.push_back(capacity(layout, host, pace));
    }
    for (const FluidFlow& flow : fluid) {
      if (flow.alone > 0) out.push_back(static_cast<double>(flow.bytes) / seconds(flow.alone).si());
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
               const std::vector<FluidFlow>& fluid) {
  std::vector<workload::Flow>& flows = workload.flows;
  const HostLinks network(layout, limits, fluid);
  flow::FlowSimulation simulation(network);
  simulation.reserve(flows.size());
  std::vector<std::vector<std::uint32_t>> before(workload.dependencies.empty() ? 0 : flows.size());
  for (const workload::Dependency& d : workload.dependencies) before[d.after].push_back(d.before);
  std::vector<flow::FlowId> id(flows.size());
  std::vector<std::uint32_t> own(flows.size());  // links
  std::uint32_t links = 2 * layout.hosts();
  for (std::uint32_t f = 0; f < flows.size(); ++f) {
    if (fluid[f].alone > 0) own[f] = links++;
  }
  for (const std::uint32_t f : workload::order_of(flows.size(), workload.dependencies)) {
    flow::FlowRequest request;
    request.from = flows[f].from;
    request.to = flows[f].to;
    request.bytes = Bytes(static_cast<double>(fluid[f].bytes));
    request.start = seconds(flows[f].start);
    request.latency = seconds(fluid[f].latency);
    const std::array<flow::LinkShare, 3> way = {
        {{flows[f].from, 1}, {layout.hosts() + flows[f].to, 1}, {own[f], 1}}};
    if (fluid[f].alone > 0) request.route = way;
    if (!before.empty()) {
      for (const std::uint32_t b : before[f]) request.after.push_back({id[b]});
    }
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
