// The receiving side of Acked: every packet is acknowledged, by itself or with others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/packet/transports/acked_records.h"
#include "network/packet/transports/host_tools.h"

namespace trainyard::packet {

/// Packets of a flow that have arrived and are not acknowledged.
template <class P>
struct Gathered {
  P last;
  std::uint32_t count = 0;
  std::uint32_t lowest = 0;  // of their sequences
  std::uint32_t highest = 0;
  bool owes = false;  // the sender has asked, and nothing was here to answer for

  void add(const P& packet) {
    lowest = count == 0 ? packet.sequence : std::min(lowest, packet.sequence);
    highest = count == 0 ? packet.sequence : std::max(highest, packet.sequence);
    last = packet;
    ++count;
  }
  /// Whether one acknowledgement can tell of them and of this packet; a mark is of all that it answers for,
  /// which not every control law takes.
  bool goes_with(const P& packet, bool whatever_mark) const {
    if (count == 0) return true;
    if (!whatever_mark && last.congested() != packet.congested()) return false;
    if constexpr (requires { packet.received_bits; }) {
      return std::max(highest, packet.sequence) - std::min(lowest, packet.sequence) <= P::kBefore;
    }
    return true;
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(last, count, lowest, highest, owes);
  }
};

template <class Control>
class AckedReceivers {
 public:
  using Packet = typename Control::Packet;

  /// `packets_per_ack`: what one acknowledgement answers at most. `forgets`: receivers remember no packets
  /// (UE 1.0, RUDI) and deliver what is repeated once more; what they have stands in their records for the
  /// run's answers alone.
  AckedReceivers(const Control& control, AckedEnds<Control>& ends, std::uint32_t packets_per_ack,
                 bool forgets = false)
      : control_(control),
        ends_(ends),
        packets_per_ack_(packets_per_ack),
        forgets_(forgets),
        gathered_(packets_per_ack > 1 ? ends.receivers.size() : 0) {}

  /// Takes data.
  template <class Context>
  void take_data(Context& context, const Packet& packet) {
    Receiver& receiver = ends_.receivers[packet.flow];
    bool fresh = false;
    bool complete = false;
    if constexpr (Control::kGoBackN) {
      if (packet.sequence > receiver.expected) return complain(context, packet);
      fresh = packet.sequence == receiver.expected;
      if (fresh) {
        receiver.complained = false;
        complete = ends_.arrived(context, packet.flow, packet.sequence, ++receiver.expected);
      }
    } else {
      fresh = receiver.received.add(packet.sequence);
      if (fresh) {
        complete = ends_.arrived(context, packet.flow, packet.sequence, ++receiver.count);
        receiver.expected = receiver.received.first_missing(receiver.expected);
      } else if (forgets_) {
        ++context.counters().duplicates;
      }
    }
    if (packets_per_ack_ <= 1) return report(context, packet, PacketKind::ack);
    gather(context, packet, !fresh || complete);
  }

  /// Takes data whose payload a switch cut off.
  template <class Context>
  void take_header(Context& context, const Packet& packet) {
    if constexpr (requires { requires Control::kCutsAreGaps; }) {
      Receiver& receiver = ends_.receivers[packet.flow];
      if (packet.sequence < receiver.expected) return report(context, packet, PacketKind::ack);
      if (packet.sequence > receiver.expected) return complain(context, packet);
      receiver.complained = true;  // of this repeat, whatever was said of the gap before
    }
    report(context, packet, PacketKind::nack);
  }

  /// The sender asks for what has not been acknowledged, or probes a way.
  template <class Context>
  void answer_request(Context& context, const Packet& packet) {
    if ((packet.marks & Packet::kProbe) != 0) return report(context, packet, PacketKind::ack);
    const std::uint32_t flow = packet.flow;
    if (gathered_.empty()) return;
    Gathered<Packet>& gathered = gathered_[flow];
    if (gathered.count == 0) {
      gathered.owes = true;
      return;
    }
    gathered.last.marks |= Packet::kAnswer;
    acknowledge(context, gathered);
  }

  template <class Context>
  void report(Context& context, const Packet& packet, PacketKind kind) {
    Receiver& receiver = ends_.receivers[packet.flow];
    Packet out = ends_.packets.template control<Packet>(packet.flow, kind, packet.sequence, true);
    out.sent = packet.sent;
    if (!forgets_) out.cumulative = receiver.expected;
    out.way = packet.way;
    out.marks = packet.marks & (Packet::kCongested | Packet::kAnswer | Packet::kCutAtEnd | Packet::kProbe);
    if (packets_per_ack_ > 1) tell_of_others(receiver, out);
    control_.answer(receiver.notes, packet, out, context.now());
    send_at_once(context, ends_.paths, out, true, receiver.paths);
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, gathered_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h); `fits(packet)` says so of packets.
  template <class Fits>
  void check_restored(Picoseconds now, const Fits& fits) const {
    for (std::uint32_t f = 0; f < gathered_.size(); ++f) {
      const Gathered<Packet>& gathered = gathered_[f];
      if (gathered.count == 0) continue;
      const Packet& last = gathered.last;
      if constexpr (requires { last.in_bounds(); }) keep_bounds(last.in_bounds());
      keep_bounds(gathered.count < packets_per_ack_ && last.flow == f && fits(last) &&
                  is_past(last.sent, now) && gathered.lowest <= last.sequence &&
                  last.sequence <= gathered.highest);
    }
  }
  std::size_t bytes() const { return table_bytes(gathered_); }

 private:
  using Receiver = AckedReceiver<Control>;

  /// Acknowledges when enough has gathered, and at once what cannot wait.
  template <class Context>
  void gather(Context& context, const Packet& packet, bool at_once) {
    Gathered<Packet>& gathered = gathered_[packet.flow];
    constexpr bool kWhateverMark = requires { requires Control::kMarksAnswerAll; };
    if (!gathered.goes_with(packet, kWhateverMark)) acknowledge(context, gathered);
    gathered.add(packet);
    if (gathered.owes) gathered.last.marks |= Packet::kAnswer;
    gathered.owes = false;
    // Without bits, what is out of order can only be acknowledged by itself.
    if constexpr (!requires { packet.received_bits; })
      at_once |= packet.sequence >= ends_.receivers[packet.flow].expected;
    at_once |= packet.congested() || (gathered.last.marks & Packet::kAnswer) != 0;
    if (at_once || gathered.count >= packets_per_ack_) acknowledge(context, gathered);
  }
  template <class Context>
  void acknowledge(Context& context, Gathered<Packet>& gathered) {
    gathered.count = 0;
    report(context, gathered.last, PacketKind::ack);
  }
  void tell_of_others(const Receiver& receiver, Packet& out) const {
    if constexpr (requires { out.received_bits; })
      out.received_bits = receiver.received.around(out.sequence, Packet::kBefore);
  }

  /// Says once that something is missing.
  template <class Context>
  void complain(Context& context, const Packet& packet) {
    Receiver& receiver = ends_.receivers[packet.flow];
    if (receiver.complained) return;
    receiver.complained = true;
    report(context, packet, PacketKind::nack);
  }

  const Control& control_;
  AckedEnds<Control>& ends_;
  std::uint32_t packets_per_ack_;
  bool forgets_;
  std::vector<Gathered<Packet>> gathered_;  // by flow; empty: every packet is acknowledged by itself
};

}  // namespace trainyard::packet
