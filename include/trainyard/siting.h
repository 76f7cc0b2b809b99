// A power grid as read from its files, and what siting finds on it. Plain records: powers in MW, distances in
// km, angles in degrees, times in ms, as in the files (docs/siting.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/site_input.h"

namespace trainyard {

/// A place on the sphere.
struct GeoPoint {
  double lat_deg = 0;
  double lon_deg = 0;
};

/// Primary fuels in alphabetical order, which settles ties.
enum class Fuel { battery, biomass, coal, gas, geothermal, hydro, nuclear, oil, other, pumped, solar, wind };
inline constexpr std::size_t kFuelCount = 12;

/// Where an index has nothing to point at.
inline constexpr std::uint32_t kNowhere = 0xffffffffU;

/// A row of plants.csv.
struct GridPlant {
  std::string id;
  std::string name;
  std::string state;  // code or name
  GeoPoint at;
  double capacity_mw = 0;
  std::optional<double> nameplate_mw;
  double firm_mw = 0;  // capacity less wind, solar and batteries
  double coal_mw = 0;
  std::optional<double> largest_unit_mw;
  Fuel fuel = Fuel::other;
  std::uint32_t authority = kNowhere;  // of Grid::authorities
  std::uint32_t node = kNowhere;       // of Grid::nodes: where it feeds in
  std::optional<double> grid_kv;
  std::string source;
};

/// A row of substations.csv: a node of the network, with the load that it feeds.
struct GridNode {
  std::string id;
  std::string name;
  std::string state;
  GeoPoint at;
  std::optional<double> max_kv;
  double peak_load_mw = 0;
  std::string authority_group;
  std::string interconnection;
  std::string source;
};

/// A row of lines.csv: what two nodes may send each other.
struct GridLine {
  std::uint32_t from = kNowhere;
  std::uint32_t to = kNowhere;
  std::string kind;  // AC, LCC, VSC, B2B
  std::optional<double> kv;
  double forward_mw = 0;  // from -> to
  double reverse_mw = 0;
  double km = 0;
  std::string name;
  std::string source;
};

/// A row of balancing_authorities.csv.
struct Authority {
  std::string code;
  std::string name;
  std::string interconnection;
  std::optional<double> peak_demand_mw;
  std::string peak_demand_utc;
  std::optional<double> installed_mw;
  std::optional<double> firm_mw;
  std::optional<double> published_mw;  // spare power as published (HotNets '24 Table 1)
  std::optional<double> co2_kg_per_mwh;
  std::string source;
};

/// A row of states.csv.
struct GridState {
  std::string code;
  std::string name;
  std::optional<double> price_usd_per_mwh;  // industrial
  std::string price_year;
  std::optional<double> co2_kg_per_mwh;
  std::string source;
};

/// A row of cities.csv: to name places.
struct GridCity {
  std::string name;
  std::string country;
  GeoPoint at;
  double population = 0;
};

/// A grid. Indices hold: every line has two different ends, every plant a node.
struct Grid {
  std::string name;  // its folder, or "grid-small (shipped)"
  bool shipped = false;
  std::vector<GridPlant> plants;
  std::vector<GridNode> nodes;
  std::vector<GridLine> lines;
  std::vector<Authority> authorities;
  std::vector<GridState> states;
  std::vector<GridCity> cities;
  std::vector<std::string> warnings;
};

/// What lies within a radius of a place: its plants, its nodes, and the lines that leave them (HotNets '24
/// section 2, "power node").
struct PowerNode {
  GeoPoint at;
  double radius_km = 0;
  std::vector<std::uint32_t> plants;    // of the grid, ascending
  std::vector<std::uint32_t> nodes;     // the nearest one always among them
  std::vector<std::uint32_t> boundary;  // lines with one end inside
  std::uint32_t nearest_node = kNowhere;
  double generation_mw = 0;
  double firm_mw = 0;
  double coal_mw = 0;
  double largest_mw = 0;
  std::uint32_t largest = kNowhere;  // plant
  Fuel top_fuel = Fuel::other;       // where there is a plant
  double import_mw = 0;
  double import_n1_mw = 0;  // less the largest interface
  double local_load_mw = 0;
  std::string authority;  // code
  bool rule_ok = false;
  double paper_mw = 0;  // what each rule leaves
  double autonomous_mw = 0;
  double strict_mw = 0;

  double available_mw(PowerRule rule) const {
    return rule == PowerRule::paper ? paper_mw : rule == PowerRule::autonomous ? autonomous_mw : strict_mw;
  }
};

/// Power that the network can bring to a place while every load is served, by maximum flow.
struct Deliverable {
  double intact_mw = 0;
  double producer_lost_mw = 0;         // without the largest plant
  std::optional<double> line_lost_mw;  // without the worst of the five largest lines
};

/// A place that could take a datacenter.
struct Site {
  std::string name;
  std::string state;  // code; empty: unknown
  PowerNode node;
  double available_mw = 0;         // by the rule
  std::optional<double> spare_mw;  // of its authority; absent: unlimited
  double usable_mw = 0;            // the smaller
  std::optional<double> price_usd_per_mwh;
  std::optional<double> co2_kg_per_mwh;
  std::optional<Deliverable> deliverable;
};

/// Spare power of an authority, as the scenario takes it.
struct SparePower {
  std::string code;
  std::string name;
  std::optional<double> peak_demand_mw;
  std::optional<double> published_mw;
  std::optional<double> installed_less_peak_mw;
  std::optional<double> firm_less_peak_mw;
  std::optional<double> used_mw;  // absent: unlimited
  std::string origin;             // of used_mw
};

/// How many places can take everything at one radius.
struct RadiusResult {
  double radius_km = 0;
  std::size_t places = 0;                                        // looked at
  std::size_t by_rule = 0;                                       // that leave enough power
  std::size_t by_spare = 0;                                      // whose authority has as much to spare, too
  std::vector<std::pair<std::string, std::size_t>> authorities;  // of by_rule
  std::optional<Site> best;                                      // of by_spare, else of by_rule, else of all
};

/// A site's part of a split.
struct SplitSite {
  std::size_t site = 0;  // of SitingPlan::places
  double power_mw = 0;
  double share = 0;
  std::int64_t domains = 0;  // HB domains; they add up to the facility's
  double racks = 0;
};

/// Two sites of a split.
struct SitePair {
  std::size_t a = 0;  // of Split::sites
  std::size_t b = 0;
  double km = 0;           // great circle on the method's sphere
  double geodesic_km = 0;  // on the WGS 84 ellipsoid
  double rtt_ms = 0;
};

/// Whether the network can feed all sites of a split at once.
struct JointFlow {
  double wanted_mw = 0;
  double delivered_mw = 0;
  // With the worst of one loss, where it was looked at: the largest plant of a site, one of the five largest
  // lines at its boundary.
  std::optional<double> producer_lost_mw;
  std::optional<double> line_lost_mw;

