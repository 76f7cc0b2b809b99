// Output ports: two strict priorities, trimming, drops; service is decided at the time it begins.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/packet/layout.h"
#include "network/packet/packet.h"

namespace trainyard::packet {

/// What a switch does with packets that find no room.
struct QueueRules {
  std::uint32_t data_packets = 50;      // that wait at most
  std::uint32_t control_packets = 800;  // headers and control that wait at most
  bool trim = true;                     // cut the payload off in place of dropping
  std::uint16_t header_bytes = 64;
};

/// Whole numbers only, so that sums do not depend on their order.
struct Counters {
  std::uint64_t hops = 0;  // packets served by a port
  std::uint64_t drops = 0;
  std::uint64_t trims = 0;
  std::uint64_t longest_queue = 0;  // data packets

  void add(const Counters& other) {
    hops += other.hops;
    drops += other.drops;
    trims += other.trims;
    if (other.longest_queue > longest_queue) longest_queue = other.longest_queue;
  }
};

/// SplitMix64 (Steele et al. 2014): random choices are hashes of what they are for, never of an order of
/// events.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31U);
}

constexpr std::uint32_t kNobody = 0xFFFFFFFF;

/// Waiting packets of one node, in lists.
class Slab {
 public:
  Packet& at(std::uint32_t index) { return items_[index].packet; }
  std::uint32_t next(std::uint32_t index) const { return items_[index].next; }
  void set_next(std::uint32_t index, std::uint32_t next) { items_[index].next = next; }

  std::uint32_t put(const Packet& packet) {
    if (free_ == kNobody) {
      items_.push_back({packet, kNobody});
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t index = free_;
    free_ = items_[index].next;
    items_[index] = {packet, kNobody};
    return index;
  }
  void release(std::uint32_t index) {
    items_[index].next = free_;
    free_ = index;
  }
  std::size_t bytes() const { return items_.capacity() * sizeof(Item); }

 private:
  struct Item {
    Packet packet;
    std::uint32_t next;
  };
  std::vector<Item> items_;
  std::uint32_t free_ = kNobody;
};

/// One output port. Priority 0 is control and headers, 1 is data.
struct Port {
  struct List {
    std::uint32_t head = kNobody;
    std::uint32_t tail = kNobody;
    std::uint32_t count = 0;
  };
  Picoseconds free_at = 0;
  std::array<List, 2> lists;

  bool waiting() const { return lists[0].count + lists[1].count > 0; }
};

constexpr std::size_t priority_of(const Packet& packet) { return packet.kind == PacketKind::data ? 1 : 0; }

inline void append(Port::List& list, Slab& slab, const Packet& packet) {
  const std::uint32_t index = slab.put(packet);
  if (list.tail == kNobody) {
    list.head = index;
  } else {
    slab.set_next(list.tail, index);
  }
  list.tail = index;
  ++list.count;
}

inline Packet take(Port::List& list, Slab& slab) {
  const std::uint32_t index = list.head;
  const Packet packet = slab.at(index);
  list.head = slab.next(index);
  if (list.head == kNobody) list.tail = kNobody;
  --list.count;
  slab.release(index);
  return packet;
}

inline void cut_payload(Packet& packet, const QueueRules& rules) {
  packet.kind = PacketKind::header;
  packet.bytes = rules.header_bytes;
}

/// Puts a packet that must wait into its list, cut or dropped where there is no room. When data is cut, it is
/// the arriving packet or the last that waits, by a coin (Handley et al. 2017, section 3.1).
inline void admit(Port& port, Slab& slab, Packet packet, const QueueRules& rules, Counters& counters) {
  Port::List& data = port.lists[1];
  if (packet.kind == PacketKind::data) {
    if (data.count < rules.data_packets) {
      append(data, slab, packet);
      if (data.count > counters.longest_queue) counters.longest_queue = data.count;
      return;
    }
    if (!rules.trim) {
      ++counters.drops;
      return;
    }
    ++counters.trims;
    const bool last = (mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence) & 1U) != 0;
    if (last && data.count > 0) std::swap(packet, slab.at(data.tail));
    cut_payload(packet, rules);
  }
  Port::List& control = port.lists[0];
  if (control.count >= rules.control_packets) {
    ++counters.drops;
    return;
  }
  append(control, slab, packet);
}

}  // namespace trainyard::packet
