// Numbers of a grid: the last dimension is the fastest.
#pragma once

#include <cstdint>
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

}  // namespace trainyard
