// All-reduces that switches sum (SHARP; Graham et al. 2016, 2020): a packet goes up a tree, is summed at
// every switch with those of the other hosts below, and the root's result is copied down to all of them.
//
// The packets of a group's all-reduces are one stream in each plane. A host sends the next one while it lies
// less than a window beyond the results that the host has: no switch keeps more than a window of sums, and no
// port more than a window of packets of a group, whatever hosts do. Nothing is sent again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "network/packet/switch_work.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/sum_streams.h"
#include "network/packet/transports/sum_trees.h"
#include "network/packet/transports/transport_setup.h"

namespace trainyard::packet {

class Sharp {
 public:
  struct Packet : packet::Packet {
    static constexpr std::uint8_t kSum = 1;  // in `reserve`: it has waited for the time that summing takes
    std::uint16_t out_port = 0;              // of the switch that passes it on
  };

  /// `window`: packets of a stream.
  Sharp(const TransportSetup& setup, std::uint64_t window);

  template <class Context>
  void start(Context& context, std::uint32_t flow) {
    const std::uint32_t member = streams_.sender(flow);
    for (std::uint32_t plane = 0; plane < streams_.planes(); ++plane) list(context, member, plane);
  }

  template <class Context>
  bool offer(Context& context, Packet& out) {
    const std::uint32_t plane = context.plane();
    const auto any = [](std::uint32_t) { return true; };
    return turns_.serve(context.host(), plane, any, [&](std::uint32_t member) {
      SumStreams::Stream& stream = streams_.at(member, plane);
      stream.listed = false;
      if (!streams_.may_send(member, plane, window_)) return false;
      const auto [flow, sequence] = streams_.take(member, plane);
      out = packets_.data<Packet>(flow, sequence);
      list(context, member, plane);
      return true;
    });
  }

  template <class Context>
  void receive(Context& context, const Packet& packet) {
    const std::uint32_t member = streams_.receiver(packet.flow);
    const std::uint32_t plane = context.plane();
    if (!streams_.got(member, plane, packet.flow, packet.sequence)) return;
    list(context, member, plane);
    while (streams_.completes(member)) {
      const auto [arrived, sent] = streams_.complete(member);
      context.received(arrived);
      context.finished(sent);
    }
  }

  template <class Context>
  void wake(Context&) {}

  /// What a switch makes of a packet: a sum, or copies of a result.
  void pass(std::uint32_t n, const Packet& packet, Onward<Packet>& onward);

  std::size_t bytes() const { return streams_.bytes() + trees_.bytes() + slots_.capacity() * sizeof(Slot); }
  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    a(streams_, turns_);
    serialize_tables(a, slots_);
  }
  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(Picoseconds now) const;
  /// Whether a restored packet is one of its flow's.
  bool fits(const Packet& packet) const {
    return packet.kind == PacketKind::data && packet.reserve <= Packet::kSum &&
           streams_.is_summed(packet.flow) && packet.sequence < packets_.count(packet.flow);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = streams_.received_bytes(flow, packets_.full_payload_bytes());
  }

 private:
  /// A sum of which some are still to come.
  struct Slot {
    Picoseconds arrival = 0;  // of the last one so far
    std::uint16_t in_port = 0;
    std::uint16_t count = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(arrival, in_port, count);
    }
  };

  /// Puts what may send into the turns.
  template <class Context>
  void list(Context& context, std::uint32_t member, std::uint32_t plane) {
    SumStreams::Stream& stream = streams_.at(member, plane);
    if (stream.listed || !streams_.may_send(member, plane, window_)) return;
    stream.listed = true;
    turns_.add(context.host(), plane, member);
    context.ready();
  }

  void sum_up(std::uint32_t place, std::uint64_t position, Packet packet, Onward<Packet>& onward);
  void send_on(const SumTrees::Place& place, Packet packet, Onward<Packet>& onward) const;
  void copy_down(const SumTrees::Place& place, const Packet& packet, Onward<Packet>& onward) const;

  const Layout& layout_;
  const std::vector<Flow>& flows_;
  Messages no_messages_;
  Packets packets_;
  SumStreams streams_;
  SumTrees trees_;
  Picoseconds sum_delay_;
  std::uint64_t window_;
  Turns turns_;              // of members
  std::vector<Slot> slots_;  // a window for every place
};

}  // namespace trainyard::packet
