#include "siting/siting.h"

#include <fmt/core.h>

#include <GeographicLib/Geodesic.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/errors.h"
#include "facility/geo.h"
#include "siting/delivery.h"
#include "siting/site_maker.h"
#include "siting/splits.h"
#include "trainyard/grid.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

constexpr double kWattsPerMegawatt = 1e6;
constexpr double kMetresPerKilometre = 1e3;
constexpr double kJoulesPerMegawattHour = 3.6e9;

double to_km(Metres m) { return m.si() / kMetresPerKilometre; }

/// Length on the WGS 84 ellipsoid.
double geodesic_km(GeoPoint a, GeoPoint b) {
  double metres = 0;
  GeographicLib::Geodesic::WGS84().Inverse(a.lat_deg, a.lon_deg, b.lat_deg, b.lon_deg, metres);
  return metres / kMetresPerKilometre;
}

std::vector<SitePair> pairs_of(const std::vector<GeoPoint>& at, double ms_per_km) {
  std::vector<SitePair> out;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = a + 1; b < at.size(); ++b) {
      const double km = distance_km(at[a], at[b]);
      out.push_back({a, b, km, geodesic_km(at[a], at[b]), km * ms_per_km});
    }
  }
  return out;
}

/// Whole parts of `total` in proportion to the shares: floors, then one more to the largest remainders.
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& shares) {
  std::vector<std::int64_t> out;
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double exact = static_cast<double>(total) * shares[i];
    out.push_back(static_cast<std::int64_t>(exact));
    given += out.back();
    remainders.emplace_back(static_cast<double>(out.back()) - exact, i);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 0; given < total; ++given, i = (i + 1) % out.size()) ++out[remainders[i].second];
  return out;
}

double price_without_state(const Scenario& scenario) {
  const FacilityInput& f = scenario.facility;
  const PriceModel& prices = scenario.catalog->prices.at(f.prices);
  const UsdPerJoule price =
      f.electricity_price ? *f.electricity_price : prices.electricity.value_or(UsdPerJoule(0));
  return price.si() * kJoulesPerMegawattHour;
}

/// An import writes Table 1's figure, computed from hours, into the column of the published one, and says so.
bool computed_on_import(const Authority& a) { return a.source.starts_with("paper_available_mw computed"); }

std::string what_spare_power_is(const Grid& grid) {
  if (std::any_of(grid.authorities.begin(), grid.authorities.end(), computed_on_import))
    return "spare power is the maximum generation less the maximum demand of the hours that were imported, "
           "not "
           "of the same hour, as in HotNets '24 Table 1; it is not that table's figure";
  return "spare power is as published (HotNets '24 Table 1: maximum generation less maximum demand, not of "
         "the "
         "same hour); the hourly generation behind it is in no file, so it is not recomputed";
}

/// What the data cannot say, for the answer itself.
std::vector<std::string> unknowns(const Grid& grid, const SiteInput& input) {
  std::vector<std::string> out;
  const auto any = [](const auto& rows, const auto& has) {
    return std::any_of(rows.begin(), rows.end(), has);
  };
  if (grid.shipped)
    out.push_back(
        fmt::format("this is the small grid that comes with the program ({} plants, {} interconnections): it "
                    "shows how siting "
                    "works and does not find sites; --grid reads a full one",
                    grid.plants.size(), grid.lines.size()));
  if (!any(grid.nodes, [](const GridNode& n) { return n.peak_load_mw > 0; }))
    out.emplace_back("no node has a load: local load is 0, and deliverable power is an upper bound");
  out.emplace_back(
      "lines are limits between nodes that cannot all be used at once: sums of them overstate imports; the "
      "maximum "
      "flow respects them together, but knows no voltages, losses or security beyond the loss that it names");
  if (input.spare == SpareRule::published) out.push_back(what_spare_power_is(grid));
  const auto year = std::find_if(grid.states.begin(), grid.states.end(), [](const GridState& s) {
    return s.price_usd_per_mwh.has_value() && !s.price_year.empty();
  });
  if (year != grid.states.end()) out.push_back(fmt::format("prices of energy are of {}", year->price_year));
  if (!any(grid.states, [](const GridState& s) { return s.co2_kg_per_mwh.has_value(); }) &&
      !any(grid.authorities, [](const Authority& a) { return a.co2_kg_per_mwh.has_value(); }))
    out.emplace_back("carbon intensity is unknown: the grid's files have none");
  out.emplace_back("land, water, permits, queues for connection and routes of fibre are not looked at");
  return out;
}

