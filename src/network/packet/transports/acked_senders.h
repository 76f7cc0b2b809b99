// The sending side of Acked: windows, pacing, losses and timeouts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/transports/acked_records.h"
#include "network/packet/transports/control_law.h"
#include "network/packet/transports/paced_turns.h"
#include "network/packet/transports/probe_senders.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

inline FlowFacts facts_of(std::uint32_t flow, const TransportSetup& setup, const Paths& paths) {
  const Flow& of = setup.flows[flow];
  FlowFacts facts;
  facts.base_round_trip = setup.round_trip(of.from, of.to);
  facts.network_round_trip = setup.network_round_trip(of.from, of.to);
  facts.picoseconds_per_byte = setup.layout.slowest_byte(of.from, of.to);
  facts.full_bytes = static_cast<std::uint32_t>(setup.full_bytes());
  facts.switches = setup.layout.links_between(of.from, of.to) - 1;
  facts.planes = paths.bound_to_plane() ? 1 : setup.layout.planes;
  facts.window_packets = setup.window_packets;
  facts.flow = flow;
  return facts;
}

template <class Control>
void judge_way_of_cut(Paths& paths, const AckedPacket& packet) {
  if constexpr (requires { requires Control::kKnowsEndCuts; })
    return judge_way_of_cut(paths, packet, packet.way);
  paths.cut(packet.flow, packet.way);
}

/// What tells a sender that a packet is lost, besides reports.
enum class LossSign {
  three_later,       // packets of a flow do not overtake each other
  round_trip_later,  // they may
  windows_later,     // they may for long, and switches report what they cut; else each packet's own silence
  own_timeout,       // receivers do not say what is missing (UE 1.0, RUDI): that silence alone
};
template <class Control>
LossSign sign_of_losses(const TransportSetup& setup, const Paths& paths) {
  if (setup.delivery == Delivery::rudi) return LossSign::own_timeout;
  if constexpr (requires { requires Control::kTrustsReports; }) {
    if (setup.queues.trim && !paths.bound_to_plane()) return LossSign::windows_later;
  }
  const bool in_order = paths.bound_to_plane() && !traits_of(setup.load_balancing).by_gaps;
  return in_order ? LossSign::three_later : LossSign::round_trip_later;
}

template <class Control>
class AckedSenders {
 public:
  using Packet = typename Control::Packet;

  AckedSenders(const TransportSetup& setup, const Control& control, AckedEnds<Control>& ends);

  PacedTurns& turns() { return turns_; }
  const PacedTurns& turns() const { return turns_; }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const {
    ends_.check_senders(&Sender::board);
    keep_all(ends_.senders, [&](const Sender& sender) {
      if constexpr (requires { control_.in_bounds(sender.control, now); }) {
        if (!control_.in_bounds(sender.control, now)) return false;
      }
      return sender.in_bounds() && control_.window(sender.control) > 0;
    });
    turns_.check_restored(ends_);
  }

  template <class Context>
  void start(Context& context, std::uint32_t message) {
    const std::uint32_t flow = ends_.messages.connection(message);
    Sender& sender = ends_.senders[flow];
    if (message == flow) {
      const FlowFacts facts = facts_of(flow, setup_, ends_.paths);
      sender.base_round_trip = facts.base_round_trip;
      control_.begin(sender.control, facts);
    }
    if (ends_.messages.any()) sender.board.packets = ends_.messages.begun(flow);
    if (sender.board.all_arrived()) return;  // it waits for those before it
    if (sender.deadline == kNever) set_deadline(context, sender);
    Host& host = ends_.hosts[context.host()];
    if (!sender.timed) host.timeouts.add(sender.deadline, flow);
    sender.timed = true;
    list(context, flow);
    host.plan_wake(context);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    return turns_.serve(context, ends_.senders, [&](std::uint32_t flow) {
      Sender& sender = ends_.senders[flow];
      if (!may_send(sender)) return false;
      if (sender.next_send > context.now()) {
        turns_.pace(context, ends_.hosts[context.host()], flow, sender);
        return false;
      }
      make_next(context, flow, out);
      list(context, flow);
      return true;
    });
  }

  template <class Context>
  void wake(Context& context) {
    Host& host = ends_.hosts[context.host()];
    turns_.wake(context, host, ends_.senders, [&](std::uint32_t flow) { list(context, flow); });
    if constexpr (kProbes<Control>) probes_.run(context, host);
    host.timeouts.run(
        context.now(), [&](std::uint32_t flow) { return ends_.senders[flow].deadline; },
        [&](std::uint32_t flow) { time_out(context, flow); },
        [&](std::uint32_t flow) { ends_.senders[flow].timed = false; });
    host.plan_wake(context);
  }

