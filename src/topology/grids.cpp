// HyperX (Ahn et al. 2009): a grid of switches, fully joined along each dimension. Torus: a grid of hosts,
// each joined to its neighbours.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/fabric.h"

namespace trainyard {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t product(const Sizes& sizes) {
  std::int64_t out = 1;
  for (const std::int64_t size : sizes) out *= size;
  return out;
}

/// Stride of a dimension in the numbers of the grid; the last dimension is the fastest.
std::int64_t stride_of(const Sizes& sizes, std::size_t dimension) {
  std::int64_t stride = 1;
  for (std::size_t d = dimension + 1; d < sizes.size(); ++d) stride *= sizes[d];
  return stride;
}

std::uint32_t at(std::int64_t v) { return static_cast<std::uint32_t>(v); }

class HyperX : public Fabric {
 public:
  HyperX(Sizes sizes, std::int64_t hosts, std::int64_t endpoints)
      : sizes_(std::move(sizes)), hosts_(hosts), endpoints_(endpoints), switches_(product(sizes_)) {}

  std::int64_t endpoints() const override { return endpoints_; }
  std::int64_t largest() const override { return switches_ * hosts_; }
  std::int64_t tiers() const override { return 1; }

  FabricCounts counts() const override {
    FabricCounts out;
    std::int64_t links = 0;
    double bisection = static_cast<double>(endpoints_) / 2;
    double paths = 1;
    std::int64_t distance = 0;
    out.links.push_back({"host to switch", true, endpoints_});
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const std::int64_t along = switches_ * (sizes_[d] - 1) / 2;
      out.links.push_back({fmt::format("dimension {}", d + 1), false, along});
      links += along;
      if (sizes_[d] < 2) continue;
      paths *= static_cast<double>(++distance);
      const std::int64_t low = sizes_[d] / 2;
      const std::int64_t cut = switches_ / sizes_[d] * low * (sizes_[d] - low);
      bisection = std::min(bisection, static_cast<double>(cut));
    }
    out.tiers = {{"switch", switches_, endpoints_ + 2 * links}};
    out.bisection_links = bisection;
    out.diameter = 2 + distance;
    out.paths = paths;
    const auto p = static_cast<double>(ceil_div(endpoints_, switches_));
    out.blast = {{"one switch", p, 1, false}, {"one link of a host", 1, 1, false}};
    if (links > 0) {
      out.blast.push_back({"one link between switches", p,
                           static_cast<double>(switches_) / (2 * static_cast<double>(links)), true});
    }
    return out;
  }

  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    const std::uint32_t first = graph.add_nodes({NodeKind::electrical_switch, "switch", 1, place.network,
                                                 place.plane, place.datacenter, 0, 0, place.ports},
                                                switches_);
    graph.begin_links("host to switch", place.rate);
    for (std::int64_t e = 0; e < endpoints_; ++e)
      graph.link(place.hosts[static_cast<std::size_t>(e)], first + at(share_of(endpoints_, switches_, e)));
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      graph.begin_links(fmt::format("dimension {}", d + 1), place.rate);
      visit_pairs(d, [&](std::int64_t a, std::int64_t b) { graph.link(first + at(a), first + at(b)); });
    }
  }

  void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const override {
    visit_host_cables(endpoints_, switches_, per_rack, most, visit);
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      visit_pairs(d, [&](std::int64_t a, std::int64_t b) { visit({d + 1, hosts_of(a), hosts_of(b), 1}); });
    }
  }

 private:
  template <class Visit>
  void visit_pairs(std::size_t d, const Visit& visit) const {
    const std::int64_t stride = stride_of(sizes_, d);
    for (std::int64_t s = 0; s < switches_; ++s) {
      for (std::int64_t other = s / stride % sizes_[d] + 1; other < sizes_[d]; ++other)
        visit(s, s + (other - s / stride % sizes_[d]) * stride);
    }
  }
  EndpointRange hosts_of(std::int64_t s) const {
    return {share_begin(endpoints_, switches_, s), share_begin(endpoints_, switches_, s + 1)};
  }

  Sizes sizes_;
  std::int64_t hosts_;
  std::int64_t endpoints_;
  std::int64_t switches_;
};

class Torus : public Fabric {
 public:
  Torus(Sizes sizes, std::int64_t endpoints) : sizes_(std::move(sizes)), endpoints_(endpoints) {}

  std::int64_t endpoints() const override { return endpoints_; }
  std::int64_t largest() const override { return endpoints_; }
  std::int64_t tiers() const override { return 0; }
  std::int64_t host_links() const override {
    std::int64_t degree = 0;
    for (const std::int64_t size : sizes_) degree += std::min<std::int64_t>(size - 1, 2);
    return std::max<std::int64_t>(1, degree);
  }