void warn_of_reserve(const Grid& grid, const SiteInput& input, std::vector<std::string>& warnings) {
  const auto has_unit = [](const GridPlant& p) { return p.largest_unit_mw.has_value(); };
  if (input.reserve != ReserveRule::unit || std::any_of(grid.plants.begin(), grid.plants.end(), has_unit))
    return;
  warnings.emplace_back("site.reserve = unit has no effect: no plant of this grid has a largest_unit_mw");
}

/// What a split is asked that does not depend on the search for it.
SplitQuestion split_question(const Scenario& scenario, const FacilityPlan& facility, double power_mw,
                             std::size_t sites) {
  const SiteInput& input = scenario.site;
  SplitQuestion q;
  q.power_mw = power_mw;
  q.sites = sites;
  q.least_share = input.least_share.value_or(1 / (2 * static_cast<double>(sites)));
  q.ms_per_km = round_trip_ms_per_km(input.fibre_ratio, input.refractive_index);
  q.load = scenario.facility.load;
  if (input.fibre_price) {
    constexpr double kBitsPerTerabit = 1e12;
    const double tbps =
        scenario.network.wide_area_rate.si() * static_cast<double>(facility.devices) / kBitsPerTerabit;
    q.fibre_usd_per_mw_km = *input.fibre_price * tbps * input.fibre_ratio / power_mw;
  }
  return q;
}

/// The split with the grid's names, prices and carbon, and its part of the HB domains, if there are any. Its
/// sites are numbered as they come.
Split split_of(const FoundSplit& found, const std::vector<const Site*>& sites, const FacilityPlan& facility,
               const SiteInput& input, double power_mw) {
  Split out;
  out.rtt_ms = found.rtt_ms;
  out.usd_per_year = found.usd_per_year;
  out.fibre_usd_per_year = found.fibre_usd_per_year;
  out.co2_t_per_year = found.co2_t_per_year;
  std::vector<double> shares;
  std::vector<GeoPoint> at;
  for (const double part_mw : found.power_mw) shares.push_back(part_mw / power_mw);
  const auto domains = apportion(facility.domains, shares);
  const double racks_of_domain =
      facility.domains > 0 ? facility.racks / static_cast<double>(facility.domains) : 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = *sites[i];
    out.price_known &= site.price_usd_per_mwh.has_value();
    out.co2_known &= site.co2_kg_per_mwh.has_value();
    at.push_back(site.node.at);
    out.sites.push_back(
        {i, found.power_mw[i], shares[i], domains[i], static_cast<double>(domains[i]) * racks_of_domain});
  }
  out.pairs = pairs_of(at, round_trip_ms_per_km(input.fibre_ratio, input.refractive_index));
  return out;
}

/// All sites of a split drawing at once.
JointFlow joint_flow(const DeliveryNetwork& network, const Split& split, const std::vector<Site>& places,
                     bool outages) {
  std::vector<Drain> drains;
  std::vector<const PowerNode*> nodes;
  for (const SplitSite& part : split.sites) {
    nodes.push_back(&places[part.site].node);
    drains.push_back({nodes.back()->nodes, part.power_mw});
  }
  return network.joint(drains, nodes, outages);
}

/// One question to one grid.
class Planner {
 public:
  Planner(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
          const TrainingOver& training)
      : scenario_(scenario), facility_(facility), grid_(grid), training_(training), input_(scenario.site) {
    const Watts power = input_.power.value_or(facility.power_high);
    out_.power_mw = power.si() / kWattsPerMegawatt;
    out_.warnings = grid.warnings;
    warn_of_reserve(grid, input_, out_.warnings);
    out_.authorities = spare_power(grid, input_, out_.warnings);
  }

