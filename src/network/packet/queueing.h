// Output ports: strict priorities, marks, trimming, drops; service is decided at the time it begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bounds.h"
#include "base/line_allocator.h"
#include "base/mixing.h"
#include "base/prefetch.h"
#include "network/packet/packet.h"
#include "network/packet/run_outcome.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

/// What a switch does with packets that have to wait.
struct QueueRules {
  std::uint64_t data_bytes = 50ULL * 4096;    // that wait at a port at most
  std::uint64_t control_bytes = 800ULL * 64;  // headers and control that wait at most
  bool trim = true;                           // cut the payload off in place of dropping
  std::uint16_t header_bytes = 64;

  // Congestion marks: none below `mark_from`, all from `mark_all` on, in between in proportion to the queue
  // (random early detection, Floyd & Jacobson 1993, on the queue of the moment). 0: no marks.
  std::uint64_t mark_from = 0;
  std::uint64_t mark_all = 0;
  bool mark_leaving = false;  // by the queue that a packet leaves behind, not by the one that it finds
  bool mark_to_hosts = true;  // at ports that lead to hosts, too

  // A pool that the ports of a switch share: a port's data may take `share` of what is free (dynamic
  // thresholds, Choudhury & Hahne 1998). 0: no pool.
  std::uint64_t pool_bytes = 0;
  double share = 1;

  // Priority flow control (IEEE 802.1Qbb), of the data that came in by one port. 0: none.
  std::uint64_t pause_above = 0;
  std::uint64_t resume_below = 0;
  std::uint64_t headroom_bytes = 0;  // for what still arrives after a pause was sent
  std::uint16_t pause_bytes = 64;

  // Credit-based flow control (UE 1.0, section 5.2), of each link and priority of data: what a sender may
  // have under way and in the buffer behind the link. 0: none.
  std::uint64_t credit_bytes = 0;

  // Link-level retry (UE 1.0, section 5.1): links send again what bit errors destroy.
  bool link_retry = false;
  std::uint64_t replay_bytes = 0;  // that a link has sent without an acknowledgement at most; 0: any
  std::uint32_t replay_limit = 3;  // of one packet; then it is lost

  Picoseconds sum_delay = 0;  // of switches that sum packets

  bool adaptive = false;         // switches choose the port with the shortest queue
  bool weighs_detours = false;   // a packet's first switch sends it straight where queues are short
  bool cut_through = false;      // send on when the header has arrived
  std::uint64_t lost_below = 0;  // packets whose hash lies below are corrupted on a link

  bool marks() const { return mark_all > 0; }
  bool pauses() const { return pause_above > 0; }
  bool credits() const { return credit_bytes > 0; }
  /// Whether data waits at the other end of a link rather than being dropped.
  bool lossless() const { return pauses() || credits(); }
  /// Whether the ports of a switch share nothing but what pauses count.
  bool only_pauses() const {
    return pauses() && !credits() && pool_bytes == 0 && !adaptive && !weighs_detours;
  }
  /// Whether the ports of a switch have to be served in one order of time.
  bool ordered() const { return lossless() || pool_bytes > 0 || adaptive || weighs_detours; }
};

/// Waiting packets of one node, in lists. Links stand beside the packets: a processor that copies a packet of
/// which a part has just been written, waits.
template <class P>
class Slab {
 public:
  static constexpr std::size_t kLine = 64;  // of a cache

  P& at(std::uint32_t index) { return items_[index]; }
  const P& at(std::uint32_t index) const { return items_[index]; }
  std::uint32_t next(std::uint32_t index) const { return next_[index]; }
  void set_next(std::uint32_t index, std::uint32_t next) { next_[index] = next; }
  void prefetch(std::uint32_t index) const {
    const auto* item = reinterpret_cast<const std::byte*>(items_.data() + index);
    prefetch_line(item);
    if constexpr (kLine % sizeof(P) != 0) prefetch_line(item + sizeof(P) - 1);
    prefetch_line(next_.data() + index);
  }
  /// Fetches the place that is taken next.
  void prefetch_free() const {
    if (free_ != kNobody) prefetch(free_);
  }