  FabricCounts counts() const override {
    FabricCounts out;
    double bisection = static_cast<double>(links_along_all());
    double orders = 1;
    std::int64_t distance = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      out.links.push_back({fmt::format("dimension {}", d + 1), true, links_along(d)});
      const std::int64_t steps = sizes_[d] / 2;
      for (std::int64_t s = 1; s <= steps; ++s)
        orders *= static_cast<double>(distance + s) / static_cast<double>(s);
      if (sizes_[d] % 2 == 0 && sizes_[d] > 2) orders *= 2;  // either way around
      distance += steps;
      if (sizes_[d] < 2) continue;
      const std::int64_t cut = (sizes_[d] > 2 ? 2 : 1) * (endpoints_ / sizes_[d]);
      bisection = std::min(bisection, static_cast<double>(cut));
    }
    out.bisection_links = bisection;
    out.diameter = distance;
    out.paths = orders;
    out.blast = {{"one host", 1, 1, false}, {"one link", 2, 1 / static_cast<double>(host_links()), false}};
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
  std::int64_t links_along_all() const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < sizes_.size(); ++d) sum += links_along(d);
    return sum;
  }

  template <class Visit>
  void visit_neighbours(std::size_t d, const Visit& visit) const {
    const std::int64_t stride = stride_of(sizes_, d);
    const std::int64_t size = sizes_[d];
    for (std::int64_t h = 0; h < endpoints_; ++h) {
      const std::int64_t here = h / stride % size;
      if (size < 2 || (size == 2 && here == 1)) continue;
      visit(h, h + ((here + 1) % size - here) * stride);
    }
  }

  Sizes sizes_;
  std::int64_t endpoints_;
};

/// The grid of `dimensions` sides, as even as can be, with the least room to spare.
Sizes even_grid(std::int64_t wanted, std::size_t dimensions) {
  Sizes sizes;
  double left = static_cast<double>(wanted);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const double side = std::pow(left, 1 / static_cast<double>(dimensions - d));
    sizes.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(side - 1e-9))));
    left = std::max(1.0, left / static_cast<double>(sizes.back()));
  }
  return sizes;
}

std::int64_t grid_ports(const Sizes& sizes) {
  std::int64_t ports = 0;
  for (const std::int64_t size : sizes) ports += size - 1;
  return ports;
}

struct Grid {
  Sizes sizes;
  std::int64_t hosts = 0;
};

/// Fewest switches with full bisection: at most half as many hosts on a switch as switches along a side.
Grid balanced_grid(const FabricCase& wanted) {
  constexpr std::size_t kMostDimensions = 5;
  Grid best;
  for (std::size_t dimensions = 1; dimensions <= kMostDimensions; ++dimensions) {
    for (std::int64_t hosts = wanted.ports; hosts >= 1; --hosts) {
      if (wanted.input->hosts_per_switch && hosts != *wanted.input->hosts_per_switch) continue;
      const Sizes sizes = even_grid(ceil_div(wanted.endpoints, hosts), dimensions);
      const std::int64_t shortest = *std::min_element(sizes.begin(), sizes.end());
      const bool fits = hosts + grid_ports(sizes) <= wanted.ports;
      const bool full = 2 * hosts <= shortest || product(sizes) == 1 || wanted.input->hosts_per_switch;
      const bool fewer = best.sizes.empty() || product(sizes) < product(best.sizes);
      if (fits && full && fewer) best = {sizes, hosts};
    }
  }
  return best;
}

void check_room(const FabricCase& wanted, const Sizes& sizes, std::int64_t hosts) {
  double room = static_cast<double>(hosts);
  for (const std::int64_t size : sizes) room *= static_cast<double>(size);
  if (room < static_cast<double>(wanted.endpoints)) {
    fail_design(*wanted.input, "dimensions",
                fmt::format("{} endpoints, and the grid has room for {:.0f}", wanted.endpoints, room),
                "longer sides or more dimensions");
  }
  if (room / static_cast<double>(hosts) > static_cast<double>(wanted.endpoints)) {
    fail_design(*wanted.input, "dimensions",
                fmt::format("{:.0f} switches for {} endpoints: one would have no host",
                            room / static_cast<double>(hosts), wanted.endpoints),
                "shorter sides or fewer dimensions");
  }
}

}  // namespace

std::unique_ptr<Fabric> make_hyperx(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  Grid grid{input.dimensions, input.hosts_per_switch.value_or(0)};
  if (grid.sizes.empty()) {
    grid = balanced_grid(wanted);
  } else if (grid.hosts == 0) {
    double switches = 1;
    for (const std::int64_t size : grid.sizes) switches *= static_cast<double>(size);
    grid.hosts = static_cast<std::int64_t>(std::ceil(static_cast<double>(wanted.endpoints) / switches));
  }
  if (grid.sizes.empty()) {
    fail_design(input, "dimensions",
                fmt::format("no HyperX of switches with {} ports joins {} endpoints at full bisection",
                            wanted.ports, wanted.endpoints),
                "give dimensions and hosts_per_switch, more planes, or a larger radix");
  }
  check_room(wanted, grid.sizes, grid.hosts);
  if (grid.hosts + grid_ports(grid.sizes) > wanted.ports) {
    fail_design(
        input, "dimensions",
        fmt::format("a switch needs {} ports ({} hosts, {} to switches) and has {}",
                    grid.hosts + grid_ports(grid.sizes), grid.hosts, grid_ports(grid.sizes), wanted.ports),
        "shorter sides, fewer hosts of a switch, or a larger radix");
  }
  return std::make_unique<HyperX>(grid.sizes, grid.hosts, wanted.endpoints);
}

std::unique_ptr<Fabric> make_torus(const FabricCase& wanted) {
  const DesignInput& input = *wanted.input;
  const Sizes& sizes = input.dimensions;
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

}  // namespace trainyard
