// The registry of topologies: one record each, in a file of its own under kinds/.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace trainyard {

enum class TopologyKind;  // trainyard/topology_kind.h
class Dealing;
class Fabric;
struct FabricCase;

/// What stands between the hosts.
enum class SwitchType {
  packet,   // switches of the catalog, or hypothetical ones
  circuit,  // optical circuit switches: each host has design.circuits links, and light ends at hosts only
  none,     // hosts are joined to each other
};

/// How a picture shows a fabric.
enum class Outline {
  tree,             // leaves over HB domains, tiers above
  groups,           // of switches, all joined
  groups_of_trees,  // of leaves under spines
  switch_grid,      // joined along whole rows
  host_grid,        // joined to neighbours, and the ends of rows
};

/// Words of the search for networks ([optimize]) for a topology that it tries; folded Clos networks only.
struct MixWords {
  std::string_view name;   // "fat tree"; over rails behind their number
  std::string_view order;  // what changes when a network of the same switches is joined this way instead
};

/// What a design asks of its topology. No field has a default (the build refuses a record that leaves one
/// out): there is no answer that suits every topology. What depends on its size, its Fabric answers.
struct Topology {
  const Dealing& dealing;
  SwitchType switches;
  /// Whether a gateway to the wide area can be an endpoint.
  bool joins_gateways;
  /// Whether step times count the expert traffic that HB domains forward to other ranks (of rails alone).
  bool counts_forwarding;
  /// Throws InputError that names the key of [[design]] and what would be valid.
  std::unique_ptr<Fabric> (*make)(const FabricCase& wanted);
  Outline outline;
  /// Title among the designs of a scenario that has none of its own; empty: not among them.
  std::string_view usual_title;
  std::optional<MixWords> mix;
};

/// A line of the registry.
struct RegisteredTopology {
  TopologyKind kind;
  const Topology* topology;
};

/// All of trainyard/registries/topologies.def, in its order.
const std::vector<RegisteredTopology>& topologies();

const Topology& topology_of(TopologyKind kind);

}  // namespace trainyard
