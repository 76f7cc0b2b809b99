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
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/packet/agenda.h"
#include "network/packet/flow_course.h"
#include "network/packet/hosts.h"
#include "network/packet/nics.h"
#include "network/packet/packet.h"
#include "network/packet/packet_bounds.h"
#include "network/packet/ports.h"
#include "network/packet/probes.h"
#include "network/packet/run_outcome.h"
#include "network/packet/switch_work.h"
#include "network/packet/switches.h"
#include "network/packet/transport_contract.h"
#include "network/packet/workers.h"
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
  std::vector<Lineup> lineups = {};
  std::vector<Probe> probes = {};
};

template <class Transport>
class Engine {
 public:
  using P = typename Transport::Packet;
  using Context = typename Hosts<Transport>::Context;

  Engine(const Task& task, Transport& transport, unsigned threads = 1)
      : layout_(task.layout),
        flows_(task.flows),
        faults_(task.faults),
        links_(task.links),
        ports_(task.layout, task.rules, task.priorities, task.largest_bytes),
        switches_(ports_),
        nics_(ports_, task.limits),
        agenda_(task.layout),
        course_(task.flows, task.dependencies, task.lineups, ports_.windows.length(), agenda_),
        hosts_(ports_, nics_, agenda_, course_, transport),
        bounds_(ports_, task.flows, transport, task.largest_bytes),
        workers_(threads, task.layout.nodes.size(), ports_.windows.slots(),
                 Inboxes<P>::chunk_for(packets_of_node())),
        transport_(transport),
        probes_(task.probes) {
    ports_.trace(task.traced_flows);
    if (probes_.any()) ports_.watch(task.probes);
    if (Fault::any_slows(faults_)) ports_.follow_links();
    for (std::uint32_t f = 0; f < flows_.size(); ++f) agenda_.add({flows_[f].start, flows_[f].from, f});
  }

  /// Runs until nothing is left to happen. `tick(const WindowSummary&)` is called once a window; false stops.
  template <class Tick>
  RunEnd run(const Tick& tick) {
    check_transport<Transport, Context>();
    while (true) {
      const Totals now = workers_.totals();
      if (now.waiting == 0 && !skip_idle(now)) return RunEnd::done;
      if (counters_.overflows > 0) return RunEnd::overflow;
      if (stuck(now)) return RunEnd::deadlock;
      apply_faults();
      run_window();
      if (!tick(summary_)) return RunEnd::stopped;
    }
  }

  /// All that changes in a run, for checkpoints between windows. Loads into a fresh engine only; the number
  /// of threads may be another.
  template <class Archive>
  void serialize(Archive& a) {
    for (Flow& flow : flows_) a(flow.began, flow.received, flow.finished);
    serialize_tables(a, links_.down);
    a(ports_, switches_, agenda_, course_);
    a(counters_, summary_, hops_before_, next_fault_);
    if (nics_.limited()) a(nics_);
    if (probes_.any()) a(probes_);
    typename Workers<P>::Held held = workers_.held();
    a(held);
    if constexpr (Archive::is_loading::value) {
      check_restored(held);
      workers_.hold(std::move(held));
    }
  }

