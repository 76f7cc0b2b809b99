// The packet engine once more, slow and plainly right: one heap of events, two events a hop.
#pragma once

#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "network/packet/engine.h"

namespace trainyard::packet {

template <class Transport>
class ReferenceEngine {
 public:
  using P = typename Transport::Packet;

  class Context {
   public:
    Context(ReferenceEngine& engine, std::uint32_t host, Picoseconds now, std::uint32_t plane)
        : engine_(engine), host_(host), now_(now), plane_(plane) {}
    Picoseconds now() const { return now_; }
    std::uint32_t host() const { return host_; }
    std::uint32_t plane() const { return plane_; }
    void send(const P& packet, std::uint32_t plane = 0) { engine_.tell_nic(host_, now_, packet, plane); }
    void ready() { engine_.tell_nic(host_, now_, {}, kNobody); }
    void wake_at(Picoseconds time) { engine_.plan_wake(host_, time); }
    void received(std::uint32_t flow) {
      engine_.flows_[flow].received = now_;
      engine_.release_dependents(*this, flow, true);
    }
    void finished(std::uint32_t flow) {
      engine_.flows_[flow].finished = now_;
      ++engine_.counters_.finished;
      engine_.release_dependents(*this, flow, false);
    }
    Counters& counters() { return engine_.counters_; }

   private:
    friend class ReferenceEngine;
    ReferenceEngine& engine_;
    std::uint32_t host_;
    Picoseconds now_;
    std::uint32_t plane_;
  };

  ReferenceEngine(const Task& task, Transport& transport)
      : layout_(task.layout),
        transport_(transport),
        flows_(task.flows),
        dependencies_(task.dependencies),
        links_(task.links),
        ports_(task.layout, task.rules, task.priorities, task.largest_bytes),
        node_of_port_(task.layout.wires.size()),
        wakes_(task.layout.hosts(), kNever),
        lineups_(task.lineups),
        begun_(task.lineups.size(), 0),
        conditions_(task.flows.size(), 1),
        pool_used_(task.layout.nodes.size(), 0),
        limits_(task.limits),
        nics_(task.layout.hosts()),
        seen_(task.layout.wires.size()) {
    for (const Probe& probe : task.probes) series_.push_back({probe, {}, {}});
    for (Nic& nic : nics_) nic.lists.resize(task.priorities);
    for (std::uint32_t n = 0; n < layout_.nodes.size(); ++n) {
      for (std::uint32_t p = 0; p < layout_.nodes[n].ports; ++p)
        node_of_port_[layout_.nodes[n].first_port + p] = n;
    }
    for (const Dependency& d : task.dependencies) {
      if (d.after < flows_.size()) ++conditions_[d.after];
    }
    for (const Lineup& lineup : lineups_) {
      for (const std::uint32_t flow : lineup) ++conditions_[flow];
    }
    for (std::uint32_t f = 0; f < flows_.size(); ++f)
      add({flows_[f].start, kStart, flows_[f].from, 0, f, {}});
    if (Fault::any_slows(task.faults)) ports_.follow_links();
    for (const Fault& fault : task.faults) add({fault.time, kFault, fault.port, fault.down, fault.link, {}});
  }

  void run() {
    while (!events_.empty()) {
      const Event event = events_.top();
      sample_before(event.time);
      events_.pop();
      handle(event);
    }
  }

  const Counters& counters() const { return counters_; }

  /// The samples of a run that ends then.
  const std::vector<ProbeSeries>& series(Picoseconds end) {
    sample_before(end);
    for (ProbeSeries& series : series_) {
      if (series.probe.from <= end && end <= series.probe.until) take_sample(series, end);
    }
    return series_;
  }

 private:
  // The order of what happens at one time.
  enum Phase { kFault, kService, kIntake, kDelivery, kHandOver, kArrival, kStart, kWake };
  struct Event {
    Picoseconds time;
    Phase phase;
    std::uint32_t where;  // port, node or host
    std::uint32_t in_port;
    std::uint32_t flow;
    P packet;
    bool operator>(const Event& other) const {
      return std::tie(time, phase, where, in_port, flow) >
             std::tie(other.time, other.phase, other.where, other.in_port, other.flow);
    }
  };
  struct From {
    std::uint64_t bytes = 0;
    bool stopped = false;
  };
  /// What a host with limits has besides its ports.
  struct Nic {
    Picoseconds send_free_at = 0;
    std::uint32_t turn = 0;  // the plane that is served first
    Port intake;             // packets that wait to be taken in
    std::vector<List> lists;
    Slab<P> slab;
    std::uint32_t told = 0;

