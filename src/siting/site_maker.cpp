#include "siting/site_maker.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "facility/geo.h"

namespace trainyard {
namespace {

constexpr double kNearCity_km = 30;

/// A number for each name, in the order in which they come.
template <class Rows, class Name>
std::unordered_map<std::string, std::uint32_t> numbered(const Rows& rows, const Name& name) {
  std::unordered_map<std::string, std::uint32_t> out;
  for (const auto& row : rows) out.emplace(name(row), static_cast<std::uint32_t>(out.size()));
  return out;
}

std::uint32_t number_of(const std::unordered_map<std::string, std::uint32_t>& numbers,
                        const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? kNowhere : found->second;
}

std::string with_state(const std::string& name, const std::string& state) {
  return state.empty() ? name : name + ", " + state;
}

}  // namespace

SiteMaker::SiteMaker(const Grid& grid, const SiteInput& input, const std::vector<SparePower>& spare)
    : grid_(grid),
      input_(input),
      nodes_(grid, input),
      authorities_(numbered(grid.authorities, [](const Authority& a) { return a.code; })),
      interconnections_(numbered(grid.nodes, [](const GridNode& n) { return n.interconnection; })) {
  for (const SparePower& s : spare) spare_.emplace(s.code, s.used);
  for (const GridState& s : grid.states) {
    states_.emplace(s.code, &s);
    if (!s.name.empty()) states_.emplace(s.name, &s);
  }
}

const GridState* SiteMaker::state(const std::string& code_or_name) const {
  const auto found = states_.find(code_or_name);
  return found == states_.end() ? nullptr : found->second;
}

std::vector<SiteCandidate> SiteMaker::candidates() const {
  std::vector<SiteCandidate> out;
  const auto least = as<Megawatts>(input_.least_plant);
  for (const GridPlant& plant : grid_.plants) {
    if (plant.capacity >= least) out.push_back({plant.at, plant.name, plant.state});
  }
  for (const GridNode& node : grid_.nodes)
    out.push_back({node.at, node.name.empty() ? node.id : node.name, node.state});
  return out;
}

Site SiteMaker::site(const SiteCandidate& candidate, Kilometres radius) const {
  Site out;
  out.node = nodes_.at(candidate.at, radius);
  const GridNode& nearest = grid_.nodes[out.node.nearest_node];
  const std::string& own = candidate.state.empty() ? nearest.state : candidate.state;
  const GridState* in = state(own);
  out.state = in ? in->code : own;
  out.name = with_state(candidate.name, out.state);
  out.available = out.node.available(input_.rule);
  const auto spare = spare_.find(out.node.authority);
  // A group of authorities, as nodes without plants have it, is none that has power to spare.
  const bool limited = input_.spare != SpareRule::unlimited;
  if (spare != spare_.end())
    out.spare = spare->second;
  else if (limited)
    out.spare = Megawatts();
  out.usable = out.spare ? std::min(out.available, *out.spare) : out.available;
  if (in) {
    out.price = in->price;
    out.co2 = in->co2;
  }
  const std::uint32_t authority = number_of(authorities_, out.node.authority);
  if (!out.co2 && authority != kNowhere) out.co2 = grid_.authorities[authority].co2;
  return out;
}

Site SiteMaker::place(GeoPoint at, Kilometres radius) const {
  Site out = site({at, "", ""}, radius);
  std::string name = grid_.nodes[out.node.nearest_node].name;
  double nearest_km = kNearCity_km;
  for (const GridCity& city : grid_.cities) {
    const double km = distance_km(city.at, at);
    if (km >= nearest_km) continue;
    nearest_km = km;
    name = city.name;
  }
  out.name = with_state(name.empty() ? fmt::format("{},{}", at.lat_deg, at.lon_deg) : name, out.state);
  const double km = distance_km(grid_.nodes[out.node.nearest_node].at, at);
  if (km <= kFarNode_km) return out;
  // The state is that of the node.
  out.name = nearest_km < kNearCity_km ? name : fmt::format("{:.0f} km from {}", km, out.name);
  return out;
}

std::pair<std::size_t, double> SiteMaker::nearest_node(GeoPoint at) const {
  std::pair<std::size_t, double> nearest{0, std::numeric_limits<double>::infinity()};
  for (std::size_t n = 0; n < grid_.nodes.size(); ++n) {
    const double km = distance_km(grid_.nodes[n].at, at);
    if (km < nearest.second) nearest = {n, km};
  }
  return nearest;
}

SplitPlace SiteMaker::split_place(const Site& site, UsdPerMegawattHour usual_price) const {
  SplitPlace out;
  out.at = site.node.at;
  out.available = site.available;
  out.authority = number_of(authorities_, site.node.authority);
  out.spare = site.spare;
  out.interconnection = number_of(interconnections_, grid_.nodes[site.node.nearest_node].interconnection);
  out.price = site.price.value_or(usual_price);
  out.co2 = site.co2.value_or(KilogramsPerMegawattHour(std::numeric_limits<double>::infinity()));
  return out;
}

}  // namespace trainyard