  const Counters& counters() const { return counters_; }
  Picoseconds now() const { return ports_.windows.begin(); }
  const Ports<P>& ports() const { return ports_; }
  /// Payload that has arrived of flows that go on: grows while any of them gets on.
  std::uint64_t received_bytes() const {
    std::uint64_t sum = 0;
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow) {
      if (flows_[flow].began == kNever || flows_[flow].finished != kNever) continue;
      FlowSample sample;
      transport_.look(flow, sample);
      sum += sample.received_bytes;
    }
    return sum;
  }
  /// What probes have seen; after the run's end `close_series` comes first.
  const std::vector<ProbeSeries>& series() const { return probes_.series(); }
  void close_series() { probes_.close(now(), queue_look(now()), flow_look()); }
  std::size_t bytes() const {
    return probes_.bytes() + ports_.bytes() + nics_.bytes() + workers_.bytes() + agenda_.bytes() +
           flows_.size() * sizeof(Flow);
  }
  /// The traced packets, in the order of time.
  std::vector<TraceEntry> trace() const { return workers_.trace(); }

 private:
  using Totals = typename Workers<P>::Totals;

  // Nodes, from the one at hand on.
  static constexpr std::uint32_t kAhead = 2;
  static constexpr std::uint32_t kRoutesAhead = 8;
  static constexpr std::uint32_t kArrivalsAhead = 16;

  /// Packets that can reach a node in a window on an average.
  std::size_t packets_of_node() const {
    const std::size_t ports = layout_.wires.size() / layout_.nodes.size();
    return ports * ports_.windows.length() / ports_.longest_packet();
  }

  /// Refuses a restored state that would lead out of bounds (bounds.h).
  void check_restored(const typename Workers<P>::Held& held) {
    keep_bounds(ports_.in_bounds());
    bounds_.check_restored(held);
    probes_.check_restored(now());
    keep_bounds(switches_.in_bounds() && next_fault_ <= faults_.size());
    keep_bounds(nics_.in_bounds([&](std::uint32_t n, const P& packet) { return bounds_.fits(n, packet); }));
    course_.check_restored(now());
    for (std::uint32_t host = 0; host < layout_.hosts(); ++host)
      agenda_.check_restored(host, hosts_.next_service(host),
                             [&](std::uint32_t begins) { return course_.begins_at(begins, host); });
  }

  /// Jumps over windows in which nothing happens; false when nothing is left.
  bool skip_idle(const Totals& now) {
    Windows& windows = ports_.windows;
    if (now.in_flight > 0 && !windows.goes_on()) return true;
    Picoseconds next = agenda_.earliest();
    if (now.in_flight > 0) {
      const std::size_t idle = workers_.unused_from(windows.slot(), windows.slots());
      next = std::min(next, windows.begin() + idle * windows.length());
    }
    if (next >= kFarthest) return false;  // as nothing but a forged checkpoint has it
    windows.skip_to(next);
    return true;
  }

  /// Packets wait, none is under way, and no port or NIC that could send one is busy: pauses wait for each
  /// other.
  bool stuck(const Totals& now) {
    const bool still = now.in_flight == 0 && now.waiting > 0 && counters_.hops == hops_before_;
    hops_before_ = counters_.hops;
    return still && !nics_.busy() &&
           std::none_of(ports_.ports.begin(), ports_.ports.end(),
                        [](const Port& port) { return port.runnable(); });
  }

  void apply_faults() {
    for (; next_fault_ < faults_.size() && faults_[next_fault_].time <= now(); ++next_fault_) {
      const Fault& fault = faults_[next_fault_];
      if (fault.link != Fault::kSameLink) {
        ports_.links.change(fault.port, fault.link);
        continue;
      }
      char& failures = links_.down[fault.port];  // several may hit one link
      failures = static_cast<char>(failures + (fault.down ? 1 : -1));
      ports_.ports[fault.port].down = failures != 0;
    }
  }

  void run_nodes() {
    workers_.run(
        static_cast<std::uint32_t>(layout_.nodes.size()), ports_.windows,
        [this](Worker<P>& worker, std::uint32_t n) { return is_idle(worker, n); },
        [this](const Inboxes<P>& inboxes, std::size_t slot, std::uint32_t n, std::uint32_t step) {
          look_ahead(inboxes, slot, n, step);
        },
        [this](Worker<P>& worker, std::uint32_t n) { run_node(worker, n); });
  }

  /// The part of a window before each sample that is due in it. Parts give what the whole would.
  void run_to_samples() {
    Windows& windows = ports_.windows;
    while (probes_.due() < windows.whole_end()) {
      const Picoseconds time = probes_.due();
      if (time > windows.begin()) {
        windows.cut(time);
        run_nodes();
        workers_.each([](Worker<P>& worker) { worker.left_waiting = 0; });
      }
      probes_.sample(queue_look(time), flow_look());
    }
    windows.end_cut();
  }

  /// What a port has at that time, to which it has been run.
  auto queue_look(Picoseconds time) {
    return [this, time](std::size_t number, QueueSample& sample) {
      const std::uint32_t index = probes_.series()[number].probe.index;
      const Port& port = ports_.ports[index];
      PortWatch& watch = ports_.watches.of_probe(number);
      sample.queue_bytes = port.data_bytes;
      sample.control_bytes = port.control_bytes;
      sample.longest_bytes = std::max(watch.longest_bytes, port.data_bytes);
      sample.marks = std::exchange(watch.marks, 0);
      sample.trims = std::exchange(watch.trims, 0);
      sample.drops = std::exchange(watch.drops, 0);
      sample.lost = std::exchange(watch.lost, 0);
      watch.longest_bytes = port.data_bytes;
      return Probes::Totals{port.sent_bytes, watch.busy - (port.free_at - std::min(port.free_at, time))};
    };
  }
  auto flow_look() {
    return [this](std::size_t number, FlowSample& sample) {
      const std::uint32_t flow = probes_.series()[number].probe.index;
      transport_.look(flow, sample);
      if (flows_[flow].began != kNever && flows_[flow].finished == kNever) return;
      sample.window_packets = sample.rate_share = FlowSample::kNone;
    };
  }

  void run_window() {
    if (probes_.due() < ports_.windows.end()) run_to_samples();
    run_nodes();
    summary_.begin = ports_.windows.begin();
    summary_.longest_queue = 0;
    ports_.windows.go_on();
    workers_.each([this](Worker<P>& worker) { add_up(worker); });
    const Totals now = workers_.totals();
    summary_.waiting = now.waiting;
    summary_.in_flight = now.in_flight;
    summary_.finished = counters_.finished;
    summary_.events = counters_.events + counters_.hops;
  }

  /// Whether a node does nothing in this window unless something arrives.
  bool is_idle(Worker<P>& worker, std::uint32_t n) const {
    return n < layout_.leaves ? agenda_.next_of_leaf(n) >= ports_.windows.end()
                              : switches_.is_idle(worker, n);
  }
  /// Fetches what the next nodes, `step` on, will read: what arrives, ports that have a backlog, and then
  /// what waits there. With a table of routes few packets reach a node in a window, and each waits for its
  /// entry and its port: first what arrives, then the entries, then the ports.
  [[gnu::always_inline]] void look_ahead(const Inboxes<P>& inboxes, std::size_t slot, std::uint32_t n,
                                         std::uint32_t step) const {
    if (layout_.routes.empty()) {
      inboxes.prefetch(slot, n + step * kAhead);
      switches_.prefetch_backlog_ports(n + step * kAhead);
      return switches_.prefetch_backlog(n + step);
    }
    inboxes.prefetch(slot, n + step * kArrivalsAhead);
    switches_.prefetch_routes(inboxes, slot, n + step * kRoutesAhead);
    switches_.prefetch_ports(inboxes, slot, n + step * kAhead);
    switches_.prefetch_backlog(n + step);
    switches_.prefetch_room(inboxes, slot, n + step);
  }
  void run_node(Worker<P>& worker, std::uint32_t n) {
    const bool arrives = !worker.arrivals.empty();
    if (n >= layout_.leaves) {
      if constexpr (WorksInSwitches<Transport>) {
        if (arrives) pass(worker, n);
      }
      if (arrives || !is_idle(worker, n)) switches_.run(worker, n);
    } else if (arrives || !is_idle(worker, n)) {
      hosts_.run(worker, n);
    }
  }

  void pass(Worker<P>& worker, std::uint32_t n) {
    Onward<P>& onward = worker.onward;
    onward.begin(ports_.windows.end());
    for (const P& packet : worker.arrivals.packets) transport_.pass(n, packet, onward);
    worker.arrivals.packets.swap(onward.sent);
    for (const P& packet : onward.deferred)
      worker.inboxes.put(ports_.windows.slot_of(packet.arrival), n, packet);
  }

  /// Takes what a worker has counted in a window.
  void add_up(Worker<P>& worker) {
    worker.counters.longest_queue = std::max(worker.counters.longest_queue, worker.left_waiting);
    worker.left_waiting = 0;
    summary_.longest_queue = std::max(summary_.longest_queue, worker.counters.longest_queue);
    counters_.add(worker.counters);
    worker.counters = {};
    summary_.delivered_bytes += worker.delivered_bytes;
    worker.delivered_bytes = 0;
    for (const Release& release : worker.releases) agenda_.add(release);
    worker.releases.clear();
  }

  const Layout& layout_;
  std::vector<Flow>& flows_;
  const std::vector<Fault>& faults_;
  LinkState& links_;
  Ports<P> ports_;
  Switches<P> switches_;
  Nics<P> nics_;
  Agenda agenda_;
  FlowCourse course_;
  Hosts<Transport> hosts_;
  PacketBounds<Transport> bounds_;
  Workers<P> workers_;
  Transport& transport_;
  Probes probes_;
  Counters counters_;
  WindowSummary summary_;
  std::uint64_t hops_before_ = 0;
  std::size_t next_fault_ = 0;
};

}  // namespace trainyard::packet