    Queue<P> queue() { return {intake, lists.data(), slab}; }
  };

  /// Of a port since the start.
  struct Seen {
    Picoseconds busy = 0;
    std::uint64_t marks = 0;
    std::uint64_t trims = 0;
    std::uint64_t drops = 0;
    std::uint64_t lost = 0;
    std::vector<std::pair<Picoseconds, std::uint64_t>> queues = {};  // of data, after each change
  };

  void add(const Event& event) { events_.push(event); }

  Picoseconds due(const ProbeSeries& series) const {
    const std::size_t count = series.queue.size() + series.flow.size();
    const Picoseconds time = series.probe.from + count * series.probe.interval;
    return time > series.probe.until ? kNever : time;
  }
  void sample_before(Picoseconds end) {
    for (ProbeSeries& series : series_) {
      // At a time, what happens comes after the sample.
      while (due(series) <= end && due(series) != kNever && (due(series) < end || !events_.empty()))
        take_sample(series, due(series));
    }
  }
  void take_sample(ProbeSeries& series, Picoseconds time) {
    const std::uint32_t index = series.probe.index;
    if (series.probe.of_flow) {
      FlowSample sample;
      transport_.look(index, sample);
      if (flows_[index].began == kNever || flows_[index].finished != kNever)
        sample.window_packets = sample.rate_share = FlowSample::kNone;
      sample.time = time;
      series.flow.push_back(sample);
      return;
    }
    const Port& port = ports_.ports[index];
    const Seen& seen = seen_[index];
    QueueSample sum;  // since the start
    sum.sent_bytes = port.sent_bytes;
    sum.busy = seen.busy - (port.free_at > time ? port.free_at - time : 0);
    sum.marks = seen.marks;
    sum.trims = seen.trims;
    sum.drops = seen.drops;
    sum.lost = seen.lost;
    QueueSample sample;
    sample.time = time;
    sample.queue_bytes = sample.longest_bytes = port.data_bytes;
    sample.control_bytes = port.control_bytes;
    if (!series.queue.empty()) {
      const QueueSample& before = series.queue.back();
      const QueueSample& then = sums_[&series - series_.data()];
      sample.span = time - before.time;
      sample.longest_bytes = std::max(sample.longest_bytes, before.queue_bytes);
      for (const auto& [at, bytes] : seen.queues) {
        if (at >= before.time) sample.longest_bytes = std::max(sample.longest_bytes, bytes);
      }
      sample.sent_bytes = sum.sent_bytes - then.sent_bytes;
      sample.busy = sum.busy - then.busy;
      sample.marks = sum.marks - then.marks;
      sample.trims = sum.trims - then.trims;
      sample.drops = sum.drops - then.drops;
      sample.lost = sum.lost - then.lost;
    }
    sums_[&series - series_.data()] = sum;
    series.queue.push_back(sample);
  }

  /// Counts what happens to a port's queue.
  template <class Happens>
  void observed(std::uint32_t index, Picoseconds now, const Happens& happens) {
    const Counters before = counters_;
    happens();
    Seen& seen = seen_[index];
    seen.marks += counters_.marks - before.marks;
    seen.trims += counters_.trims - before.trims;
    seen.drops += counters_.drops - before.drops;
    if (!series_.empty()) seen.queues.emplace_back(now, ports_.ports[index].data_bytes);
  }

  // Credits.

  void grant(std::uint32_t n, const P& about, Picoseconds now) {
    if (!ports_.rules.credits() || about.priority < kDataPriority) return;
    const std::uint32_t index = layout_.nodes[n].first_port + about.in_port;
    const Wire& back = layout_.wires[index];
    P frame;
    frame.kind = PacketKind::pause;
    frame.marks = kCredit;
    frame.sequence = about.priority + about.bytes * 256U;
    frame.in_port = back.in_port;
    const LinkRules& link = ports_.links.of(index);
    frame.arrival = now + link.delay + link.time(8);
    add({frame.arrival, kArrival, back.node, back.in_port, 1 + frame.sequence, frame});
  }

