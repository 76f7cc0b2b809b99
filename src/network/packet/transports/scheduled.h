// Senders paced at rates that a controller has given them, with or without parity packets.
//
// A flow is cut into blocks of `data` packets, and each block is sent with `parity` more. Any `data` packets
// that arrive of it, repeats included, give the block back (maximum distance separable codes: Rizzo 1997).
// The receiver acknowledges every packet. A block of which too few arrived in time is repaired by as many as
// lack, and `parity` more. Without parity a block is one packet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/packet/transports/controller.h"
#include "network/packet/transports/ends.h"
#include "network/packet/transports/paced_turns.h"
#include "network/packet/transports/reservations.h"
#include "network/packet/transports/scheduled_sender.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

/// Data carries when it was sent; acknowledgements carry it back, with how many of the block have arrived.
struct ScheduledPacket : Packet {
  Picoseconds sent = 0;
  std::uint32_t arrived = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), sent, arrived);
  }
};

struct IdleSetting;

/// Where every flow has the controller's word at once.
std::vector<IdleSetting> idle_beside_controller(const SimulationInput& simulation,
                                                const TransportsInput& input);

/// What the queues of the longest way take to empty, as full as a plan lets them become.
Picoseconds full_queues(const TransportSetup& setup);

class Scheduled {
 public:
  using Packet = ScheduledPacket;

  Scheduled(const TransportSetup& setup, BlockCode code, ReservationRules rules, Controller controller = {});

