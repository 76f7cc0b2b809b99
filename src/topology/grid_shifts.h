// Shifts of a torus onto itself that leave its traffic as it is: what one destination puts on links, others
// that it can be shifted to put on the shifted links.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/demands.h"
#include "topology/grid.h"

namespace trainyard {

/// Of a graph whose first nodes are a grid's, in order, each joined to the next one along every dimension and
/// the last to the first.
class GridShifts {
 public:
  /// The shortest shifts along each dimension that take `demands` to themselves.
  GridShifts(GridSizes sizes, const Demands& demands);

  /// How many destinations stand for all of them.
  std::int64_t kinds() const { return grid_nodes(steps_); }
  /// Whether a destination is one of those.
  bool stands_for_others(std::uint32_t node) const;
  /// What all put on links, of what those that stand for others put there.
  void add_all(const Graph& graph, const LinkBytes& of_kinds, LinkBytes& out) const;

 private:
  std::int64_t coordinate(std::int64_t node, std::size_t d) const {
    return node / grid_stride(sizes_, d) % sizes_[d];
  }
  std::uint32_t shifted(std::uint32_t node, std::size_t d, std::int64_t step) const;
  /// Of directed links that can be shifted onto each other.
  std::size_t class_of(std::uint32_t from, std::uint32_t to) const;

  GridSizes sizes_;
  GridSizes steps_;  // divisors of the sides
};

}  // namespace trainyard