  void handle(const Event& event) {
    switch (event.phase) {
      case kFault: {
        if (event.flow != Fault::kSameLink) {
          ports_.links.change(event.where, static_cast<std::uint16_t>(event.flow));
          return;
        }
        char& failures = links_.down[event.where];
        failures = static_cast<char>(failures + (event.in_port != 0 ? 1 : -1));
        ports_.ports[event.where].down = failures != 0;
        return;
      }
      case kService:
        return serve(event.where, event.time);
      case kIntake: {
        Nic& nic = nics_[event.where];
        if (nic.intake.waiting != 0 && nic.intake.free_at <= event.time)
          serve_intake(event.where, event.time);
        return;
      }
      case kDelivery:
        return deliver(event.where, event.packet, event.time);
      case kHandOver:
        return hear(event.where, event.time, event.packet, event.flow);
      case kArrival:
        return arrive(event.where, event.packet, event.time);
      case kStart: {
        const std::uint32_t flow = next_of(event.flow);
        if (flow == kNobody || --conditions_[flow] > 0) return;
        flows_[flow].began = event.time;
        Context context(*this, event.where, event.time, 0);
        return transport_.start(context, flow);
      }
      case kWake: {
        if (wakes_[event.where] != event.time) return;  // another time was asked for since
        wakes_[event.where] = kNever;
        Context context(*this, event.where, event.time, 0);
        return transport_.wake(context);
      }
    }
  }

  void plan_service(std::uint32_t port, Picoseconds now) {
    add({std::max(now, ports_.ports[port].free_at), kService, port, 0, 0, {}});
  }

  void serve(std::uint32_t index, Picoseconds now) {
    const std::uint32_t n = node_of_port_[index];
    if (layout_.nodes[n].hosts && limits_.any())
      return serve_limited(layout_.host_at(n, (index - layout_.nodes[n].first_port) / layout_.planes), now);
    if (layout_.nodes[n].hosts) {
      const std::uint32_t host = layout_.host_at(n, (index - layout_.nodes[n].first_port) / layout_.planes);
      while (const auto next = longest_idle(host, now)) serve_port(*next, now);
    } else {
      serve_port(index, now);
    }
  }

  /// Of the ports by which a host could send something now, the one that has been free for the longest time;
  /// of several the first from the host's own plane on.
  std::optional<std::uint32_t> longest_idle(std::uint32_t host, Picoseconds now) const {
    std::optional<std::uint32_t> out;
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      const std::uint32_t index =
          layout_.port_of_host(host, (layout_.first_plane_of(host) + i) % layout_.planes);
      const Port& port = ports_.ports[index];
      if (port.free_at > now || !(port.runnable() || (port.ready && port.paused == 0))) continue;
      if (!out || port.free_at < ports_.ports[*out].free_at) out = index;
    }
    return out;
  }

  void serve_port(std::uint32_t index, Picoseconds now) {
    Port& port = ports_.ports[index];
    const std::uint32_t n = node_of_port_[index];
    if (port.free_at > now) return;
    if (port.runnable()) {
      P packet;
      observed(index, now, [&] { packet = ports_.take(counters_, n, index); });
      depart(index, now, packet);
      if (!layout_.nodes[n].hosts && packet.priority >= kDataPriority) leave(n, packet, now);
    } else if (port.ready && port.paused == 0) {
      const std::uint32_t local = index - layout_.nodes[n].first_port;
      Context context(*this, layout_.host_at(n, local / layout_.planes), now, local % layout_.planes);
      P packet;
      if (transport_.offer(context, packet)) {
        depart(index, now, packet);
      } else {
        port.ready = false;
      }
    }
  }

  void depart(std::uint32_t port, Picoseconds now, P packet) {
    const bool arrives = ports_.transmit(counters_, node_of_port_[port], port, now, packet);
    plan_service(port, now);
    seen_[port].busy += ports_.ports[port].free_at - now;
    if (!arrives) {
      ++seen_[port].lost;
      grant(layout_.wires[port].node, packet, packet.arrival);
    }
    if (arrives) add({packet.arrival, kArrival, layout_.wires[port].node, packet.in_port, 0, packet});
  }

