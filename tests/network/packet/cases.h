// Random networks, flows, losses and failures, and both engines run on them.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>

#include "base/mixing.h"
#include "compiled_runs.h"
#include "network/packet/transports/transport_setup.h"
#include "reference_engine.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/load_balancing.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/topology_kind.h"

namespace trainyard::packet {

inline NetworkDesign design_of(const DesignInput& input) {
  static const Scenario scenario =
      ScenarioText::parse(
          std::make_shared<const SourceText>(SourceText{
              "test.toml",
              "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"}))
          .resolve();
  return resolve_design(scenario, input);
}

inline DesignInput shaped(TopologyKind topology, std::int64_t hosts, std::int64_t radix,
                          std::vector<std::int64_t> dimensions = {}) {
  DesignInput input;
  input.name = "test";
  input.topology = topology;
  input.hosts = hosts;
  input.domain = 1;
  input.radix = radix;
  input.dimensions = std::move(dimensions);
  return input;
}

inline NetworkDesign clos(std::int64_t hosts, std::int64_t radix) {
  return design_of(shaped(TopologyKind::fat_tree, hosts, radix));
}

struct Case {
  std::int64_t hosts = 8;
  std::int64_t radix = 4;
  std::uint32_t planes = 1;
  std::vector<Flow> flows;
  std::vector<Dependency> dependencies;
  std::vector<Lineup> lineups;
  std::vector<Fault> faults;
  bool faults_known = false;
  QueueRules queues;
  Sizes sizes;
  LinkRules links;
  std::uint32_t window_packets = 50;
  Delivery delivery = Delivery::rud;
  LoadBalancing load_balancing = LoadBalancing::spray;
  PacketRouting routing = PacketRouting::minimal;
  unsigned threads = 1;
  HostLimits limits;
  std::optional<DesignInput> shape;           // of another network than a tree of these hosts
  std::optional<wiring::JoinedRules> joined;  // whole datacenters of that shape, or of `design`
  std::optional<NetworkDesign> design;
  std::optional<LinkRules> slower;  // that links become for a while
  std::vector<Probe> probes;
  std::vector<Connection> connections;
  std::vector<Reduction> reductions;
  std::uint32_t packets_per_ack = 0;
  std::optional<std::uint64_t> tiers_differ;  // a seed of their delays, rates and queues

  Layout layout() const {
    Layout out = whole_layout();
    if (tiers_differ) draw_tiers(out);
    if (slower) {
      out.links.push_back(*slower);
      out.slowed = 1;
    }
    return out;
  }

 private:
  /// Every tier of links is up to four times as long and as slow as `links`, but for the rate of hosts; so
  /// are the queues before it.
  void draw_tiers(Layout& out) const {
    for (std::size_t t = 0; t < out.links.size(); ++t) {
      const std::uint64_t random = mixed(*tiers_differ, t);
      out.links[t].delay *= 1 + random % 4;
      const double times = t == 0 ? 1 : static_cast<double>(1 + (random >> 8U) % 4);
      out.links[t].picoseconds_per_byte =
          wiring::ByteTime::of(static_cast<double>(out.links[t].picoseconds_per_byte) * times);
    }
    for (const Wire& wire : out.wires)
      out.queue_bytes.push_back(queues.data_bytes * (1 + mixed(~*tiers_differ, wire.link) % 4));
  }