  template <class Context>
  void acknowledged(Context& context, const Packet& packet) {
    Sender& sender = ends_.senders[packet.flow];
    if (sender.deadline == kNever) return;
    Acknowledgement<Packet> ack{packet};
    ack.now = context.now();
    ack.round_trip = context.now() - packet.sent;
    ack.congested = packet.congested();
    sender.round_trip.measure(ack.round_trip);
    if constexpr (!Control::kGoBackN) sender.latest.add(packet.sent);
    const auto known = [&](std::uint32_t sequence) { ends_.known(context, packet.flow, sequence); };
    ack.newly = sender.board.settle(packet, known);
    if ((packet.marks & Packet::kAnswer) != 0) sender.asked = false;
    ack.under_way = sender.board.under_way;
    ack.next = sender.board.next;
    ack.cumulative = packet.cumulative;
    if (ack.newly > 0) {
      sender.backoff = 0;
      set_deadline(context, sender);
    }
    ends_.paths.arrived(packet.flow, packet.way, ack.congested);
    control_.acknowledged(sender.control, ack);
    if (sender.board.all_arrived()) {
      sender.deadline = kNever;
      if constexpr (kProbes<Control>) sender.probe.due = kNever;
      sender.asked = false;
      ends_.finished(context, packet.flow);
      return;
    }
    if constexpr (!Control::kGoBackN) find_losses(context, sender);
    if constexpr (kProbes<Control>) {
      if (losses_ == LossSign::windows_later) probes_.heard(context, packet);
    }
    list(context, packet.flow);
    ask_if_stuck(context, packet.flow);
  }

  /// Something has not arrived, or not whole.
  template <class Context>
  void missed(Context& context, const Packet& packet) {
    Sender& sender = ends_.senders[packet.flow];
    if (sender.deadline == kNever) return;
    set_deadline(context, sender);
    if constexpr (Control::kGoBackN) {
      sender.board.settle(packet,
                          [&](std::uint32_t sequence) { ends_.known(context, packet.flow, sequence); });
      sender.board.lose_all(context.counters().repeats);
      control_.lost(sender.control, context.now());
    } else {
      judge_way_of_cut<Control>(ends_.paths, packet);
      if (sender.board.cut(packet, context.counters().repeats)) control_.cut(sender.control, context.now());
    }
    sender.asked = false;
    list(context, packet.flow);
    ask_if_stuck(context, packet.flow);
  }

 private:
  using Sender = AckedSender<Control>;
  using Host = PacedHost;
  static constexpr std::uint32_t kLeastLater = 5;  // packets that leave one behind

  /// The host's port paces at its own rate.
  Picoseconds line_time(std::uint32_t host, std::uint32_t bytes) const {
    return setup_.layout.host_link(host).time(bytes) / setup_.layout.planes;
  }

  bool may_send(const Sender& sender) const {
    const auto& board = sender.board;
    if (sender.deadline == kNever || !board.has_data()) return false;
    return board.under_way == 0 || board.under_way + 1.0 <= control_.window(sender.control);
  }

  /// Puts a flow that may send into the turns, or lets it wait for its time.
  template <class Context>
  void list(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    if (sender.listed || sender.paced || !may_send(sender)) return;
    turns_.add(context, ends_.hosts[context.host()], flow, sender);
  }

  /// Where one acknowledgement answers for several packets, those that it would be waited for may not come: a
  /// sender that has used up its window asks with its last packet, and, when the window is cut or reports
  /// come out of order, with a packet of its own.
  bool is_stuck(const Sender& sender) const {
    return setup_.packets_per_ack > 1 && !sender.asked && sender.deadline != kNever && !may_send(sender);
  }
  template <class Context>
  void ask_if_stuck(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    if (!sender.board.has_data() || !is_stuck(sender)) return;
    sender.asked = true;
    Packet out = ends_.packets.template control<Packet>(flow, PacketKind::pull, 0, false);
    out.sent = context.now();
    send_at_once(context, ends_.paths, out, false, sender.paths);
  }

  template <class Context>
  void make_next(Context& context, std::uint32_t flow, Packet& packet) {
    Sender& sender = ends_.senders[flow];
    const bool first = sender.board.under_way == 0;
    const std::uint32_t fresh = sender.board.next;
    const std::uint32_t sequence = sender.board.take_next(context.now());
    if (first) set_deadline(context, sender);  // RFC 6298, 5.1: it may have waited long for its turn
    ends_.packets.make_data(packet, flow, sequence);
    packet.sent = context.now();
    if (is_stuck(sender)) {
      packet.marks = Packet::kAnswer;
      sender.asked = true;
    } else if (!Control::kGoBackN && setup_.packets_per_ack > 1 && sequence != fresh) {
      packet.marks = Packet::kAnswer;  // what was late already does not wait for others
    }
    packet.way =
        ends_.paths.choose(packet, context.host(), context.plane(), false, context.now(), sender.paths);
    if constexpr (requires { control_.stamp(sender.control, packet); })
      control_.stamp(sender.control, packet);
    const Picoseconds gap = control_.gap(sender.control, packet.bytes, context.now());
    if (gap > line_time(context.host(), packet.bytes))
      sender.next_send = std::max(sender.next_send, context.now()) + gap;
  }

