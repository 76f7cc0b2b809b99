// What switches do with the packets that reach them in a window.
//
// Where the ports of a switch share nothing, each is replayed by itself: fewest passes over memory. Where
// they do (pauses, a shared pool, adaptive routing), the whole switch is replayed in one order of time. At
// one time, service comes before arrivals; arrivals are ordered by input port, services by output port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/packet/ports.h"

namespace trainyard::packet {

/// Obeys a pause frame; returns whether the port may go on with something.
template <class P>
bool obey_pause(Port& port, const P& frame, Counters& counters) {
  const auto bit = static_cast<std::uint16_t>(1U << frame.sequence);
  if (frame.marks != 0) {
    if (port.paused == 0) port.paused_since = frame.arrival;
    port.paused = static_cast<std::uint16_t>(port.paused | bit);
    return false;
  }
  const bool was = port.paused != 0;
  const bool waits = (port.waiting & port.paused) != 0 || port.ready;
  port.paused = static_cast<std::uint16_t>(port.paused & ~bit);
  if (was && port.paused == 0) {
    counters.paused += frame.arrival - port.paused_since;
    if (waits) counters.blocked += frame.arrival - port.paused_since;
  }
  return true;
}

template <class P>
class Switches {
 public:
  Switches(Ports<P>& ports, std::uint32_t priorities)
      : ports_(ports),
        layout_(ports.layout),
        rules_(ports.rules),
        priorities_(priorities),
        backlogs_(layout_.nodes.size()) {
    if (!rules_.ordered()) return;
    pool_used_.assign(layout_.nodes.size(), 0);
    if (rules_.pauses()) ingress_.resize(layout_.wires.size() * priorities);
  }

  bool has_backlog(std::uint32_t n) const { return !backlogs_[n].empty(); }

  /// What arrived at switch n in this window stands in `worker.arrived`.
  void run(Worker<P>& worker, std::uint32_t n) {
    if (rules_.ordered()) {
      run_ordered(worker, n);
    } else {
      run_by_port(worker, n);
    }
  }

  /// Whether a restored state belongs to the packets that wait.
  bool in_bounds() const {
    std::vector<std::uint64_t> used(pool_used_.size(), 0);
    std::vector<std::uint64_t> behind(ingress_.size(), 0);
    ports_.each_waiting([&](std::uint32_t n, std::uint32_t, const P& packet) {
      if (packet.priority < kDataPriority || layout_.nodes[n].hosts || used.empty()) return;
      used[n] += packet.bytes;
      if (!behind.empty())
        behind[std::size_t{layout_.nodes[n].first_port + packet.in_port} * priorities_ + packet.priority] +=
            packet.bytes;
    });
    for (std::size_t i = 0; i < behind.size(); ++i) {
      if (ingress_[i].bytes != behind[i]) return false;
    }
    for (std::size_t n = 0; n < backlogs_.size(); ++n) {
      if (!is_backlog(layout_.nodes[n], backlogs_[n])) return false;
    }
    return used == pool_used_;
  }

  const std::vector<Ingress>& ingress() const { return ingress_; }
  std::uint32_t priorities() const { return priorities_; }
  template <class Archive>
  void serialize(Archive& a) {
    for (std::vector<std::uint16_t>& backlog : backlogs_) {
      std::sort(backlog.begin(), backlog.end());  // the order means nothing
      a(backlog);
    }
    serialize_tables(a, pool_used_, ingress_);
  }

 private:
  using Key = typename Worker<P>::Key;

  /// Whether these are the ports where something waits. Where ports are served one by one, it leaves no
  /// earlier than now.
  bool is_backlog(const Node& node, const std::vector<std::uint16_t>& expected) const {
    std::vector<std::uint16_t> waiting;
    for (std::uint32_t p = 0; !node.hosts && p < node.ports; ++p) {
      const Port& port = ports_.ports[node.first_port + p];
      if (port.waiting == 0) continue;
      if (!rules_.ordered() && port.free_at < ports_.windows.begin()) return false;
      waiting.push_back(static_cast<std::uint16_t>(p));
    }
    return waiting == expected;
  }

