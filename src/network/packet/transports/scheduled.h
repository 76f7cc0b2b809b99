// Senders paced at rates that a controller has given them, with or without parity packets.
//
// A flow is cut into blocks of `data` packets, and each block is sent with `parity` more. Any `data` packets
// that arrive of it, repeats included, give the block back (maximum distance separable codes: Rizzo 1997).
// The receiver acknowledges every packet. A block of which too few arrived in time is repaired by as many as
// lack, and `parity` more. Without parity a block is one packet.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/reservations.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

struct BlockCode {
  std::uint32_t data = 1;    // packets of a block
  std::uint32_t parity = 0;  // beside them
};

/// Data carries when it was sent; acknowledgements carry it back, with how many of the block have arrived.
struct ScheduledPacket : Packet {
  Picoseconds sent = 0;
  std::uint32_t arrived = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), sent, arrived);
  }
};

class Scheduled {
 public:
  using Packet = ScheduledPacket;

  Scheduled(const TransportSetup& setup, BlockCode code, ReservationRules rules)
      : setup_(setup),
        code_(code),
        flows_(setup.flows),
        packets_(setup.layout, setup.sizes, setup.flows),
        paths_(setup.paths()),
        turns_(setup.layout, paths_.bound_to_plane()),
        senders_(flows_.size()),
        receivers_(flows_.size()),
        hosts_(setup.layout.hosts()) {
    rules.wire_factor = static_cast<double>(packets_.full_bytes()) / setup.sizes.payload_bytes *
                        (code.data + code.parity) / code.data;
    if (setup.in_steps) rules.steps = steps_of(flows_.size(), setup.dependencies);
    reservations_ = reserve(setup.layout, flows_, rules);
    for (std::uint32_t f = 0; f < flows_.size(); ++f) {
      const std::uint32_t blocks = blocks_of(f);
      senders_[f].arrived.resize(blocks);
      senders_[f].silences.resize(blocks);
      receivers_[f].arrived.resize(blocks);
    }
  }

  std::size_t bytes() const {
    constexpr std::size_t kBytesOfBlock = 5;
    std::size_t sum = senders_.capacity() * (sizeof(Sender) + sizeof(Receiver) + sizeof(Reservation)) +
                      hosts_.capacity() * sizeof(Host);
    for (const Sender& sender : senders_)
      sum += sender.arrived.capacity() * kBytesOfBlock + sender.deadlines.size() * sizeof(Deadline);
    return sum;
  }

  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    a(paths_, turns_);
    serialize_tables(a, senders_, receivers_, hosts_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const { return packet.sequence < blocks_of(packet.flow); }

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    sender.round_trip = setup_.round_trip(flows_[flow].from, flows_[flow].to);
    sender.next_send = context.now() + reservations_[flow].wait;
    list(context, flow);
    plan_wake(context);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    while (!turns_.empty(context.host(), context.plane())) {
      const std::uint32_t flow = turns_.take(context.host(), context.plane(), paths_.usable(context.plane()));
      if (flow == kNobody) return false;
      senders_[flow].listed = false;
      if (!has_data(flow)) continue;
      out = next_packet(context, flow);
      list(context, flow);
      plan_wake(context);
      return true;
    }
    return false;
  }

  template <class Context>
  void receive(Context& context, const Packet& packet) {
    if (packet.kind == PacketKind::data) return answer(context, packet);
    if (packet.kind == PacketKind::ack) return acknowledged(context, packet);
  }

  template <class Context>
  void wake(Context& context) {
    Host& host = hosts_[context.host()];
    while (host.paced.due(context.now())) {
      const std::uint32_t flow = host.paced.take();
      senders_[flow].paced = false;
      list(context, flow);
    }
    while (host.timeouts.due(context.now())) time_out(context, host.timeouts.take());
    plan_wake(context);
  }

