#include "search/crossings.h"
#include "topology/endpoints.h"

namespace trainyard {

DeviceFlows device_flows(const NetworkDesign& design, const TrafficMatrix& matrix) {
  DeviceFlows out;
  for (std::uint32_t kind = 0; kind < kSharedKinds; ++kind) {
    const TrafficMatrix part = only_kind(matrix, kKinds[kind]);
    if (part.classes.empty()) continue;
    const auto totals = visit_traffic(design, part, [&](const EndpointFlow& flow) {
      out.flows.push_back(
          {static_cast<std::uint32_t>(flow.from), static_cast<std::uint32_t>(flow.to), kind, flow.bytes});
    });
    out.busiest_host[kind] = totals.busiest();
  }
  return out;
}

}  // namespace trainyard
