#include "network/deliveries.h"

#include <cstddef>

#include "trainyard/errors.h"
#include "trainyard/picoseconds.h"

namespace trainyard {

void wait_by_delivery(std::optional<Delivery> delivery, std::vector<workload::Dependency>& dependencies) {
  for (workload::Dependency& d : dependencies) {
    if (!d.on_receipt) continue;
    if (delivery == Delivery::uud)
      fail_input(whole("simulation.delivery"),
                 "flows of this traffic wait for what others deliver, and nobody sends again what is lost",
                 "rod, rud or rudi, or flows that wait for nothing");
    d.on_receipt = delivery != Delivery::rudi;
  }
}

void end_by_arrival(std::vector<workload::Flow>& flows, const std::vector<std::uint64_t>& lost_bytes) {
  for (std::size_t f = 0; f < lost_bytes.size(); ++f) {
    workload::Flow& flow = flows[f];
    if (flow.received != kNever) flow.finished = flow.received;
    if (lost_bytes[f] > 0) flow.received = kNever;
  }
}

}  // namespace trainyard
