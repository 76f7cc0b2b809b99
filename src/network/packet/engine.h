// The packet engine: conservative windows, one event a hop.
//
// Time advances in windows of the shortest link delay. Whatever a node sends in a window arrives in a later
// one, so within a window every node is independent: it takes its inbox, orders it by (arrival, input port),
// and replays its ports, deciding service at the time it begins. There is no event queue. Results do not
// depend on the order in which nodes are taken, nor on how many threads take them.
//
// A transport is a class with four handlers (transport_contract.h) and never sees windows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <queue>
#include <vector>

#include "network/packet/crew.h"
#include "network/packet/nics.h"
#include "network/packet/packet.h"
#include "network/packet/packet_bounds.h"
#include "network/packet/ports.h"
#include "network/packet/run_outcome.h"
#include "network/packet/switches.h"
#include "network/packet/transport_contract.h"
#include "network/wiring/faults.h"
#include "network/wiring/host_limits.h"
#include "network/wiring/layout.h"
#include "trainyard/flow.h"

namespace trainyard::packet {

/// Everything that an engine needs but the transport.
struct Task {
  const Layout& layout;
  QueueRules rules;
  std::vector<Flow>& flows;
  const std::vector<Dependency>& dependencies;
  const std::vector<Fault>& faults;  // ordered by time
  LinkState& links;
  std::uint32_t largest_bytes = 4096;  // of a packet
  std::uint32_t priorities = kDataPriority + 1;
  std::vector<char> traced_flows = {};  // by flow; empty: none
  HostLimits limits = {};
};

template <class Transport>
class Engine {
 public:
  using P = typename Transport::Packet;

  /// What a handler may do.
  class Context {
   public:
    Context(Engine& engine, Worker<P>& worker, std::uint32_t host, Picoseconds now, std::uint32_t plane)
        : engine_(engine), worker_(worker), host_(host), now_(now), plane_(plane) {}
    Picoseconds now() const { return now_; }
    std::uint32_t host() const { return host_; }
    std::uint32_t plane() const { return plane_; }
    /// Hands a packet to the host's port in a plane, where it waits with its priority.
    void send(const P& packet, std::uint32_t plane = 0) {
      engine_.host_sends(worker_, host_, now_, packet, plane);
    }
    /// Asks for offer() as soon as a port is free.
    void ready() { engine_.data_waits(host_, now_); }
    /// Calls wake() at this time; kNever takes it back. One time a host.
    void wake_at(Picoseconds time) { engine_.wakes_[host_] = time; }
    /// The last byte of a flow to this host is here.
    void received(std::uint32_t flow) { engine_.received(*this, flow); }
    /// The sender at this host knows that everything arrived.
    void finished(std::uint32_t flow) { engine_.finished(*this, flow); }
    Counters& counters() { return worker_.counters; }

   private:
    friend class Engine;
    Engine& engine_;
    Worker<P>& worker_;
    std::uint32_t host_;
    Picoseconds now_;
    std::uint32_t plane_;
  };

  Engine(const Task& task, Transport& transport, unsigned threads = 1)
      : layout_(task.layout),
        transport_(transport),
        flows_(task.flows),
        faults_(task.faults),
        links_(task.links),
        ports_(task.layout, task.rules, task.priorities, task.largest_bytes),
        switches_(ports_, task.priorities),
        nics_(ports_, task.limits, task.priorities),
        bounds_(ports_, flows_, transport, task.largest_bytes),
        starts_(task.layout.hosts()),
        wakes_(task.layout.hosts(), kNever),
        next_(task.layout.hosts(), kNever),
        next_of_node_(task.layout.leaves, kNever),
        conditions_(task.flows.size(), 1),
        crew_(threads) {
    ports_.traced_flows = task.traced_flows;
    for (unsigned w = 0; w < crew_.size(); ++w)
      workers_.push_back(std::make_unique<Worker<P>>(layout_.nodes.size(), ports_.windows.slots()));
    add_dependencies(task.dependencies);
    for (std::uint32_t f = 0; f < flows_.size(); ++f) release({flows_[f].start, flows_[f].from, f});
  }