  Layout whole_layout() const {
    if (joined) {
      wiring::JoinedRules rules = *joined;
      rules.link = links;
      return wiring::lay_out_joined(design ? *design : design_of(*shape), rules);
    }
    if (shape) return wiring::lay_out(design_of(*shape), links);
    return wiring::lay_out(*clos(hosts, radix).fabric->clos(), planes, {links}, whole("test"));
  }
};

struct Outcome {
  std::vector<Flow> flows;
  Counters counters;
  std::vector<ProbeSeries> series;
  Picoseconds end = 0;  // of the windows
  std::vector<std::uint64_t> lost_bytes;
};

/// A run of either engine: `run(setup)` returns the counters.
template <class Run>
Outcome run_case(const Case& c, const Run& run) {
  Outcome out;
  out.flows = c.flows;
  const Layout layout = c.layout();
  for (Flow& flow : out.flows) {
    if (layout.devices.empty()) break;
    const std::uint32_t from = layout.sending_host(flow.from, flow.to);
    flow.to = layout.receiving_host(flow.from, flow.to);
    flow.from = from;
  }
  LinkState links;
  if (!c.faults.empty()) links.down.assign(layout.wires.size(), 0);
  links.known = c.faults_known;
  TransportSetup setup{layout, out.flows, c.dependencies, c.faults, links};
  setup.queues = c.queues;
  setup.queues.adaptive = c.load_balancing == LoadBalancing::adaptive;
  setup.routing = c.routing;
  setup.queues.weighs_detours = c.routing == PacketRouting::ugal;
  setup.sizes = c.sizes;
  setup.window_packets = c.window_packets;
  setup.delivery = c.delivery;
  setup.load_balancing = c.load_balancing;
  setup.threads = c.threads;
  setup.limits = c.limits;
  setup.lineups = c.lineups;
  setup.probes = c.probes;
  setup.connections = c.connections;
  setup.reductions = c.reductions;
  setup.packets_per_ack = c.packets_per_ack;
  out.counters = run(setup);
  return out;
}

/// `make(setup)` makes the transport.
template <class Make>
Outcome run_windows(const Case& c, const Make& make) {
  std::vector<ProbeSeries> series;
  Picoseconds end = 0;
  std::vector<std::uint64_t> lost_bytes;
  Outcome out = run_case(c, [&](const TransportSetup& setup) {
    auto transport = make(setup);
    RunOutcome run =
        run_transport(setup, transport, kMostPriorities, [](const WindowSummary&) { return true; });
    series = std::move(run.series);
    end = run.now;
    lost_bytes = std::move(run.lost_bytes);
    return run.counters;
  });
  out.series = std::move(series);
  out.end = end;
  out.lost_bytes = std::move(lost_bytes);
  return out;
}

/// `end`: of the same run in windows, for the last samples of probes.
template <class Make>
Outcome run_reference(const Case& c, const Make& make, Picoseconds end = 0) {
  std::vector<ProbeSeries> series;
  std::vector<std::uint64_t> lost_bytes;
  Outcome out = run_case(c, [&](const TransportSetup& setup) {
    auto transport = make(setup);
    ReferenceEngine<decltype(transport)> engine({setup.layout,
                                                 setup.queues,
                                                 setup.flows,
                                                 setup.dependencies,
                                                 setup.faults,
                                                 setup.links,
                                                 4096,
                                                 kMostPriorities,
                                                 {},
                                                 setup.limits,
                                                 setup.lineups,
                                                 setup.probes},
                                                transport);
    engine.run();
    series = engine.series(end);
    if constexpr (requires { transport.lost_bytes(); }) lost_bytes = transport.lost_bytes();
    return engine.counters();
  });
  out.series = std::move(series);
  out.lost_bytes = std::move(lost_bytes);
  return out;
}

/// The flows of one host but the first, one by one, each with the end of any flow.
inline void add_lineup(Case& c) {
  Lineup lineup;
  const std::uint32_t host = c.flows.back().from;
  for (std::uint32_t f = 1; f < c.flows.size(); ++f) {
    if (c.flows[f].from == host) lineup.push_back(f);
  }
  if (lineup.empty()) return;
  const auto number = static_cast<std::uint32_t>(c.flows.size());
  for (std::uint32_t f = 0; f < number; ++f)
    c.dependencies.push_back({f, number, *rc::gen::arbitrary<bool>()});
  c.lineups.push_back(std::move(lineup));
}

/// Random flows over random trees, with small queues that cut and drop.
inline Case random_case() {
  Case c;
  c.hosts = *rc::gen::inRange<std::int64_t>(2, 60);
  c.radix = *rc::gen::inRange<std::int64_t>(8, 20);
  c.planes = *rc::gen::element<std::uint32_t>(1, 1, 2, 3);
  const auto flows = *rc::gen::inRange<std::uint32_t>(1, 40);
  const bool incast = *rc::gen::arbitrary<bool>();
  const auto hosts = static_cast<std::uint32_t>(c.hosts);
  for (std::uint32_t f = 0; f < flows; ++f) {
    Flow flow;
    flow.from = *rc::gen::inRange<std::uint32_t>(0, hosts);
    flow.to = incast ? 0 : *rc::gen::inRange<std::uint32_t>(0, hosts);
    if (flow.to == flow.from) flow.to = (flow.from + 1) % hosts;
    flow.bytes = *rc::gen::inRange<std::uint64_t>(1, 400'000);
    flow.start = *rc::gen::inRange<std::uint64_t>(0, 20'000'000);
    c.flows.push_back(flow);
    if (f > 0 && *rc::gen::inRange(0, 4) == 0)
      c.dependencies.push_back({*rc::gen::inRange<std::uint32_t>(0, f), f, *rc::gen::arbitrary<bool>()});
  }
  if (*rc::gen::inRange(0, 4) == 0) add_lineup(c);
  c.queues.data_bytes = *rc::gen::inRange<std::uint64_t>(1, 20) * 4096;
  c.queues.control_bytes = *rc::gen::inRange<std::uint64_t>(2, 60) * 64;
  c.queues.trim = *rc::gen::inRange(0, 4) != 0;
  c.queues.cut_through = *rc::gen::inRange(0, 4) == 0;
  c.window_packets = *rc::gen::inRange<std::uint32_t>(1, 30);
  c.load_balancing = *rc::gen::elementOf(std::vector<LoadBalancing>{
#define TRAINYARD_LOAD_BALANCING(name, ...) LoadBalancing::name,
#include "trainyard/registries/load_balancings.def"
  });
  c.links.delay = *rc::gen::inRange<Picoseconds>(100'000, 3'000'000);
  c.links.picoseconds_per_byte = *rc::gen::element<std::uint64_t>(10, 20, 80, 800);
  if (*rc::gen::arbitrary<bool>()) {
    c.queues.mark_from = *rc::gen::inRange<std::uint64_t>(0, 5) * 4096;
    c.queues.mark_all = c.queues.mark_from + *rc::gen::inRange<std::uint64_t>(1, 30'000);
    c.queues.mark_leaving = *rc::gen::arbitrary<bool>();
  }
  if (*rc::gen::inRange(0, 4) == 0) c.queues.lost_below = *rc::gen::inRange<std::uint64_t>(1, 5) << 56U;
  if (*rc::gen::inRange(0, 4) == 0) {
    c.queues.pool_bytes = *rc::gen::inRange<std::uint64_t>(4096, 400'000);
    c.queues.share = *rc::gen::element(0.25, 1.0, 8.0);
  }
  return c;
}

inline std::vector<Reduction::Kind> all_kinds_of_sums() {
  return {Reduction::Kind::all_reduce, Reduction::Kind::reduce_scatter, Reduction::Kind::all_gather};
}

/// So many collectives of these hosts one after another, each host's when it has the one before.
inline void add_sums(Case& c, const std::vector<std::uint32_t>& hosts,
                     const std::vector<std::uint64_t>& bytes, Picoseconds latest_start = 0,
                     Reduction::Kind kind = Reduction::Kind::all_reduce) {
  const auto ranks = static_cast<std::uint32_t>(hosts.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto first = static_cast<std::uint32_t>(c.flows.size());
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      Flow flow;
      flow.from = hosts[rank];
      flow.to = hosts[(rank + 1) % ranks];
      flow.bytes = bytes[i];
      if (latest_start > 0) flow.start = *rc::gen::inRange<Picoseconds>(0, latest_start);
      c.flows.push_back(flow);
      if (i > 0) c.dependencies.push_back({first + rank - ranks, first + rank, false});
    }
    c.reductions.push_back({first, ranks, kind});
  }
}

/// Random collectives of switches of random groups of hosts, which may have hosts in common, with queues that
/// hold all windows.
inline Case case_of_sums() {
  Case c;
  c.hosts = *rc::gen::inRange<std::int64_t>(2, 60);
  c.radix = *rc::gen::inRange<std::int64_t>(8, 20);
  c.planes = *rc::gen::element<std::uint32_t>(1, 1, 2, 3);
  const auto groups = *rc::gen::inRange<std::uint64_t>(1, 5);
  const auto hosts = static_cast<std::uint32_t>(c.hosts);
  for (std::uint64_t g = 0; g < groups; ++g) {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    std::vector<std::uint32_t> members(hosts);
    std::iota(members.begin(), members.end(), 0U);
    std::sort(members.begin(), members.end(),
              [seed](std::uint32_t a, std::uint32_t b) { return mixed(seed, a) < mixed(seed, b); });
    members.resize(*rc::gen::inRange<std::size_t>(2, hosts + 1U));
    const std::vector<std::uint64_t> bytes = *rc::gen::container<std::vector<std::uint64_t>>(
        *rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange<std::uint64_t>(1, 60'000));
    add_sums(c, members, bytes, 20'000'000, *rc::gen::elementOf(all_kinds_of_sums()));
  }
  c.window_packets = *rc::gen::inRange<std::uint32_t>(1, 30);
  c.queues.trim = false;
  c.queues.data_bytes = groups * c.window_packets * 4096;
  c.queues.sum_delay = *rc::gen::element<Picoseconds>(0, 0, 1, 300'000, 7'000'000);
  c.links.delay = *rc::gen::inRange<Picoseconds>(100'000, 3'000'000);
  c.links.picoseconds_per_byte = *rc::gen::element<std::uint64_t>(10, 20, 80, 800);
  c.load_balancing = LoadBalancing::ecmp;
  return c;
}

/// Tiers of links, and the queues before them, that are unlike each other.
inline void add_tiers(Case& c) { c.tiers_differ = *rc::gen::arbitrary<std::uint64_t>(); }

/// Some flows become the first messages of connections that carry more; acknowledgements answer for several
/// packets.
inline void add_messages(Case& c) {
  c.packets_per_ack = *rc::gen::inRange<std::uint32_t>(0, 9);
  if (!c.lineups.empty()) return;  // they are numbered behind the flows
  const auto first = static_cast<std::uint32_t>(c.flows.size());
  const auto more = *rc::gen::inRange<std::uint32_t>(0, 12);
  std::vector<Connection> connections(first);
  for (std::uint32_t i = 0; i < more; ++i) {
    const auto on = *rc::gen::inRange<std::uint32_t>(0, first);
    Flow flow = c.flows[on];
    flow.bytes = *rc::gen::inRange<std::uint64_t>(1, 100'000);
    flow.start = *rc::gen::inRange<std::uint64_t>(0, 60'000'000);
    const auto number = static_cast<std::uint32_t>(c.flows.size());
    if (*rc::gen::inRange(0, 4) == 0)
      c.dependencies.push_back(
          {*rc::gen::inRange<std::uint32_t>(0, number), number, *rc::gen::arbitrary<bool>()});
    if (connections[on].empty()) connections[on].push_back(on);
    connections[on].push_back(number);
    c.flows.push_back(flow);
  }
  for (Connection& messages : connections) {
    if (!messages.empty()) c.connections.push_back(std::move(messages));
  }
}

/// Some links have a part of their rate for a while.
inline void add_slow_links(Case& c) {
  c.slower = c.links;
  const double times = *rc::gen::element(1.5, 4.0, 7.3);
  c.slower->picoseconds_per_byte =
      wiring::ByteTime::of(static_cast<double>(c.links.picoseconds_per_byte) * times);
  const Layout layout = c.layout();
  const auto slow = static_cast<std::uint16_t>(layout.wired_links());
  // Each port once: at one time there is one change of a link.
  std::set<std::uint32_t> ports;
  for (int i = 0; i < 3; ++i)
    ports.insert(*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(layout.wires.size())));
  for (const std::uint32_t port : ports) {
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, 40) * layout.shortest_delay();
    const Picoseconds until = from + *rc::gen::inRange<Picoseconds>(1, 40) * layout.shortest_delay();
    c.faults.push_back({from, port, false, slow});
    c.faults.push_back({until, port, false, layout.wires[port].link});
  }
}

/// Some links go down and come back.
inline void add_faults(Case& c) {
  const Layout layout = c.layout();
  const auto faults = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < faults; ++i) {
    const auto port = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(layout.wires.size()));
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, 40) * layout.shortest_delay();
    c.faults.push_back({from, port, true});
    c.faults.push_back({from + *rc::gen::inRange<Picoseconds>(1, 40) * layout.shortest_delay(), port, false});
  }
  if (*rc::gen::arbitrary<bool>()) add_slow_links(c);
  std::stable_sort(c.faults.begin(), c.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.time < b.time; });
  c.faults_known = *rc::gen::arbitrary<bool>();
}

/// Flow control that stops neighbours before anything is dropped.
inline void add_pauses(Case& c) {
  c.queues.trim = false;
  c.queues.pool_bytes = 0;
  c.queues.pause_above = *rc::gen::inRange<std::uint64_t>(1, 20) * 4096;
  c.queues.resume_below = std::max<std::uint64_t>(1, c.queues.pause_above / 2);
  c.queues.headroom_bytes = 100'000'000;
}

/// For transports that go back by packets: nothing is dropped, fewer packets have bit errors, and a flow's
/// packets go one way.
inline void make_lossless(Case& c) {
  add_pauses(c);
  c.queues.lost_below /= 8;
  c.queues.control_bytes = 1'000'000;
  c.load_balancing = LoadBalancing::ecmp;  // go-back-N takes reordering for loss
}

/// A way of delivery, with a load balancing that goes with it.
inline void add_delivery(Case& c, Delivery delivery) {
  c.delivery = delivery;
  if (delivery == Delivery::rod)
    c.load_balancing = *rc::gen::element(LoadBalancing::ecmp, LoadBalancing::fixed, LoadBalancing::flowlet);
  for (Dependency& d : c.dependencies)
    d.on_receipt &= delivery != Delivery::rudi && delivery != Delivery::uud;
}

/// Credits in place of pauses.
inline void add_credits(Case& c) {
  c.queues.trim = false;
  c.queues.pool_bytes = 0;
  c.queues.credit_bytes = *rc::gen::inRange<std::uint64_t>(4096, 20 * 4096);
}

/// Links that send again what they destroy.
inline void add_retry(Case& c) {
  c.queues.lost_below = *rc::gen::inRange<std::uint64_t>(1, 5) << 58U;
  c.queues.link_retry = true;
  c.queues.replay_bytes = *rc::gen::element<std::uint64_t>(0, 4096, 50'000);
  c.queues.replay_limit = *rc::gen::inRange<std::uint32_t>(1, 20);
}

/// Some ports and a flow, as often as not in the middle of windows.
inline void add_probes(Case& c) {
  const Layout layout = c.layout();
  const auto ports = static_cast<std::uint32_t>(layout.wires.size());
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < count; ++i) {
    Probe probe;
    probe.of_flow = *rc::gen::inRange(0, 4) == 0;
    const auto flows = static_cast<std::uint32_t>(c.flows.size());
    probe.index = *rc::gen::inRange<std::uint32_t>(0, probe.of_flow ? flows : ports);
    probe.interval = *rc::gen::element<Picoseconds>(c.links.delay / 3 + 1, c.links.delay, 777'777, 5'000'000);
    probe.from = *rc::gen::element<Picoseconds>(0, 0, 1'234'567);
    if (*rc::gen::inRange(0, 4) == 0) probe.until = 30'000'000;
    c.probes.push_back(probe);
  }
}

/// Hosts that send or receive less than their links, or buses; in pairs a byte's time is that of the link.
inline void add_limits(Case& c) {
  const std::uint64_t link = c.links.picoseconds_per_byte * Pace::kKib / c.planes;
  const auto pace = [&] { return Pace{*rc::gen::inRange<std::uint64_t>(link / 2 + 1, 8 * link)}; };
  if (*rc::gen::arbitrary<bool>()) {
    c.limits.send = pace();
    c.limits.receive = pace();
    c.limits.latency = *rc::gen::element<Picoseconds>(0, 1, c.links.delay, 3 * c.links.delay + 7);
  } else if (*rc::gen::arbitrary<bool>()) {
    c.limits.send = pace();
  } else {
    c.limits.receive = pace();
  }
}

/// When the last flow had all of its bytes.
inline Picoseconds last_received(const Outcome& out) {
  Picoseconds last = 0;
  for (const Flow& flow : out.flows) last = std::max(last, flow.received);
  return last;
}

inline void expect_same(const Outcome& windows, const Outcome& reference) {
  for (std::size_t f = 0; f < windows.flows.size(); ++f) {
    RC_ASSERT(windows.flows[f].began == reference.flows[f].began);
    RC_ASSERT(windows.flows[f].received == reference.flows[f].received);
    RC_ASSERT(windows.flows[f].finished == reference.flows[f].finished);
  }
  const Counters& a = windows.counters;
  const Counters& b = reference.counters;
  RC_ASSERT(a.hops == b.hops);
  RC_ASSERT(a.trims == b.trims);
  RC_ASSERT(a.drops == b.drops);
  RC_ASSERT(a.marks == b.marks);
  RC_ASSERT(a.pauses == b.pauses);
  RC_ASSERT(a.corrupted == b.corrupted);
  RC_ASSERT(a.timeouts == b.timeouts);
  RC_ASSERT(a.duplicates == b.duplicates);
  RC_ASSERT(windows.lost_bytes == reference.lost_bytes);
  RC_ASSERT(a.replays == b.replays);
}

}  // namespace trainyard::packet