  void arrive(std::uint32_t n, const P& packet, Picoseconds now) {
    const Node& node = layout_.nodes[n];
    if (packet.kind == PacketKind::pause) {
      if (packet.marks == kCredit) {
        ports_.regain(counters_, node.first_port + packet.in_port, packet);
        return plan_service(node.first_port + packet.in_port, now);
      }
      Port& port = ports_.ports[node.first_port + packet.in_port];
      const std::uint32_t bit = 1U << packet.sequence;
      port.paused = static_cast<std::uint16_t>(packet.marks != 0 ? port.paused | bit : port.paused & ~bit);
      return plan_service(node.first_port + packet.in_port, now);
    }
    if (!node.hosts) {
      if constexpr (WorksInSwitches<Transport>) return pass(n, packet, now);
      return offer(n, packet, now);
    }
    const std::uint32_t host = layout_.host_at(n, packet.in_port / layout_.planes);
    if (limits_.receive.limits()) return arrive_at_nic(n, host, packet, now);
    grant(n, packet, now);
    deliver(host, packet, now);
  }

  /// Whatever the transport makes of a packet at a switch.
  void pass(std::uint32_t n, const P& packet, Picoseconds now) {
    Onward<P> onward;
    onward.begin(now + 1);
    transport_.pass(n, packet, onward);
    for (const P& made : onward.sent) offer(n, made, now);
    for (const P& made : onward.deferred) add({made.arrival, kArrival, n, made.in_port, 0, made});
  }

  void deliver(std::uint32_t host, const P& packet, Picoseconds now) {
    Context context(*this, host, now, packet.in_port % layout_.planes);
    transport_.receive(context, packet);
  }

  // Hosts with limits.

