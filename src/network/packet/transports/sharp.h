// Collectives of switches that sum and copy (SHARP; Graham et al. 2016, 2020): a packet goes up a tree, is
// summed at every switch with those of the other hosts below, and the root's result is copied down to all of
// them. Of a reduce-scatter the data goes down to the owner of its shard alone, and a note of a control
// packet's size to the others; of an all-gather it comes up from the owner alone, and notes of those who are
// ready for it from the others.
//
// The packets of a group's collectives are one stream in each plane. A host sends the next one while it lies
// less than a window beyond the results and notes that the host has: no switch keeps more than a window of
// sums, and no port more than a window of packets of a group, whatever hosts do. Nothing is sent again.
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
    // In `reserve`:
    static constexpr std::uint8_t kSum = 1;   // it has waited for the time that summing takes
    static constexpr std::uint8_t kNote = 2;  // it says that a host is ready for another's data
    std::uint16_t out_port = 0;               // of the switch that passes it on
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
      out = packet_of(flow, sequence);
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
    return packet.kind == PacketKind::data && packet.reserve <= (Packet::kSum | Packet::kNote) &&
           streams_.is_summed(packet.flow) && packet.sequence < streams_.packets(packet.flow);
  }

  /// What a probe sees of a flow.
  void look(std::uint32_t flow, FlowSample& sample) const {
    sample.received_bytes = streams_.received_bytes(flow, sizes_.payload_bytes);
  }

 private:
  /// A sum of which some are still to come.
  struct Slot {
    Picoseconds arrival = 0;  // of the last one so far
    std::uint16_t in_port = 0;
    std::uint16_t count = 0;
    std::uint16_t bytes = 0;  // of the data, if there was any

    template <class Archive>
    void serialize(Archive& a) {
      a(arrival, in_port, count, bytes);
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

  Packet packet_of(std::uint32_t flow, std::uint32_t sequence) const;
  void sum_up(std::uint32_t place, std::uint64_t position, Packet packet, Onward<Packet>& onward);
  void send_on(const SumTrees::Place& place, Packet packet, Onward<Packet>& onward) const;
  void copy_down(const SumTrees::Place& place, const Packet& packet, Onward<Packet>& onward) const;

  const Layout& layout_;
  const std::vector<Flow>& flows_;
  Sizes sizes_;
  SumStreams streams_;
  SumTrees trees_;
  Picoseconds sum_delay_;
  std::uint64_t window_;
  Turns turns_;              // of members
  std::vector<Slot> slots_;  // a window for every place
};

}  // namespace trainyard::packet
