// HyperX (Ahn et al. 2009): a grid of switches, fully joined along each dimension.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/grid.h"
#include "topology/topologies.h"
#include "trainyard/design_counts.h"
#include "trainyard/scenario/designs.h"

namespace trainyard {
namespace {

std::uint32_t at(std::int64_t v) { return static_cast<std::uint32_t>(v); }

class HyperX : public Fabric {
 public:
  HyperX(GridSizes sizes, std::int64_t hosts, std::int64_t endpoints)
      : sizes_(std::move(sizes)), hosts_(hosts), endpoints_(endpoints), switches_(grid_nodes(sizes_)) {}

  std::int64_t endpoints() const override { return endpoints_; }
  std::int64_t largest() const override { return switches_ * hosts_; }
  std::int64_t tiers() const override { return 1; }
  std::int64_t host_links() const override { return 1; }
  NearestFailure nearest_failure() const override { return {ceil_div(endpoints_, switches_), 1}; }

  FabricCounts counts() const override {
    FabricCounts out;
    std::int64_t links = 0;
    double paths = 1;
    std::int64_t distance = 0;
    out.links.push_back({"host to switch", true, endpoints_});
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      const std::int64_t along = switches_ * (sizes_[d] - 1) / 2;
      out.links.push_back({fmt::format("dimension {}", d + 1), false, along});
      links += along;
      if (sizes_[d] < 2) continue;
      paths *= static_cast<double>(++distance);
    }
    out.tiers = {{"switch", switches_, endpoints_ + 2 * links}};
    out.bisection_links = bisection();
    out.diameter = 2 + distance;
    out.paths = paths;
    const auto p = static_cast<double>(ceil_div(endpoints_, switches_));
    out.blast = {{"one switch", p, 1, false, FailedPart::chip, static_cast<double>(switches_)},
                 {"one link of a host", 1, 1, false, FailedPart::host_link, static_cast<double>(endpoints_)}};
    if (links > 0) {
      out.blast.push_back({"one link between switches", p,
                           static_cast<double>(switches_) / (2 * static_cast<double>(links)), true,
                           FailedPart::switch_link, static_cast<double>(links)});
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
  /// Through the switches, the hosts of a middle one divided, or through the hosts' own links.
  double bisection() const {
    const double hosts = static_cast<double>(endpoints_);
    const auto of_line = [](std::int64_t side) {
      const std::int64_t cut = (side / 2) * (side - side / 2);
      return static_cast<double>(cut);
    };
    return std::min(hosts / 2,
                    halved_grid(sizes_, of_line, std::floor(hosts / static_cast<double>(switches_) / 2)));
  }

  template <class Visit>
  void visit_pairs(std::size_t d, const Visit& visit) const {
    const std::int64_t stride = grid_stride(sizes_, d);
    for (std::int64_t s = 0; s < switches_; ++s) {
      for (std::int64_t other = s / stride % sizes_[d] + 1; other < sizes_[d]; ++other)
        visit(s, s + (other - s / stride % sizes_[d]) * stride);
    }
  }
  EndpointRange hosts_of(std::int64_t s) const {
    return {share_begin(endpoints_, switches_, s), share_begin(endpoints_, switches_, s + 1)};
  }

  GridSizes sizes_;
  std::int64_t hosts_;
  std::int64_t endpoints_;
  std::int64_t switches_;
};

/// The grid of `dimensions` sides, as even as can be, with the least room to spare.
GridSizes even_grid(std::int64_t wanted, std::size_t dimensions) {
  GridSizes sizes;
  double left = static_cast<double>(wanted);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const double side = std::pow(left, 1 / static_cast<double>(dimensions - d));
    sizes.push_back(std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(side - 1e-9))));
    left = std::max(1.0, left / static_cast<double>(sizes.back()));
  }
  return sizes;
}

std::int64_t grid_ports(const GridSizes& sizes) {
  std::int64_t ports = 0;
  for (const std::int64_t size : sizes) ports += size - 1;
  return ports;
}

struct Grid {
  GridSizes sizes;
  std::int64_t hosts = 0;
};

/// Fewest switches with full bisection: at most half as many hosts on a switch as switches along a side.
Grid balanced_grid(const FabricCase& wanted) {
  constexpr std::size_t kMostDimensions = 5;
  Grid best;
  for (std::size_t dimensions = 1; dimensions <= kMostDimensions; ++dimensions) {
    for (std::int64_t hosts = wanted.ports; hosts >= 1; --hosts) {
      if (wanted.input->hosts_per_switch && hosts != *wanted.input->hosts_per_switch) continue;
      const GridSizes sizes = even_grid(ceil_div(wanted.endpoints, hosts), dimensions);
      const std::int64_t shortest = *std::min_element(sizes.begin(), sizes.end());
      const bool fits = hosts + grid_ports(sizes) <= wanted.ports;
      const bool full = 2 * hosts <= shortest || grid_nodes(sizes) == 1 || wanted.input->hosts_per_switch;
      const bool fewer = best.sizes.empty() || grid_nodes(sizes) < grid_nodes(best.sizes);
      if (fits && full && fewer) best = {sizes, hosts};
    }
  }
  return best;
}

void check_room(const FabricCase& wanted, const GridSizes& sizes, std::int64_t hosts) {
  double room = static_cast<double>(hosts);
  for (const std::int64_t size : sizes) room *= static_cast<double>(size);
  if (room < static_cast<double>(wanted.endpoints)) {
    fail_design(*wanted.input, "dimensions",
                fmt::format("{} endpoints, and the grid has room for {:.0f}", wanted.endpoints, room),
                "longer sides or more dimensions");
  }
  if (room / static_cast<double>(hosts) > static_cast<double>(wanted.endpoints)) {
    fail_design(*wanted.input, "dimensions",
                fmt::format("{:.0f} switches for {}: one would have no host",
                            room / static_cast<double>(hosts), counted(wanted.endpoints, "endpoint")),
                "shorter sides or fewer dimensions");
  }
}

std::unique_ptr<Fabric> make(const FabricCase& wanted) {
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

}  // namespace

namespace kinds {

const Topology& hyperx() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = make,
      .outline = Outline::switch_grid,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

}  // namespace kinds

}  // namespace trainyard
