// Transports whose senders act on acknowledgements: windows, pacing and repeats, whatever the control law
// (control_law.h).
//
// Receivers acknowledge every packet. A packet counts as lost when three that were sent later have been
// acknowledged (RFC 6675's threshold), or, where packets take different paths, when one that was sent a round
// trip later has (RFC 8985); when a switch reports that it was cut; or after the timeout.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "network/packet/sequence_set.h"
#include "network/packet/transports/control_law.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/outstanding.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

template <class Control>
class Acked {
  static_assert(check_control_law<Control>());

 public:
  using Packet = typename Control::Packet;

  Acked(const TransportSetup& setup, Control control)
      : setup_(setup),
        control_(std::move(control)),
        flows_(setup.flows),
        packets_(setup.layout, setup.sizes, setup.flows),
        paths_(setup.paths()),
        in_order_(paths_.bound_to_plane() && setup.load_balancing != LoadBalancing::flowlet),
        turns_(setup.layout, paths_.bound_to_plane()),
        senders_(flows_.size()),
        receivers_(flows_.size()),
        hosts_(setup.layout.hosts()) {
    for (std::uint32_t f = 0; f < flows_.size(); ++f) senders_[f].packets = packets_.count(f);
  }

  std::size_t bytes() const { return table_bytes(senders_) + table_bytes(receivers_) + table_bytes(hosts_); }

  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    a(paths_, turns_);
    serialize_tables(a, senders_, receivers_, hosts_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const {
    check_ends(packets_, paths_, senders_, receivers_);
    keep_all(senders_, [&](const Sender& sender) { return in_bounds(sender, now); });
    const auto sends = [&](std::uint32_t host, std::uint32_t flow) {
      return flow < flows_.size() && flows_[flow].from == host;
    };
    keep_bounds(turns_.all(sends));
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      const auto here = [&](std::uint32_t flow) { return sends(h, flow); };
      keep_bounds(hosts_[h].paced.all(here) && hosts_[h].timeouts.all(here));
    }
  }
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    const std::uint32_t packets = packets_.count(packet.flow);
    return packet.sequence < packets && packet.cumulative <= packets;
  }

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    FlowFacts facts;
    facts.base_round_trip = setup_.round_trip(flows_[flow].from, flows_[flow].to);
    facts.picoseconds_per_byte = setup_.layout.links.front().picoseconds_per_byte;
    facts.full_bytes = packets_.full_bytes();
    facts.switches = setup_.layout.links_between(flows_[flow].from, flows_[flow].to) - 1;
    facts.planes = paths_.bound_to_plane() ? 1 : setup_.layout.planes;
    facts.window_packets = setup_.window_packets;
    facts.flow = flow;
    sender.base_round_trip = facts.base_round_trip;
    control_.begin(sender.control, facts);
    set_deadline(sender, context.now());
    hosts_[context.host()].timeouts.add(sender.deadline, flow);
    list(context, flow);
    plan_wake(context);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    const auto usable = paths_.usable(context.plane());
    return turns_.serve(context.host(), context.plane(), usable, [&](std::uint32_t flow) {
      Sender& sender = senders_[flow];
      sender.listed = false;
      if (!may_send(sender)) return false;
      if (sender.next_send > context.now()) {
        pace(context, flow);
        return false;
      }
      out = next_packet(context, flow);
      list(context, flow);
      return true;
    });
  }

  template <class Context>
  void receive(Context& context, const Packet& packet) {
    switch (packet.kind) {
      case PacketKind::data:
        return answer(context, packet);
      case PacketKind::header:
        return report(context, packet, PacketKind::nack);
      case PacketKind::ack:
        return acknowledged(context, packet);
      case PacketKind::nack:
        return missed(context, packet);
      case PacketKind::pull:
      case PacketKind::pause:
        return;
    }
  }

  template <class Context>
  void wake(Context& context) {
    Host& host = hosts_[context.host()];
    while (host.paced.due(context.now())) {
      const std::uint32_t flow = host.paced.take();
      senders_[flow].paced = false;
      list(context, flow);
    }
    host.timeouts.run(
        context.now(), [&](std::uint32_t flow) { return senders_[flow].deadline; },
        [&](std::uint32_t flow) { time_out(context, flow); });
    plan_wake(context);
  }

 private:
  struct Sender {
    typename Control::State control;
    SequenceSet acknowledged;
    Outstanding outstanding;
    std::deque<std::uint32_t> repeats;  // to be sent again, in this order
    std::uint32_t packets = 0;
    std::uint32_t next = 0;   // never sent yet; with go-back-N, to be sent next
    std::uint32_t count = 0;  // acknowledged; with go-back-N, all before it
    std::uint32_t under_way = 0;
    bool listed = false;  // in the turns
    bool paced = false;   // waits for its next time
    std::uint8_t backoff = 0;
    Picoseconds next_send = 0;
    Picoseconds deadline = kNever;
    Picoseconds base_round_trip = 0;
    Picoseconds smooth = 0;               // round trip
    Picoseconds variation = 0;            // of it
    Picoseconds reduced = 0;              // what was sent before belongs to losses that have been answered
    std::array<Picoseconds, 3> latest{};  // sending times of acknowledged packets, the latest first
    Paths::State paths;

    std::size_t bytes() const {
      return acknowledged.bytes() + outstanding.bytes() + repeats.size() * sizeof(std::uint32_t);
    }
    template <class Archive>
    void serialize(Archive& a) {
      a(control, acknowledged, outstanding, repeats, packets, next, count, under_way, listed, paced, backoff,
        next_send, deadline, base_round_trip, smooth, variation, reduced, latest, paths);
    }
  };
  struct Receiver {
    SequenceSet received;
    std::uint32_t count = 0;
    std::uint32_t expected = 0;
    bool complained = false;  // go-back-N: of the gap at hand
    typename Control::Notes notes;
    Paths::State paths;

    std::size_t bytes() const { return received.bytes(); }
    template <class Archive>
    void serialize(Archive& a) {
      a(received, count, expected, complained, notes, paths);
    }
  };
  struct Host {
    Timers paced;
    Timers timeouts;

    template <class Archive>
    void serialize(Archive& a) {
      a(paced, timeouts);
    }
  };

  bool in_bounds(const Sender& sender, Picoseconds now) const {
    if constexpr (requires { control_.in_bounds(sender.control, now); }) {
      if (!control_.in_bounds(sender.control, now)) return false;
    }
    const std::uint32_t open =
        Control::kGoBackN ? sender.next - sender.count : sender.outstanding.open_below(sender.packets);
    return sender.count <= sender.packets && sender.under_way == open && sender.backoff <= kMostBackoff &&
           is_time(sender.next_send) && sender.smooth < kLongest && sender.variation < kLongest;
  }

  /// The host's port paces at its own rate.
  Picoseconds line_time(std::uint32_t bytes) const {
    return setup_.layout.links.front().time(bytes) / setup_.layout.planes;
  }

  bool has_data(const Sender& sender) const {
    return !sender.repeats.empty() || sender.next < sender.packets;
  }
  bool may_send(const Sender& sender) const {
    if (sender.deadline == kNever || !has_data(sender)) return false;
    return sender.under_way == 0 || sender.under_way + 1.0 <= control_.window(sender.control);
  }

  /// Puts a flow that may send into the turns, or lets it wait for its time.
  template <class Context>
  void list(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    if (sender.listed || sender.paced || !may_send(sender)) return;
    if (sender.next_send > context.now()) return pace(context, flow);
    sender.listed = true;
    turns_.add(context.host(), paths_.plane_of(flow, false), flow);
    context.ready();
  }

  template <class Context>
  void pace(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    if (sender.paced) return;
    sender.paced = true;
    hosts_[context.host()].paced.add(sender.next_send, flow);
    plan_wake(context);
  }

  template <class Context>
  void plan_wake(Context& context) {
    const Host& host = hosts_[context.host()];
    context.wake_at(std::min(host.paced.next(), host.timeouts.next()));
  }

  template <class Context>
  Packet next_packet(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    std::uint32_t sequence = sender.next;
    if (sender.repeats.empty()) {
      ++sender.next;
    } else {
      sequence = sender.repeats.front();
      sender.repeats.pop_front();
      forget_repeats(sender.repeats, sender.acknowledged);
    }
    Packet packet = packets_.data<Packet>(flow, sequence);
    packet.sent = context.now();
    paths_.choose(packet, context.host(), context.plane(), false, context.now(), sender.paths);
    packet.data_up_leaf = packet.up_leaf;
    packet.data_up_aggregation = packet.up_aggregation;
    if constexpr (!Control::kGoBackN) sender.outstanding.add(context.now(), sequence);
    ++sender.under_way;
    if constexpr (requires { control_.stamp(sender.control, packet); })
      control_.stamp(sender.control, packet);
    const Picoseconds gap = control_.gap(sender.control, packet.bytes, context.now());
    if (gap > line_time(packet.bytes)) sender.next_send = std::max(sender.next_send, context.now()) + gap;
    return packet;
  }

  // The receiver.

  template <class Context>
  void answer(Context& context, const Packet& packet) {
    Receiver& receiver = receivers_[packet.flow];
    if constexpr (Control::kGoBackN) {
      if (packet.sequence > receiver.expected) return complain(context, packet);
      if (packet.sequence == receiver.expected) {
        ++receiver.expected;
        receiver.complained = false;
        if (receiver.expected == senders_[packet.flow].packets) context.received(packet.flow);
      }
    } else {
      if (receiver.received.add(packet.sequence)) {
        if (++receiver.count == senders_[packet.flow].packets) context.received(packet.flow);
        receiver.expected = receiver.received.first_missing(receiver.expected);
      }
    }
    report(context, packet, PacketKind::ack);
  }

  /// Says once that something is missing.
  template <class Context>
  void complain(Context& context, const Packet& packet) {
    Receiver& receiver = receivers_[packet.flow];
    if (receiver.complained) return;
    receiver.complained = true;
    report(context, packet, PacketKind::nack);
  }

  template <class Context>
  void report(Context& context, const Packet& packet, PacketKind kind) {
    Receiver& receiver = receivers_[packet.flow];
    Packet out = packets_.control<Packet>(packet.flow, kind, packet.sequence, true);
    out.sent = packet.sent;
    out.cumulative = receiver.expected;
    out.data_up_leaf = packet.data_up_leaf;
    out.data_up_aggregation = packet.data_up_aggregation;
    out.marks = packet.marks & Packet::kCongested;
    control_.answer(receiver.notes, packet, out, context.now());
    send_at_once(context, paths_, out, true, receiver.paths);
  }

  // The sender hears.

  template <class Context>
  void acknowledged(Context& context, const Packet& packet) {
    Sender& sender = senders_[packet.flow];
    if (sender.deadline == kNever) return;
    Acknowledgement<Packet> ack{packet};
    ack.now = context.now();
    ack.round_trip = context.now() - packet.sent;
    ack.congested = packet.congested();
    measure(sender, ack.round_trip);
    ack.newly = settle(sender, packet);
    ack.under_way = sender.under_way;
    ack.next = sender.next;
    ack.cumulative = packet.cumulative;
    if (ack.newly > 0) {
      sender.backoff = 0;
      set_deadline(sender, context.now());
    }
    paths_.arrived(packet.flow, packet.data_up_leaf, packet.data_up_aggregation, ack.congested);
    control_.acknowledged(sender.control, ack);
    if (sender.count == sender.packets) {
      sender.deadline = kNever;
      context.finished(packet.flow);
      return;
    }
    if constexpr (!Control::kGoBackN) find_losses(context, sender);
    list(context, packet.flow);
  }

  /// Books what an acknowledgement says; returns how many packets it is the first to report.
  std::uint32_t settle(Sender& sender, const Packet& packet) {
    if constexpr (Control::kGoBackN) {
      if (packet.cumulative <= sender.count) return 0;
      const std::uint32_t newly = packet.cumulative - sender.count;
      sender.count = packet.cumulative;
      sender.next = std::max(sender.next, sender.count);
      sender.under_way = sender.next - sender.count;
      return newly;
    } else {
      if (Outstanding::Entry* entry = sender.outstanding.find(packet.sent, packet.sequence);
          entry && entry->open) {
        entry->open = false;
        --sender.under_way;
      }
      for (Picoseconds& latest : sender.latest) {
        if (packet.sent <= latest) continue;
        Picoseconds moved = packet.sent;
        for (Picoseconds* at = &latest; at != sender.latest.data() + sender.latest.size(); ++at)
          std::swap(*at, moved);
        break;
      }
      if (!sender.acknowledged.add(packet.sequence)) return 0;
      forget_repeats(sender.repeats, sender.acknowledged);
      ++sender.count;
      return 1;
    }
  }

  /// Takes for lost what others that were sent later have overtaken.
  template <class Context>
  void find_losses(Context& context, Sender& sender) {
    sender.outstanding.drop_settled();
    const Picoseconds overtaken =
        in_order_
            ? sender.latest[2]
            : sender.latest[0] - std::min(sender.latest[0], std::max(sender.base_round_trip, sender.smooth));
    bool reduce = false;
    for (std::uint32_t i = 0; i < sender.outstanding.size(); ++i) {
      Outstanding::Entry& entry = sender.outstanding.at(i);
      if (entry.sent >= overtaken) break;
      if (!entry.open) continue;
      reduce |= lose(context, sender, entry);
    }
    sender.outstanding.drop_settled();
    if (!reduce) return;
    sender.reduced = context.now();
    control_.lost(sender.control, context.now());
  }

  /// Returns whether the packet was sent after the last reduction.
  template <class Context>
  bool lose(Context& context, Sender& sender, Outstanding::Entry& entry) {
    entry.open = false;
    --sender.under_way;
    if (sender.acknowledged.has(entry.sequence)) return false;
    sender.repeats.push_back(entry.sequence);
    ++context.counters().repeats;
    return entry.sent >= sender.reduced;
  }

  template <class Context>
  void missed(Context& context, const Packet& packet) {
    Sender& sender = senders_[packet.flow];
    if (sender.deadline == kNever) return;
    set_deadline(sender, context.now());
    if constexpr (Control::kGoBackN) {
      settle(sender, packet);
      go_back(context, sender);
      control_.lost(sender.control, context.now());
    } else {
      Outstanding::Entry* entry = sender.outstanding.find(packet.sent, packet.sequence);
      if (entry && entry->open) {
        lose(context, sender, *entry);
        sender.outstanding.drop_settled();
        control_.cut(sender.control, context.now());
      }
    }
    list(context, packet.flow);
  }

  template <class Context>
  void go_back(Context& context, Sender& sender) {
    context.counters().repeats += sender.next - sender.count;
    sender.next = sender.count;
    sender.under_way = 0;
  }

  template <class Context>
  void time_out(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    sender.listed = false;        // it may wait for a plane that is down
    if (sender.under_way == 0) {  // or for its turn
      set_deadline(sender, context.now());
      return list(context, flow);
    }
    ++context.counters().timeouts;
    sender.backoff = static_cast<std::uint8_t>(std::min(sender.backoff + 1, kMostBackoff));
    if constexpr (Control::kGoBackN) {
      go_back(context, sender);
    } else {
      for (std::uint32_t i = 0; i < sender.outstanding.size(); ++i) {
        if (sender.outstanding.at(i).open) lose(context, sender, sender.outstanding.at(i));
      }
      sender.outstanding.clear();
    }
    sender.reduced = context.now();
    control_.timed_out(sender.control, context.now());
    set_deadline(sender, context.now());
    paths_.timed_out(flow, sender.deadline);
    list(context, flow);
  }

  /// RFC 6298, with the scenario's timeout as the least.
  void measure(Sender& sender, Picoseconds round_trip) {
    if (sender.smooth == 0) {
      sender.smooth = round_trip;
      sender.variation = round_trip / 2;
      return;
    }
    const Picoseconds off =
        round_trip > sender.smooth ? round_trip - sender.smooth : sender.smooth - round_trip;
    sender.variation = (3 * sender.variation + off) / 4;
    sender.smooth = (7 * sender.smooth + round_trip) / 8;
  }

  void set_deadline(Sender& sender, Picoseconds now) {
    const Picoseconds silence = std::max(setup_.timeout, sender.smooth + 4 * sender.variation);
    sender.deadline = now + (silence << sender.backoff);
  }

  static constexpr int kMostBackoff = 10;

  const TransportSetup& setup_;
  Control control_;
  const std::vector<Flow>& flows_;
  Packets packets_;
  Paths paths_;
  bool in_order_;  // packets of a flow do not overtake each other
  Turns turns_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::vector<Host> hosts_;
};

}  // namespace trainyard::packet
