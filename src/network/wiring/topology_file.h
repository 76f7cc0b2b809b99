// htsim's fat-tree descriptions (.topo).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "network/wiring/layout.h"
#include "topology/clos_shape.h"

namespace trainyard {
struct SourceText;
}

namespace trainyard::wiring {

/// Buffers of the ports of a tier's switches, where the file has them.
struct TierQueues {
  std::optional<std::uint64_t> up_bytes;
  std::optional<std::uint64_t> down_bytes;
};

struct TopologyFile {
  ClosShape shape;
  std::vector<LinkRules> links;    // to the hosts, then between the tiers from the leaf up: for lay_out()
  std::vector<TierQueues> queues;  // of each tier of switches, from the leaf up
};

/// The buffer of every port: that of its tier and direction, else `usual`. Empty where the tiers have none.
std::vector<std::uint64_t> queues_of_ports(const Layout& layout, const std::vector<TierQueues>& tiers,
                                           std::uint64_t usual);

/// Reads what htsim's FatTreeTopology reads: Nodes, Tiers (2 or 3) and Podsize (hosts of a pod), then for
/// each `Tier t` Downlink_speed_Gbps, Downlink_Latency_ns, Switch_Latency_ns, Radix_Down, Radix_Up, Bundle
/// (parallel links to each switch below), Oversubscribed, Queue_down and Queue_up (bytes). Keys in either
/// case.
///
/// A switch of htsim delays every packet by its latency. Here half of it lies on each of its links: delays
/// between hosts are the same, and so is the order of events, as all of a tier is early by the same half.
///
/// Oversubscribed is compared with the rates down and up when the file has it. (htsim compares the radices
/// alone, and so cannot have links of different rates above and below the leaf.)
/// Throws InputError at the line of whatever is wrong or does not fit the rest.
TopologyFile read_topology_file(const std::shared_ptr<const SourceText>& text);

}  // namespace trainyard::wiring
