// The farthest nodes of a network that is given by its neighbours.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace trainyard {

struct Farthest {
  std::int64_t distance = 0;  // links between the farthest two
  double paths = 1;           // shortest paths between them, by nodes; the fewest of all such pairs
};

/// Nodes 0 to nodes-1. `neighbours` appends those of a node, each once.
struct NodeSet {
  std::int64_t nodes = 0;
  std::function<void(std::int64_t, std::vector<std::int64_t>&)> neighbours;
  std::function<bool(std::int64_t)> target;  // nodes that count as ends
};

/// Breadth first from each source, which stand for all by symmetry.
Farthest find_farthest(const NodeSet& set, const std::vector<std::int64_t>& sources);

}  // namespace trainyard
