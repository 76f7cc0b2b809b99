#include "siting/power_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nanoflann.hpp>

#include "facility/geo.h"

namespace trainyard {
namespace {

/// Points on the unit sphere in a k-d tree.
class PointIndex {
 public:
  template <class Rows>
  explicit PointIndex(const Rows& rows) : tree_(3, points_) {
    for (const auto& row : rows) points_.at.push_back(unit_vector(row.at));
    tree_.buildIndex();
  }

  /// Indices of the points within the distance, ascending.
  std::vector<std::uint32_t> within(const UnitVector& center, Kilometres distance) const {
    const double chord = chord_of_km(distance.count());
    return within_chord_squared(center, chord * chord);
  }

  /// The nearest point; of several equally near ones the first.
  std::uint32_t nearest(const UnitVector& center) const {
    std::uint32_t found = 0;
    double squared = 0;
    tree_.knnSearch(center.data(), 1, &found, &squared);
    return within_chord_squared(center, chord_squared(points_.at[found], center)).front();
  }

 private:
  struct Points {
    std::vector<UnitVector> at;
    std::size_t kdtree_get_point_count() const { return at.size(); }
    double kdtree_get_pt(std::size_t i, std::size_t axis) const { return at[i][axis]; }
    template <class Box>
    bool kdtree_get_bbox(Box&) const {
      return false;
    }
  };
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Points>, Points, 3,
                                                   std::uint32_t>;

