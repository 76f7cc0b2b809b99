// Numbers of a grid: the last dimension is the fastest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace trainyard {

/// Along each dimension.
using GridSizes = std::vector<std::int64_t>;

inline std::int64_t grid_nodes(const GridSizes& sizes) {
  std::int64_t out = 1;
  for (const std::int64_t size : sizes) out *= size;
  return out;
}

/// How far apart neighbours along a dimension are numbered.
inline std::int64_t grid_stride(const GridSizes& sizes, std::size_t dimension) {
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < sizes.size(); ++d) stride *= sizes[d];
  return stride;
}

/// The least cut between halves of a grid's nodes among cuts across one dimension, whose middle slice, where
/// its side is odd, is halved the same way across another (Aroca and Fernandez Anta 2014, "Bisection
/// (band)width of product networks": exact for tori). `of_line(side)`: links that halves of one line cut;
/// `of_node`: what halving a node itself costs.
inline double halved_grid(const GridSizes& sizes, const std::function<double(std::int64_t)>& of_line,
                          double of_node) {
  double nodes = 1;
  for (const std::int64_t side : sizes) nodes *= static_cast<double>(side);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    // Equal sides are cut alike.
    if (sizes[d] < 2 ||
        std::count(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(d), sizes[d]) > 0)
      continue;
    double cut = of_line(sizes[d]) * (nodes / static_cast<double>(sizes[d]));
    if (sizes[d] % 2 == 1) {
      GridSizes middle = sizes;
      middle.erase(middle.begin() + static_cast<std::ptrdiff_t>(d));
      cut += halved_grid(middle, of_line, of_node);
    }
    least = std::min(least, cut);
  }
  return nodes > 1 ? least : of_node;
}

}  // namespace trainyard