  bool holds() const { return enough(delivered_mw); }
  /// Also after any one loss that was looked at.
  bool survives() const {
    return holds() && enough(producer_lost_mw.value_or(wanted_mw)) &&
           enough(line_lost_mw.value_or(wanted_mw));
  }

 private:
  bool enough(double mw) const {
    constexpr double kRounding_mw = 0.1;  // flows are in whole kW
    return mw >= wanted_mw - kRounding_mw;
  }
};

/// Why nothing takes the power, by how much, and what would.
struct UnmetPower {
  std::string constraint;
  std::string shortfall;
  std::vector<std::string> remedies;  // settings; those with a value were tried and hold
};

/// The training run over one or several sites (docs/siting.md, "Training over a split").
struct TrainingRun {
  std::string infeasible;             // why there is no plan of it; empty: there is one
  std::string exchange;               // how sites sum their gradients; empty: one site
  double sent_mb = 0;                 // by a device of the smallest site, for each layer
  double exchange_ms = 0;             // of a layer's gradients between sites
  double backward_ms = 0;             // of a layer, behind which it hides
  double added_ms = 0;                // to a layer, beyond it
  double step_s = 0;                  // of a batch
  double added_share = 0;             // of it, by the distance
  double rate_gbps = 0;               // between sites for each device
  std::optional<double> hiding_gbps;  // at which it hides; absent: no rate does, or one site
  double days = 0;
  double days_added = 0;  // by the distance
  double energy_usd = 0;  // at the sites' prices
  double fibre_usd = 0;
  double capital_usd = 0;  // share of the budget written off meanwhile
  double usd() const { return energy_usd + fibre_usd + capital_usd; }
};

/// One way to divide the datacenter.
struct Split {
  std::vector<SplitSite> sites;
  std::vector<SitePair> pairs;
  double rtt_ms = 0;        // of the farthest pair
  double usd_per_year = 0;  // energy, and fibre where it has a price
  double fibre_usd_per_year = 0;
  double co2_t_per_year = 0;
  bool price_known = true;  // of every site, from the grid
  bool co2_known = true;
  bool pareto = false;  // none better in round trip, cost, carbon and training time at once
  std::optional<JointFlow> joint;
  std::optional<TrainingRun> training;  // where the scenario has a model to train
};

/// The splits over one number of sites.
struct SplitResult {
  std::int64_t sites = 0;
  std::size_t kept = 0;               // places that were combined
  std::size_t compared = 0;           // of them, those whose every set was looked at
  std::size_t feasible = 0;           // sets of these with enough power
  bool exact = true;                  // the best round trip is that of all kept places
  std::vector<Split> splits;          // the best first
  std::optional<std::size_t> chosen;  // of splits: the best one that the network can feed
};

/// A place that was asked for.
struct PlaceResult {
  Site site;
  std::optional<int> least_paper_km;  // smallest radius at which each rule leaves the power
  std::optional<int> least_autonomous_km;
  std::optional<int> least_strict_km;
};

/// The answer of `trainyard site --at`.
struct PlacesPlan {
  std::string grid;
  bool shipped_grid = false;
  SiteInput input;
  double power_mw = 0;
  std::vector<PlaceResult> places;
  std::vector<Site> sites;     // of the places, which the split refers to
  std::optional<Split> split;  // of the power over several places, where they can take it
  std::vector<SitePair> pairs;
  std::optional<TrainingRun> one_site;  // the run without any distance
  std::optional<UnmetPower> unmet;      // absent: there is an answer
  std::vector<std::string> warnings;
  std::vector<std::string> unknown;  // what the data cannot say
};

/// The answer of `trainyard site`.
struct SitingPlan {
  std::string grid;
  bool shipped_grid = false;
  SiteInput input;
  double power_mw = 0;
  std::int64_t domains = 0;
  double racks = 0;
  std::size_t plants = 0;
  std::size_t nodes = 0;
  std::size_t lines = 0;
  std::vector<SparePower> authorities;
  std::vector<RadiusResult> radii;
  std::size_t single_count = 0;  // places of input.radius that can take everything
  std::vector<Site> singles;     // of input.radius, the strongest first
  std::vector<Site> places;      // that splits refer to
  std::vector<SplitResult> splits;
  std::optional<TrainingRun> one_site;  // the run without any distance
  std::optional<UnmetPower> unmet;      // absent: there is an answer
  std::vector<std::string> warnings;
  std::vector<std::string> unknown;  // what the data cannot say
};

}  // namespace trainyard