  std::size_t bytes() const;
  /// For which a flow may wait, once it could begin, for the controller's word and its turn.
  Picoseconds held_back() const;
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    ends_.serialize_with(a, turns_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    return packet.sequence < code_.blocks(ends_.packets.count(packet.flow));
  }

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    sender.round_trip = setup_.round_trip(ends_.flows[flow].from, ends_.flows[flow].to);
    sender.full = std::min(sender.round_trip + full_queues(setup_), kLongest - 1);  // on slow links
    sender.word = controller_.word(context.now());
    const bool alone = controller_.fallback > 0 && sender.word > context.now();
    sender.next_send = alone ? context.now() : begin(flow);
    list(context, flow);
    wake_for(context, flow);
    ends_.hosts[context.host()].plan_wake(context);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    return turns_.serve(context, ends_.senders, [&](std::uint32_t flow) {
      if (!is_due(context, flow)) return false;
      out = next_packet(context, flow);
      list(context, flow);
      ends_.hosts[context.host()].plan_wake(context);
      return true;
    });
  }

  template <class Context>
  void receive(Context& context, const Packet& packet) {
    if (packet.kind == PacketKind::data) return answer(context, packet);
    if (packet.kind == PacketKind::ack) return acknowledged(context, packet);
  }

  template <class Context>
  void wake(Context& context) {
    PacedHost& host = ends_.hosts[context.host()];
    turns_.wake(context, host, ends_.senders, [&](std::uint32_t flow) { list(context, flow); });
    while (host.timeouts.due(context.now())) time_out(context, host.timeouts.take());
    host.plan_wake(context);
  }

  /// What a probe sees of a flow: of a block, no more than its data.
  void look(std::uint32_t flow, FlowSample& sample) const {
    std::uint64_t count = 0;
    for (const std::uint16_t arrived : ends_.receivers[flow].arrived) count += arrived;
    sample.received_bytes = ends_.payload_bytes(flow, count);
  }

 private:
  using Sender = ScheduledSender;
  struct Receiver {
    std::uint32_t done = 0;              // blocks that have arrived
    std::vector<std::uint16_t> arrived;  // packets of each block
    Paths::State paths;

    template <class Archive>
    void serialize(Archive& a) {
      a(done);
      serialize_tables(a, arrived);
      a(paths);
    }
  };

  /// Whether a flow has data for now; what is for later waits for its time.
  template <class Context>
  bool is_due(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    // The word came while a packet waited for its port: what follows waits for the flow's turn.
    if (sender.next_send < sender.word && sender.word <= context.now()) sender.next_send = begin(flow);
    if (sender.has_data() && sender.next_send <= context.now()) return true;
    list(context, flow);
    return false;
  }

  /// Puts a flow that has data into the turns, or lets it wait for its time.
  template <class Context>
  void list(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    if (sender.listed || sender.paced || !sender.has_data()) return;
    turns_.add(context, ends_.hosts[context.host()], flow, sender);
  }

  template <class Context>
  Packet next_packet(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    const Sender::Piece piece = sender.take_next(code_, ends_.packets.count(flow));
    if (piece.again) ++context.counters().repeats;
    if (piece.last) {
      sender.expect(piece.block, context.now(), setup_.full_packet_time());
      wake_for(context, flow);
    }
    Packet packet = ends_.packets.data<Packet>(flow, piece.block * code_.data + piece.data_packet);
    packet.sequence = piece.block;
    packet.sent = context.now();
    ends_.paths.choose(packet, context.host(), context.plane(), false, context.now(), sender.paths);
    pace(context, flow, packet.bytes);
    return packet;
  }

  /// With the controller's word a flow sends when it is admitted.
  Picoseconds begin(std::uint32_t flow) const {
    const Picoseconds word = ends_.senders[flow].word;
    return word == kNever ? kNever : word + reservations_[flow].wait;
  }
  template <class Context>
  void pace(Context& context, std::uint32_t flow, std::uint32_t bytes) {
    Sender& sender = ends_.senders[flow];
    const bool heard = context.now() >= sender.word;
    const double gap = heard ? bytes / reservations_[flow].rate
                             : static_cast<double>(host_time(context.host(), bytes)) / controller_.fallback;
    sender.next_send = std::max(sender.next_send + whole_duration(std::round(gap)), context.now());
    if (!heard && sender.next_send >= sender.word) sender.next_send = begin(flow);
  }
  /// All planes together.
  Picoseconds host_time(std::uint32_t host, std::uint32_t bytes) const {
    return setup_.layout.host_link(host).time(bytes) / setup_.layout.planes;
  }

  /// Sees to it that the flow's next deadline is met, and that it does not wait for a plane that is down.
  template <class Context>
  void wake_for(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    Picoseconds next = sender.deadlines.empty() ? kNever : sender.deadlines.top().first;
    if (sender.has_data() && sender.next_send < kFarthest)
      next = std::min(next, std::max(context.now(), sender.next_send) + setup_.timeout);
    if (next >= sender.woken) return;
    sender.woken = next;
    ends_.hosts[context.host()].timeouts.add(sender.woken, flow);
  }

  template <class Context>
  void time_out(Context& context, std::uint32_t flow) {
    Sender& sender = ends_.senders[flow];
    sender.woken = kNever;
    turns_.wait_anew(context, flow, sender);
    context.counters().timeouts += sender.repair_late(context.now(), code_, ends_.packets.count(flow));
    wake_for(context, flow);
    list(context, flow);
  }

  template <class Context>
  void answer(Context& context, const Packet& packet) {
    Receiver& receiver = ends_.receivers[packet.flow];
    const std::uint32_t data = code_.data_of(packet.sequence, ends_.packets.count(packet.flow));
    std::uint16_t& arrived = receiver.arrived[packet.sequence];
    if (arrived < data && ++arrived == data && ++receiver.done == receiver.arrived.size())
      context.received(packet.flow);
    Packet out = ends_.packets.control<Packet>(packet.flow, PacketKind::ack, packet.sequence, true);
    out.sent = packet.sent;
    out.arrived = arrived;
    send_at_once(context, ends_.paths, out, true, receiver.paths);
  }

  template <class Context>
  void acknowledged(Context& context, const Packet& packet) {
    Sender& sender = ends_.senders[packet.flow];
    sender.round_trip = std::max(sender.round_trip, context.now() - packet.sent);
    const std::uint32_t data = code_.data_of(packet.sequence, ends_.packets.count(packet.flow));
    std::uint16_t& arrived = sender.arrived[packet.sequence];
    if (arrived >= data || packet.arrived <= arrived) return;
    arrived = static_cast<std::uint16_t>(packet.arrived);
    if (arrived == data && ++sender.done == sender.arrived.size()) context.finished(packet.flow);
  }

  const TransportSetup& setup_;
  BlockCode code_;
  Ends<Sender, Receiver, PacedHost> ends_;
  PacedTurns turns_;
  std::vector<Reservation> reservations_;
  Controller controller_;
};

/// One run of it.
RunOutcome run_scheduled(const TransportSetup& setup, const ScheduledInput& input, BlockCode code,
                         const WindowTick& tick);

}  // namespace trainyard::packet
