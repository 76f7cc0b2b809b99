// Homa (Montazeri et al. 2018): the shortest messages first, by grants and by the priorities of switches.
//
// A sender sends a round trip's worth of bytes unscheduled, with a priority by the message's size. A receiver
// grants more to the messages with the least left, a round trip ahead of what has come, to several at a time,
// each with a priority of its own. Senders, too, send first for the message with the least left. A receiver
// that waits in vain asks again for what is missing.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <set>
#include <vector>

#include "network/packet/sequence_set.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

struct HomaRules {
  std::uint32_t unscheduled_packets = 50;  // RTTbytes
  std::uint32_t granted_packets = 50;      // ahead of what has come
  std::uint32_t overcommitment = 7;
  std::uint32_t unscheduled_priorities = 1;
};

/// Grants: packets before `sequence` may be sent, with priority `data_priority`. Requests for repeats:
/// `count` packets from `sequence` on.
struct HomaPacket : Packet {
  std::uint32_t count = 0;
  std::uint32_t data_priority = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), count, data_priority);
  }
  bool in_bounds() const { return data_priority < kMostPriorities; }
};

class Homa {
 public:
  using Packet = HomaPacket;

  Homa(const TransportSetup& setup, const HomaRules& rules);

  template <class Context>
  void start(Context& context, std::uint32_t flow);
  template <class Context>
  void receive(Context& context, const Packet& packet);
  template <class Context>
  void wake(Context& context);
  template <class Context>
  bool offer(Context& context, Packet& out);

  std::size_t bytes() const { return ends_.bytes(); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    return packet.sequence < ends_.packets.count(packet.flow) + (packet.kind == PacketKind::pull ? 1 : 0);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = ends_.payload_bytes(flow, ends_.receivers[flow].count);
  }

 private:
  static constexpr int kGapsAtOnce = 32;
  static constexpr std::size_t kSetNode = 48;  // bytes

  struct Sender {
    std::set<std::uint32_t> repeats;
    std::uint32_t packets = 0;
    std::uint32_t next = 0;
    std::uint32_t granted = 0;
    std::uint8_t unscheduled_priority = kDataPriority;
    std::uint8_t scheduled_priority = kDataPriority;
    bool listed = false;
    Picoseconds deadline = kNever;
    Paths::State paths;

    std::size_t bytes() const { return repeats.size() * kSetNode; }
    bool may_send() const { return !repeats.empty() || next < granted; }

    template <class Archive>
    void serialize(Archive& a) {
      a(repeats, packets, next, granted, unscheduled_priority, scheduled_priority, listed, deadline, paths);
    }
  };
  struct Receiver {
    SequenceSet received;
    std::uint32_t count = 0;
    std::uint32_t granted = 0;
    bool known = false;
    Picoseconds deadline = kNever;
    Paths::State paths;

    std::size_t bytes() const { return received.bytes(); }
    template <class Archive>
    void serialize(Archive& a) {
      a(received, count, granted, known, deadline, paths);
    }
  };
  /// Packets left, and the message.
  using Left = std::pair<std::uint32_t, std::uint32_t>;
  struct Host {
    // Messages that may send, the shortest first. One queue for each plane where flows are bound to planes.
    std::vector<std::priority_queue<Left, std::vector<Left>, std::greater<>>> sending;
    std::set<Left> receiving;  // messages that are not granted in full
    Timers send_timeouts;
    Timers receive_timeouts;

    std::size_t bytes() const { return receiving.size() * kSetNode; }
    template <class Archive>
    void serialize(Archive& a) {
      serialize_tables(a, sending);
      a(receiving, send_timeouts, receive_timeouts);
    }
  };

  template <class Context>
  void list(Context& context, std::uint32_t flow);
  template <class Context>
  void take_data(Context& context, const Packet& packet);
  template <class Context>
  void give_grants(Context& context, Host& host);
  template <class Context>
  void ask_again(Context& context, std::uint32_t flow);
  template <class Context>
  void time_out(Context& context, std::uint32_t flow);
  template <class Context>
  void send_control(Context& context, Packet packet);
  template <class Context>
  void plan_wake(Context& context);
  std::size_t queue_of(std::uint32_t flow, bool bound) const {
    return bound ? ends_.paths.plane_of(flow, false) : 0;
  }

  HomaRules rules_;
  Picoseconds timeout_;
  Ends<Sender, Receiver, Host> ends_;
};

template <class Context>
void Homa::start(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  sender.granted = std::min(sender.packets, rules_.unscheduled_packets);
  sender.deadline = context.now() + timeout_;
  ends_.hosts[context.host()].send_timeouts.add(sender.deadline, flow);
  list(context, flow);
  plan_wake(context);
}

template <class Context>
void Homa::list(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  if (sender.listed || sender.deadline == kNever || !sender.may_send()) return;
  sender.listed = true;
  ends_.hosts[context.host()].sending[queue_of(flow, ends_.paths.bound_to_plane())].push(
      {sender.packets - sender.next, flow});
  context.ready();
}

