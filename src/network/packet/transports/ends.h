// The records of a transport: both ends of every flow, and hosts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/bounds.h"
#include "base/huge_pages.h"
#include "base/prefetch.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/transport_setup.h"
#include "network/wiring/paths.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

/// Of a flow's ends each has its ways as `paths`.
template <class Sender, class Receiver, class Host>
struct Ends {
  explicit Ends(const TransportSetup& setup)
      : flows(setup.flows),
        messages(setup.flows, setup.connections, setup.sizes.payload_bytes),
        packets(setup.layout, setup.sizes, setup.flows, messages),
        paths(setup.paths()),
        senders(flows.size()),
        receivers(flows.size()),
        hosts(setup.layout.hosts()) {}
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  bool sends(std::uint32_t host, std::uint32_t flow) const {
    return flow < flows.size() && flows[flow].from == host;
  }
  bool receives(std::uint32_t host, std::uint32_t flow) const {
    return flow < flows.size() && flows[flow].to == host;
  }

  /// Fetches the record of the end to which such a packet goes; of an unknown flow, which receive() refuses,
  /// nothing.
  void prefetch(const Packet& packet) const {
    if (packet.flow >= flows.size()) return;
    packets.prefetch(packet.flow);
    if (packet.kind == PacketKind::data || packet.kind == PacketKind::header) {
      prefetch_lines(receivers[packet.flow]);
    } else {
      prefetch_lines(senders[packet.flow]);
    }
  }

  /// Of so many packets: whole ones, which flows are no longer than.
  std::uint64_t payload_bytes(std::uint32_t flow, std::uint64_t count) const {
    if (messages.any())
      return std::min(messages.bytes(flow), count * std::uint64_t{packets.full_payload_bytes()});
    return std::min(flows[flow].bytes, count * packets.payload(flow, 0));
  }

  /// A packet that its receiver did not have, now with `count` of them; whether that completes what was sent,
  /// or a message of it.
  template <class Context>
  bool arrived(Context& context, std::uint32_t flow, std::uint32_t sequence, std::uint32_t count) {
    if (!messages.any()) {
      if (count != packets.count(flow)) return false;
      context.received(flow);
      return true;
    }
    const std::uint32_t message = messages.message_of(flow, sequence);
    if (!messages.received(message)) return false;
    context.received(message);
    return true;
  }
  /// A packet that its sender did not know to have arrived; without messages, `finished` says so.
  template <class Context>
  void known(Context& context, std::uint32_t flow, std::uint32_t sequence) {
    if (!messages.any()) return;
    const std::uint32_t message = messages.message_of(flow, sequence);
    if (messages.acknowledged(message)) context.finished(message);
  }
  /// All that was to be sent so far has arrived, as its sender knows.
  template <class Context>
  void finished(Context& context, std::uint32_t flow) {
    if (!messages.any()) context.finished(flow);
  }

  std::size_t bytes() const { return table_bytes(senders) + table_bytes(receivers) + table_bytes(hosts); }

  /// All that changes in a run, for checkpoints, `turns` of flows included.
  template <class Archive, class... Turns>
  void serialize_with(Archive& a, Turns&... turns) {
    a(paths, turns...);
    serialize_tables(a, senders, receivers, hosts);
    a(messages);
  }

  // These refuse a restored state that no run can have (bounds.h).

  /// What has been sent: `packets`, `next`, `repeats` and what is acknowledged of sent_of(sender); what has
  /// been received; deadlines and ways.
  template <class SentOf = std::identity>
  void check_senders(const SentOf& sent_of = {}) const {
    for (std::uint32_t f = 0; f < senders.size(); ++f) {
      const std::uint32_t count = packets.count(f);
      const auto& sent = std::invoke(sent_of, senders[f]);
      keep_bounds(sent.packets == (messages.any() ? messages.begun(f) : count) && sent.next <= sent.packets);
      if constexpr (requires { sent.repeats; })
        keep_all(sent.repeats, [count](std::uint32_t sequence) { return sequence < count; });
      keep_bounds(is_time(senders[f].deadline));
      check_sets(sent, count);
      check_sets(receivers[f], count);
    }
    check_paths();
  }
  void check_paths() const {
    keep_all(senders, [&](const Sender& sender) { return paths.in_bounds(sender.paths, false); });
    keep_all(receivers, [&](const Receiver& receiver) { return paths.in_bounds(receiver.paths, true); });
  }
  /// Turns of senders, each of which has one.
  template <class AnyTurns>
  void check_turns(const AnyTurns& turns) const {
    std::vector<char> listed(senders.size(), 0);
    keep_bounds(turns.all(
        [&](std::uint32_t host, std::uint32_t flow) { return sends(host, flow) && listed[flow]++ == 0; }));
    check_listed(listed);
  }
  /// Whether those are in the turns that remember it.
  void check_listed(const std::vector<char>& turns) const {
    if constexpr (requires(const Sender sender) { sender.listed; }) {
      for (std::uint32_t f = 0; f < senders.size(); ++f) keep_bounds(senders[f].listed == (turns[f] != 0));
    }
  }
  /// Timers of a host's senders.
  void check_timers(std::uint32_t host, const Timers& timers) const {
    keep_bounds(timers.all([&](std::uint32_t flow) { return sends(host, flow); }));
  }

  /// Which of a flow's packets an end knows of.
  template <class End>
  static void check_sets(const End& end, std::uint32_t count) {
    if constexpr (requires { end.acknowledged; }) keep_bounds(end.acknowledged.within(count));
    if constexpr (requires { end.received.within(count); }) keep_bounds(end.received.within(count));
    if constexpr (requires { end.cumulative; }) keep_bounds(end.cumulative <= count);
    if constexpr (requires { end.expected; }) keep_bounds(end.expected <= count);
  }

  const std::vector<Flow>& flows;
  Messages messages;
  Packets packets;
  Paths paths;
  PagedVector<Sender> senders;      // by flow
  PagedVector<Receiver> receivers;  // by flow
  PagedVector<Host> hosts;
};

/// Hands a packet that has arrived to the end that it is for: data and headers of cut packets to receivers,
/// what those report to senders. `pulled` takes requests, which mean what a transport says. Inlined, it costs
/// a packet no instruction.
template <class Context, class P, class Senders, class Receivers, class Pulled>
[[gnu::always_inline]] inline void hand_to_end(Context& context, const P& packet, Senders& senders,
                                               Receivers& receivers, const Pulled& pulled) {
  switch (packet.kind) {
    case PacketKind::data:
      return receivers.take_data(context, packet);
    case PacketKind::header:
      return receivers.take_header(context, packet);
    case PacketKind::ack:
      return senders.acknowledged(context, packet);
    case PacketKind::nack:
      return senders.missed(context, packet);
    case PacketKind::pull:
      return pulled();
    case PacketKind::pause:
      return;
  }
}

}  // namespace trainyard::packet