  // By force, here and on the hot path's other functions: g++ counts what loads checkpoints among the
  // callers.
  [[gnu::always_inline]] std::uint32_t put(const P& packet) {
    std::uint32_t index = free_;
    if (index == kNobody) {
      index = static_cast<std::uint32_t>(items_.size());
      items_.push_back(packet);
      next_.push_back(kNobody);
    } else {
      free_ = next(index);
      items_[index] = packet;
    }
    set_next(index, kNobody);
    return index;
  }
  /// Its packet stays there until the next one is put.
  void release(std::uint32_t index) {
    set_next(index, free_);
    free_ = index;
  }
  std::size_t bytes() const {
    return items_.capacity() * sizeof(P) + next_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<P, LineAllocator<P>> items_;
  std::vector<std::uint32_t> next_;  // of each item
  std::uint32_t free_ = kNobody;
};

/// Waiting packets of one priority of a port.
struct List {
  std::uint32_t head = kNobody;
  std::uint32_t tail = kNobody;
};

/// One output port, in a cache line of its own: with its lists of control and of the first data, which are
/// all that most ports ever have.
struct alignas(64) Port {
  static constexpr std::uint32_t kOwnLists = 2;
  static_assert(kDataPriority == kControlPriority + 1);

  Picoseconds free_at = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t data_bytes = 0;  // that wait
  std::uint32_t control_bytes = 0;
  std::uint16_t waiting = 0;  // a bit for each priority with packets
  std::uint16_t paused = 0;   // a bit for each priority that the other end has stopped
  Picoseconds paused_since = 0;
  List own[kOwnLists];
  bool down = false;
  bool ready = false;      // a host's transport may have data to send
  bool scheduled = false;  // of a switch in order: in its list of services

  bool runnable() const { return (waiting & static_cast<std::uint16_t>(~paused)) != 0; }
  std::uint32_t next_priority() const {
    return static_cast<std::uint32_t>(__builtin_ctz(waiting & static_cast<std::uint16_t>(~paused)));
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(free_at, sent_bytes, data_bytes, control_bytes, waiting, paused, paused_since, down, ready, scheduled);
  }
};

static_assert(sizeof(Port) == 64);

/// Lists that a port with so many priorities has besides its own.
constexpr std::uint32_t other_lists(std::uint32_t priorities) { return priorities - Port::kOwnLists; }
/// That of one priority. `others` are the link's own, then those of further data.
template <class AnyPort, class AnyList>
[[gnu::always_inline]] inline AnyList& list_of(AnyPort& port, AnyList* others, std::uint32_t priority) {
  const std::uint32_t own = priority - kControlPriority;
  if (own < Port::kOwnLists) [[likely]]
    return port.own[own];
  return others[priority == kLinkPriority ? 0 : priority - Port::kOwnLists];
}

/// A port with its lists and the memory in which they stand.
template <class P>
struct Queue {
  Port& port;
  List* others;  // list_of()
  Slab<P>& slab;

  [[gnu::always_inline]] List& list(std::uint32_t priority) const { return list_of(port, others, priority); }

  /// Where it stands until it is served.
  [[gnu::always_inline]] P& append(const P& packet) const {
    List& to = list(packet.priority);
    const std::uint32_t index = slab.put(packet);
    if (to.tail == kNobody) {
      to.head = index;
    } else {
      slab.set_next(to.tail, index);
    }
    to.tail = index;
    port.waiting = static_cast<std::uint16_t>(port.waiting | (1U << packet.priority));
    if (packet.priority >= kDataPriority) {
      port.data_bytes += packet.bytes;
    } else {
      port.control_bytes += packet.bytes;
    }
    return slab.at(index);
  }

  /// The packet that is served next; there is one. It stays where it is until the next one is appended.
  P& take() const {
    const std::uint32_t priority = port.next_priority();
    List& from = list(priority);
    const std::uint32_t index = from.head;
    P& packet = slab.at(index);
    from.head = slab.next(index);
    if (from.head == kNobody) {
      from.tail = kNobody;
      port.waiting = static_cast<std::uint16_t>(port.waiting & ~(1U << priority));
    } else {
      slab.prefetch(from.head);
    }
    slab.release(index);
    if (priority >= kDataPriority) {
      port.data_bytes -= packet.bytes;
    } else {
      port.control_bytes -= packet.bytes;
    }
    return packet;
  }

  template <class Visit>
  void each(std::uint32_t priorities, const Visit& visit) const {
    for (std::uint32_t priority = 0; priority < priorities; ++priority) {
      for (std::uint32_t at = list(priority).head; at != kNobody; at = slab.next(at)) visit(slab.at(at));
    }
  }

