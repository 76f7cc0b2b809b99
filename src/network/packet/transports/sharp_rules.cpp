#include "network/packet/transports/sharp_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/counted.h"
#include "network/packet/transports/sum_streams.h"
#include "network/packet/transports/sum_trees.h"
#include "trainyard/errors.h"
#include "trainyard/transports/sharp.h"

namespace trainyard::packet {
namespace {

constexpr std::uint64_t kMostSums = 20'000'000;  // of all switches, 16 bytes each

void refuse(bool found, const char* setting, const char* message, const char* help) {
  if (found) fail_input(whole(setting), message, help);
}

void check_sums_traffic(const TransportSetup& setup) {
  std::size_t summed = 0;
  for (const Reduction& reduction : setup.reductions) summed += reduction.ranks;
  refuse(
      summed == 0 || summed != setup.flows.size(), "simulation.transport",
      "in switches 'sharp' sums and copies collectives, and it sends nothing else",
      "simulation.traffic in_network_all_reduce, in_network_reduce_scatter or in_network_all_gather, whole "
      "flows; or another transport");
  refuse(!setup.layout.devices.empty(), "simulation.extent", "trees of switches stand in one network",
         "\"network\"");
  refuse(!setup.layout.routes.empty(), "simulation.transport",
         "trees of switches that sum are those of folded Clos networks of at most three tiers",
         "fat_tree or rail designs of at most three tiers, or another transport");
  refuse(setup.load_balancing != LoadBalancing::ecmp, "simulation.load_balancing",
         "all packets of a group take the ways of one tree, by its hash", "ecmp, or without it");
}

bool has_errors(const TransportSetup& setup) {
  return setup.queues.lost_below > 0 ||
         std::any_of(setup.layout.links.begin(), setup.layout.links.end(),
                     [](const LinkRules& link) { return link.bit_error_rate > 0; });
}

/// Whether a link may stand still, until the other end's word about what it sent has come.
bool may_stand_still(const TransportSetup& setup) {
  return setup.queues.link_retry && (has_errors(setup) || setup.queues.replay_bytes > 0);
}

/// Windows keep queues from overflowing, and nothing else may lose a packet.
void check_losses(const TransportSetup& setup) {
  const QueueRules& rules = setup.queues;
  refuse(rules.pauses(), "simulation.pause", "windows of sums keep queues from overflowing: nothing pauses",
         "without it");
  refuse(rules.credits(), "simulation.credit_buffer",
         "windows of sums keep queues from overflowing: links have no credits", "without it");
  refuse(rules.pool_bytes > 0, "simulation.shared_buffer",
         "ports have room for windows of sums, each its own", "without it");
  refuse(rules.cut_through, "simulation.cut_through", "a packet is summed when all of it is there",
         "without it");
  refuse(!setup.faults.empty(), "failure", "trees of switches are not built again when a link fails",
         "without failures, or another transport");
  refuse(has_errors(setup) && !rules.link_retry,
         rules.lost_below > 0 ? "simulation.packet_loss" : "simulation.bit_error_rate",
         "nobody sends again what a sum lacks", "simulation.link_retry as well");
}

/// Of a switch, most trees that go through it.
std::uint64_t most_trees(const SumTrees& trees) {
  std::uint64_t most = 0, here = 0;
  const auto& places = trees.places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    here = i > 0 && places[i].node == places[i - 1].node ? here + 1 : 1;
    most = std::max(most, here);
  }
  return most;
}

/// A round trip to the farthest root, at the pace of the slowest link and of what packets carry.
std::uint64_t filling_window(const TransportSetup& setup, const SumStreams& streams, const SumTrees& trees) {
  const Picoseconds up = trees.longest_way_up(setup.layout, setup.full_bytes(), setup.queues.sum_delay);
  const Picoseconds down = trees.longest_way_up(setup.layout, setup.full_bytes(), 0);
  const Picoseconds hosts = 2 * setup.limits.latency + setup.limits.receive.time(setup.full_bytes());
  const std::uint64_t bytes = streams.usual_payload() + setup.sizes.header_bytes;
  const Picoseconds packet = std::max<Picoseconds>(1, setup.layout.links.front().time(bytes));
  return (up + down + hosts + packet - 1) / packet;
}

std::uint64_t window_of(const TransportSetup& setup, const SharpInput& input, const SumStreams& streams,
                        const SumTrees& trees) {
  const std::uint64_t of_one = most_trees(trees) * setup.full_bytes();
  std::uint64_t window =
      input.window ? static_cast<std::uint64_t>(*input.window) : filling_window(setup, streams, trees);
  if (input.memory) {
    const auto memory = static_cast<std::uint64_t>(input.memory->si());
    if (memory / of_one == 0 || (input.window && memory / of_one < window))
      fail_input(whole("sharp.memory"),
                 fmt::format("{} do not hold the windows of all groups of a switch, up to {}",
                             counted(memory, "byte"), most_trees(trees)),
                 fmt::format("at least {} bytes", of_one * (input.window ? window : 1)));
    window = std::min(window, memory / of_one);
  }
  window = std::max<std::uint64_t>(1, std::min(window, streams.longest()));
  if (window > kMostSums / std::max<std::size_t>(1, trees.places().size()))
    fail_input(whole("sharp.window"),
               fmt::format("{} switches of trees with {} sums each", trees.places().size(), window),
               fmt::format("{} sums at most: fewer packets, or fewer groups", kMostSums));
  return window;
}

/// How many packets may wait at ports: of several groups, or where a link is slower than what comes or stands
/// still for a while, windows; else the last packet of an all-reduce, which is short, behind the one before
/// it.
class QueueDemand {
 public:
  QueueDemand(const TransportSetup& setup, const SumStreams& streams, const SumTrees& trees,
              std::uint64_t window)
      : setup_(setup), streams_(streams), window_(window), stands_still_(may_stand_still(setup)) {
    for (const SumTrees::Place& place : trees.places()) add(place);
  }