  /// All ports of the host that could send something now.
  void serve_limited(std::uint32_t host, Picoseconds now) {
    Nic& nic = nics_[host];
    const std::uint32_t first = layout_.port_of_host(host, 0);
    const std::uint32_t n = node_of_port_[first];
    for (std::uint32_t plane = 0; plane < layout_.planes; ++plane) {  // the NIC's own pause frames
      const Port& port = ports_.ports[first + plane];
      if (port.free_at <= now && (port.waiting & 1U << kLinkPriority) != 0)
        depart(first + plane, now, ports_.take(counters_, n, first + plane));
    }
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      if (nic.send_free_at > now) return;
      const std::uint32_t plane = (nic.turn + i) % layout_.planes;
      Port& port = ports_.ports[first + plane];
      if (port.free_at > now) continue;
      if (port.runnable()) return depart_limited(host, plane, now, ports_.take(counters_, n, first + plane));
      if (!port.ready || port.paused != 0) continue;
      Context context(*this, host, now, plane);
      P packet;
      if (transport_.offer(context, packet)) return depart_limited(host, plane, now, packet);
      port.ready = false;
    }
  }

  void depart_limited(std::uint32_t host, std::uint32_t plane, Picoseconds now, const P& packet) {
    Nic& nic = nics_[host];
    nic.send_free_at = now + limits_.send.time(packet.bytes);
    nic.turn = (plane + 1) % layout_.planes;
    const std::uint32_t index = layout_.port_of_host(host, plane);
    add({nic.send_free_at, kService, index, 0, 0, {}});
    depart(index, now, packet);
  }

  void arrive_at_nic(std::uint32_t n, std::uint32_t host, const P& packet, Picoseconds now) {
    const QueueRules& rules = ports_.rules;
    Nic& nic = nics_[host];
    if (nic.intake.free_at <= now && nic.intake.waiting == 0) return take_in(host, packet, now);
    const std::uint64_t before = nic.intake.data_bytes;
    admit(nic.queue(), packet, rules.lossless() ? kNever : rules.data_bytes, rules, counters_,
          [] { return false; });
    add({nic.intake.free_at, kIntake, host, 0, 0, {}});
    if (!rules.pauses() || packet.priority < kDataPriority) return;
    From& from = from_[{n, packet.in_port, packet.priority}];
    from.bytes += nic.intake.data_bytes - before;
    if (!from.stopped && from.bytes > rules.pause_above) send_pause(n, packet, from, true, now);
  }

  void serve_intake(std::uint32_t host, Picoseconds now) {
    const QueueRules& rules = ports_.rules;
    Nic& nic = nics_[host];
    P packet = nic.queue().take();
    if (rules.mark_leaving && rules.marks()) mark(packet, nic.intake.data_bytes, rules, counters_);
    if (rules.pauses() && packet.priority >= kDataPriority) {
      const std::uint32_t n = leaf_of(layout_.address_of_host[host]);
      From& from = from_[{n, packet.in_port, packet.priority}];
      from.bytes -= packet.bytes;
      if (from.stopped && from.bytes < rules.resume_below) send_pause(n, packet, from, false, now);
    }
    take_in(host, packet, now);
  }

  void take_in(std::uint32_t host, const P& packet, Picoseconds now) {
    Nic& nic = nics_[host];
    grant(leaf_of(layout_.address_of_host[host]), packet, now);
    nic.intake.free_at = now + limits_.receive.time(packet.bytes);
    add({nic.intake.free_at, kIntake, host, 0, 0, {}});
    add({nic.intake.free_at + limits_.latency, kDelivery, host, 0, 0, packet});
  }

  /// What a host does is known to its NIC after the bus's latency.
  void tell_nic(std::uint32_t host, Picoseconds now, const P& packet, std::uint32_t plane) {
    if (limits_.latency == 0) return hear(host, now, packet, plane);
    add({now + limits_.latency, kHandOver, host, nics_[host].told++, plane, packet});
  }

  void hear(std::uint32_t host, Picoseconds now, const P& packet, std::uint32_t plane) {
    if (plane != kNobody) return host_sends(host, now, packet, plane);
    for (std::uint32_t p = 0; p < layout_.planes; ++p) {
      const std::uint32_t port = layout_.port_of_host(host, p);
      ports_.ports[port].ready = true;
      plan_service(port, now);
    }
  }

  bool idle(const Port& port, const P& packet, Picoseconds now) const {
    return port.free_at <= now && port.waiting == 0 && (port.paused >> packet.priority & 1U) == 0;
  }

  void offer(std::uint32_t n, P packet, Picoseconds now) {
    const QueueRules& rules = ports_.rules;
    const std::uint32_t index = layout_.nodes[n].first_port + choose(n, packet, now);
    Port& port = ports_.ports[index];
    if (idle(port, packet, now)) {
      depart(index, now, packet);
      return grant(n, packet, now);
    }
    std::uint64_t limit = ports_.room(index);
    if (rules.lossless()) {
      limit = kNever;
    } else if (rules.pool_bytes > 0) {
      const std::uint64_t free = rules.pool_bytes - std::min(rules.pool_bytes, pool_used_[n]);
      limit = std::min({limit, static_cast<std::uint64_t>(rules.share * static_cast<double>(free)),
                        port.data_bytes + free});
    }
    const std::uint64_t before = port.data_bytes;
    observed(index, now, [&] {
      admit(ports_.queue(n, index), packet, limit, rules, counters_,
            [&] { return layout_.nodes[layout_.wires[index].node].hosts; });
    });
    plan_service(index, now);
    if (packet.priority < kDataPriority) return;
    pool_used_[n] += port.data_bytes - before;
    if (!rules.pauses()) return;
    From& from = from_[{n, packet.in_port, packet.priority}];
    from.bytes += port.data_bytes - before;
    if (!from.stopped && from.bytes > rules.pause_above) send_pause(n, packet, from, true, now);
  }

  void leave(std::uint32_t n, const P& packet, Picoseconds now) {
    pool_used_[n] -= packet.bytes;
    grant(n, packet, now);
    if (!ports_.rules.pauses()) return;
    From& from = from_[{n, packet.in_port, packet.priority}];
    from.bytes -= packet.bytes;
    if (from.stopped && from.bytes < ports_.rules.resume_below) send_pause(n, packet, from, false, now);
  }

  void send_pause(std::uint32_t n, const P& about, From& from, bool stop, Picoseconds now) {
    from.stopped = stop;
    if (stop) ++counters_.pauses;
    P frame = pause_frame<P>(about.priority, stop, ports_.rules.pause_bytes);
    const std::uint32_t index = layout_.nodes[n].first_port + about.in_port;
    if (idle(ports_.ports[index], frame, now)) return depart(index, now, frame);
    ports_.queue(n, index).append(frame);
    plan_service(index, now);
  }

  std::uint64_t load(const Node& node, std::uint32_t port, Picoseconds now) const {
    const Port& out = ports_.ports[node.first_port + port];
    if (out.down) return kNever;
    return ports_.links.of(node.first_port + port).time(out.data_bytes) +
           (out.free_at > now ? out.free_at - now : 0);
  }

  std::uint32_t best(const Node& node, P& packet, Picoseconds now) const {
    const std::uint32_t port = port_of(layout_, node, packet);
    if (!ports_.rules.adaptive || packet.priority < kDataPriority) return port;
    std::vector<std::uint32_t> all;
    wiring::visit_choices(layout_, node, packet, port, [&](std::uint32_t p) { all.push_back(p); });
    return *std::min_element(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
      return load(node, a, now) < load(node, b, now);
    });
  }

  std::uint32_t choose(std::uint32_t n, P& packet, Picoseconds now) const {
    const Node& node = layout_.nodes[n];
    const bool asks =
        ports_.rules.weighs_detours && wiring::begins_detour(layout_, node, packet.in_port, packet);
    P detour = packet;
    const std::uint32_t by_detour = best(node, detour, now);
    if (!asks) {
      packet = detour;
      return by_detour;
    }
    P straight = packet;
    straight.up_aggregation = 0;
    const std::uint32_t direct = best(node, straight, now);
    const auto links = layout_.routes.detour_links(node.block, packet);
    const double far = static_cast<double>(load(node, by_detour, now)) * links.detour;
    const double near = static_cast<double>(load(node, direct, now)) * links.direct;
    const bool goes_far =
        load(node, by_detour, now) != kNever && (load(node, direct, now) == kNever || near > far);
    packet = goes_far ? detour : straight;
    return goes_far ? by_detour : direct;
  }

  void host_sends(std::uint32_t host, Picoseconds now, P packet, std::uint32_t plane) {
    const std::uint32_t index = layout_.port_of_host(host, plane);
    packet.arrival = now;
    if (limits_.any()) {
      if (idle(ports_.ports[index], packet, now) && nics_[host].send_free_at <= now)
        return depart_limited(host, plane, now, packet);
    } else if (idle(ports_.ports[index], packet, now)) {
      return depart(index, now, packet);
    }
    ports_.queue(node_of_port_[index], index).append(packet);
    plan_service(index, now);
  }

  void plan_wake(std::uint32_t host, Picoseconds time) {
    wakes_[host] = time;
    if (time != kNever) add({time, kWake, host, 0, 0, {}});
  }

  /// The flow itself, or the next of a lineup.
  std::uint32_t next_of(std::uint32_t release) {
    if (release < flows_.size()) return release;
    const std::size_t number = release - flows_.size();
    const std::size_t at = begun_[number]++;
    return at < lineups_[number].size() ? lineups_[number][at] : kNobody;
  }

  void release_dependents(const Context& context, std::uint32_t flow, bool on_receipt) {
    for (const Dependency& d : dependencies_) {
      if (d.before != flow || d.on_receipt != on_receipt) continue;
      const bool one = d.after < flows_.size();
      const std::uint32_t host = flows_[one ? d.after : lineups_[d.after - flows_.size()].front()].from;
      const Picoseconds delay = host == context.host_ ? 0 : layout_.shortest_delay();
      add({context.now_ + delay, kStart, host, 0, d.after, {}});
    }
  }

  const Layout& layout_;
  Transport& transport_;
  std::vector<Flow>& flows_;
  const std::vector<Dependency>& dependencies_;
  LinkState& links_;
  Ports<P> ports_;
  std::vector<std::uint32_t> node_of_port_;
  std::vector<Picoseconds> wakes_;
  std::vector<Lineup> lineups_;
  std::vector<std::size_t> begun_;  // of each lineup
  std::vector<std::uint32_t> conditions_;
  std::vector<std::uint64_t> pool_used_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, From> from_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Counters counters_;
  HostLimits limits_;
  std::vector<Nic> nics_;
  std::vector<Seen> seen_;  // by port
  std::vector<ProbeSeries> series_;
  std::map<std::ptrdiff_t, QueueSample> sums_;  // of each probe, at its last sample  // by host
};

}  // namespace trainyard::packet
