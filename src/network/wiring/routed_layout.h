// Layouts that follow a table of routes: what of a network's graph is a switch, who its hosts are, and how
// far everything is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/wiring/layout.h"
#include "topology/graph.h"
#include "topology/joined_paths.h"

namespace trainyard::wiring {

/// A plane of a network as its layout takes it.
struct RoutedParts {
  struct Switch {
    std::uint32_t node = 0;  // of the graph
    int tier = 0;            // from 1 on
  };

  const NetworkDesign* design = nullptr;  // that complaints are about
  Graph graph;
  std::vector<Switch> switches;
  std::vector<SwitchRun> switch_runs;
  std::vector<std::uint32_t> node_of_host;  // the node of its switch
  /// Of all links, by class; `up` and `down`: those between a switch and its hosts, by the host's number at
  /// its switch, counted round.
  std::vector<LinkRules> links;
  std::vector<std::string> link_names;
  std::vector<std::uint16_t> up = {0};
  std::vector<std::uint16_t> down = {0};
  std::vector<std::uint16_t> class_of_link;  // of the graph's
  Devices devices = {};
};

/// Complains about the topology of a design.
[[noreturn]] void refuse_layout(const NetworkDesign& design, const std::string& message,
                                const std::string& help = {});

/// Calls ranks(node, out) for the ranks (JoinedPaths::Rank) of all nodes of the graph towards a switch with
/// hosts. Throws InputError for what has no way, or is too large to be numbered.
using RankSearch = std::function<void(std::uint32_t, std::vector<JoinedPaths::Rank>&)>;
Layout lay_out_routed(RoutedParts parts, std::uint32_t planes, const RankSearch& ranks);

}  // namespace trainyard::wiring