  Key key_of(const P& packet, std::uint32_t index) const {
    return {((packet.arrival - ports_.windows.begin()) << 16U) | packet.in_port, index};
  }
  Picoseconds window_end() const { return ports_.windows.end(); }

  // Port by port.

  void run_by_port(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    sort_by_port(worker, node, n);
    std::vector<std::uint16_t>& backlog = backlogs_[n];
    for (const std::uint16_t port : backlog) {
      worker.touched.push_back(port);
      ports_.prefetch(n, node.first_port + port);
    }
    backlog.clear();
    for (const std::uint16_t port : worker.touched) {
      if (worker.marked[port] == 0) continue;  // seen already
      worker.marked[port] = 0;
      replay(worker, node, n, port);
      remember_backlog(worker, n, node, port);
    }
    worker.touched.clear();
  }

  void remember_backlog(Worker<P>& worker, std::uint32_t n, const Node& node, std::uint16_t port) {
    const Port& p = ports_.ports[node.first_port + port];
    if (p.waiting == 0) return;
    backlogs_[n].push_back(port);
    worker.counters.longest_queue = std::max(worker.counters.longest_queue, p.data_bytes);
  }

  /// Arrivals by output port, each in order; ports with a backlog are marked as well.
  void sort_by_port(Worker<P>& worker, const Node& node, std::uint32_t n) {
    worker.make_room(node.ports);
    std::vector<std::uint32_t>& first = worker.first;
    std::fill(first.begin(), first.begin() + node.ports + 1, 0);
    worker.out_ports.clear();
    for (const P& packet : worker.arrived) {
      const auto port = static_cast<std::uint16_t>(port_towards(layout_, node, packet));
      worker.out_ports.push_back(port);
      if (first[port + 1U]++ == 0) worker.touched.push_back(port);
      worker.marked[port] = 1;
    }
    for (const std::uint16_t port : backlogs_[n]) worker.marked[port] = 1;
    for (std::uint32_t p = 0; p < node.ports; ++p) first[p + 1] += first[p];
    worker.keys.resize(worker.arrived.size());
    worker.place.assign(first.begin(), first.begin() + node.ports);
    for (std::uint32_t i = 0; i < worker.arrived.size(); ++i)
      worker.keys[worker.place[worker.out_ports[i]]++] = key_of(worker.arrived[i], i);
  }

  void replay(Worker<P>& worker, const Node& node, std::uint32_t n, std::uint16_t port) {
    const std::uint32_t index = node.first_port + port;
    const std::uint32_t begin = worker.first[port];
    const std::uint32_t end = worker.first[port + 1U];
    worker.order(begin, end);
    Port& out = ports_.ports[index];
    for (std::uint32_t k = begin; k < end; ++k) {
      const P& packet = worker.arrived[worker.keys[k].index];
      ports_.serve(worker, n, index, packet.arrival);
      if (out.free_at <= packet.arrival) {
        ports_.depart(worker, n, index, packet.arrival, packet);
      } else {
        ports_.wait(worker, n, index, packet, rules_.data_bytes);
      }
    }
    ports_.serve(worker, n, index, window_end() - 1);
  }

  // The whole switch in one order of time.

  void run_ordered(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    worker.make_room(node.ports);
    sort_by_time(worker);
    worker.services.clear();
    for (const std::uint16_t port : backlogs_[n]) {
      ports_.ports[node.first_port + port].scheduled = false;
      schedule(worker, node, port, ports_.windows.begin());
    }
    std::swap(worker.touched, backlogs_[n]);  // every port that may end with a backlog
    backlogs_[n].clear();
    for (const std::uint16_t port : worker.touched) worker.marked[port] = 1;
    for (const Key& key : worker.keys) {
      const P& packet = worker.arrived[key.index];
      run_services(worker, node, n, packet.arrival);
      arrive(worker, node, n, packet);
    }
    run_services(worker, node, n, window_end() - 1);
    for (const std::uint16_t port : worker.touched) {
      worker.marked[port] = 0;
      ports_.ports[node.first_port + port].scheduled = false;
      remember_backlog(worker, n, node, port);
    }
    worker.touched.clear();
  }