  SitingPlan plan() {
    out_.grid = grid_.name;
    out_.shipped_grid = grid_.shipped;
    out_.input = input_;
    out_.domains = facility_.domains;
    out_.racks = facility_.racks;
    out_.plants = grid_.plants.size();
    out_.nodes = grid_.nodes.size();
    out_.lines = grid_.lines.size();
    out_.unknown = unknowns(grid_, input_);
    if (separation_km() < 2 * to_km(input_.radius))
      out_.warnings.emplace_back(
          "site.separation is less than twice the radius: plants may count for two sites");
    const SiteMaker maker(grid_, input_, out_.authorities);
    const DeliveryNetwork network(grid_);
    const auto candidates = maker.candidates();
    for (const Metres radius : input_.radii) add_radius(maker, candidates, to_km(radius));
    std::vector<Site> sites;
    for (const Candidate& c : candidates) sites.push_back(maker.site(c, to_km(input_.radius)));
    warn_of_carbon(sites);
    add_singles(maker, network, sites);
    for (std::int64_t k = 2; k <= input_.sites; ++k) add_splits(maker, network, sites, k);
    return std::move(out_);
  }

 private:
  double separation_km() const { return to_km(input_.separation.value_or(input_.radius * 2)); }
  double usual_price() const { return price_without_state(scenario_); }

  void warn_of_carbon(const std::vector<Site>& sites) {
    const auto unknown = std::count_if(sites.begin(), sites.end(),
                                       [](const Site& s) { return !s.co2_kg_per_mwh.has_value(); });
    if (input_.goal != SplitGoal::carbon || unknown == 0) return;
    out_.warnings.push_back(
        fmt::format("site.goal = carbon: the carbon intensity of {} of {} places is unknown; "
                    "splits with them come last, by round trip",
                    unknown, sites.size()));
  }

  void add_radius(const SiteMaker& maker, const std::vector<Candidate>& candidates, double radius_km) {
    RadiusResult result;
    result.radius_km = radius_km;
    result.places = candidates.size();
    std::map<std::string, std::size_t> authorities;
    const auto rank = [&](const Site& s) {
      return std::tuple(s.usable_mw >= out_.power_mw, s.available_mw >= out_.power_mw, s.usable_mw,
                        s.available_mw);
    };
    for (const Candidate& candidate : candidates) {
      Site site = maker.site(candidate, radius_km);
      if (site.available_mw >= out_.power_mw) {
        ++result.by_rule;
        ++authorities[site.node.authority];
        if (site.usable_mw >= out_.power_mw) ++result.by_spare;
      }
      if (!result.best || rank(site) > rank(*result.best)) result.best = std::move(site);
    }
    result.authorities.assign(authorities.begin(), authorities.end());
    std::stable_sort(result.authorities.begin(), result.authorities.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    out_.radii.push_back(std::move(result));
  }

  /// The strongest places that are not neighbours of a stronger one.
  void add_singles(const SiteMaker& maker, const DeliveryNetwork& network, const std::vector<Site>& sites) {
    out_.single_count = static_cast<std::size_t>(std::count_if(
        sites.begin(), sites.end(), [&](const Site& s) { return s.usable_mw >= out_.power_mw; }));
    std::vector<std::size_t> usable;
    std::vector<SplitPlace> places;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (sites[s].usable_mw <= 0) continue;
      usable.push_back(s);
      places.push_back(maker.split_place(sites[s], usual_price()));
      places.back().available_mw = sites[s].usable_mw;
    }
    for (const std::size_t place : thinned(places, separation_km())) {
      if (out_.singles.size() >= static_cast<std::size_t>(input_.shown)) break;
      out_.singles.push_back(sites[usable[place]]);
      out_.singles.back().deliverable = network.deliverable(out_.singles.back().node, false);
    }
  }

  SplitQuestion question(std::int64_t k) const {
    SplitQuestion q = split_question(scenario_, facility_, out_.power_mw, static_cast<std::size_t>(k));
    q.separation_km = separation_km();
    q.spread = input_.spread;
    q.goal = input_.goal;
    if (training_) q.training = training_(k);
    q.wanted = static_cast<std::size_t>(std::max(input_.shown, input_.confirmed));
    return q;
  }

