// The receiving side of Homa: grants to the messages with the least left, and requests for what is missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "network/packet/transports/homa_records.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class HomaReceivers {
 public:
  HomaReceivers(const TransportSetup& setup, const HomaRules& rules, HomaEnds& ends)
      : rules_(rules), timeout_(setup.timeout), ends_(ends) {}

  /// Whole or cut.
  template <class Context>
  void take_data(Context& context, const HomaPacket& packet);
  /// Timeouts.
  template <class Context>
  void wake(Context& context);

 private:
  static constexpr int kGapsAtOnce = 32;

  template <class Context>
  void give_grants(Context& context, HomaHost& host);
  template <class Context>
  void ask_again(Context& context, std::uint32_t flow);
  template <class Context>
  void send_control(Context& context, HomaPacket packet);

  HomaRules rules_;
  Picoseconds timeout_;
  HomaEnds& ends_;
};

template <class Context>
void HomaReceivers::take_data(Context& context, const HomaPacket& packet) {
  HomaReceiver& receiver = ends_.receivers[packet.flow];
  HomaHost& host = ends_.hosts[context.host()];
  const std::uint32_t packets = ends_.senders[packet.flow].packets;
  if (!receiver.known) {
    receiver.known = true;
    receiver.granted = std::min(packets, rules_.unscheduled_packets);
    receiver.deadline = context.now() + timeout_;
    host.receive_timeouts.add(receiver.deadline, packet.flow);
    if (receiver.granted < packets) host.receiving.insert({packets, packet.flow});
  }
  const bool again = packet.kind == PacketKind::data && receiver.received.has(packet.sequence);
  if (receiver.deadline != kNever && !again) receiver.deadline = context.now() + timeout_;
  if (packet.kind == PacketKind::header) {
    auto request = ends_.packets.control<HomaPacket>(packet.flow, PacketKind::nack, packet.sequence, true);
    request.count = 1;
    send_control(context, request);
  } else if (again) {
    if (receiver.deadline != kNever)
      ask_again(context, packet.flow);  // the sender knows nothing better to send
  } else {
    receiver.received.add(packet.sequence);
    const auto place = host.receiving.find({packets - receiver.count, packet.flow});
    ++receiver.count;
    if (place != host.receiving.end()) {
      host.receiving.erase(place);
      host.receiving.insert({packets - receiver.count, packet.flow});
    }
    if (receiver.count == packets) {
      receiver.deadline = kNever;
      context.received(packet.flow);
    }
  }
  if (receiver.count == packets)
    send_control(context, ends_.packets.control<HomaPacket>(packet.flow, PacketKind::ack, 0, true));
  give_grants(context, host);
}

/// To the messages with the least left, the shorter the higher the priority; with few messages, the lowest
/// priorities (section 3.4).
template <class Context>
void HomaReceivers::give_grants(Context& context, HomaHost& host) {
  const auto active =
      static_cast<std::uint32_t>(std::min<std::size_t>(host.receiving.size(), rules_.overcommitment));
  std::uint32_t rank = 0;
  for (auto at = host.receiving.begin(); rank < active; ++rank) {
    const std::uint32_t flow = at->second;
    HomaReceiver& receiver = ends_.receivers[flow];
    const std::uint32_t packets = ends_.senders[flow].packets;
    const std::uint32_t grant = std::min(packets, receiver.count + rules_.granted_packets);
    const auto here = at++;
    if (grant <= receiver.granted) continue;
    receiver.granted = grant;
    auto pull = ends_.packets.control<HomaPacket>(flow, PacketKind::pull, grant, true);
    const std::uint32_t scheduled = kDataPriorities - rules_.unscheduled_priorities;
    const std::uint32_t level = std::min(active, scheduled) - std::min(rank + 1, std::min(active, scheduled));
    pull.data_priority = kDataPriority + kDataPriorities - 1 - level;
    send_control(context, pull);
    if (grant == packets) host.receiving.erase(here);
  }
}

template <class Context>
void HomaReceivers::send_control(Context& context, HomaPacket packet) {
  packet.priority = kControlPriority;
  send_at_once(context, ends_.paths, packet, true, ends_.receivers[packet.flow].paths);
}

template <class Context>
void HomaReceivers::wake(Context& context) {
  ends_.hosts[context.host()].receive_timeouts.run(
      context.now(), [&](std::uint32_t flow) { return ends_.receivers[flow].deadline; },
      [&](std::uint32_t flow) { ask_again(context, flow); });
}

/// For what was granted and has not come: the first gaps.
template <class Context>
void HomaReceivers::ask_again(Context& context, std::uint32_t flow) {
  HomaReceiver& receiver = ends_.receivers[flow];
  receiver.deadline = context.now() + timeout_;
  std::uint32_t missing = receiver.received.first_missing(0);
  if (missing >= receiver.granted) return;  // others go first
  for (int gaps = 0; gaps < kGapsAtOnce && missing < receiver.granted; ++gaps) {
    std::uint32_t last = missing;
    while (last < receiver.granted && !receiver.received.has(last)) ++last;
    auto again = ends_.packets.control<HomaPacket>(flow, PacketKind::nack, missing, true);
    again.count = last - missing;
    send_control(context, again);
    missing = receiver.received.first_missing(last);
  }
  // The grant may have been lost.
  auto pull = ends_.packets.control<HomaPacket>(flow, PacketKind::pull, receiver.granted, true);
  pull.data_priority = kDataPriority + kDataPriorities - 1;
  send_control(context, pull);
}

}  // namespace trainyard::packet
