// Destinations of a torus that stand for others: what they put on links is what all would.
#include "topology/grid_shifts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "designs.h"
#include "topology/demands.h"
#include "topology/graph.h"
#include "topology/shortest_paths.h"
#include "topology/topology.h"
#include "trainyard/topology_kind.h"

namespace trainyard {
namespace {

NetworkDesign torus(const GridSizes& sides) {
  DesignInput input = small_input(TopologyKind::torus, grid_nodes(sides), 2);
  input.radix.reset();
  input.domain = 1;
  input.dimensions = sides;
  return small_design(input);
}

/// All to all, but for what stays inside domains of so many nodes.
Demands all_to_all(std::int64_t nodes, std::int64_t domain) {
  Demands out;
  NodeCounts all;
  for (std::int64_t node = 0; node < nodes; ++node) all[static_cast<std::uint32_t>(node)] = 2;
  out.add_all(all, all, 5);
  for (std::int64_t first = 0; first < nodes; first += domain) {
    const auto begin = all.find(static_cast<std::uint32_t>(first));
    const NodeCounts inside(begin, std::next(begin, domain));
    out.add_all(inside, inside, -5);
  }
  return out;
}

LinkBytes loads(const Graph& graph, const Demands& demands, const GridShifts* shifts) {
  const ShortestPaths paths(graph);
  LinkBytes out(graph);
  const Spreading spreading{graph, paths, [](std::uint32_t) { return false; },
                            [](std::uint32_t, std::uint32_t) { FAIL(); }, out};
  shifts == nullptr ? spread_demands(spreading, demands) : spread_demands(spreading, demands, *shifts);
  return out;
}

RC_GTEST_PROP(GridShifts, AddUpToEveryDestination, ()) {
  const GridSizes sides =
      *rc::gen::container<GridSizes>(*rc::gen::inRange<std::size_t>(2, 4), rc::gen::inRange(2, 7));
  const std::int64_t nodes = grid_nodes(sides);
  std::vector<std::int64_t> divisors;
  for (std::int64_t d = 1; d < nodes; ++d) {
    if (nodes % d == 0) divisors.push_back(d);
  }
  Demands demands = all_to_all(nodes, *rc::gen::elementOf(divisors));
  if (*rc::gen::inRange(0, 4) == 0) demands.add(0, static_cast<std::uint32_t>(nodes - 1), 1000);
  const NetworkDesign design = torus(sides);
  const Graph graph = build_graph(design, {.planes = 1});
  const GridShifts shifts(sides, demands);
  const LinkBytes whole = loads(graph, demands, nullptr), shifted = loads(graph, demands, &shifts);
  for (std::size_t link = 0; link < graph.links.size(); ++link) {
    RC_ASSERT(std::abs(whole.up[link] - shifted.up[link]) <= 1e-9 * (1 + whole.up[link]));
    RC_ASSERT(std::abs(whole.down[link] - shifted.down[link]) <= 1e-9 * (1 + whole.down[link]));
  }
}

/// Domains along the last dimension, which is numbered first: whole rows are alike, of parts of rows as many
/// destinations differ as a part has; one pair of nodes is like no other.
TEST(GridShifts, AsFewDestinationsAsTheTrafficHasKinds) {
  EXPECT_EQ(GridShifts({4, 5, 6}, all_to_all(120, 1)).kinds(), 1);
  EXPECT_EQ(GridShifts({4, 5, 6}, all_to_all(120, 6)).kinds(), 1);
  EXPECT_EQ(GridShifts({4, 5, 6}, all_to_all(120, 3)).kinds(), 3);
  EXPECT_EQ(GridShifts({4, 5, 6}, all_to_all(120, 12)).kinds(),
            2 * 5);  // pairs of rows, around a side of five
  Demands one_pair = all_to_all(120, 1);
  one_pair.add(3, 4, 1);
  EXPECT_EQ(GridShifts({4, 5, 6}, one_pair).kinds(), 120);
}

}  // namespace
}  // namespace trainyard