  void add_splits(const SiteMaker& maker, const DeliveryNetwork& network, const std::vector<Site>& sites,
                  std::int64_t k) {
    const SplitQuestion q = question(k);
    if (q.least_share * static_cast<double>(k) > 1 + 1e-9)
      out_.warnings.push_back(
          fmt::format("site.least_share = {} of each of {} sites is more than everything", q.least_share, k));
    std::vector<std::size_t> strong;
    std::vector<SplitPlace> places;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (sites[s].usable_mw < q.least_share * q.power_mw || sites[s].usable_mw <= 0) continue;
      strong.push_back(s);
      places.push_back(maker.split_place(sites[s], usual_price()));
    }
    const auto order = input_.thin ? thinned(places, q.separation_km) : by_strength(places);
    std::vector<SplitPlace> kept;
    for (const std::size_t place : order) kept.push_back(places[place]);
    const SplitsFound found = find_splits(kept, q);
    SplitResult result;
    result.sites = k;
    result.kept = kept.size();
    result.compared = found.compared;
    result.feasible = found.feasible;
    result.exact = found.exact;
    const auto site_of = [&](std::size_t place) -> const Site& { return sites[strong[order[place]]]; };
    const auto add = [&](const FoundSplit& split, bool pareto) {
      result.splits.push_back(described(split, site_of));
      result.splits.back().pareto = pareto;
    };
    std::set<std::vector<std::size_t>> front;
    for (const FoundSplit& split : found.pareto) front.insert(split.places);
    for (const FoundSplit& split : found.best) add(split, front.erase(split.places) > 0);
    for (const FoundSplit& split : found.pareto) {
      if (front.contains(split.places)) add(split, true);
    }
    confirm(network, result);
    out_.splits.push_back(std::move(result));
  }

  template <class SiteOf>
  Split described(const FoundSplit& found, const SiteOf& site_of) {
    std::vector<const Site*> sites;
    for (const std::size_t place : found.places) sites.push_back(&site_of(place));
    Split out = split_of(found, sites, facility_, input_, out_.power_mw);
    for (std::size_t i = 0; i < sites.size(); ++i) out.sites[i].site = listed(*sites[i]);
    return out;
  }

  /// The number of a site among the answer's places.
  std::size_t listed(const Site& site) {
    const auto key = std::pair(site.node.at.lat_deg, site.node.at.lon_deg);
    const auto [at, fresh] = listed_.emplace(key, out_.places.size());
    if (fresh) out_.places.push_back(site);
    return at->second;
  }

  /// Puts the best splits on the network; the first that it can feed is chosen.
  void confirm(const DeliveryNetwork& network, SplitResult& result) {
    const std::size_t count = std::min(result.splits.size(), static_cast<std::size_t>(input_.confirmed));
    for (std::size_t s = 0; s < count; ++s) {
      Split& split = result.splits[s];
      split.joint = joint_flow(network, split, out_.places, false);
      if (!split.joint->holds() || (result.chosen && !input_.outages)) continue;
      split.joint = joint_flow(network, split, out_.places, true);
      if (!result.chosen && (split.joint->survives() || !input_.outages)) result.chosen = s;
    }
    if (input_.confirmed == 0 && !result.splits.empty()) result.chosen = 0;
  }

  const Scenario& scenario_;
  const FacilityPlan& facility_;
  const Grid& grid_;
  const TrainingOver& training_;
  const SiteInput& input_;
  SitingPlan out_;
  std::map<std::pair<double, double>, std::size_t> listed_;
};

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(0.0, *a - *b);
}

bool answered(const SitingPlan& plan) {
  return plan.single_count > 0 || std::any_of(plan.splits.begin(), plan.splits.end(),
                                              [](const SplitResult& r) { return r.chosen.has_value(); });
}

bool answered(const PlacesPlan& plan, const SiteInput& input) {
  if (!plan.split || !plan.split->joint) return false;
  return input.outages ? plan.split->joint->survives() : plan.split->joint->holds();
}

/// Settings that are tried one by one when nothing holds the power.
class Remedies {
 public:
  /// `holds(input, power)`: whether there is an answer.
  using Holds = std::function<bool(const SiteInput&, double)>;

  Remedies(const SiteInput& input, double power_mw, const Holds& holds)
      : input_(input), power_mw_(power_mw), holds_(holds) {}