  /// Waiting packets as lists, wherever they stand in memory; the port itself is saved before.
  template <class Archive>
  void serialize(Archive& a, std::uint32_t priorities) {
    const std::uint16_t waiting = port.waiting;
    if constexpr (Archive::is_loading::value) {
      port.waiting = 0;
      port.data_bytes = port.control_bytes = 0;
    }
    std::vector<P> packets;
    for (std::uint32_t priority = 0; priority < priorities; ++priority) {
      if ((waiting >> priority & 1U) == 0) continue;
      if constexpr (Archive::is_loading::value) {
        a(packets);
        for (const P& packet : packets) {
          keep_bounds(packet.priority == priority);
          append(packet);
        }
      } else {
        packets.clear();
        for (std::uint32_t at = list(priority).head; at != kNobody; at = slab.next(at)) {
          packets.push_back(slab.at(at));
          packets.back().arrival = 0;  // means nothing while it waits
        }
        a(packets);
      }
    }
  }
};

/// Whether a packet that meets (or leaves) such a queue is marked.
inline bool is_marked(const Packet& packet, std::uint64_t queue_bytes, const QueueRules& rules) {
  if (queue_bytes <= rules.mark_from) return false;
  if (queue_bytes >= rules.mark_all) return true;
  const std::uint64_t random =
      mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence, queue_bytes) >> 32U;
  return random * (rules.mark_all - rules.mark_from) < (queue_bytes - rules.mark_from) << 32U;
}

/// Marks it so; whether it was not before.
template <class P>
bool mark(P& packet, std::uint64_t queue_bytes, const QueueRules& rules, Counters& counters) {
  if (packet.kind != PacketKind::data || packet.congested() || !is_marked(packet, queue_bytes, rules))
    return false;
  packet.marks |= Packet::kCongested;
  ++counters.marks;
  return true;
}

template <class P>
void cut_payload(P& packet, const QueueRules& rules, bool to_host) {
  packet.kind = PacketKind::header;
  if (to_host) packet.marks |= Packet::kCutAtEnd;
  packet.priority = kControlPriority;
  packet.bytes = std::min(packet.bytes, rules.header_bytes);
}

/// What became of a packet that had to wait, or of one that made room for it.
struct Admission {
  bool marked = false;
  bool cut = false;
  bool dropped = false;
  /// Of the one that made room, as it was; kNobody: the arriving one itself was cut or dropped, if any.
  std::uint32_t flow_before = kNobody;
  std::uint32_t sequence_before = 0;
  std::uint16_t bytes_before = 0;
};

/// Of headers and control.
template <class P>
[[gnu::always_inline]] inline bool admit_control(const Queue<P>& queue, const P& packet,
                                                 const QueueRules& rules, Counters& counters) {
  if (packet.priority == kControlPriority && queue.port.control_bytes + packet.bytes > rules.control_bytes) {
    ++counters.drops;
    return false;
  }
  queue.append(packet);
  return true;
}

/// Data for which there is no room is cut or dropped. When it is cut, it is the arriving packet or the last
/// that waits, by a coin (Handley et al. 2017, section 3.1).
template <class P, class ToHost>
[[gnu::noinline]] void admit_beyond(const Queue<P>& queue, P packet, const QueueRules& rules,
                                    Counters& counters, const ToHost& to_host, Admission& of) {
  if (!rules.trim || packet.kind != PacketKind::data) {
    ++counters.drops;
    of.dropped = true;
    return;
  }
  ++counters.trims;
  of.cut = true;
  const std::uint32_t last = queue.list(packet.priority).tail;
  const bool swap = (mixed((std::uint64_t{packet.flow} << 32U) | packet.sequence) & 1U) != 0;
  if (swap && last != kNobody && queue.slab.at(last).kind == PacketKind::data) {
    queue.port.data_bytes += packet.bytes;
    std::swap(packet, queue.slab.at(last));
    of.flow_before = packet.flow;
    of.sequence_before = packet.sequence;
    of.bytes_before = packet.bytes;
    queue.slab.set_next(last, kNobody);
    queue.port.data_bytes -= packet.bytes;
  }
  cut_payload(packet, rules, to_host());
  of.dropped = !admit_control(queue, packet, rules, counters);
}

/// Puts a packet that must wait into its list, cut or dropped where there is no room; `limit` bytes of data
/// may wait. `to_host()` says whether the port leads to a host.
template <class P, class ToHost>
[[gnu::always_inline]] inline Admission admit(const Queue<P>& queue, const P& packet, std::uint64_t limit,
                                              const QueueRules& rules, Counters& counters,
                                              const ToHost& to_host) {
  Admission of;
  const auto marks = [&] {
    return rules.marks() && !rules.mark_leaving && (rules.mark_to_hosts || !to_host());
  };
  if (packet.priority < kDataPriority) {
    of.dropped = !admit_control(queue, packet, rules, counters);
    return of;
  }
  const std::uint64_t with = queue.port.data_bytes + packet.bytes;
  if (with > limit) {
    P overflowing = packet;
    if (marks()) of.marked = mark(overflowing, with, rules, counters);
    admit_beyond(queue, overflowing, rules, counters, to_host, of);
    return of;
  }
  P& waiting = queue.append(packet);
  if (marks()) of.marked = mark(waiting, with, rules, counters);
  counters.longest_queue = std::max(counters.longest_queue, with);
  return of;
}

}  // namespace trainyard::packet
