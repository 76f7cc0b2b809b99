#include "facility/siting/siting.h"

#include <fmt/core.h>

#include <GeographicLib/Geodesic.hpp>
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "base/errors.h"
#include "base/nearest.h"
#include "facility/geo.h"
#include "facility/siting/delivery.h"
#include "facility/siting/site_maker.h"
#include "facility/siting/splits.h"

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

/// One question to one grid.
class Planner {
 public:
  Planner(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid)
      : scenario_(scenario), facility_(facility), grid_(grid), input_(scenario.site) {
    const Watts power = input_.power.value_or(facility.power_high);
    out_.power_mw = power.si() / kWattsPerMegawatt;
    out_.warnings = grid.warnings;
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
    add_singles(maker, network, sites);
    for (std::int64_t k = 2; k <= input_.sites; ++k) add_splits(maker, network, sites, k);
    return std::move(out_);
  }

 private:
  double separation_km() const { return to_km(input_.separation.value_or(input_.radius * 2)); }
  double usual_price() const { return price_without_state(scenario_); }

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
    SplitQuestion q;
    q.power_mw = out_.power_mw;
    q.sites = static_cast<std::size_t>(k);
    q.least_share = input_.least_share.value_or(1 / (2 * static_cast<double>(k)));
    q.separation_km = separation_km();
    q.spread = input_.spread;
    q.goal = input_.goal;
    q.ms_per_km = round_trip_ms_per_km(input_.fibre_ratio, input_.refractive_index);
    q.load = scenario_.facility.load;
    if (input_.fibre_price) {
      constexpr double kBitsPerTerabit = 1e12;
      const double tbps =
          scenario_.network.wide_area_rate.si() * static_cast<double>(facility_.devices) / kBitsPerTerabit;
      q.fibre_usd_per_mw_km = *input_.fibre_price * tbps * input_.fibre_ratio / out_.power_mw;
    }
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

  /// The split with the grid's names, prices and carbon, and its part of the HB domains.
  template <class SiteOf>
  Split described(const FoundSplit& found, const SiteOf& site_of) {
    Split out;
    out.rtt_ms = found.rtt_ms;
    out.usd_per_year = found.usd_per_year;
    out.fibre_usd_per_year = found.fibre_usd_per_year;
    out.co2_t_per_year = found.co2_t_per_year;
    std::vector<double> shares;
    std::vector<GeoPoint> at;
    for (const double power_mw : found.power_mw) shares.push_back(power_mw / out_.power_mw);
    const auto domains = apportion(facility_.domains, shares);
    const double racks_of_domain = facility_.racks / static_cast<double>(facility_.domains);
    for (std::size_t i = 0; i < found.places.size(); ++i) {
      const Site& site = site_of(found.places[i]);
      out.price_known &= site.price_usd_per_mwh.has_value();
      out.co2_known &= site.co2_kg_per_mwh.has_value();
      at.push_back(site.node.at);
      out.sites.push_back({listed(site), found.power_mw[i], shares[i], domains[i],
                           static_cast<double>(domains[i]) * racks_of_domain});
    }
    out.pairs = pairs_of(at, round_trip_ms_per_km(input_.fibre_ratio, input_.refractive_index));
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
      std::vector<Drain> drains;
      JointFlow flow;
      for (const SplitSite& site : split.sites) {
        drains.push_back({out_.places[site.site].node.nodes, site.power_mw});
        flow.wanted_mw += site.power_mw;
      }
      flow.delivered_mw = network.headroom_mw(drains);
      split.joint = flow;
      if (flow.holds() && !result.chosen) result.chosen = s;
    }
    if (input_.confirmed == 0 && !result.splits.empty()) result.chosen = 0;
  }

  const Scenario& scenario_;
  const FacilityPlan& facility_;
  const Grid& grid_;
  const SiteInput& input_;
  SitingPlan out_;
  std::map<std::pair<double, double>, std::size_t> listed_;
};

std::optional<double> difference(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return std::max(0.0, *a - *b);
}

}  // namespace

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

SitingPlan plan_siting(const Scenario& scenario, const FacilityPlan& facility, const Grid& grid) {
  return Planner(scenario, facility, grid).plan();
}

PlacesPlan examine_places(const SiteInput& input, const Grid& grid, double power_mw,
                          const std::vector<GeoPoint>& places, const std::vector<double>& radii_km) {
  PlacesPlan out;
  out.grid = grid.name;
  out.shipped_grid = grid.shipped;
  out.input = input;
  out.power_mw = power_mw;
  out.warnings = grid.warnings;
  out.unknown = unknowns(grid, input);
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
  if (places.size() < 2 || radii_km.size() != 1 || power_mw <= 0) return out;
  SplitQuestion q;
  q.power_mw = power_mw;
  q.sites = places.size();
  q.least_share = input.least_share.value_or(1 / (2 * static_cast<double>(places.size())));
  q.ms_per_km = round_trip_ms_per_km(input.fibre_ratio, input.refractive_index);
  out.pairs = pairs_of(places, q.ms_per_km);
  std::vector<SplitPlace> split_places;
  std::vector<std::size_t> all(places.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const PlaceResult& place : out.places) {
    out.sites.push_back(place.site);
    split_places.push_back(maker.split_place(place.site, 0));
  }
  const auto found = evaluate_split(split_places, all, q);
  if (!found) return out;
  Split split;
  split.rtt_ms = found->rtt_ms;
  split.usd_per_year = found->usd_per_year;
  split.co2_t_per_year = found->co2_t_per_year;
  split.pairs = out.pairs;
  JointFlow flow;
  std::vector<Drain> drains;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Site& site = out.sites[i];
    split.price_known &= site.price_usd_per_mwh.has_value();
    split.co2_known &= site.co2_kg_per_mwh.has_value();
    split.sites.push_back({i, found->power_mw[i], found->power_mw[i] / power_mw, 0, 0});
    drains.push_back({site.node.nodes, found->power_mw[i]});
    flow.wanted_mw += found->power_mw[i];
  }
  flow.delivered_mw = network.headroom_mw(drains);
  split.joint = flow;
  out.split = std::move(split);
  return out;
}

}  // namespace trainyard
