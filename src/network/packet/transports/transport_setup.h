// What every transport and engine is built from.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "network/packet/queueing.h"
#include "network/packet/run_outcome.h"
#include "network/packet/transports/host_tools.h"
#include "network/wiring/paths.h"
#include "trainyard/load_balancing.h"
#include "trainyard/scenario/simulation.h"
#include "trainyard/transports.h"

namespace trainyard::packet {

class Checkpoints;

/// Between permissions to send, by the host that gives them: of the kinds of hosts of a device in turn.
struct CreditGap {
  std::array<Picoseconds, 2> gaps{};
  std::uint32_t kinds = 1;

  Picoseconds of(std::uint32_t host) const { return gaps[host & (kinds - 1)]; }
};

struct TransportSetup {
  const Layout& layout;
  std::vector<Flow>& flows;
  const std::vector<Dependency>& dependencies;
  const std::vector<Fault>& faults;  // ordered by time
  LinkState& links;
  QueueRules queues = {};
  Sizes sizes = {};
  std::uint32_t window_packets = 50;
  static constexpr Picoseconds kPatientTimeout = 1'000'000'000;
  Picoseconds timeout = kPatientTimeout;
  Delivery delivery = Delivery::rud;  // of transports that have a choice
  LoadBalancing load_balancing = LoadBalancing::spray;
  PacketRouting routing = PacketRouting::minimal;
  std::uint32_t entropies = 0;  // of a sprayed flow; 0: its paths one by one
  Picoseconds flowlet_gap = 50'000'000;
  std::uint64_t seed = 1;
  unsigned threads = 1;
  std::vector<char> traced_flows = {};
  Checkpoints* checkpoints = nullptr;  // none: the run is neither saved nor continued
  /// Where the run leaves how to ask it, while it lasts, for the payload that has arrived of flows that go
  /// on: grows while any of them does; it takes a look at every flow.
  std::function<std::uint64_t()>* received_bytes = nullptr;
  /// Where the run leaves, before it begins, for how long its transport may keep a flow from sending though
  /// nothing is wrong.
  Picoseconds* held_back = nullptr;
  HostLimits limits = {};
  std::vector<Lineup> lineups = {};
  std::vector<Probe> probes = {};
  std::vector<Connection> connections = {};  // of several messages
  std::vector<Reduction> reductions = {};    // that switches could sum
  std::uint32_t packets_per_ack = 0;  // that one acknowledgement answers at most; 0: what suits the transport
  /// Flows that depend on others run in steps of which no two overlap: a controller gives each step the whole
  /// network.
  bool in_steps = false;
  bool one_network = true;  // not: sites, whose distances differ

  Paths paths() const {
    return {layout, links, load_balancing, flowlet_gap,
            seed,   flows, entropies,      routing != PacketRouting::minimal};
  }
  /// Of a full data packet on a host's link.
  Picoseconds full_packet_time() const { return layout.links.front().time(full_bytes()); }
  /// Between permissions to send, for a receiver that keeps a share of its links busy, or of what it can take
  /// in.
  CreditGap credit_gap(double share) const {
    const auto gap = [share](Picoseconds time) {
      return static_cast<Picoseconds>(static_cast<double>(time) / share);
    };
    CreditGap out;
    out.kinds = layout.hosts_of_device();
    for (std::uint32_t kind = 0; kind < out.kinds; ++kind)
      out.gaps[kind] = std::max(gap(layout.host_link(kind).time(full_bytes())) / layout.planes,
                                gap(limits.receive.time(full_bytes())));
    return out;
  }
  /// Full packets that fill the longest way, of the hosts with which most do.
  double most_under_way() const {
    double most = 0;
    for (std::uint32_t kind = 0; kind < layout.hosts_of_device(); ++kind)
      most = std::max(most, static_cast<double>(longest_round_trip()) * layout.planes /
                                static_cast<double>(layout.host_link(kind).time(full_bytes())));
    return most;
  }
  /// Time for a full packet to a host and for its acknowledgement back, through empty queues.
  Picoseconds round_trip(std::uint32_t from, std::uint32_t to) const {
    return round_trip_over(layout.reach(from, to));
  }
  /// Switches on the longest way that a packet takes while all links are up.
  std::uint32_t most_switches() const { return longest_reach().links + 1; }
  Picoseconds longest_round_trip() const { return round_trip_over(longest_reach()); }
  /// What stands for a network's round trip where a control law has one value for all its flows. Several
  /// networks, joined, have none: there it is the pair's.
  Picoseconds network_round_trip(std::uint32_t from, std::uint32_t to) const {
    return one_network && layout.devices.empty() ? longest_round_trip() : round_trip(from, to);
  }
  /// Of a full data packet on the wire.
  std::uint64_t full_bytes() const { return std::uint64_t{sizes.payload_bytes} + sizes.header_bytes; }

 private:
  /// Detours are two shortest ways one after the other.
  wiring::Reach longest_reach() const {
    wiring::Reach out = layout.longest_reach();
    if (routing != PacketRouting::minimal) out.links *= 2;
    return out;
  }
  Picoseconds round_trip_over(wiring::Reach reach) const {
    Picoseconds sum =
        4 * limits.latency + limits.receive.time(full_bytes()) + limits.receive.time(sizes.control_bytes);
    layout.visit_links(reach, [&](const LinkRules& link, std::uint32_t count) {
      sum +=
          count * (2 * link.delay + link.time_on_way(full_bytes()) + link.time_on_way(sizes.control_bytes));
    });
    return sum;
  }
};

}  // namespace trainyard::packet