  /// Buckets of equal time, about one for each packet, then insertion.
  void sort_by_time(Worker<P>& worker) {
    const auto count = static_cast<std::uint32_t>(worker.arrived.size());
    worker.keys.resize(count);
    if (count == 0) return;
    std::uint32_t bits = 1;
    while ((1U << bits) < count && bits < kMostBucketBits) ++bits;
    const std::uint32_t buckets = 1U << bits;
    worker.make_room(buckets);
    std::vector<std::uint32_t>& first = worker.first;
    std::fill(first.begin(), first.begin() + buckets + 1, 0);
    worker.place.resize(count);
    // A window is at most 2^shift long: the bucket is the time's highest bits below.
    std::uint32_t shift = 0;
    while ((ports_.windows.length() >> shift) >= buckets) ++shift;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto bucket =
          static_cast<std::uint32_t>((worker.arrived[i].arrival - ports_.windows.begin()) >> shift);
      worker.place[i] = bucket;
      ++first[bucket + 1];
    }
    for (std::uint32_t b = 0; b < buckets; ++b) first[b + 1] += first[b];
    for (std::uint32_t i = 0; i < count; ++i)
      worker.keys[first[worker.place[i]]++] = key_of(worker.arrived[i], i);
    worker.order(0, count);
  }

  static bool later(const std::pair<Picoseconds, std::uint32_t>& a,
                    const std::pair<Picoseconds, std::uint32_t>& b) {
    return a > b;
  }

  /// Plans the port's next service unless it is planned or there is nothing to serve.
  void schedule(Worker<P>& worker, const Node& node, std::uint32_t port, Picoseconds now) {
    Port& p = ports_.ports[node.first_port + port];
    if (p.scheduled || !p.runnable()) return;
    p.scheduled = true;
    worker.services.emplace_back(std::max(p.free_at, now), port);
    std::push_heap(worker.services.begin(), worker.services.end(), later);
  }

  void run_services(Worker<P>& worker, const Node& node, std::uint32_t n, Picoseconds until) {
    while (!worker.services.empty() && worker.services.front().first <= until) {
      const auto [time, port] = worker.services.front();
      std::pop_heap(worker.services.begin(), worker.services.end(), later);
      worker.services.pop_back();
      Port& p = ports_.ports[node.first_port + port];
      p.scheduled = false;
      if (!p.runnable()) continue;  // paused since
      if (p.free_at > time) {       // a pause frame went first
        schedule(worker, node, port, time);
        continue;
      }
      const P packet = ports_.take(worker, n, node.first_port + port);
      ports_.depart(worker, n, node.first_port + port, time, packet);
      if (packet.priority >= kDataPriority) leave(worker, node, n, packet, time);
      schedule(worker, node, port, time);
    }
  }

  void touch(Worker<P>& worker, std::uint32_t port) {
    if (worker.marked[port] != 0) return;
    worker.marked[port] = 1;
    worker.touched.push_back(static_cast<std::uint16_t>(port));
  }

  void arrive(Worker<P>& worker, const Node& node, std::uint32_t n, const P& packet) {
    if (packet.kind == PacketKind::pause) {
      if (obey_pause(ports_.ports[node.first_port + packet.in_port], packet, worker.counters))
        schedule(worker, node, packet.in_port, packet.arrival);
      return;
    }
    const std::uint32_t port = choose_port(node, packet);
    const std::uint32_t index = node.first_port + port;
    Port& out = ports_.ports[index];
    if (out.free_at <= packet.arrival && out.waiting == 0 && (out.paused >> packet.priority & 1U) == 0)
      return ports_.depart(worker, n, index, packet.arrival, packet);
    if (overflows(node, packet)) {
      ++worker.counters.drops;
      ++worker.counters.overflows;
      return;
    }
    const std::uint64_t before = out.data_bytes;
    ports_.wait(worker, n, index, packet, room(n, out));
    touch(worker, port);
    if (packet.priority >= kDataPriority) enter(worker, node, n, packet, out.data_bytes - before);
    schedule(worker, node, port, packet.arrival);
  }

