// NICs of hosts that something limits besides their links (host_limits.h).
//
// Sending: a packet keeps the host busy for its own time at the host's pace; planes take turns. Reads from
// memory run ahead of the link: their latency counts when a host hands over a packet, or data after it had
// none. Receiving: a packet waits at the NIC, in a queue with the rules of a switch's port, until the host
// takes it in; the host has it when its own time and the bus's latency have passed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "network/packet/flow_control.h"
#include "network/packet/ports.h"
#include "network/wiring/host_limits.h"

namespace trainyard::packet {

template <class P>
class Nics {
 public:
  /// Something that the host has told the NIC, and when the NIC knows: a packet, or that there is data.
  struct HandOver {
    Picoseconds time = 0;
    std::uint32_t plane = kNobody;  // of the packet; kNobody: data
    P packet;

    bool is_packet() const { return plane != kNobody; }
    template <class Archive>
    void serialize(Archive& a) {
      a(time, plane, packet);
    }
  };

  Nics(Ports<P>& ports, const HostLimits& limits)
      : limits_(limits),
        limited_(limits.any()),
        ports_(ports),
        layout_(ports.layout),
        rules_(ports.rules),
        priorities_(ports.priorities()),
        ingress_(layout_, rules_, priorities_, limited_ && rules_.pauses()) {
    if (!limited_) return;
    nics_.resize(layout_.hosts());
    lists_.resize(std::size_t{layout_.hosts()} * other_lists(priorities_));
  }

  bool limited() const { return limited_; }
  bool delays() const { return limits_.latency > 0; }
  bool takes_time() const { return limits_.receive.limits(); }
  /// Whether any NIC will go on by itself.
  bool busy() const {
    return std::any_of(nics_.begin(), nics_.end(), [](const Nic& nic) {
      return nic.intake.waiting != 0 || !nic.delivering.empty() || !nic.handed_over.empty();
    });
  }

  // Sending.

  bool may_send(std::uint32_t host, Picoseconds now) const { return nics_[host].send_free_at <= now; }
  Picoseconds send_free_at(std::uint32_t host) const { return nics_[host].send_free_at; }
  /// The plane that is served first among those that could be.
  std::uint32_t turn(std::uint32_t host) const { return nics_[host].turn; }
  /// A packet of the host begins to leave. Pause frames are the NIC's own.
  void sent(std::uint32_t host, std::uint32_t plane, const P& packet, Picoseconds begins) {
    if (packet.kind == PacketKind::pause) return;
    Nic& nic = nics_[host];
    nic.send_free_at = begins + limits_.send.time(packet.bytes);
    nic.turn = plane + 1 == layout_.planes ? 0 : plane + 1;
  }
  void hand_over(std::uint32_t host, Picoseconds now, std::uint32_t plane, const P& packet) {
    nics_[host].handed_over.push_back({now + limits_.latency, plane, packet});
  }

  // What happens inside the NIC; at one time in this order.

  Picoseconds next_intake(std::uint32_t host) const {
    return nics_[host].intake.waiting == 0 ? kNever : nics_[host].intake.free_at;
  }
  Picoseconds next_delivery(std::uint32_t host) const {
    return nics_[host].delivering.empty() ? kNever : nics_[host].delivering.front().arrival;
  }
  Picoseconds next_hand_over(std::uint32_t host) const {
    return nics_[host].handed_over.empty() ? kNever : nics_[host].handed_over.front().time;
  }
  Picoseconds next(std::uint32_t host) const {
    return std::min({next_intake(host), next_delivery(host), next_hand_over(host)});
  }

  P take_delivery(std::uint32_t host) { return take_front(nics_[host].delivering); }
  HandOver take_hand_over(std::uint32_t host) { return take_front(nics_[host].handed_over); }

  /// Takes in what waits first.
  void serve(Worker<P>& worker, std::uint32_t n, std::uint32_t host, Picoseconds now) {
    Port& intake = nics_[host].intake;
    P packet = queue(n, host).take();
    if (rules_.mark_leaving && rules_.marks()) mark(packet, intake.data_bytes, rules_, worker.counters);
    if (rules_.pauses() && packet.priority >= kDataPriority) leave(worker, n, packet, now);
    ports_.grant(worker, n, packet, now);
    begin(nics_[host], packet, now);
  }