 private:
  using Deadline = std::pair<Picoseconds, std::uint32_t>;  // of a block
  struct Repair {
    std::uint32_t block = 0;
    std::uint32_t packets = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(block, packets);
    }
  };
  struct Sender {
    std::uint32_t next = 0;    // block
    std::uint32_t packet = 0;  // of it
    std::uint32_t done = 0;    // blocks that have arrived
    bool listed = false;       // in the turns
    bool paced = false;        // waits for its next time
    Picoseconds next_send = 0;
    Picoseconds round_trip = 0;  // the longest so far
    Picoseconds woken = kNever;  // the earliest of its entries in Host::timeouts
    std::deque<Repair> repairs;
    std::vector<std::uint16_t> arrived;  // packets of each block, as far as is known
    std::vector<std::uint8_t> silences;  // of each block
    std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines;
    Paths::State paths;

    template <class Archive>
    void serialize(Archive& a) {
      a(next, packet, done, listed, paced, next_send, round_trip, woken, repairs);
      serialize_tables(a, arrived, silences);
      a(deadlines, paths);
    }
  };
  struct Receiver {
    std::uint32_t done = 0;
    std::vector<std::uint16_t> arrived;
    Paths::State paths;

    template <class Archive>
    void serialize(Archive& a) {
      a(done);
      serialize_tables(a, arrived);
      a(paths);
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

  bool in_bounds(std::uint32_t flow) const;
  std::uint32_t blocks_of(std::uint32_t flow) const {
    return (packets_.count(flow) + code_.data - 1) / code_.data;
  }
  /// Data packets of a block.
  std::uint32_t data_of(std::uint32_t flow, std::uint32_t block) const {
    return std::min(code_.data, packets_.count(flow) - block * code_.data);
  }

  bool has_data(std::uint32_t flow) const {
    const Sender& sender = senders_[flow];
    return !sender.repairs.empty() || sender.next < sender.arrived.size();
  }

  /// Puts a flow that has data into the turns, or lets it wait for its time.
  template <class Context>
  void list(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    if (sender.listed || sender.paced || !has_data(flow)) return;
    if (sender.next_send > context.now()) {
      sender.paced = true;
      hosts_[context.host()].paced.add(sender.next_send, flow);
      return;
    }
    sender.listed = true;
    turns_.add(context.host(), paths_.plane_of(flow, false), flow);
    context.ready();
  }

  template <class Context>
  void plan_wake(Context& context) {
    const Host& host = hosts_[context.host()];
    context.wake_at(std::min(host.paced.next(), host.timeouts.next()));
  }

  template <class Context>
  Packet next_packet(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    std::uint32_t block = sender.next;
    std::uint32_t data_packet = 0;  // whose length this one has
    if (!sender.repairs.empty()) {
      Repair& repair = sender.repairs.front();
      block = repair.block;
      ++context.counters().repeats;
      if (--repair.packets == 0) {
        sender.repairs.pop_front();
        expect(context, flow, block);
      }
    } else {
      const std::uint32_t data = data_of(flow, block);
      data_packet = sender.packet < data ? sender.packet : 0;
      if (++sender.packet == data + code_.parity) {
        sender.packet = 0;
        ++sender.next;
        expect(context, flow, block);
      }
    }
    Packet packet = packets_.data<Packet>(flow, block * code_.data + data_packet);
    packet.sequence = block;
    packet.sent = context.now();
    paths_.choose(packet, context.host(), context.plane(), false, context.now(), sender.paths);
    const auto gap = static_cast<Picoseconds>(std::llround(packet.bytes / reservations_[flow].rate));
    sender.next_send = std::max(sender.next_send + gap, context.now());
    return packet;
  }

  /// All packets of a block are under way: when it should be known to have arrived.
  template <class Context>
  void expect(Context& context, std::uint32_t flow, std::uint32_t block) {
    Sender& sender = senders_[flow];
    const Picoseconds silence = sender.round_trip + sender.round_trip / kMarginPart;
    const Picoseconds deadline = context.now() + setup_.full_packet_time() +
                                 (silence << std::max(0, sender.silences[block] - kPatience));
    sender.deadlines.push({deadline, block});
    wake_for(context, flow);
  }

  /// Sees to it that the flow's next deadline is met.
  template <class Context>
  void wake_for(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    if (sender.deadlines.empty() || sender.deadlines.top().first >= sender.woken) return;
    sender.woken = sender.deadlines.top().first;
    hosts_[context.host()].timeouts.add(sender.woken, flow);
  }

  template <class Context>
  void time_out(Context& context, std::uint32_t flow) {
    Sender& sender = senders_[flow];
    sender.woken = kNever;
    while (!sender.deadlines.empty() && sender.deadlines.top().first <= context.now()) {
      const std::uint32_t block = sender.deadlines.top().second;
      sender.deadlines.pop();
      const std::uint32_t data = data_of(flow, block);
      if (sender.arrived[block] >= data) continue;
      ++context.counters().timeouts;
      sender.silences[block] = static_cast<std::uint8_t>(std::min(sender.silences[block] + 1, kMostBackoff));
      sender.repairs.push_back({block, data - sender.arrived[block] + code_.parity});
    }
    wake_for(context, flow);
    list(context, flow);
  }

  template <class Context>
  void answer(Context& context, const Packet& packet) {
    Receiver& receiver = receivers_[packet.flow];
    const std::uint32_t data = data_of(packet.flow, packet.sequence);
    std::uint16_t& arrived = receiver.arrived[packet.sequence];
    if (arrived < data && ++arrived == data && ++receiver.done == receiver.arrived.size())
      context.received(packet.flow);
    Packet out = packets_.control<Packet>(packet.flow, PacketKind::ack, packet.sequence, true);
    out.sent = packet.sent;
    out.arrived = arrived;
    const std::uint32_t plane = paths_.next_plane(packet.flow, true, receiver.paths);
    paths_.choose(out, context.host(), plane, true, context.now(), receiver.paths);
    context.send(out, plane);
  }

  template <class Context>
  void acknowledged(Context& context, const Packet& packet) {
    Sender& sender = senders_[packet.flow];
    sender.round_trip = std::max(sender.round_trip, context.now() - packet.sent);
    const std::uint32_t data = data_of(packet.flow, packet.sequence);
    std::uint16_t& arrived = sender.arrived[packet.sequence];
    if (arrived >= data || packet.arrived <= arrived) return;
    arrived = static_cast<std::uint16_t>(packet.arrived);
    if (arrived == data && ++sender.done == sender.arrived.size()) context.finished(packet.flow);
  }

  static constexpr Picoseconds kMarginPart = 8;  // of a round trip, for queues
  static constexpr int kPatience = 3;            // silences of a block before it is waited for longer
  static constexpr int kMostBackoff = 13;

  const TransportSetup& setup_;
  BlockCode code_;
  const std::vector<Flow>& flows_;
  Packets packets_;
  Paths paths_;
  Turns turns_;
  std::vector<Reservation> reservations_;
  std::vector<Sender> senders_;
  std::vector<Receiver> receivers_;
  std::vector<Host> hosts_;
};

/// One run of it.
RunOutcome run_scheduled(const TransportSetup& setup, const ScheduledInput& input, BlockCode code,
                         const WindowTick& tick);

}  // namespace trainyard::packet
