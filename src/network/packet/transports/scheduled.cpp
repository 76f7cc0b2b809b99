#include "network/packet/transports/scheduled.h"

#include "network/packet/transports/run_transport.h"
#include "network/packet/transports/transports.h"

namespace trainyard::packet {

RunOutcome run_scheduled(const TransportSetup& setup, const ScheduledInput& input, BlockCode code,
                         const WindowTick& tick) {
  Scheduled transport(
      setup, code,
      {input.utilization, static_cast<std::uint32_t>(input.most_flows), /*wire_factor=*/1, /*steps=*/{}});
  return run_transport(setup, transport, kDataPriority + 1, tick);
}

bool Scheduled::in_bounds(std::uint32_t flow) const {
  const Sender& sender = senders_[flow];
  const std::uint32_t blocks = blocks_of(flow);
  const std::uint32_t most = code_.data + code_.parity;  // packets of a block
  const auto repairs = [&](const Repair& r) {
    return r.block < blocks && r.packets > 0 && r.packets <= most;
  };
  for (auto left = sender.deadlines; !left.empty(); left.pop()) {
    if (left.top().second >= blocks || !is_time(left.top().first)) return false;
  }
  return sender.next <= blocks && sender.packet < most && sender.round_trip < kLongest &&
         is_time(sender.next_send) && is_time(sender.woken) &&
         std::all_of(sender.repairs.begin(), sender.repairs.end(), repairs) &&
         std::all_of(sender.silences.begin(), sender.silences.end(),
                     [](int s) { return s <= kMostBackoff; }) &&
         paths_.in_bounds(sender.paths, false) && paths_.in_bounds(receivers_[flow].paths, true);
}

void Scheduled::check_restored(Picoseconds) const {
  const auto sends = [&](std::uint32_t host, std::uint32_t flow) {
    return flow < flows_.size() && flows_[flow].from == host;
  };
  for (std::uint32_t f = 0; f < flows_.size(); ++f) keep_bounds(in_bounds(f));
  keep_bounds(turns_.all(sends));
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    const auto here = [&](std::uint32_t flow) { return sends(h, flow); };
    keep_bounds(hosts_[h].paced.all(here) && hosts_[h].timeouts.all(here));
  }
}

static RunOutcome run_uncoded(const TransportSetup& setup, const TransportsInput& input,
                              const WindowTick& tick) {
  return run_scheduled(setup, input.scheduled, {}, tick);
}

TransportTraits scheduled_traits() {
  return {.run = run_uncoded, .load_balancing = LoadBalancing::weighted, .by_credit = true};
}

}  // namespace trainyard::packet