  void try_radii(std::vector<std::string>& out) const {
    std::vector<Metres> radii = input_.radii;
    std::sort(radii.begin(), radii.end());
    for (const Metres radius : radii) {
      if (radius <= input_.radius) continue;
      SiteInput other = input_;
      other.radius = radius;
      if (!holds_(other, power_mw_)) continue;
      return out.push_back(fmt::format("site.radius = {:g} km", to_km(radius)));
    }
  }

  void try_sites(std::vector<std::string>& out) const {
    for (std::int64_t k = input_.sites + 1; k <= static_cast<std::int64_t>(kMostSplitSites); ++k) {
      SiteInput other = input_;
      other.sites = k;
      if (holds_(other, power_mw_)) return out.push_back(fmt::format("site.sites = {}", k));
    }
  }

  void try_rules(std::vector<std::string>& out) const {
    SiteInput coal = input_;
    coal.coal = CoalRule::allowed;
    if (input_.coal != CoalRule::allowed && holds_(coal, power_mw_)) out.emplace_back("site.coal = allowed");
    SiteInput spare = input_;
    spare.spare = SpareRule::unlimited;
    spare.available.clear();
    if (input_.spare != SpareRule::unlimited && holds_(spare, power_mw_))
      out.emplace_back("more spare power of authorities: site.available, or site.spare = unlimited");
  }

  void try_power(std::vector<std::string>& out) const {
    const double most_mw = most_power_mw(input_);
    if (most_mw > 0) out.push_back(fmt::format("site.power = {} MW", most_mw));
  }

  /// Where no one setting is enough.
  void try_radii_with_less_power(std::vector<std::string>& out) const {
    double most_mw = 0;
    double radius_km = 0;
    for (const Metres radius : input_.radii) {
      if (radius <= input_.radius) continue;
      SiteInput other = input_;
      other.radius = radius;
      const double mw = most_power_mw(other);
      if (mw <= most_mw) continue;
      most_mw = mw;
      radius_km = to_km(radius);
    }
    if (most_mw > 0)
      out.push_back(fmt::format("site.radius = {:g} km and site.power = {} MW", radius_km, most_mw));
  }

 private:
  /// The most of the power that holds, to one part in 64.
  double most_power_mw(const SiteInput& input) const {
    constexpr int kParts = 64;
    int holds = 0;
    for (int step = kParts / 2; step > 0; step /= 2) {
      if (holds_(input, power_mw_ * (holds + step) / kParts)) holds += step;
    }
    return std::floor(power_mw_ * holds / kParts);
  }

  const SiteInput& input_;
  double power_mw_;
  const Holds& holds_;
};

/// The split of the power over all places, and whether the network feeds it.
void add_split(const Scenario& scenario, const FacilityPlan& facility, const SiteMaker& maker,
               const DeliveryNetwork& network, PlacesPlan& out) {
  const SplitQuestion q = split_question(scenario, facility, out.power_mw, out.places.size());
  std::vector<SplitPlace> places;
  std::vector<const Site*> sites;
  std::vector<std::size_t> all(out.places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const PlaceResult& place : out.places) {
    out.sites.push_back(place.site);
    sites.push_back(&place.site);
    places.push_back(maker.split_place(place.site, price_without_state(scenario)));
  }
  const auto found = evaluate_split(places, all, q);
  if (!found) return;
  out.split = split_of(*found, sites, facility, scenario.site, out.power_mw);
  out.split->joint = joint_flow(network, *out.split, out.sites, true);
}

/// What is missing, of the best that was found.
std::string shortfall(const SitingPlan& plan) {
  std::string out = fmt::format("{:.0f} MW wanted at {:g} km; ", plan.power_mw, to_km(plan.input.radius));
  if (plan.singles.empty()) {
    out += "no place has power to give";
  } else {
    out += fmt::format("one place gives at most {:.0f} MW ({})", plan.singles.front().usable_mw,
                       plan.singles.front().name);
  }
  for (const SplitResult& result : plan.splits) {
    if (result.feasible == 0) {
      out += fmt::format("; over {} sites no set of places has as much", result.sites);
      continue;
    }
    double most_mw = 0;
    for (const Split& split : result.splits)
      most_mw = std::max(most_mw, split.joint ? split.joint->delivered_mw : 0);
    out += fmt::format("; over {} sites the network feeds at most {:.0f} MW of the best sets", result.sites,
                       most_mw);
  }
  return out;
}