  /// Runs until nothing is left to happen. `tick(const WindowSummary&)` is called once a window; false stops.
  template <class Tick>
  RunEnd run(const Tick& tick) {
    check_transport<Transport, Context>();
    while (true) {
      const Totals now = totals();
      if (now.in_flight == 0 && now.waiting == 0 && !skip_idle()) return RunEnd::done;
      if (counters_.overflows > 0) return RunEnd::overflow;
      if (stuck(now)) return RunEnd::deadlock;
      apply_faults();
      run_window();
      summary_.waiting = totals().waiting;
      summary_.in_flight = totals().in_flight;
      if (!tick(summary_)) return RunEnd::stopped;
    }
  }

  /// All that changes in a run, for checkpoints between windows. Loads into a fresh engine only; the number
  /// of threads may be another.
  template <class Archive>
  void serialize(Archive& a) {
    for (Flow& flow : flows_) a(flow.began, flow.received, flow.finished);
    serialize_tables(a, links_.down);
    a(ports_, switches_);
    serialize_tables(a, starts_, wakes_, next_, next_of_node_, conditions_);
    a(counters_, summary_, hops_before_, next_fault_);
    if (nics_.limited()) a(nics_);
    std::int64_t waiting = totals().waiting;
    std::vector<TraceEntry> traced = trace();
    std::vector<InFlight> in_flight = packets_in_flight();
    a(waiting, traced, in_flight);
    if constexpr (Archive::is_loading::value) {
      check_restored(waiting, in_flight, traced);
      Worker<P>& worker = *workers_.front();
      worker.waiting = waiting;
      worker.trace = std::move(traced);
      for (const InFlight& one : in_flight) worker.inboxes.put(one.slot, one.node, one.packet);
    }
  }

  const Counters& counters() const { return counters_; }
  Picoseconds now() const { return ports_.windows.begin(); }
  const Ports<P>& ports() const { return ports_; }
  const Switches<P>& switches() const { return switches_; }
  std::size_t bytes() const {
    std::size_t sum = ports_.bytes() + nics_.bytes();
    for (const auto& worker : workers_) sum += worker->inboxes.bytes();
    return sum + starts_.size() * sizeof(Starts) + flows_.size() * sizeof(Flow);
  }
  /// The traced packets, in the order of time.
  std::vector<TraceEntry> trace() const {
    std::vector<TraceEntry> out;
    for (const auto& worker : workers_) out.insert(out.end(), worker->trace.begin(), worker->trace.end());
    std::sort(out.begin(), out.end(), [](const TraceEntry& a, const TraceEntry& b) {
      return std::tie(a.time, a.flow, a.sequence, a.kind, a.node, a.event, a.port, a.bytes) <
             std::tie(b.time, b.flow, b.sequence, b.kind, b.node, b.event, b.port, b.bytes);
    });
    return out;
  }

 private:
  using Starts = std::priority_queue<Release, std::vector<Release>, std::greater<>>;
  struct Totals {
    std::int64_t waiting = 0;
    std::uint64_t in_flight = 0;
  };
  struct InFlight {
    std::uint64_t slot = 0;
    std::uint32_t node = 0;
    P packet;

    template <class Archive>
    void serialize(Archive& a) {
      a(slot, node, packet);
    }
  };

  /// In an order that does not depend on threads.
  std::vector<InFlight> packets_in_flight() const {
    std::vector<InFlight> out;
    for (const auto& worker : workers_) {
      worker->inboxes.each([&](std::size_t slot, std::uint32_t node, const P& packet) {
        out.push_back({slot, node, packet});
      });
    }
    std::sort(out.begin(), out.end(), [](const InFlight& a, const InFlight& b) {
      return std::tie(a.slot, a.node, a.packet.arrival, a.packet.in_port) <
             std::tie(b.slot, b.node, b.packet.arrival, b.packet.in_port);
    });
    return out;
  }

  // What a restored state has to keep to (bounds.h).

  void check_restored(std::int64_t waiting, const std::vector<InFlight>& in_flight,
                      const std::vector<TraceEntry>& traced) {
    keep_all(ports_.ports, [&](const Port& port) { return ports_.in_bounds(port); });
    check_waiting(waiting);
    keep_bounds(switches_.in_bounds() && next_fault_ <= faults_.size());
    keep_bounds(nics_.in_bounds([&](std::uint32_t n, const P& packet) { return bounds_.fits(n, packet); }));
    keep_all(in_flight, [&](const InFlight& one) {
      return one.node < layout_.nodes.size() && bounds_.fits(one.node, one.packet) &&
             ports_.windows.is_slot(one.slot, one.packet.arrival) &&
             bounds_.is_at_goal(one.node, one.packet.in_port, one.packet);
    });
    keep_all(traced, [&](const TraceEntry& entry) {
      return entry.node < layout_.nodes.size() && entry.port < layout_.nodes[entry.node].ports &&
             entry.flow < flows_.size() && entry.kind <= PacketKind::pause && entry.event <= TraceEvent::lost;
    });
    keep_all(flows_, [&](const Flow& flow) {
      const auto happened = [&](Picoseconds time) {
        return time >= flow.start && time <= ports_.windows.begin();
      };
      if (flow.began == kNever) return flow.received == kNever && flow.finished == kNever;
      return happened(flow.began) && (flow.received == kNever || happened(flow.received)) &&
             (flow.finished == kNever || happened(flow.finished));
    });
    for (std::uint32_t host = 0; host < starts_.size(); ++host) check_host(host);
  }