  /// How many bytes of data may wait at a port.
  std::uint64_t room(std::uint32_t n, const Port& port) const {
    if (rules_.pauses()) return kNever;
    if (rules_.pool_bytes == 0) return rules_.data_bytes;
    const std::uint64_t free = rules_.pool_bytes - std::min(rules_.pool_bytes, pool_used_[n]);
    // No port may take more than is left, however large its share.
    const auto share = static_cast<std::uint64_t>(rules_.share * static_cast<double>(free));
    return std::min({rules_.data_bytes, share, port.data_bytes + free});
  }

  /// Whether the headroom behind a pause is used up: then flow control was set up wrongly.
  bool overflows(const Node& node, const P& packet) {
    if (!rules_.pauses() || packet.priority < kDataPriority) return false;
    const Ingress& from = ingress_at(node, packet.in_port, packet.priority);
    return from.bytes + packet.bytes > rules_.pause_above + rules_.headroom_bytes;
  }

  /// Data waits: `bytes` more than before its arrival.
  void enter(Worker<P>& worker, const Node& node, std::uint32_t n, const P& packet, std::uint64_t bytes) {
    pool_used_[n] += bytes;
    if (!rules_.pauses()) return;
    if (!ingress_at(node, packet.in_port, packet.priority).enter(bytes, rules_)) return;
    ++worker.counters.pauses;
    send_pause(worker, node, n, packet, true, packet.arrival);
  }

  /// Data leaves its queue.
  void leave(Worker<P>& worker, const Node& node, std::uint32_t n, const P& packet, Picoseconds now) {
    pool_used_[n] -= packet.bytes;
    if (!rules_.pauses()) return;
    if (ingress_at(node, packet.in_port, packet.priority).leave(packet.bytes, rules_))
      send_pause(worker, node, n, packet, false, now);
  }

  Ingress& ingress_at(const Node& node, std::uint32_t in_port, std::uint32_t priority) {
    return ingress_[std::size_t{node.first_port + in_port} * priorities_ + priority];
  }

  void send_pause(Worker<P>& worker, const Node& node, std::uint32_t n, const P& about, bool stop,
                  Picoseconds now) {
    if (!ports_.send_pause(worker, n, about, stop, now)) return;
    touch(worker, about.in_port);
    schedule(worker, node, about.in_port, now);
  }

  /// The uplink with the shortest queue among those that are up, from a random one on.
  std::uint32_t choose_port(const Node& node, const P& packet) const {
    const std::uint32_t port = port_towards(layout_, node, packet);
    if (!rules_.adaptive || port < node.ports_down || packet.priority < kDataPriority) return port;
    const std::uint32_t uplinks = node.ports - node.ports_down;
    std::uint32_t at = port;
    std::uint32_t best = port;
    std::uint64_t least = kNever;
    for (std::uint32_t i = 0; i < uplinks && least > 0; ++i) {
      const Port& p = ports_.ports[node.first_port + at];
      const std::uint64_t busy = p.free_at > packet.arrival ? p.free_at - packet.arrival : 0;
      const std::uint64_t load =
          p.down ? kNever : layout_.link_of(node.first_port + at).time(p.data_bytes) + busy;
      if (load < least) {
        least = load;
        best = at;
      }
      at = at + 1 == node.ports ? node.ports_down : at + 1;
    }
    return best;
  }

  static constexpr std::uint32_t kMostBucketBits = 14;

  Ports<P>& ports_;
  const Layout& layout_;
  const QueueRules& rules_;
  std::uint32_t priorities_;
  std::vector<std::vector<std::uint16_t>> backlogs_;  // ports that begin a window with waiting packets
  std::vector<std::uint64_t> pool_used_;              // of each switch
  std::vector<Ingress> ingress_;                      // by port and priority
};

}  // namespace trainyard::packet