  void check() const {
    for (const auto& [port, demand] : of_port_) {
      const std::uint64_t packets = demand.groups > 1 ? demand.groups * window_ : demand.packets;
      const std::uint64_t room =
          setup_.layout.queue_bytes.empty() ? setup_.queues.data_bytes : setup_.layout.queue_bytes[port];
      if (packets * setup_.full_bytes() > room) fail(packets, room, demand.groups);
    }
  }
  /// At the NIC of a slow host, where all planes end: windows of all of them.
  void check_nics(const SumStreams& streams) const {
    if (!setup_.limits.receive.limits()) return;
    std::map<std::uint32_t, std::uint64_t> groups_of_host;
    for (const std::vector<std::uint32_t>& hosts : streams.groups()) {
      for (const std::uint32_t host : hosts) ++groups_of_host[host];
    }
    std::uint64_t most = 0;
    for (const auto& [host, groups] : groups_of_host) most = std::max(most, groups * setup_.layout.planes);
    if (most * window_ * setup_.full_bytes() > setup_.queues.data_bytes)
      fail(most * window_, setup_.queues.data_bytes, most);
  }

 private:
  struct Demand {
    std::uint64_t groups = 0;
    std::uint64_t packets = 0;
  };

  void add(const SumTrees::Place& place) {
    const std::uint32_t first = setup_.layout.nodes[place.node].first_port;
    const auto time = [&](std::uint16_t port) {
      return setup_.layout.link_of(first + port).time(setup_.full_bytes());
    };
    Picoseconds gap = kNever;  // between sums
    for (const SumTrees::Child& child : place.children) gap = std::min(gap, time(child.port));
    if (streams_.kind_of(place.group) == Reduction::Kind::all_gather)
      gap = 0;  // data waits at switches, and notes let it go at once
    if (place.parent != SumTrees::kRoot) {
      count(first + place.parent, time(place.parent) > gap);
      gap = time(place.parent);
    }
    for (const SumTrees::Child& child : place.children) count(first + child.port, time(child.port) > gap);
  }
  void count(std::uint32_t port, bool slower) {
    Demand& demand = of_port_[port];
    ++demand.groups;
    demand.packets = slower || stands_still_ ? window_ : 1;
  }
  [[noreturn]] void fail(std::uint64_t packets, std::uint64_t room, std::uint64_t groups) const {
    fail_input(whole("simulation.queue"),
               fmt::format("{} of {} may wait at a port that has room for {}", counted(packets, "packet"),
                           groups == 1 ? "a stream of sums" : fmt::format("{} streams of sums", groups),
                           room / setup_.full_bytes()),
               fmt::format("simulation.queue of {}, or sharp.window of {}", packets,
                           std::max<std::uint64_t>(1, room / setup_.full_bytes() / groups)));
  }

  const TransportSetup& setup_;
  const SumStreams& streams_;
  std::uint64_t window_;
  bool stands_still_;
  std::map<std::uint32_t, Demand> of_port_;
};

}  // namespace

std::uint64_t prepare_sums(TransportSetup& setup, const SharpInput& input) {
  check_sums_traffic(setup);
  check_losses(setup);
  setup.queues.sum_delay = picoseconds(input.sum_delay);
  const SumStreams streams(setup);
  const SumTrees trees(setup.layout, streams.groups(), setup.seed);
  const std::uint64_t window = window_of(setup, input, streams, trees);
  const QueueDemand demand(setup, streams, trees, window);
  demand.check();
  demand.check_nics(streams);
  return window;
}

}  // namespace trainyard::packet
