// What a control law is to Acked: how large a sender's window is, from what acknowledgements say.
//
// One object serves all flows, from several threads: what changes stands in its State (of a flow's sender) or
// its Notes (of a flow's receiver). Optional are `void stamp(State&, Packet&)`, which writes into data what
// acknowledgements are to carry back, and `bool in_bounds(const State&, Picoseconds now)`, which says whether
// a state of a checkpoint can go on.
#pragma once

#include <concepts>
#include <cstdint>

#include "network/packet/packet.h"

namespace trainyard::packet {

/// Data carries when it was sent; acknowledgements carry it back, with what has been received.
struct AckedPacket : Packet {
  static constexpr bool kAsks = true;  // senders may ask for an acknowledgement with a packet of its own
  /// In the marks of data: acknowledge at once; of acknowledgements: this answers that.
  static constexpr std::uint8_t kAnswer = 0x20;
  /// A probe, and its answer.
  static constexpr std::uint8_t kProbe = 0x10;

  Picoseconds sent = 0;
  std::uint32_t cumulative = 0;  // the first packet that is missing
  std::uint32_t way = 0;         // of the data (Paths::choose)

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<Packet&>(*this), sent, cumulative, way);
  }
};
static_assert(sizeof(AckedPacket) == 48);

/// Where packets overtake each other: acknowledgements say which of those around theirs have arrived.
struct SelectivePacket : AckedPacket {
  static constexpr std::uint32_t kBefore = 31;  // of them; the one of its own sequence follows

  std::uint64_t received_bits = 0;  // packet sequence - kBefore + i has arrived

  template <class Archive>
  void serialize(Archive& a) {
    a(static_cast<AckedPacket&>(*this), received_bits);
  }
};

/// What a control law may know of a flow before it begins.
struct FlowFacts {
  Picoseconds base_round_trip = 0;     // of a full packet and its acknowledgement through empty queues
  Picoseconds network_round_trip = 0;  // the same, over the longest way
  wiring::ByteTime picoseconds_per_byte = 80;
  std::uint32_t full_bytes = 4096;
  std::uint32_t switches = 1;  // on the way
  std::uint32_t planes = 1;
  double window_packets = 50;  // of the scenario
  std::uint32_t flow = 0;

  /// Packets that a round trip at line rate takes.
  double bandwidth_delay_packets() const {
    return static_cast<double>(planes) * static_cast<double>(base_round_trip) /
           static_cast<double>(full_bytes * picoseconds_per_byte);
  }
};

template <class P>
struct Acknowledgement {
  const P& report;
  Picoseconds now = 0;
  Picoseconds round_trip = 0;
  std::uint32_t newly = 0;       // packets that were not known to have arrived
  std::uint32_t under_way = 0;   // packets, after this one
  std::uint32_t next = 0;        // never sent yet
  std::uint32_t cumulative = 0;  // all before it have arrived
  bool congested = false;
};

/// `using Packet`, `static constexpr bool kGoBackN` (receivers drop what is out of order), `struct State`,
/// `struct Notes`.
template <class C>
concept NamesItsRecords =
    std::derived_from<typename C::Packet, AckedPacket> && std::same_as<decltype(C::kGoBackN), const bool> &&
    std::default_initializable<typename C::State> && std::default_initializable<typename C::Notes>;

/// `void begin(State&, const FlowFacts&)`.
template <class C>
concept BeginsFlows = requires(const C law, typename C::State& state, const FlowFacts& facts) {
  law.begin(state, facts);
};

/// `void acknowledged(State&, const Acknowledgement<Packet>&)`.
template <class C>
concept HearsAcknowledgements = requires(const C law, typename C::State& state,
                                         const Acknowledgement<typename C::Packet>& ack) {
  law.acknowledged(state, ack);
};

/// `void lost(State&, Picoseconds now)`, once for all losses of a round trip; `cut`, for a payload that a
/// switch cut off; `timed_out`.
template <class C>
concept HearsLosses = requires(const C law, typename C::State& state, Picoseconds now) {
  law.lost(state, now);
  law.cut(state, now);
  law.timed_out(state, now);
};

/// `double window(const State&)`: packets; below 1, one at a time.
template <class C>
concept HasWindow = requires(const C law, const typename C::State& state) {
  { law.window(state) } -> std::same_as<double>;
};

/// `Picoseconds gap(State&, std::uint32_t bytes, Picoseconds now)`: to the next packet; 0: none.
template <class C>
concept Paces = requires(const C law, typename C::State& state, std::uint32_t bytes, Picoseconds now) {
  { law.gap(state, bytes, now) } -> std::same_as<Picoseconds>;
};

/// `void answer(Notes&, const Packet& data, Packet& report, Picoseconds now)`.
template <class C>
concept Answers = requires(const C law, typename C::Notes& notes, const typename C::Packet& data,
                           typename C::Packet& report, Picoseconds now) {
  law.answer(notes, data, report, now);
};

/// Says in words what a control law lacks.
template <class C>
constexpr bool check_control_law() {
  static_assert(NamesItsRecords<C>,
                "a control law needs `using Packet` (AckedPacket or derived from it), `static constexpr bool "
                "kGoBackN`, `struct State` and `struct Notes`");
  static_assert(BeginsFlows<C>, "a control law needs `void begin(State&, const FlowFacts&) const`");
  static_assert(HearsAcknowledgements<C>,
                "a control law needs `void acknowledged(State&, const Acknowledgement<Packet>&) const`");
  static_assert(HearsLosses<C>,
                "a control law needs `lost`, `cut` and `timed_out`: `void (State&, Picoseconds now) const`");
  static_assert(HasWindow<C>, "a control law needs `double window(const State&) const`, in packets");
  static_assert(Paces<C>,
                "a control law needs `Picoseconds gap(State&, std::uint32_t bytes, Picoseconds now) const`");
  static_assert(
      Answers<C>,
      "a control law needs `void answer(Notes&, const Packet& data, Packet& report, Picoseconds now) "
      "const`");
  return true;
}

}  // namespace trainyard::packet