  std::vector<std::uint32_t> within_chord_squared(const UnitVector& center, double squared) const {
    // The tree leaves points at the radius out and rounds in another order: search wider, then decide here.
    const double wider = squared * (1 + 1e-9) + 1e-18;
    std::vector<std::pair<std::uint32_t, double>> found;
    tree_.radiusSearch(center.data(), wider, found, nanoflann::SearchParams(0, 0, false));
    std::vector<std::uint32_t> out;
    out.reserve(found.size());
    for (const auto& [point, unused] : found) {
      if (chord_squared(points_.at[point], center) <= squared) out.push_back(point);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  Points points_;
  Tree tree_;
};

/// The position of the largest sum, of equal ones the first.
template <class Sums>
std::size_t largest(const Sums& sums) {
  return static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace

struct PowerNodes::Index {
  explicit Index(const Grid& grid) : plants(grid.plants), nodes(grid.nodes), lines_of(grid.nodes.size()) {
    for (std::uint32_t l = 0; l < grid.lines.size(); ++l) {
      lines_of[grid.lines[l].from].push_back(l);
      lines_of[grid.lines[l].to].push_back(l);
    }
  }

  PointIndex plants;
  PointIndex nodes;
  std::vector<std::vector<std::uint32_t>> lines_of;  // of each node
};

PowerNodes::PowerNodes(const Grid& grid, const SiteInput& input)
    : grid_(grid), input_(input), index_(std::make_unique<const Index>(grid)) {}

PowerNodes::~PowerNodes() = default;

PowerNode PowerNodes::at(GeoPoint place, Kilometres radius) const {
  PowerNode node;
  node.at = place;
  node.radius = radius;
  const UnitVector center = unit_vector(place);
  node.plants = index_->plants.within(center, radius);
  node.nodes = index_->nodes.within(center, radius);
  node.nearest_node = index_->nodes.nearest(center);
  const auto place_of_nearest = std::lower_bound(node.nodes.begin(), node.nodes.end(), node.nearest_node);
  if (place_of_nearest == node.nodes.end() || *place_of_nearest != node.nearest_node)
    node.nodes.insert(place_of_nearest, node.nearest_node);
  add_plants(node);
  add_network(node);
  apply_rules(node);
  return node;
}

/// Capacity that counts as generation: wind, sun and batteries with their credits, coal if it is to count.
Megawatts PowerNodes::counted(const GridPlant& plant) const {
  const double least_credit = std::min({input_.wind_credit, input_.solar_credit, input_.battery_credit});
  const double credit = plant.fuel == Fuel::wind      ? input_.wind_credit
                        : plant.fuel == Fuel::solar   ? input_.solar_credit
                        : plant.fuel == Fuel::battery ? input_.battery_credit
                                                      : least_credit;
  const Megawatts coal = input_.count_coal ? Megawatts() : plant.coal;
  // Subtracting nothing keeps the sum of plain capacities exact.
  return plant.capacity - (1 - credit) * (plant.capacity - plant.firm) - coal;
}

/// What is lost with a producer.
Megawatts PowerNodes::reserve(const GridPlant& plant) const {
  return input_.reserve == ReserveRule::unit ? plant.largest_unit.value_or(plant.capacity) : plant.capacity;
}

void PowerNodes::add_plants(PowerNode& node) const {
  std::array<Megawatts, kFuelCount> by_fuel{};
  std::vector<std::pair<std::uint32_t, Megawatts>> by_authority;  // few
  for (const std::uint32_t p : node.plants) {
    const GridPlant& plant = grid_.plants[p];
    node.generation += counted(plant);
    node.firm += plant.firm;
    node.coal += plant.coal;
    by_fuel[static_cast<std::size_t>(plant.fuel)] += plant.capacity;
    if (node.largest == kNowhere || reserve(plant) > node.largest_power) {
      node.largest = p;
      node.largest_power = reserve(plant);
    }
    if (plant.authority == kNowhere) continue;
    const auto known = std::find_if(by_authority.begin(), by_authority.end(),
                                    [&](const auto& entry) { return entry.first == plant.authority; });
    if (known == by_authority.end())
      by_authority.emplace_back(plant.authority, plant.capacity);
    else
      known->second += plant.capacity;
  }
  node.top_fuel = static_cast<Fuel>(largest(by_fuel));
  const auto stronger = [&](const auto& a, const auto& b) {
    if (a.second != b.second) return a.second > b.second;
    return grid_.authorities[a.first].code < grid_.authorities[b.first].code;
  };
  const auto strongest = std::min_element(by_authority.begin(), by_authority.end(), stronger);
  node.authority = strongest == by_authority.end() ? grid_.nodes[node.nearest_node].authority_group
                                                   : grid_.authorities[strongest->first].code;
}

void PowerNodes::add_network(PowerNode& node) const {
  const auto inside = [&](std::uint32_t n) {
    return std::binary_search(node.nodes.begin(), node.nodes.end(), n);
  };
  Megawatts most;
  for (const std::uint32_t n : node.nodes) {
    node.local_load += grid_.nodes[n].peak_load;
    for (const std::uint32_t l : index_->lines_of[n]) {
      const GridLine& line = grid_.lines[l];
      const bool enters = line.to == n;
      if (inside(enters ? line.from : line.to)) continue;
      const Megawatts limit = enters ? line.forward : line.reverse;
      node.boundary.push_back(l);
      node.imports += limit;
      most = std::max(most, limit);
    }
  }
  node.imports_n1 = node.imports - most;
}

void PowerNodes::apply_rules(PowerNode& node) const {
  const bool coal_rules_it_out = (input_.coal == CoalRule::largest && node.top_fuel == Fuel::coal) ||
                                 (input_.coal == CoalRule::majority && node.coal > node.generation / 2);
  node.rule_ok = !node.plants.empty() && !coal_rules_it_out && node.imports >= node.largest_power;
  if (!node.rule_ok) return;
  const Megawatts firm = node.firm - (input_.count_coal ? Megawatts() : node.coal);
  node.paper = std::max(Megawatts(), node.generation - node.largest_power);
  node.autonomous = std::max(Megawatts(), firm - node.local_load - node.largest_power);
  node.strict =
      std::max(Megawatts(), node.firm - node.coal + node.imports_n1 - node.local_load - node.largest_power);
}

std::optional<int> PowerNodes::least_radius_km(GeoPoint place, PowerRule rule, Megawatts power) const {
  const int largest_km = static_cast<int>(as<Kilometres>(input_.largest_radius).count());
  for (int km = 1; km <= largest_km; ++km) {
    if (at(place, Kilometres(km)).available(rule) >= power) return km;
  }
  return std::nullopt;
}

}  // namespace trainyard
