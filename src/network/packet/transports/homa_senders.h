// The sending side of Homa: a round trip's worth unscheduled, the rest as it is granted, of the messages of a
// host first that with the least left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "network/packet/transports/homa_records.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class HomaSenders {
 public:
  HomaSenders(const TransportSetup& setup, const HomaRules& rules, HomaEnds& ends);

  template <class Context>
  void start(Context& context, std::uint32_t flow);
  template <class Context>
  bool offer(Context& context, HomaPacket& out);
  /// What a receiver sends: a grant, a request for repeats, or that it has all.
  template <class Context>
  void receive(Context& context, const HomaPacket& packet);
  /// Timeouts.
  template <class Context>
  void wake(Context& context);

 private:
  template <class Context>
  void list(Context& context, std::uint32_t flow);
  template <class Context>
  void time_out(Context& context, std::uint32_t flow);

  std::uint32_t unscheduled_packets_;
  Picoseconds timeout_;
  HomaEnds& ends_;
};

template <class Context>
void HomaSenders::start(Context& context, std::uint32_t flow) {
  HomaSender& sender = ends_.senders[flow];
  sender.granted = std::min(sender.packets, unscheduled_packets_);
  sender.deadline = context.now() + timeout_;
  ends_.hosts[context.host()].send_timeouts.add(sender.deadline, flow);
  list(context, flow);
}

template <class Context>
void HomaSenders::list(Context& context, std::uint32_t flow) {
  HomaSender& sender = ends_.senders[flow];
  if (sender.listed || sender.deadline == kNever || !sender.may_send()) return;
  sender.listed = true;
  const std::size_t queue = ends_.paths.bound_to_plane() ? ends_.paths.plane_of(flow, false) : 0;
  ends_.hosts[context.host()].sending[queue].add(sender.packets - sender.next, flow);
  context.ready();
}

template <class Context>
bool HomaSenders::offer(Context& context, HomaPacket& out) {
  auto& queue = ends_.hosts[context.host()].sending[ends_.paths.bound_to_plane() ? context.plane() : 0];
  while (true) {
    const std::uint32_t flow = queue.take(ends_.paths.usable(context.plane()));
    if (flow == kNobody) return false;
    HomaSender& sender = ends_.senders[flow];
    sender.listed = false;
    if (sender.deadline == kNever || !sender.may_send()) continue;
    const bool again = !sender.repeats.empty();
    const std::uint32_t sequence = again ? *sender.repeats.begin() : sender.next++;
    if (again) sender.repeats.erase(sender.repeats.begin());
    out = ends_.packets.data<HomaPacket>(flow, sequence);
    out.priority = sequence < unscheduled_packets_ ? sender.unscheduled_priority : sender.scheduled_priority;
    ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
    list(context, flow);
    return true;
  }
}

template <class Context>
void HomaSenders::receive(Context& context, const HomaPacket& packet) {
  HomaSender& sender = ends_.senders[packet.flow];
  if (sender.deadline == kNever) return;
  sender.deadline = context.now() + timeout_;
  if (packet.kind == PacketKind::ack) {
    sender.deadline = kNever;
    context.finished(packet.flow);
    return;
  }
  if (packet.kind == PacketKind::pull) {
    sender.granted = std::max(sender.granted, packet.sequence);
    sender.scheduled_priority = static_cast<std::uint8_t>(packet.data_priority);
  } else if (packet.kind == PacketKind::nack) {
    const std::uint32_t last = std::min(packet.sequence + packet.count, sender.next);
    for (std::uint32_t s = packet.sequence; s < last; ++s)
      context.counters().repeats += sender.repeats.insert(s).second ? 1 : 0;
  }
  // Its plane may be up again: a receiver that asks keeps the timeout away, which would look.
  if (sender.listed) context.ready();
  list(context, packet.flow);
}

template <class Context>
void HomaSenders::wake(Context& context) {
  ends_.hosts[context.host()].send_timeouts.run(
      context.now(), [&](std::uint32_t flow) { return ends_.senders[flow].deadline; },
      [&](std::uint32_t flow) { time_out(context, flow); });
}

/// Nothing came back: a packet that the receiver answers, whatever it has.
template <class Context>
void HomaSenders::time_out(Context& context, std::uint32_t flow) {
  HomaSender& sender = ends_.senders[flow];
  ++context.counters().timeouts;
  sender.deadline = context.now() + timeout_;
  ends_.paths.timed_out(flow, sender.deadline);
  if (sender.next > 0 && sender.repeats.empty()) sender.repeats.insert(0);
  wait_anew(context, ends_.paths, flow, sender,
            [&](std::uint32_t plane) { return ends_.hosts[context.host()].sending[plane].leave(flow); });
  list(context, flow);
}

}  // namespace trainyard::packet
