// Torus: a grid of hosts, each joined to its neighbours.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/grid.h"
#include "topology/topologies.h"
#include "trainyard/design_counts.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

class Torus : public Fabric {
 public:
  Torus(GridSizes sizes, std::int64_t endpoints) : sizes_(std::move(sizes)), endpoints_(endpoints) {}

  std::int64_t endpoints() const override { return endpoints_; }
  std::int64_t largest() const override { return endpoints_; }
  std::int64_t tiers() const override { return 0; }
  const GridSizes* wrapped_grid() const override { return &sizes_; }
  std::int64_t host_links() const override {
    std::int64_t degree = 0;
    for (const std::int64_t size : sizes_) degree += std::min<std::int64_t>(size - 1, 2);
    return std::max<std::int64_t>(1, degree);
  }
  NearestFailure nearest_failure() const override { return {1, host_links()}; }

  FabricCounts counts() const override {
    FabricCounts out;
    double orders = 1;
    std::int64_t distance = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      out.links.push_back({fmt::format("dimension {}", d + 1), true, links_along(d)});
      const std::int64_t steps = sizes_[d] / 2;
      for (std::int64_t s = 1; s <= steps; ++s)
        orders *= static_cast<double>(distance + s) / static_cast<double>(s);
      if (sizes_[d] % 2 == 0 && sizes_[d] > 2) orders *= 2;  // either way around
      distance += steps;
    }
    // Halves of a ring are joined twice, those of a pair once.
    out.bisection_exact = true;
    out.bisection_links = halved_grid(
        sizes_, [](std::int64_t side) { return side > 2 ? 2.0 : 1.0; }, 0);
    out.diameter = distance;
    out.paths = orders;
    const auto n = static_cast<double>(endpoints());
    out.blast = {{"one host", 1, 1, false, FailedPart::host, n},
                 {"one link", 2, 1 / static_cast<double>(host_links()), false, FailedPart::host_link,
                  n * static_cast<double>(host_links()) / 2}};
    return out;
  }

  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      graph.begin_links(fmt::format("dimension {}", d + 1), place.rate);
      visit_neighbours(d, [&](std::int64_t a, std::int64_t b) {
        graph.link(place.hosts[static_cast<std::size_t>(a)], place.hosts[static_cast<std::size_t>(b)]);
      });
    }
  }

  void visit_cables(std::int64_t, std::int64_t, const CableVisitor& visit) const override {
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      visit_neighbours(d, [&](std::int64_t a, std::int64_t b) { visit({d, {a, a + 1}, {b, b + 1}, 1}); });
    }
  }

 private:
  /// A ring of two is one link; of one, none.
  std::int64_t links_along(std::size_t d) const {
    if (sizes_[d] < 2) return 0;
    return sizes_[d] == 2 ? endpoints_ / 2 : endpoints_;
  }

  template <class Visit>
  void visit_neighbours(std::size_t d, const Visit& visit) const {
    const std::int64_t stride = grid_stride(sizes_, d);
    const std::int64_t size = sizes_[d];
    for (std::int64_t h = 0; h < endpoints_; ++h) {
      const std::int64_t here = h / stride % size;
      if (size < 2 || (size == 2 && here == 1)) continue;
      visit(h, h + ((here + 1) % size - here) * stride);
    }
  }

  GridSizes sizes_;
  std::int64_t endpoints_;
};

std::unique_ptr<Fabric> make(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  const GridSizes& sizes = input.dimensions;
  if (sizes.empty()) {
    fail_design(input, "dimensions", "a torus needs its sides", "such as dimensions = [8, 8, 8]");
  }
  double hosts = 1;
  for (const std::int64_t size : sizes) hosts *= static_cast<double>(size);
  if (hosts != static_cast<double>(wanted.endpoints)) {
    fail_design(input, "dimensions",
                fmt::format("the sides hold {:.0f} hosts, and the network has {}", hosts, wanted.endpoints),
                "sides whose product is the number of hosts");
  }
  return std::make_unique<Torus>(sizes, wanted.endpoints);
}

}  // namespace

namespace kinds {

const Topology& torus() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::none,
      .joins_gateways = false,
      .counts_forwarding = false,
      .make = make,
      .outline = Outline::host_grid,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace kinds

}  // namespace trainyard
