// Candidates for sites, with what the grid's tables say of their authority and state.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "siting/power_nodes.h"
#include "siting/splits.h"
#include "trainyard/siting.h"
#include "trainyard/units.h"

namespace trainyard {

/// A point that is looked at: a plant or a node.
struct SiteCandidate {
  GeoPoint at;
  std::string name;
  std::string state;  // code or name; empty: that of the nearest node
};

/// A node beyond says little of a place.
inline constexpr double kFarNode_km = 250;

class SiteMaker {
 public:
  SiteMaker(const Grid& grid, const SiteInput& input, const std::vector<SparePower>& spare);

  const PowerNodes& nodes() const { return nodes_; }

  /// Plants of site.least_plant and more, then all nodes.
  std::vector<SiteCandidate> candidates() const;

  Site site(const SiteCandidate& candidate, Kilometres radius) const;

  /// A place that the user named: called after the nearest city or node.
  Site place(GeoPoint at, Kilometres radius) const;
  /// The grid's node nearest to a place, and how far it is, km.
  std::pair<std::size_t, double> nearest_node(GeoPoint at) const;

  /// The site as the search for splits sees it; prices that are unknown are the usual one.
  SplitPlace split_place(const Site& site, UsdPerMegawattHour usual_price) const;

 private:
  const GridState* state(const std::string& code_or_name) const;

  const Grid& grid_;
  const SiteInput& input_;
  PowerNodes nodes_;
  std::unordered_map<std::string, std::optional<Megawatts>> spare_;
  std::unordered_map<std::string, std::uint32_t> authorities_;
  std::unordered_map<std::string, std::uint32_t> interconnections_;
  std::unordered_map<std::string, const GridState*> states_;
};

}  // namespace trainyard
