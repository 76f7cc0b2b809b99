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

#include "base/counted.h"
#include "base/stopping.h"
#include "facility/geo.h"
#include "siting/delivery.h"
#include "siting/grid_files.h"
#include "siting/site_maker.h"
#include "siting/splits.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/grid.h"
#include "trainyard/nearest.h"
#include "trainyard/plan/facility.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Length on the WGS 84 ellipsoid.
Kilometres geodesic(GeoPoint a, GeoPoint b) {
  double metres = 0;
  GeographicLib::Geodesic::WGS84().Inverse(a.lat_deg, a.lon_deg, b.lat_deg, b.lon_deg, metres);
  return as<Kilometres>(Metres(metres));
}

/// Round trip of light in the fibre between sites, by the great circle between them.
MillisecondsPerKilometre pace_of(const SiteInput& input) {
  return MillisecondsPerKilometre(round_trip_ms_per_km(input.fibre_ratio, input.refractive_index));
}

std::vector<SitePair> pairs_of(const std::vector<GeoPoint>& at, MillisecondsPerKilometre pace) {
  std::vector<SitePair> out;
  for (std::size_t a = 0; a < at.size(); ++a) {
    for (std::size_t b = a + 1; b < at.size(); ++b) {
      const Kilometres distance(distance_km(at[a], at[b]));
      out.push_back({a, b, distance, geodesic(at[a], at[b]), distance * pace});
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

UsdPerMegawattHour price_without_state(const Scenario& scenario) {
  const FacilityInput& f = scenario.facility;
  const PriceModel& prices = scenario.catalog->prices.at(f.prices);
  const UsdPerJoule price =
      f.electricity_price ? *f.electricity_price : prices.electricity.value_or(UsdPerJoule(0));
  return as<UsdPerMegawattHour>(price);
}

/// An import writes Table 1's figure, computed from hours, into the column of the published one.
bool computed_on_import(const Authority& a) { return a.published_from == SpareFigure::hours; }

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
  if (!any(grid.nodes, [](const GridNode& n) { return n.peak_load > Megawatts(); }))
    out.emplace_back("no node has a load: local load is 0, and deliverable power is an upper bound");
  out.emplace_back(
      "lines are limits between nodes that cannot all be used at once: sums of them overstate imports; the "
      "maximum "
      "flow respects them together, but knows no voltages, losses or security beyond the loss that it names");
  if (input.spare == SpareRule::published) out.push_back(what_spare_power_is(grid));
  const auto year = std::find_if(grid.states.begin(), grid.states.end(), [](const GridState& s) {
    return s.price.has_value() && !s.price_year.empty();
  });
  if (year != grid.states.end()) out.push_back(fmt::format("prices of energy are of {}", year->price_year));
  if (!any(grid.states, [](const GridState& s) { return s.co2.has_value(); }) &&
      !any(grid.authorities, [](const Authority& a) { return a.co2.has_value(); }))
    out.emplace_back("carbon intensity is unknown: the grid's files have none");
  out.emplace_back("land, water, permits, queues for connection and routes of fibre are not looked at");
  return out;
}

void warn_of_reserve(const Grid& grid, const SiteInput& input, std::vector<std::string>& warnings) {
  const auto has_unit = [](const GridPlant& p) { return p.largest_unit.has_value(); };
  if (input.reserve != ReserveRule::unit || std::any_of(grid.plants.begin(), grid.plants.end(), has_unit))
    return;
  warnings.emplace_back("site.reserve = unit has no effect: no plant of this grid has a largest_unit_mw");
}

/// What a split is asked that does not depend on the search for it.
SplitQuestion split_question(const Scenario& scenario, const FacilityPlan& facility, Megawatts power,
                             std::size_t sites) {
  const SiteInput& input = scenario.site;
  SplitQuestion q;
  q.power = power;
  q.sites = sites;
  q.least_share = input.least_share.value_or(1 / (2 * static_cast<double>(sites)));
  q.pace = pace_of(input);
  q.load = scenario.facility.load;
  if (input.fibre_price) {
    using PriceOfLength = decltype(UsdPerYear() / Kilometres());
    constexpr double kBitsPerTerabit = 1e12;
    const double tbps =
        scenario.network.wide_area_rate.si() * static_cast<double>(facility.devices) / kBitsPerTerabit;
    q.fibre_price = PriceOfLength(*input.fibre_price * tbps * input.fibre_ratio) / power;
  }
  return q;
}

/// The split with the grid's names, prices and carbon, and its part of the HB domains, if there are any. Its
/// sites are numbered as they come.
Split split_of(const FoundSplit& found, const std::vector<const Site*>& sites, const FacilityPlan& facility,
               const SiteInput& input, Megawatts power) {
  Split out;
  out.rtt = found.rtt;
  out.cost = found.cost;
  out.fibre_cost = found.fibre_cost;
  out.co2 = found.co2;
  std::vector<double> shares;
  std::vector<GeoPoint> at;
  for (const Megawatts part : found.power) shares.push_back(part / power);
  const auto domains = apportion(facility.domains, shares);
  const double racks_of_domain =
      facility.domains > 0 ? facility.racks / static_cast<double>(facility.domains) : 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = *sites[i];
    out.price_known &= site.price.has_value();
    out.co2_known &= site.co2.has_value();
    at.push_back(site.node.at);
    out.sites.push_back(
        {i, found.power[i], shares[i], domains[i], static_cast<double>(domains[i]) * racks_of_domain});
  }
  out.pairs = pairs_of(at, pace_of(input));
  return out;
}

/// All sites of a split drawing at once.
JointFlow joint_flow(const DeliveryNetwork& network, const Split& split, const std::vector<Site>& places,
                     bool outages) {
  std::vector<Drain> drains;
  std::vector<const PowerNode*> nodes;
  for (const SplitSite& part : split.sites) {
    nodes.push_back(&places[part.site].node);
    drains.push_back({nodes.back()->nodes, part.power});
  }
  return network.joint(drains, nodes, outages);
}

/// One question to one grid.
class Planner {
 public:
  Planner(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
          const TrainingOver& training)
      : scenario_(scenario), facility_(facility), grid_(grid), training_(training), input_(scenario.site) {
    out_.power = as<Megawatts>(input_.power.value_or(facility.power_high));
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
    if (separation() < 2 * as<Kilometres>(input_.radius))
      out_.warnings.emplace_back(
          "site.separation is less than twice the radius: plants may count for two sites");
    const SiteMaker maker(grid_, input_, out_.authorities);
    const DeliveryNetwork network(grid_);
    const auto candidates = maker.candidates();
    check_work(candidates.size());
    for (const Metres radius : input_.radii) add_radius(maker, candidates, as<Kilometres>(radius));
    std::vector<Site> sites;
    for (const SiteCandidate& c : candidates) {
      pause_point();
      sites.push_back(maker.site(c, as<Kilometres>(input_.radius)));
    }
    warn_of_carbon(sites);
    add_singles(maker, network, sites);
    for (std::int64_t k = 2; k <= input_.sites; ++k) add_splits(maker, network, sites, k);
    return std::move(out_);
  }

 private:
  void check_work(std::size_t places) const {
    constexpr double kMostSites = 2e6;  // minutes
    const double sites = static_cast<double>(places) * static_cast<double>(input_.radii.size());
    if (sites <= kMostSites) return;
    fail_input(
        whole("site.radii"),
        fmt::format("{} radii of {} places are {:.3g} sites, more than the {:g} that are looked at",
                    input_.radii.size(), places, sites, kMostSites),
        fmt::format("at most {:.0f} radii here", std::floor(kMostSites / static_cast<double>(places))));
  }

  Kilometres separation() const { return as<Kilometres>(input_.separation.value_or(input_.radius * 2)); }
  UsdPerMegawattHour usual_price() const { return price_without_state(scenario_); }

  void warn_of_carbon(const std::vector<Site>& sites) {
    const auto unknown =
        std::count_if(sites.begin(), sites.end(), [](const Site& s) { return !s.co2.has_value(); });
    if (input_.goal != SplitGoal::carbon || unknown == 0) return;
    out_.warnings.push_back(fmt::format(
        "site.goal = carbon: the carbon intensity of {} of {} is unknown; splits with them come last, by "
        "round trip",
        unknown, counted(sites.size(), "place")));
  }

  void add_radius(const SiteMaker& maker, const std::vector<SiteCandidate>& candidates, Kilometres radius) {
    RadiusResult result;
    result.radius = radius;
    result.places = candidates.size();
    std::map<std::string, std::size_t> authorities;
    // Of places that give as much, or nothing, the one with most plants' power: no order of rows decides.
    const auto rank = [&](const Site& s) {
      return std::tuple(s.usable >= out_.power, s.available >= out_.power, s.usable, s.available,
                        s.node.generation, s.node.at.lat_deg, -s.node.at.lon_deg);
    };
    for (const SiteCandidate& candidate : candidates) {
      pause_point();
      Site site = maker.site(candidate, radius);
      if (site.available >= out_.power) {
        ++result.by_rule;
        ++authorities[site.node.authority];
        if (site.usable >= out_.power) ++result.by_spare;
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
    out_.single_count = static_cast<std::size_t>(
        std::count_if(sites.begin(), sites.end(), [&](const Site& s) { return s.usable >= out_.power; }));
    std::vector<std::size_t> usable;
    std::vector<SplitPlace> places;
    for (std::size_t s = 0; s < sites.size(); ++s) {
      if (sites[s].usable <= Megawatts()) continue;
      usable.push_back(s);
      places.push_back(maker.split_place(sites[s], usual_price()));
      places.back().available = sites[s].usable;
    }
    for (const std::size_t place : thinned(places, separation())) {
      if (out_.singles.size() >= static_cast<std::size_t>(input_.shown)) break;
      out_.singles.push_back(sites[usable[place]]);
      out_.singles.back().deliverable = network.deliverable(out_.singles.back().node, false);
    }
  }

  SplitQuestion question(std::int64_t k) const {
    SplitQuestion q = split_question(scenario_, facility_, out_.power, static_cast<std::size_t>(k));
    q.separation = separation();
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
      if (sites[s].usable < q.least_share * q.power || sites[s].usable <= Megawatts()) continue;
      strong.push_back(s);
      places.push_back(maker.split_place(sites[s], usual_price()));
    }
    const auto order = input_.thin ? thinned(places, q.separation) : by_strength(places);
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
    Split out = split_of(found, sites, facility_, input_, out_.power);
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
    if (input_.confirmed > 0) redraw_front(network, result, count);
  }

  /// Splits that the network does not feed are none that others could be worse than. Of the splits that were
  /// put on it, those that only such ones beat come in their place.
  void redraw_front(const DeliveryNetwork& network, SplitResult& result, std::size_t confirmed) const {
    const auto fed = [&](const Split& split) {
      if (!split.joint || !split.joint->holds()) return false;
      return !input_.outages || split.joint->survives();
    };
    for (std::size_t s = 0; s < result.splits.size(); ++s) {
      Split& split = result.splits[s];
      if (s >= confirmed && split.pareto)
        split.joint = joint_flow(network, split, out_.places, input_.outages);
    }
    const auto beats = [](const Split& a, const Split& b) {
      return a.rtt <= b.rtt && a.cost <= b.cost && a.co2 <= b.co2 &&
             (a.rtt < b.rtt || a.cost < b.cost || a.co2 < b.co2);
    };
    std::vector<char> front;
    for (const Split& split : result.splits) {
      const bool beaten = std::any_of(result.splits.begin(), result.splits.end(),
                                      [&](const Split& other) { return fed(other) && beats(other, split); });
      front.push_back(fed(split) && (split.pareto || !beaten) ? 1 : 0);
    }
    for (std::size_t s = 0; s < front.size(); ++s) result.splits[s].pareto = front[s] != 0;
  }

  const Scenario& scenario_;
  const FacilityPlan& facility_;
  const Grid& grid_;
  const TrainingOver& training_;
  const SiteInput& input_;
  SitingPlan out_;
  std::map<std::pair<double, double>, std::size_t> listed_;
};

std::optional<Megawatts> difference(const std::optional<Megawatts>& a, const std::optional<Megawatts>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(Megawatts(), *a - *b);
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
  using Holds = std::function<bool(const SiteInput&, Megawatts)>;

  Remedies(const SiteInput& input, Megawatts power, const Holds& holds)
      : input_(input), power_(power), holds_(holds) {}

  void try_radii(std::vector<std::string>& out) const {
    std::vector<Metres> radii = input_.radii;
    std::sort(radii.begin(), radii.end());
    for (const Metres radius : radii) {
      if (radius <= input_.radius) continue;
      SiteInput other = input_;
      other.radius = radius;
      if (!holds_(other, power_)) continue;
      return out.push_back(fmt::format("site.radius = {:g} km", as<Kilometres>(radius).count()));
    }
  }

  void try_sites(std::vector<std::string>& out) const {
    for (std::int64_t k = input_.sites + 1; k <= static_cast<std::int64_t>(kMostSplitSites); ++k) {
      SiteInput other = input_;
      other.sites = k;
      if (holds_(other, power_)) return out.push_back(fmt::format("site.sites = {}", k));
    }
  }

  void try_rules(std::vector<std::string>& out) const {
    SiteInput coal = input_;
    coal.coal = CoalRule::allowed;
    if (input_.coal != CoalRule::allowed && holds_(coal, power_)) out.emplace_back("site.coal = allowed");
    SiteInput spare = input_;
    spare.spare = SpareRule::unlimited;
    spare.available.clear();
    if (input_.spare != SpareRule::unlimited && holds_(spare, power_))
      out.emplace_back("more spare power of authorities: site.available, or site.spare = unlimited");
  }

  void try_power(std::vector<std::string>& out) const {
    const Megawatts most = most_power(input_);
    if (most > Megawatts()) out.push_back(fmt::format("site.power = {} MW", most.count()));
  }

  /// Where no one setting is enough.
  void try_radii_with_less_power(std::vector<std::string>& out) const {
    Megawatts most;
    Kilometres at;
    for (const Metres radius : input_.radii) {
      if (radius <= input_.radius) continue;
      SiteInput other = input_;
      other.radius = radius;
      const Megawatts power = most_power(other);
      if (power <= most) continue;
      most = power;
      at = as<Kilometres>(radius);
    }
    if (most > Megawatts())
      out.push_back(fmt::format("site.radius = {:g} km and site.power = {} MW", at.count(), most.count()));
  }

 private:
  /// The most of the power that holds, to one part in 64.
  Megawatts most_power(const SiteInput& input) const {
    constexpr int kParts = 64;
    int holds = 0;
    for (int step = kParts / 2; step > 0; step /= 2) {
      if (holds_(input, power_ * (holds + step) / kParts)) holds += step;
    }
    return Megawatts(std::floor((power_ * holds / kParts).count()));
  }

  const SiteInput& input_;
  Megawatts power_;
  const Holds& holds_;
};

/// The split of the power over all places, and whether the network feeds it.
void add_split(const Scenario& scenario, const FacilityPlan& facility, const SiteMaker& maker,
               const DeliveryNetwork& network, PlacesPlan& out) {
  const SplitQuestion q = split_question(scenario, facility, out.power, out.places.size());
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
  out.split = split_of(*found, sites, facility, scenario.site, out.power);
  out.split->joint = joint_flow(network, *out.split, out.sites, true);
}

/// What is missing, of the best that was found.
std::string shortfall(const SitingPlan& plan) {
  std::string out = fmt::format("{:.0f} MW wanted at {:g} km; ", plan.power.count(),
                                as<Kilometres>(plan.input.radius).count());
  if (plan.singles.empty()) {
    out += "no place has power to give";
  } else {
    out += fmt::format("one place gives at most {:.0f} MW ({})", plan.singles.front().usable.count(),
                       plan.singles.front().name);
  }
  for (const SplitResult& result : plan.splits) {
    if (result.feasible == 0) {
      out += fmt::format("; over {} sites no set of places has as much", result.sites);
      continue;
    }
    Megawatts most;
    for (const Split& split : result.splits)
      most = std::max(most, split.joint ? split.joint->delivered : Megawatts());
    out += fmt::format("; over {} sites the network feeds at most {:.0f} MW of the best sets", result.sites,
                       most.count());
  }
  return out;
}

/// What is known of a place beyond the grid's nodes is that of a node far away.
void warn_of_distance(const Grid& grid, const SiteMaker& maker, GeoPoint place,
                      std::vector<std::string>& warnings) {
  const auto [node, km] = maker.nearest_node(place);
  if (km <= kFarNode_km) return;
  const std::string& name = grid.nodes[node].name.empty() ? grid.nodes[node].id : grid.nodes[node].name;
  warnings.push_back(fmt::format(
      "{},{} is {:.0f} km from the nearest node of the grid ({}): its authority, state, price and "
      "carbon are of there, and nothing here is known of the place itself",
      place.lat_deg, place.lon_deg, km, name));
}

/// Plants within two of the circles count for both.
void warn_of_overlaps(PlacesPlan& plan) {
  for (std::size_t a = 0; a < plan.places.size(); ++a) {
    for (std::size_t b = a + 1; b < plan.places.size(); ++b) {
      const Site& one = plan.places[a].site;
      const Site& other = plan.places[b].site;
      const Kilometres apart(distance_km(one.node.at, other.node.at));
      if (apart == Kilometres() || one.node.radius != other.node.radius || apart >= 2 * one.node.radius)
        continue;
      plan.warnings.push_back(
          fmt::format("{} at {},{} and {} at {},{} are {:.1f} km apart, less than twice the radius of {:g} "
                      "km: plants may "
                      "count for both",
                      one.name, one.node.at.lat_deg, one.node.at.lon_deg, other.name, other.node.at.lat_deg,
                      other.node.at.lon_deg, apart.count(), one.node.radius.count()));
    }
  }
}

/// Of one place that was named, at each of its radii; absent: it takes the power at one of them.
std::optional<UnmetPower> unmet_at_one(const PlacesPlan& plan) {
  const auto weaker = [](const PlaceResult& a, const PlaceResult& b) {
    return a.site.usable < b.site.usable;
  };
  const auto best = std::max_element(plan.places.begin(), plan.places.end(), weaker);
  if (best == plan.places.end() || best->site.usable >= plan.power) return std::nullopt;
  UnmetPower out{"power at the place",
                 fmt::format("{:.0f} MW wanted; the place gives at most {:.0f} MW ({:g} km)",
                             plan.power.count(), best->site.usable.count(), best->site.node.radius.count()),
                 {}};
  if (best->site.usable >= Megawatts(1))
    out.remedies.push_back(fmt::format("site.power = {} MW", std::floor(best->site.usable.count())));
  out.remedies.emplace_back("a larger --radius");
  return out;
}

/// Of places that were named.
UnmetPower unmet_power(const Scenario& scenario, const FacilityPlan& facility, const SiteMaker& maker,
                       const DeliveryNetwork& network, const PlacesPlan& plan) {
  UnmetPower out{"power at the places", fmt::format("{:.0f} MW wanted; ", plan.power.count()), {}};
  Megawatts given;
  for (const Site& site : plan.sites) given += site.usable;
  out.shortfall +=
      plan.split && plan.split->joint
          ? fmt::format("the network feeds {:.0f} MW of it", plan.split->joint->delivered.count())
          : fmt::format(
                "the places give {:.0f} MW, at most and before they share an authority's "
                "spare power or take their least shares",
                given.count());
  const Remedies::Holds holds = [&](const SiteInput& input, Megawatts power) {
    PlacesPlan other;
    other.power = power;
    other.places = plan.places;
    add_split(scenario, facility, maker, network, other);
    return answered(other, input);
  };
  Remedies(plan.input, plan.power, holds).try_power(out.remedies);
  out.remedies.emplace_back("a larger --radius");
  return out;
}

UnmetPower unmet_power(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid,
                       const SitingPlan& plan) {
  const Remedies::Holds holds = [&](const SiteInput& input, Megawatts power) {
    Scenario other = scenario;
    other.site = input;
    other.site.power = as<Watts>(power);
    other.site.radii.clear();
    other.site.goal = SplitGoal::round_trip;
    return answered(Planner(other, facility, grid, {}).plan());
  };
  UnmetPower out{"power on the grid", shortfall(plan), {}};
  const Remedies remedies(scenario.site, plan.power, holds);
  remedies.try_radii(out.remedies);
  remedies.try_sites(out.remedies);
  remedies.try_rules(out.remedies);
  remedies.try_power(out.remedies);
  if (out.remedies.empty()) remedies.try_radii_with_less_power(out.remedies);
  return out;
}

}  // namespace

bool same_place(GeoPoint a, GeoPoint b) {
  constexpr double kRounding_km = 1e-6;  // 180 degrees east are 180 west, but not to the last digit
  return distance_km(a, b) <= kRounding_km;
}

Grid grid_of(const SiteInput& input) { return input.grid.empty() ? shipped_grid() : read_grid(input.grid); }

std::vector<SparePower> spare_power(const Grid& grid, const SiteInput& input,
                                    std::vector<std::string>& warnings) {
  SpareRule rule = input.spare;
  const bool published = std::any_of(grid.authorities.begin(), grid.authorities.end(),
                                     [](const Authority& a) { return a.published.has_value(); });
  if (rule == SpareRule::published && !published && input.available.empty()) {
    warnings.emplace_back("no authority of this grid has a published figure: spare power is not limited");
    rule = SpareRule::unlimited;
  }
  std::vector<SparePower> out;
  std::vector<std::string> codes;
  for (const Authority& a : grid.authorities) {
    SparePower s{a.code,
                 a.name,
                 a.peak_demand,
                 a.published,
                 difference(a.installed, a.peak_demand),
                 difference(a.firm, a.peak_demand),
                 std::nullopt,
                 ""};
    if (rule == SpareRule::published) {
      s.used = s.published.value_or(Megawatts());
      s.origin = !s.published ? "no published figure" : computed_on_import(a) ? "from hours" : "as published";
    } else if (rule == SpareRule::unlimited) {
      s.origin = "not limited";
    } else {
      const auto& figure = rule == SpareRule::installed ? s.installed_less_peak : s.firm_less_peak;
      s.used = figure.value_or(Megawatts());
      s.origin = !figure                        ? "unknown"
                 : rule == SpareRule::installed ? "installed less peak"
                                                : "firm less peak";
    }
    if (const auto own = input.available.find(a.code); own != input.available.end()) {
      s.used = as<Megawatts>(own->second);
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
                          Megawatts power, const std::vector<GeoPoint>& places,
                          const std::vector<Kilometres>& radii) {
  const SiteInput& input = scenario.site;
  if (radii.empty()) fail_input(whole("site.radii"), "no radius to look at", "one at least");
  PlacesPlan out;
  out.grid = grid.name;
  out.shipped_grid = grid.shipped;
  out.input = input;
  out.power = power;
  out.warnings = grid.warnings;
  out.unknown = unknowns(grid, input);
  warn_of_reserve(grid, input, out.warnings);
  const auto spare = spare_power(grid, input, out.warnings);
  const SiteMaker maker(grid, input, spare);
  const DeliveryNetwork network(grid);
  for (const GeoPoint place : places) {
    const auto least = [&](PowerRule rule) {
      return power > Megawatts() ? maker.nodes().least_radius_km(place, rule, power) : std::nullopt;
    };
    const std::optional<int> paper = least(PowerRule::paper);
    const std::optional<int> autonomous = least(PowerRule::autonomous);
    const std::optional<int> strict = least(PowerRule::strict);
    warn_of_distance(grid, maker, place, out.warnings);
    for (const Kilometres radius : radii) {
      PlaceResult result{maker.place(place, radius), paper, autonomous, strict};
      result.site.deliverable = network.deliverable(result.site.node, true);
      out.places.push_back(std::move(result));
    }
  }
  warn_of_overlaps(out);
  if (power <= Megawatts()) return out;
  if (places.size() == 1) {
    out.unmet = unmet_at_one(out);
    return out;
  }
  if (radii.size() != 1) return out;
  out.pairs = pairs_of(places, pace_of(input));
  add_split(scenario, facility, maker, network, out);
  if (!answered(out, input)) out.unmet = unmet_power(scenario, facility, maker, network, out);
  return out;
}

}  // namespace trainyard
