#include "topology/grid_shifts.h"

#include <utility>

#include "base/errors.h"

namespace trainyard {

GridShifts::GridShifts(GridSizes sizes, const Demands& demands) : sizes_(std::move(sizes)), steps_(sizes_) {
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    for (std::int64_t step = 1; step < sizes_[d]; ++step) {
      if (sizes_[d] % step != 0) continue;
      if (!demands.same_after([&](std::uint32_t node) { return shifted(node, d, step); })) continue;
      steps_[d] = step;
      break;
    }
  }
}

std::uint32_t GridShifts::shifted(std::uint32_t node, std::size_t d, std::int64_t step) const {
  const std::int64_t here = coordinate(node, d);
  return static_cast<std::uint32_t>(node + ((here + step) % sizes_[d] - here) * grid_stride(sizes_, d));
}

bool GridShifts::stands_for_others(std::uint32_t node) const {
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    if (coordinate(node, d) >= steps_[d]) return false;
  }
  return true;
}

std::size_t GridShifts::class_of(std::uint32_t from, std::uint32_t to) const {
  std::int64_t kind = 0;
  std::size_t way = 2 * sizes_.size();
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    kind = kind * steps_[d] + coordinate(from, d) % steps_[d];
    const std::int64_t ahead = (coordinate(to, d) - coordinate(from, d) + sizes_[d]) % sizes_[d];
    if (ahead != 0) way = 2 * d + (ahead == 1 ? 0 : 1);
  }
  TY_ASSERT(way < 2 * sizes_.size(), "links of a grid join neighbours");
  return static_cast<std::size_t>(kind) * 2 * sizes_.size() + way;
}

void GridShifts::add_all(const Graph& graph, const LinkBytes& of_kinds, LinkBytes& out) const {
  const auto nodes = static_cast<std::uint32_t>(grid_nodes(sizes_));
  std::vector<double> sums(static_cast<std::size_t>(kinds()) * 2 * sizes_.size(), 0);
  const auto visit = [&](const auto& take) {
    for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
      const std::uint32_t a = graph.links[link].a, b = graph.links[link].b;
      if (a < nodes && b < nodes) take(link, class_of(a, b), class_of(b, a));
    }
  };
  visit([&](std::uint32_t link, std::size_t up, std::size_t down) {
    sums[up] += of_kinds.up[link];
    sums[down] += of_kinds.down[link];
  });
  visit([&](std::uint32_t link, std::size_t up, std::size_t down) {
    out.up[link] += sums[up];
    out.down[link] += sums[down];
  });
}

}  // namespace trainyard