template <class Context>
bool Homa::offer(Context& context, Packet& out) {
  auto& queue = ends_.hosts[context.host()].sending[ends_.paths.bound_to_plane() ? context.plane() : 0];
  while (!queue.empty()) {
    const std::uint32_t flow = queue.top().second;
    if (!ends_.paths.usable(context.plane())(flow)) return false;
    queue.pop();
    Sender& sender = ends_.senders[flow];
    sender.listed = false;
    if (sender.deadline == kNever || !sender.may_send()) continue;
    const bool again = !sender.repeats.empty();
    const std::uint32_t sequence = again ? *sender.repeats.begin() : sender.next++;
    if (again) sender.repeats.erase(sender.repeats.begin());
    out = ends_.packets.data<Packet>(flow, sequence);
    out.priority =
        sequence < rules_.unscheduled_packets ? sender.unscheduled_priority : sender.scheduled_priority;
    ends_.paths.choose(out, context.host(), context.plane(), false, context.now(), sender.paths);
    list(context, flow);
    return true;
  }
  return false;
}

template <class Context>
void Homa::receive(Context& context, const Packet& packet) {
  if (packet.kind == PacketKind::data || packet.kind == PacketKind::header) return take_data(context, packet);
  Sender& sender = ends_.senders[packet.flow];
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
void Homa::take_data(Context& context, const Packet& packet) {
  Receiver& receiver = ends_.receivers[packet.flow];
  Host& host = ends_.hosts[context.host()];
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
    Packet request = ends_.packets.control<Packet>(packet.flow, PacketKind::nack, packet.sequence, true);
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
    send_control(context, ends_.packets.control<Packet>(packet.flow, PacketKind::ack, 0, true));
  give_grants(context, host);
  plan_wake(context);
}

/// To the messages with the least left, the shorter the higher the priority; with few messages, the lowest
/// priorities (section 3.4).
template <class Context>
void Homa::give_grants(Context& context, Host& host) {
  const auto active =
      static_cast<std::uint32_t>(std::min<std::size_t>(host.receiving.size(), rules_.overcommitment));
  std::uint32_t rank = 0;
  for (auto at = host.receiving.begin(); rank < active; ++rank) {
    const std::uint32_t flow = at->second;
    Receiver& receiver = ends_.receivers[flow];
    const std::uint32_t packets = ends_.senders[flow].packets;
    const std::uint32_t grant = std::min(packets, receiver.count + rules_.granted_packets);
    const auto here = at++;
    if (grant <= receiver.granted) continue;
    receiver.granted = grant;
    Packet pull = ends_.packets.control<Packet>(flow, PacketKind::pull, grant, true);
    const std::uint32_t scheduled = kDataPriorities - rules_.unscheduled_priorities;
    const std::uint32_t level = std::min(active, scheduled) - std::min(rank + 1, std::min(active, scheduled));
    pull.data_priority = kDataPriority + kDataPriorities - 1 - level;
    send_control(context, pull);
    if (grant == packets) host.receiving.erase(here);
  }
}

template <class Context>
void Homa::send_control(Context& context, Packet packet) {
  packet.priority = kControlPriority;
  send_at_once(context, ends_.paths, packet, true, ends_.receivers[packet.flow].paths);
}

template <class Context>
void Homa::wake(Context& context) {
  Host& host = ends_.hosts[context.host()];
  host.receive_timeouts.run(
      context.now(), [&](std::uint32_t flow) { return ends_.receivers[flow].deadline; },
      [&](std::uint32_t flow) { ask_again(context, flow); });
  host.send_timeouts.run(
      context.now(), [&](std::uint32_t flow) { return ends_.senders[flow].deadline; },
      [&](std::uint32_t flow) { time_out(context, flow); });
  plan_wake(context);
}

/// Nothing came back: a packet that the receiver answers, whatever it has.
template <class Context>
void Homa::time_out(Context& context, std::uint32_t flow) {
  Sender& sender = ends_.senders[flow];
  ++context.counters().timeouts;
  sender.deadline = context.now() + timeout_;
  ends_.paths.timed_out(flow, sender.deadline);
  if (sender.next > 0 && sender.repeats.empty()) sender.repeats.insert(0);
  sender.listed = false;  // it may wait for a plane that is down
  list(context, flow);
}

/// For what was granted and has not come: the first gaps.
template <class Context>
void Homa::ask_again(Context& context, std::uint32_t flow) {
  Receiver& receiver = ends_.receivers[flow];
  receiver.deadline = context.now() + timeout_;
  std::uint32_t missing = receiver.received.first_missing(0);
  if (missing >= receiver.granted) return;  // others go first
  for (int gaps = 0; gaps < kGapsAtOnce && missing < receiver.granted; ++gaps) {
    std::uint32_t last = missing;
    while (last < receiver.granted && !receiver.received.has(last)) ++last;
    Packet again = ends_.packets.control<Packet>(flow, PacketKind::nack, missing, true);
    again.count = last - missing;
    send_control(context, again);
    missing = receiver.received.first_missing(last);
  }
  // The grant may have been lost.
  Packet pull = ends_.packets.control<Packet>(flow, PacketKind::pull, receiver.granted, true);
  pull.data_priority = kDataPriority + kDataPriorities - 1;
  send_control(context, pull);
}

template <class Context>
void Homa::plan_wake(Context& context) {
  const Host& host = ends_.hosts[context.host()];
  context.wake_at(std::min(host.send_timeouts.next(), host.receive_timeouts.next()));
}

}  // namespace trainyard::packet
