// What travels: one fixed record, copied from node to node.
#pragma once

#include <cstdint>
#include <tuple>

#include "network/wiring/faults.h"
#include "network/wiring/host_limits.h"
#include "network/wiring/layout.h"
#include "network/wiring/paths.h"
#include "network/wiring/way.h"
#include "trainyard/flow.h"
#include "trainyard/packet_records.h"
#include "trainyard/picoseconds.h"

namespace trainyard::packet {

using wiring::address;
using wiring::DetourLinks;
using wiring::Fault;
using wiring::host_of;
using wiring::HostLimits;
using wiring::Layout;
using wiring::leaf_of;
using wiring::LinkRules;
using wiring::LinkState;
using wiring::loss_probability;
using wiring::Node;
using wiring::Pace;
using wiring::Paths;
using wiring::Wire;
using workload::Connection;
using workload::Dependency;
using workload::Flow;
using workload::kDataPriority;
using workload::Lineup;
using workload::Reduction;

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// Strict priorities, the lowest number first. Pause frames have one of their own that nothing stops.
constexpr std::uint8_t kLinkPriority = 0;
constexpr std::uint8_t kControlPriority = 1;
constexpr std::uint8_t kDataPriorities = 8;
constexpr std::uint8_t kMostPriorities = kDataPriority + kDataPriorities;

/// One packet. `arrival` is when its last bit reaches the node that holds it; with cut-through switching, the
/// last bit of its header.
struct Packet : wiring::Way {
  /// Congestion experienced (RFC 3168).
  static constexpr std::uint8_t kCongested = 0x80;
  /// Cut by the switch of its receiver, for the receiver's own link (UE 1.0: trimmed at the last hop). The
  /// other bits of `marks` are the transport's.
  static constexpr std::uint8_t kCutAtEnd = 0x40;

  Picoseconds arrival = 0;
  std::uint16_t bytes = 0;
  std::uint16_t in_port = 0;  // of the node that holds it
  PacketKind kind = PacketKind::data;
  std::uint8_t priority = kDataPriority;
  std::uint8_t marks = 0;
  std::uint8_t reserve = 0;

  template <class Archive>
  void serialize(Archive& a) {
    a(arrival, flow, sequence, to, up_leaf, up_aggregation, bytes, in_port, kind, priority, marks, reserve);
  }

  bool congested() const { return (marks & kCongested) != 0; }
};
static_assert(sizeof(Packet) == 32, "packets fill half a cache line");

/// Orders packets of one time and port by their content: what links say of themselves, last.
inline auto order_of_content(const Packet& packet) {
  return std::tuple(packet.kind == PacketKind::pause, packet.sequence, packet.flow, packet.kind,
                    packet.priority, packet.to, packet.marks, packet.reserve, packet.bytes);
}

}  // namespace trainyard::packet