  /// Takes for lost what others that were sent later have overtaken.
  template <class Context>
  void find_losses(Context& context, Sender& sender) {
    if (losses_ == LossSign::own_timeout) return;
    if (losses_ == LossSign::windows_later && sender.board.settled_later() < kLeastLater) return;
    std::uint64_t& repeats = context.counters().repeats;
    const std::uint64_t before = repeats;
    const bool later = losses_ == LossSign::windows_later
                           ? lose_left_behind(context.now(), sender, repeats)
                           : sender.board.lose_before(overtaken(sender), sender.reduced, repeats);
    if (repeats != before) sender.asked = false;
    if (!later) return;
    sender.reduced = context.now();
    control_.lost(sender.control, context.now());
  }
  /// What was sent before this has been.
  Picoseconds overtaken(const Sender& sender) const {
    const Picoseconds round_trip = std::max(sender.base_round_trip, sender.round_trip.smooth);
    return losses_ == LossSign::three_later ? sender.latest.by_three() : sender.latest.by(round_trip);
  }
  /// What one and a half windows that were sent later have left behind (uet-htsim's sleek; where nothing more
  /// is to be sent, five packets), unless a slow way may still answer.
  bool lose_left_behind(Picoseconds now, Sender& sender, std::uint64_t& repeats) const {
    constexpr double kWindowsLater = 1.5;
    auto& board = sender.board;
    const double windows = board.has_data() ? kWindowsLater * control_.window(sender.control) : 0;
    const Picoseconds silent = now - std::min(now, sender.round_trip.patience());
    return board.lose_left_behind(std::max<double>(kLeastLater, windows), silent, sender.reduced, repeats);
  }

  template <class Context>
  void time_out(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    turns_.wait_anew(context, flow, sender);
    if (sender.board.under_way == 0) {  // it waits for its turn
      set_deadline(context, sender);
      return list(context, flow);
    }
    if constexpr (!Control::kGoBackN) {
      if (losses_ >= LossSign::windows_later) return lose_silent(context, flow);
    }
    ++context.counters().timeouts;
    sender.board.lose_all(context.counters().repeats);
    sender.asked = false;
    sender.backoff = doubled(sender);
    sender.reduced = context.now();
    control_.timed_out(sender.control, context.now());
    set_deadline(context, sender);
    ends_.paths.timed_out(flow, sender.deadline);
    list(context, flow);
  }

  static std::uint8_t doubled(const Sender& sender) {
    return static_cast<std::uint8_t>(std::min(sender.backoff + 1, Sender::kMostBackoff));
  }

  /// Takes for lost every packet that has been silent for its own timeout. That doubles where a packet is
  /// lost that was sent after the last loss, as repeats are, and not once more for each packet of one window.
  template <class Context>
  void lose_silent(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    set_deadline(context, sender);
    if (sender.deadline > context.now()) return;
    ++context.counters().timeouts;
    sender.asked = false;
    const Picoseconds earlier = std::min(sender.reduced, silent_since(context, sender, before(sender)));
    const Picoseconds silent = std::max(earlier, silent_since(context, sender, sender.backoff));
    if (sender.board.lose_before(silent, sender.reduced, context.counters().repeats)) {
      sender.backoff = doubled(sender);
      sender.reduced = context.now();
      control_.lost(sender.control, context.now());  // there is no other word of losses
    }
    set_deadline(context, sender);
    ends_.paths.timed_out(flow, sender.deadline);
    list(context, flow);
  }

  /// Doublings that hold for packets that were sent before the last loss.
  static std::uint8_t before(const Sender& sender) {
    return sender.backoff > 0 ? static_cast<std::uint8_t>(sender.backoff - 1) : std::uint8_t{0};
  }
  /// What was sent before this has been silent for a timeout of so many doublings.
  template <class Context>
  Picoseconds silent_since(Context& context, const Sender& sender, std::uint8_t doublings) const {
    const Picoseconds wait = sender.wait(setup_.timeout, doublings);
    return context.now() >= wait ? context.now() - wait + 1 : 0;
  }

  /// The scenario's timeout is the least. It begins with the last word, or with the sending of each packet.
  template <class Context>
  void set_deadline(Context& context, Sender& sender) {
    if constexpr (!Control::kGoBackN) {
      if (losses_ >= LossSign::windows_later) {
        const Picoseconds oldest = sender.board.oldest(context.now());
        sender.deadline =
            oldest + sender.wait(setup_.timeout, oldest < sender.reduced ? before(sender) : sender.backoff);
        return;
      }
    }
    sender.set_deadline(context.now(), setup_.timeout);
  }

  const TransportSetup& setup_;
  const Control& control_;
  AckedEnds<Control>& ends_;
  LossSign losses_;
  PacedTurns turns_;
  ProbeSenders<Control, AckedEnds<Control>> probes_;
};

template <class Control>
AckedSenders<Control>::AckedSenders(const TransportSetup& setup, const Control& control,
                                    AckedEnds<Control>& ends)
    : setup_(setup),
      control_(control),
      ends_(ends),
      losses_(sign_of_losses<Control>(setup, ends.paths)),
      turns_(setup.layout, ends.paths, setup.seed),
      probes_(control, ends) {
  for (std::uint32_t f = 0; !ends.messages.any() && f < ends.senders.size(); ++f)
    ends.senders[f].board.packets = ends.packets.count(f);
}

}  // namespace trainyard::packet