  void check_waiting(std::int64_t expected) {
    std::int64_t waiting = 0;
    ports_.each_waiting([&](std::uint32_t n, std::uint32_t port, const P& packet) {
      const Wire& wire = layout_.wires[port];
      keep_bounds(bounds_.fits(n, packet) && bounds_.is_at_goal(wire.node, wire.in_port, packet));
      ++waiting;
    });
    keep_bounds(waiting == expected);
  }

  /// A host is looked at no later than something happens there.
  void check_host(std::uint32_t host) {
    keep_bounds(is_time(wakes_[host]) && is_time(next_[host]));
    for (Starts left = starts_[host]; !left.empty(); left.pop())
      keep_bounds(left.top().flow < flows_.size() && flows_[left.top().flow].from == host &&
                  is_time(left.top().time));
    const std::uint32_t first_port = layout_.port_of_host(host, 0);
    const Picoseconds start = starts_[host].empty() ? kNever : starts_[host].top().time;
    Picoseconds next = std::min(start, wakes_[host]);
    if (nics_.limited()) {
      next = std::min(
          {next, nics_.next(host), next_limited_service(host, first_port, ports_.windows.begin()).time});
    } else {
      next = std::min(next, next_service(first_port, ports_.windows.begin()).time);
    }
    keep_bounds(next_[host] <= next);
    keep_bounds(next_of_node_[leaf_of(layout_.address_of_host[host])] <= next_[host]);
  }

  // Windows.

  Totals totals() const {
    Totals sum;
    for (const auto& worker : workers_) {
      sum.waiting += worker->waiting;
      sum.in_flight += worker->inboxes.put_count() - worker->inboxes.taken_count();
    }
    return sum;
  }

  /// Jumps over windows in which nothing happens; false when nothing is left.
  bool skip_idle() {
    Picoseconds next = kNever;
    for (const Picoseconds time : next_of_node_) next = std::min(next, time);
    if (next >= kFarthest) return false;  // as nothing but a forged checkpoint has it
    ports_.windows.skip_to(next);
    return true;
  }

  /// Packets wait, none is under way, and no port or NIC that could send one is busy: pauses wait for each
  /// other.
  bool stuck(const Totals& now) {
    const bool still = now.in_flight == 0 && now.waiting > 0 && counters_.hops == hops_before_;
    hops_before_ = counters_.hops;
    if (!still || nics_.busy()) return false;
    for (const Port& port : ports_.ports) {
      if (port.runnable()) return false;
    }
    return true;
  }

  void apply_faults() {
    for (; next_fault_ < faults_.size() && faults_[next_fault_].time <= ports_.windows.begin();
         ++next_fault_) {
      const Fault& fault = faults_[next_fault_];
      char& failures = links_.down[fault.port];  // several may hit one link
      failures = static_cast<char>(failures + (fault.down ? 1 : -1));
      ports_.ports[fault.port].down = failures != 0;
    }
  }

  void run_window() {
    crew_.run(static_cast<std::uint32_t>(layout_.nodes.size()),
              [this](unsigned w, std::uint32_t n) { run_node(*workers_[w], n); });
    summary_.begin = ports_.windows.begin();
    summary_.longest_queue = 0;
    ports_.windows.go_on();
    for (auto& worker : workers_) {
      summary_.longest_queue = std::max(summary_.longest_queue, worker->counters.longest_queue);
      counters_.add(worker->counters);
      worker->counters = {};
      summary_.delivered_bytes += worker->delivered_bytes;
      worker->delivered_bytes = 0;
      for (const Release& r : worker->releases) release(r);
      worker->releases.clear();
    }
    summary_.finished = counters_.finished;
    summary_.events = counters_.events + counters_.hops;
  }

