// What lies within a radius of a place, and the power that it leaves (docs/siting.md, "Power nodes").
#pragma once

#include <memory>
#include <optional>

#include "trainyard/site_input.h"
#include "trainyard/siting.h"
#include "trainyard/units.h"

namespace trainyard {

/// Evaluates places of one grid under one set of rules. The grid has to outlive it.
class PowerNodes {
 public:
  PowerNodes(const Grid& grid, const SiteInput& input);
  ~PowerNodes();
  PowerNodes(const PowerNodes&) = delete;
  PowerNodes& operator=(const PowerNodes&) = delete;

  /// Sums over the plants within the radius and over the lines that enter the nodes within it (HotNets '24
  /// section 2). The node nearest to the place always counts as within, a point at the radius too.
  PowerNode at(GeoPoint place, Kilometres radius) const;

  /// The smallest whole number of km, from 1 to input.largest_radius, at which the rule leaves this much
  /// power. Availability is not monotone in the radius, so each is looked at.
  std::optional<int> least_radius_km(GeoPoint place, PowerRule rule, Megawatts power) const;

 private:
  struct Index;

  void add_plants(PowerNode& node) const;
  void add_network(PowerNode& node) const;
  void apply_rules(PowerNode& node) const;
  Megawatts counted(const GridPlant& plant) const;
  Megawatts reserve(const GridPlant& plant) const;

  const Grid& grid_;
  const SiteInput& input_;
  std::unique_ptr<const Index> index_;
};

}  // namespace trainyard