  /// A packet has arrived at the NIC from the link of its input port.
  void arrive(Worker<P>& worker, std::uint32_t n, std::uint32_t host, const P& packet, Picoseconds now) {
    Nic& nic = nics_[host];
    if (nic.intake.free_at <= now && nic.intake.waiting == 0) {
      ports_.grant(worker, n, packet, now);
      return begin(nic, packet, now);
    }
    const bool pauses = rules_.pauses() && packet.priority >= kDataPriority;
    if (pauses && ingress_.overflows(layout_.nodes[n], packet)) {
      ++worker.counters.drops;
      ++worker.counters.overflows;
      return;
    }
    const std::uint64_t limit = rules_.lossless() ? kNever : rules_.data_bytes;
    const std::uint32_t port = layout_.nodes[n].first_port + packet.in_port;
    ports_.admit_traced(worker, queue(n, host), n, port, packet, limit);
    if (pauses) enter(worker, n, packet, now);
  }

  /// At the end of a run, when no packet waits here.
  std::size_t bytes() const { return nics_.capacity() * sizeof(Nic) + lists_.capacity() * sizeof(List); }

  /// All that changes in a run, for checkpoints.
  template <class Archive>
  void serialize(Archive& a) {
    for (std::uint32_t host = 0; host < nics_.size(); ++host) {
      a(nics_[host]);
      queue(leaf_of(layout_.address_of_host[host]), host).serialize(a, priorities_);
    }
    a(ingress_);
  }
  /// Whether a restored state can go on; `fits(node, packet)` says so of packets.
  template <class Fits>
  bool in_bounds(const Fits& fits) {
    Ingress::Sum behind(ingress_);
    for (std::uint32_t host = 0; host < nics_.size(); ++host) {
      const Nic& nic = nics_[host];
      const std::uint32_t n = leaf_of(layout_.address_of_host[host]);
      bool good = nic.in_bounds(layout_.planes);
      const auto arrives = [&](const P& packet) {
        good = good && fits(n, packet) && packet.to == layout_.address_of_host[host];
      };
      for (const P& packet : nic.delivering) arrives(packet);
      for (const HandOver& what : nic.handed_over) good = good && (!what.is_packet() || fits(n, what.packet));
      queue(n, host).each(priorities_, [&](const P& packet) {
        arrives(packet);
        if (good && packet.priority >= kDataPriority) behind.add(layout_.nodes[n], packet);
      });
      if (!good) return false;
    }
    return behind.holds();
  }

 private:
  struct Nic {
    Picoseconds send_free_at = 0;
    std::uint32_t turn = 0;
    Port intake;
    std::deque<P> delivering;  // `arrival`: when the host has it
    std::deque<HandOver> handed_over;

    template <class Archive>
    void serialize(Archive& a) {
      a(send_free_at, turn, intake, delivering, handed_over);
    }
    bool in_bounds(std::uint32_t planes) const {
      return turn < planes && is_time(send_free_at) && is_time(intake.free_at) && intake.paused == 0 &&
             std::all_of(delivering.begin(), delivering.end(),
                         [](const P& packet) { return is_time(packet.arrival); }) &&
             std::all_of(handed_over.begin(), handed_over.end(), [planes](const HandOver& what) {
               return is_time(what.time) && (!what.is_packet() || what.plane < planes);
             });
    }
  };

  template <class T>
  static T take_front(std::deque<T>& from) {
    T out = from.front();
    from.pop_front();
    return out;
  }

  Queue<P> queue(std::uint32_t n, std::uint32_t host) {
    List* others = lists_.data() + std::size_t{host} * other_lists(priorities_);
    return {nics_[host].intake, others, ports_.slabs[n]};
  }

  void begin(Nic& nic, P packet, Picoseconds now) {
    nic.intake.free_at = now + limits_.receive.time(packet.bytes);
    packet.arrival = nic.intake.free_at + limits_.latency;
    nic.delivering.push_back(packet);
  }

  void enter(Worker<P>& worker, std::uint32_t n, const P& packet, Picoseconds now) {
    if (!ingress_.enter(layout_.nodes[n], packet, packet.bytes)) return;
    ++worker.counters.pauses;
    ports_.send_pause(worker, n, packet, true, now);
  }
  void leave(Worker<P>& worker, std::uint32_t n, const P& packet, Picoseconds now) {
    if (ingress_.leave(layout_.nodes[n], packet)) ports_.send_pause(worker, n, packet, false, now);
  }

  const HostLimits limits_;
  const bool limited_;
  Ports<P>& ports_;
  const Layout& layout_;
  const QueueRules& rules_;
  std::uint32_t priorities_;
  Ingress ingress_;          // of data that waits at NICs
  std::vector<Nic> nics_;    // by host, where something limits it
  std::vector<List> lists_;  // of every intake, besides its own
};

}  // namespace trainyard::packet