  void run_node(Worker<P>& worker, std::uint32_t n) {
    const Node& node = layout_.nodes[n];
    worker.arrived.clear();
    for (auto& producer : workers_) {
      if (!producer->inboxes.empty(ports_.windows.slot(), n))
        worker.inboxes.collect(producer->inboxes, ports_.windows.slot(), n, worker.arrived);
    }
    if (!node.hosts) {
      if (!worker.arrived.empty() || switches_.has_backlog(n)) switches_.run(worker, n);
    } else if (!worker.arrived.empty() || next_of_node_[n] < window_end()) {
      run_hosts(worker, node, n);
    }
  }

  Picoseconds window_end() const { return ports_.windows.end(); }

  // Starts of flows.

  void add_dependencies(const std::vector<Dependency>& dependencies) {
    if (dependencies.empty()) return;
    first_dependent_.assign(flows_.size() + 1, 0);
    for (const Dependency& d : dependencies) ++first_dependent_[d.before + 1];
    for (std::size_t f = 0; f < flows_.size(); ++f) first_dependent_[f + 1] += first_dependent_[f];
    dependents_.resize(dependencies.size());
    std::vector<std::uint32_t> place(first_dependent_.begin(), first_dependent_.end() - 1);
    for (const Dependency& d : dependencies) {
      dependents_[place[d.before]++] = d;
      ++conditions_[d.after];
    }
  }

  void release(const Release& r) {
    starts_[r.host].push(r);
    next_[r.host] = std::min(next_[r.host], r.time);
    Picoseconds& of_node = next_of_node_[leaf_of(layout_.address_of_host[r.host])];
    of_node = std::min(of_node, r.time);
  }

  /// A flow has ended: those that wait for it may begin, at once at this host, elsewhere when word has come.
  void release_dependents(Context& context, std::uint32_t flow, bool on_receipt) {
    if (dependents_.empty()) return;
    for (std::uint32_t d = first_dependent_[flow]; d < first_dependent_[flow + 1]; ++d) {
      if (dependents_[d].on_receipt != on_receipt) continue;
      const std::uint32_t after = dependents_[d].after;
      const std::uint32_t host = flows_[after].from;
      if (host == context.host_) {
        starts_[host].push({context.now_, host, after});
      } else {
        context.worker_.releases.push_back({context.now_ + ports_.windows.length(), host, after});
      }
    }
  }

  void received(Context& context, std::uint32_t flow) {
    flows_[flow].received = context.now_;
    release_dependents(context, flow, true);
  }
  void finished(Context& context, std::uint32_t flow) {
    flows_[flow].finished = context.now_;
    ++context.worker_.counters.finished;
    release_dependents(context, flow, false);
  }

  // Hosts.

  /// The hosts of one leaf: arrivals have one output, the host of their input port.
  void run_hosts(Worker<P>& worker, const Node& node, std::uint32_t n) {
    const std::uint32_t planes = layout_.planes;
    const std::uint32_t hosts = node.ports / planes;
    worker.make_room(node.ports);
    std::vector<std::uint32_t>& first = worker.first;
    std::fill(first.begin(), first.begin() + hosts + 1, 0);
    for (const P& packet : worker.arrived) ++first[host_of_port(packet.in_port) + 1U];
    for (std::uint32_t h = 0; h < hosts; ++h) first[h + 1] += first[h];
    worker.keys.resize(worker.arrived.size());
    worker.place.assign(first.begin(), first.begin() + hosts);
    for (std::uint32_t i = 0; i < worker.arrived.size(); ++i) {
      const P& packet = worker.arrived[i];
      worker.keys[worker.place[host_of_port(packet.in_port)]++] = {
          ((packet.arrival - ports_.windows.begin()) << 16U) | packet.in_port, i};
    }
    Picoseconds next = kNever;
    for (std::uint32_t h = 0; h < hosts; ++h) {
      const std::uint32_t host = layout_.first_host[n] + h;
      if (first[h] < first[h + 1U] || next_[host] < window_end()) {
        if (nics_.limited()) {
          run_host<true>(worker, node, n, h);
        } else {
          run_host<false>(worker, node, n, h);
        }
      }
      next = std::min(next, next_[host]);
    }
    next_of_node_[n] = next;
  }

  std::uint32_t host_of_port(std::uint32_t port) const {
    return layout_.planes == 1 ? port : port / layout_.planes;
  }

