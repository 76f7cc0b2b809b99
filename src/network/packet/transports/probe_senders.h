// What senders probe with that hear nothing (loss_probes.h), where switches report what they cut.
#pragma once

#include <algorithm>
#include <cstdint>

#include "network/packet/transports/acked_records.h"
#include "network/packet/transports/loss_probes.h"
#include "network/packet/transports/paced_turns.h"

namespace trainyard::packet {

template <class Control, class Ends>
class ProbeSenders {
 public:
  using Packet = typename Control::Packet;
  using Sender = AckedSender<Control>;

  ProbeSenders(const Control& control, Ends& ends) : control_(control), ends_(ends) {}

  /// An answer has come: silence begins anew. What was sent before a probe that was not delayed would have
  /// been heard of.
  template <class Context>
  void heard(Context& context, const Packet& packet) {
    Sender& sender = ends_.senders[packet.flow];
    const Picoseconds silence = control_.probe_after(sender.control, sender.board.has_data());
    if (silence == 0) return;
    if ((packet.marks & Packet::kProbe) != 0 &&
        control_.is_prompt(sender.control, context.now() - packet.sent) &&
        sender.board.lose_before(packet.sent, sender.reduced, context.counters().repeats)) {
      sender.reduced = context.now();
      control_.lost(sender.control, context.now());
    }
    sender.probe.due = context.now() + silence;
    sender.probe.sequence = packet.sequence;
    if (!sender.probe.timed) time_probe(context, packet.flow);
  }
  template <class Context>
  void run(Context& context, PacedHost& host) {
    while (host.probes.due(context.now())) {
      const std::uint32_t flow = host.probes.take();
      Sender& sender = ends_.senders[flow];
      sender.probe.timed = false;
      if (sender.probe.due == kNever) continue;
      if (sender.probe.due <= context.now()) send_probe(context, flow);
      time_probe(context, flow);
    }
  }

 private:
  /// Looks at it before the next answer could have it due.
  template <class Context>
  void time_probe(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    const Picoseconds soonest =
        std::min(control_.probe_after(sender.control, true), control_.probe_after(sender.control, false));
    PacedHost& host = ends_.hosts[context.host()];
    sender.probe.timed = true;
    host.probes.add(std::min(sender.probe.due, context.now() + soonest), flow);
    host.plan_wake(context);
  }
  template <class Context>
  void send_probe(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    sender.probe.due = context.now() + LossProbe::kRoundTripsToNext * sender.base_round_trip;
    Packet out = ends_.packets.template control<Packet>(flow, PacketKind::pull, sender.probe.sequence, false);
    out.priority = kDataPriority;
    out.marks = Packet::kProbe;
    out.sent = context.now();
    const std::uint32_t plane = ends_.paths.next_plane(flow, false, sender.paths);
    out.way = ends_.paths.choose(out, context.host(), plane, false, context.now(), sender.paths);
    context.send(out, plane);
  }

  const Control& control_;
  Ends& ends_;
};

}  // namespace trainyard::packet