/// Plants within two of the circles count for both.
void warn_of_overlaps(PlacesPlan& plan) {
  for (std::size_t a = 0; a < plan.places.size(); ++a) {
    for (std::size_t b = a + 1; b < plan.places.size(); ++b) {
      const Site& one = plan.places[a].site;
      const Site& other = plan.places[b].site;
      const double km = distance_km(one.node.at, other.node.at);
      if (km == 0 || one.node.radius_km != other.node.radius_km || km >= 2 * one.node.radius_km) continue;
      plan.warnings.push_back(
          fmt::format("{} at {},{} and {} at {},{} are {:.1f} km apart, less than twice the radius of {:g} "
                      "km: plants may "
                      "count for both",
                      one.name, one.node.at.lat_deg, one.node.at.lon_deg, other.name, other.node.at.lat_deg,
                      other.node.at.lon_deg, km, one.node.radius_km));
    }
  }
}

/// Of one place that was named, at each of its radii; absent: it takes the power at one of them.
std::optional<UnmetPower> unmet_at_one(const PlacesPlan& plan) {
  const auto weaker = [](const PlaceResult& a, const PlaceResult& b) {
    return a.site.usable_mw < b.site.usable_mw;
  };
  const auto best = std::max_element(plan.places.begin(), plan.places.end(), weaker);
  if (best == plan.places.end() || best->site.usable_mw >= plan.power_mw) return std::nullopt;
  UnmetPower out{"power at the place",
                 fmt::format("{:.0f} MW wanted; the place gives at most {:.0f} MW ({:g} km)", plan.power_mw,
                             best->site.usable_mw, best->site.node.radius_km),
                 {}};
  if (best->site.usable_mw >= 1)
    out.remedies.push_back(fmt::format("site.power = {} MW", std::floor(best->site.usable_mw)));
  out.remedies.emplace_back("a larger --radius");
  return out;
}

/// Of places that were named.
UnmetPower unmet_power(const Scenario& scenario, const FacilityPlan& facility, const SiteMaker& maker,
                       const DeliveryNetwork& network, const PlacesPlan& plan) {
  UnmetPower out{"power at the places", fmt::format("{:.0f} MW wanted; ", plan.power_mw), {}};
  double given_mw = 0;
  for (const Site& site : plan.sites) given_mw += site.usable_mw;
  out.shortfall += plan.split && plan.split->joint
                       ? fmt::format("the network feeds {:.0f} MW of it", plan.split->joint->delivered_mw)
                       : fmt::format(
                             "the places give {:.0f} MW, at most and before they share an authority's "
                             "spare power or take their least shares",
                             given_mw);
  const Remedies::Holds holds = [&](const SiteInput& input, double power_mw) {
    PlacesPlan other;
    other.power_mw = power_mw;
    other.places = plan.places;
    add_split(scenario, facility, maker, network, other);
    return answered(other, input);
  };
  Remedies(plan.input, plan.power_mw, holds).try_power(out.remedies);
  out.remedies.emplace_back("a larger --radius");
  return out;
}

UnmetPower unmet_power(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       const SitingPlan& plan) {
  const Remedies::Holds holds = [&](const SiteInput& input, double power_mw) {
    Scenario other = scenario;
    other.site = input;
    other.site.power = Watts(power_mw * kWattsPerMegawatt);
    other.site.radii.clear();
    other.site.goal = SplitGoal::round_trip;
    return answered(Planner(other, facility, grid, {}).plan());
  };
  UnmetPower out{"power on the grid", shortfall(plan), {}};
  const Remedies remedies(scenario.site, plan.power_mw, holds);
  remedies.try_radii(out.remedies);
  remedies.try_sites(out.remedies);
  remedies.try_rules(out.remedies);
  remedies.try_power(out.remedies);
  if (out.remedies.empty()) remedies.try_radii_with_less_power(out.remedies);
  return out;
}

}  // namespace

bool same_place(GeoPoint a, GeoPoint b) { return distance_km(a, b) == 0; }

Grid grid_of(const SiteInput& input) { return input.grid.empty() ? shipped_grid() : read_grid(input.grid); }