  template <bool kLimited>
  void run_host(Worker<P>& worker, const Node& node, std::uint32_t n, std::uint32_t index) {
    const std::uint32_t host = layout_.first_host[n] + index;
    const std::uint32_t first_port = node.first_port + index * layout_.planes;
    worker.order(worker.first[index], worker.first[index + 1U]);
    std::uint32_t next = worker.first[index];
    const std::uint32_t last = worker.first[index + 1U];
    Picoseconds now = ports_.windows.begin();
    while (true) {
      const Picoseconds arrival = next < last ? worker.arrived[worker.keys[next].index].arrival : kNever;
      const Picoseconds start = starts_[host].empty() ? kNever : starts_[host].top().time;
      Picoseconds time = std::min({arrival, start, wakes_[host]});
      if constexpr (kLimited) time = std::min(time, nics_.next(host));
      const Service service =
          kLimited ? next_limited_service(host, first_port, now) : next_service(first_port, now);
      if (service.time <= time) {
        if (service.time >= window_end()) {
          next_[host] = service.time;
          return;
        }
        now = service.time;
        serve_host<kLimited>(worker, n, host, first_port, service);
        continue;
      }
      if (time >= window_end()) {
        next_[host] = time;
        return;
      }
      now = std::max(now, time);
      if (kLimited && nics_.next(host) == time) {
        go_on_inside(worker, n, host, first_port, now);
      } else if (arrival == time) {
        arrive<kLimited>(worker, n, host, first_port, worker.arrived[worker.keys[next++].index], now);
      } else {
        happen(worker, host, now, start == time);
      }
    }
  }

  struct Service {
    Picoseconds time = kNever;
    std::uint32_t plane = 0;
  };

  /// When and at which port something may be sent next.
  Service next_service(std::uint32_t first_port, Picoseconds now) const {
    Service out;
    for (std::uint32_t plane = 0; plane < layout_.planes; ++plane) {
      const Port& port = ports_.ports[first_port + plane];
      if (!port.runnable() && !(port.ready && port.paused == 0)) continue;
      const Picoseconds time = std::max(port.free_at, now);
      if (time < out.time) out = {time, plane};
    }
    return out;
  }

  /// The same where the host sends no faster than its pace. Pause frames are the NIC's own.
  Service next_limited_service(std::uint32_t host, std::uint32_t first_port, Picoseconds now) const {
    Service out;
    std::uint32_t plane = nics_.turn(host);
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      const Port& port = ports_.ports[first_port + plane];
      if (port.runnable() || (port.ready && port.paused == 0)) {
        Picoseconds time = std::max(port.free_at, now);
        if ((port.waiting >> kLinkPriority & 1U) == 0) time = std::max(time, nics_.send_free_at(host));
        if (time < out.time) out = {time, plane};
      }
      plane = plane + 1 == layout_.planes ? 0 : plane + 1;
    }
    return out;
  }

  template <bool kLimited>
  void serve_host(Worker<P>& worker, std::uint32_t n, std::uint32_t host, std::uint32_t first_port,
                  const Service& service) {
    const std::uint32_t index = first_port + service.plane;
    Port& port = ports_.ports[index];
    if (port.runnable())
      return depart_host<kLimited>(worker, n, host, index, service.time, ports_.take(worker, n, index));
    Context context(*this, worker, host, service.time, service.plane);
    P packet;
    if (transport_.offer(context, packet)) {
      depart_host<kLimited>(worker, n, host, index, service.time, packet);
    } else {
      port.ready = false;
    }
  }

  template <bool kLimited>
  void depart_host(Worker<P>& worker, std::uint32_t n, std::uint32_t host, std::uint32_t port_index,
                   Picoseconds begins, const P& packet) {
    if constexpr (kLimited) nics_.sent(host, port_index - layout_.port_of_host(host, 0), packet, begins);
    ports_.depart(worker, n, port_index, begins, packet);
  }

  template <bool kLimited>
  void arrive(Worker<P>& worker, std::uint32_t n, std::uint32_t host, std::uint32_t first_port,
              const P& packet, Picoseconds now) {
    if (packet.kind == PacketKind::pause) {
      obey_pause(ports_.ports[first_port + plane_of(packet)], packet, worker.counters);
      return;
    }
    if constexpr (kLimited) {
      if (nics_.takes_time()) return nics_.arrive(worker, n, host, packet, now);
    }
    deliver(worker, host, first_port, packet, now);
  }

  std::uint32_t plane_of(const P& packet) const {
    return layout_.planes == 1 ? 0 : packet.in_port % layout_.planes;
  }

  /// The next thing that happens in a host's NIC.
  void go_on_inside(Worker<P>& worker, std::uint32_t n, std::uint32_t host, std::uint32_t first_port,
                    Picoseconds now) {
    if (nics_.next_intake(host) <= now) return nics_.serve(worker, n, host, now);
    if (nics_.next_delivery(host) <= now)
      return deliver(worker, host, first_port, nics_.take_delivery(host), now);
    const auto what = nics_.take_hand_over(host);
    if (what.is_packet()) {
      put_to_port<true>(worker, host, now, what.packet, what.plane);
    } else {
      make_ready(host);
    }
  }

  [[gnu::always_inline]] void deliver(Worker<P>& worker, std::uint32_t host, std::uint32_t first_port,
                                      const P& packet, Picoseconds now) {
    const std::uint32_t plane = plane_of(packet);
    ++worker.counters.events;
    if (packet.kind == PacketKind::data) worker.delivered_bytes += packet.bytes;
    if (ports_.traced(packet))
      ports_.note(worker, now, leaf_of(layout_.address_of_host[host]), first_port + plane, packet,
                  TraceEvent::received);
    Context context(*this, worker, host, now, plane);
    transport_.receive(context, packet);
  }

  void happen(Worker<P>& worker, std::uint32_t host, Picoseconds now, bool start) {
    Context context(*this, worker, host, now, 0);
    ++worker.counters.events;
    if (!start) {
      wakes_[host] = kNever;
      return transport_.wake(context);
    }
    const std::uint32_t flow = starts_[host].top().flow;
    starts_[host].pop();
    if (--conditions_[flow] > 0) return;
    flows_[flow].began = now;
    transport_.start(context, flow);
  }

  void make_ready(std::uint32_t host) {
    const std::uint32_t first = layout_.port_of_host(host, 0);
    for (std::uint32_t plane = 0; plane < layout_.planes; ++plane) ports_.ports[first + plane].ready = true;
  }

  void data_waits(std::uint32_t host, Picoseconds now) {
    if (!nics_.delays()) return make_ready(host);
    nics_.hand_over(host, now, kNobody, {});
  }

  void host_sends(Worker<P>& worker, std::uint32_t host, Picoseconds now, const P& packet,
                  std::uint32_t plane) {
    if (!nics_.limited()) return put_to_port<false>(worker, host, now, packet, plane);
    if (!nics_.delays()) return put_to_port<true>(worker, host, now, packet, plane);
    nics_.hand_over(host, now, plane, packet);
  }

  template <bool kLimited>
  void put_to_port(Worker<P>& worker, std::uint32_t host, Picoseconds now, P packet, std::uint32_t plane) {
    const std::uint32_t leaf = leaf_of(layout_.address_of_host[host]);
    const std::uint32_t index = layout_.port_of_host(host, plane);
    Port& port = ports_.ports[index];
    packet.arrival = now;
    const bool may_send = !kLimited || nics_.may_send(host, now);
    if (may_send && port.free_at <= now && port.waiting == 0 && (port.paused >> packet.priority & 1U) == 0) {
      depart_host<kLimited>(worker, leaf, host, index, now, packet);
    } else {
      ports_.keep(worker, leaf, index, packet);
    }
  }

  const Layout& layout_;
  Transport& transport_;
  std::vector<Flow>& flows_;
  const std::vector<Fault>& faults_;
  LinkState& links_;
  Ports<P> ports_;
  Switches<P> switches_;
  Nics<P> nics_;
  PacketBounds<Transport> bounds_;
  std::vector<Starts> starts_;             // of each host
  std::vector<Picoseconds> wakes_;         // of each host
  std::vector<Picoseconds> next_;          // of each host: when something happens that is not an arrival
  std::vector<Picoseconds> next_of_node_;  // the earliest of a leaf's hosts
  std::vector<std::uint32_t> conditions_;  // of each flow: what has to happen before it begins
  std::vector<std::uint32_t> first_dependent_;
  std::vector<Dependency> dependents_;
  std::vector<std::unique_ptr<Worker<P>>> workers_;
  Crew crew_;
  Counters counters_;
  WindowSummary summary_;
  std::uint64_t hops_before_ = 0;
  std::size_t next_fault_ = 0;
};

}  // namespace trainyard::packet