std::vector<SparePower> spare_power(const Grid& grid, const SiteInput& input,
                                    std::vector<std::string>& warnings) {
  SpareRule rule = input.spare;
  const bool published = std::any_of(grid.authorities.begin(), grid.authorities.end(),
                                     [](const Authority& a) { return a.published_mw.has_value(); });
  if (rule == SpareRule::published && !published && input.available.empty()) {
    warnings.emplace_back("no authority of this grid has a published figure: spare power is not limited");
    rule = SpareRule::unlimited;
  }
  std::vector<SparePower> out;
  std::vector<std::string> codes;
  for (const Authority& a : grid.authorities) {
    SparePower s{a.code,
                 a.name,
                 a.peak_demand_mw,
                 a.published_mw,
                 difference(a.installed_mw, a.peak_demand_mw),
                 difference(a.firm_mw, a.peak_demand_mw),
                 std::nullopt,
                 ""};
    if (rule == SpareRule::published) {
      s.used_mw = s.published_mw.value_or(0);
      s.origin = !s.published_mw         ? "no published figure"
                 : computed_on_import(a) ? "from hours"
                                         : "as published";
    } else if (rule == SpareRule::unlimited) {
      s.origin = "not limited";
    } else {
      const auto& figure = rule == SpareRule::installed ? s.installed_less_peak_mw : s.firm_less_peak_mw;
      s.used_mw = figure.value_or(0);
      s.origin = !figure                        ? "unknown"
                 : rule == SpareRule::installed ? "installed less peak"
                                                : "firm less peak";
    }
    if (const auto own = input.available.find(a.code); own != input.available.end()) {
      s.used_mw = own->second.si() / kWattsPerMegawatt;
      s.origin = "site.available";
    }
    codes.push_back(a.code);
    out.push_back(std::move(s));
  }
  Findings findings;
  for (const auto& [code, unused] : input.available) {
    if (std::find(codes.begin(), codes.end(), code) == codes.end())
      findings.add(whole("site.available"), fmt::format("the grid has no balancing authority '{}'", code),
                   suggestion(code, codes));
  }
  findings.throw_if_any();
  return out;
}

SitingPlan plan_siting(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       const TrainingOver& training) {
  SitingPlan out = Planner(scenario, facility, grid, training).plan();
  if (!answered(out)) out.unmet = unmet_power(scenario, facility, grid, out);
  return out;
}

PlacesPlan examine_places(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                          double power_mw, const std::vector<GeoPoint>& places,
                          const std::vector<double>& radii_km) {
  const SiteInput& input = scenario.site;
  PlacesPlan out;
  out.grid = grid.name;
  out.shipped_grid = grid.shipped;
  out.input = input;
  out.power_mw = power_mw;
  out.warnings = grid.warnings;
  out.unknown = unknowns(grid, input);
  warn_of_reserve(grid, input, out.warnings);
  const auto spare = spare_power(grid, input, out.warnings);
  const SiteMaker maker(grid, input, spare);
  const DeliveryNetwork network(grid);
  for (const GeoPoint place : places) {
    const auto least = [&](PowerRule rule) {
      return power_mw > 0 ? maker.nodes().least_radius_km(place, rule, power_mw) : std::nullopt;
    };
    const std::optional<int> paper = least(PowerRule::paper);
    const std::optional<int> autonomous = least(PowerRule::autonomous);
    const std::optional<int> strict = least(PowerRule::strict);
    for (const double radius_km : radii_km) {
      PlaceResult result{maker.place(place, radius_km), paper, autonomous, strict};
      result.site.deliverable = network.deliverable(result.site.node, true);
      out.places.push_back(std::move(result));
    }
  }
  warn_of_overlaps(out);
  if (power_mw <= 0) return out;
  if (places.size() == 1) {
    out.unmet = unmet_at_one(out);
    return out;
  }
  if (radii_km.size() != 1) return out;
  out.pairs = pairs_of(places, round_trip_ms_per_km(input.fibre_ratio, input.refractive_index));
  add_split(scenario, facility, maker, network, out);
  if (!answered(out, input)) out.unmet = unmet_power(scenario, facility, maker, network, out);
  return out;
}

}  // namespace trainyard
