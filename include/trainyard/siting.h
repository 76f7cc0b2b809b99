// A power grid as read from its files, and what siting finds on it. Plain records: powers in MW, distances in
// km, times in ms as in the files (docs/siting.md), each with its unit as its type; angles in degrees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/power_grid.h"
#include "trainyard/site_input.h"
#include "trainyard/units.h"

namespace trainyard {

/// What lies within a radius of a place: its plants, its nodes, and the lines that leave them (HotNets '24
/// section 2, "power node").
struct PowerNode {
  GeoPoint at;
  Kilometres radius;
  std::vector<std::uint32_t> plants;    // of the grid, ascending
  std::vector<std::uint32_t> nodes;     // the nearest one always among them
  std::vector<std::uint32_t> boundary;  // lines with one end inside
  std::uint32_t nearest_node = kNowhere;
  Megawatts generation;
  Megawatts firm;
  Megawatts coal;
  std::uint32_t largest = kNowhere;  // plant
  Megawatts largest_power;           // what is lost with it
  Fuel top_fuel = Fuel::other;       // where there is a plant
  Megawatts imports;
  Megawatts imports_n1;  // less the largest interface
  Megawatts local_load;
  std::string authority;  // code
  bool rule_ok = false;
  Megawatts paper;  // what each rule leaves
  Megawatts autonomous;
  Megawatts strict;

  Megawatts available(PowerRule rule) const {
    return rule == PowerRule::paper ? paper : rule == PowerRule::autonomous ? autonomous : strict;
  }
};

/// Power that the network can bring to a place while every load is served, by maximum flow.
struct Deliverable {
  Megawatts intact;
  Megawatts producer_lost;             // without the largest plant
  std::optional<Megawatts> line_lost;  // without the worst of the five largest lines
};

/// A place that could take a datacenter.
struct Site {
  std::string name;
  std::string state;  // code; empty: unknown
  PowerNode node;
  Megawatts available;             // by the rule
  std::optional<Megawatts> spare;  // of its authority; absent: unlimited
  Megawatts usable;                // the smaller
  std::optional<UsdPerMegawattHour> price;
  std::optional<KilogramsPerMegawattHour> co2;
  std::optional<Deliverable> deliverable;
};

/// Spare power of an authority, as the scenario takes it.
struct SparePower {
  std::string code;
  std::string name;
  std::optional<Megawatts> peak_demand;
  std::optional<Megawatts> published;
  std::optional<Megawatts> installed_less_peak;
  std::optional<Megawatts> firm_less_peak;
  std::optional<Megawatts> used;  // absent: unlimited
  std::string origin;             // of `used`
};

/// How many places can take everything at one radius.
struct RadiusResult {
  Kilometres radius;
  std::size_t places = 0;                                        // looked at
  std::size_t by_rule = 0;                                       // that leave enough power
  std::size_t by_spare = 0;                                      // whose authority has as much to spare, too
  std::vector<std::pair<std::string, std::size_t>> authorities;  // of by_rule
  std::optional<Site> best;                                      // of by_spare, else of by_rule, else of all
};

/// A site's part of a split.
struct SplitSite {
  std::size_t site = 0;  // of SitingPlan::places
  Megawatts power;
  double share = 0;
  std::int64_t domains = 0;  // HB domains; they add up to the facility's
  double racks = 0;
};

/// Two sites of a split.
struct SitePair {
  std::size_t a = 0;  // of Split::sites
  std::size_t b = 0;
  Kilometres distance;  // great circle on the method's sphere
  Kilometres geodesic;  // on the WGS 84 ellipsoid
  Milliseconds rtt;
};

/// Whether the network can feed all sites of a split at once.
struct JointFlow {
  Megawatts wanted;
  Megawatts delivered;
  // With the worst of one loss, where it was looked at: the largest plant of a site, one of the five largest
  // lines at its boundary.
  std::optional<Megawatts> producer_lost;
  std::optional<Megawatts> line_lost;

  bool holds() const { return enough(delivered); }
  /// Also after any one loss that was looked at.
  bool survives() const {
    return holds() && enough(producer_lost.value_or(wanted)) && enough(line_lost.value_or(wanted));
  }

 private:
  bool enough(Megawatts power) const {
    constexpr Megawatts kRounding(0.1);  // flows are in whole kW
    return power >= wanted - kRounding;
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
  std::string infeasible;                        // why there is no plan of it; empty: there is one
  std::string exchange;                          // how sites sum their gradients; empty: one site
  Megabytes sent;                                // by a device of the smallest site, for each layer
  Milliseconds exchange_time;                    // of a layer's gradients between sites
  Milliseconds backward;                         // of a layer, behind which it hides
  Milliseconds added;                            // to a layer, beyond it
  Seconds step;                                  // of a batch
  double added_share = 0;                        // of it, by the distance
  GigabitsPerSecond rate;                        // between sites for each device
  std::optional<GigabitsPerSecond> hiding_rate;  // at which it hides; absent: no rate does, or one site
  std::optional<BitRate> hiding_bit_rate() const {
    return hiding_rate ? std::optional(as<BitRate>(*hiding_rate)) : std::nullopt;
  }
  GigabitsPerSecond nic_rate;  // of a device: more than this cannot leave it
  Days duration;
  Days added_duration;  // by the distance
  Usd energy;           // at the sites' prices
  Usd fibre;
  Usd capital;  // share of the budget written off meanwhile
  Usd cost() const { return energy + fibre + capital; }
};

/// One way to divide the datacenter.
struct Split {
  std::vector<SplitSite> sites;
  std::vector<SitePair> pairs;
  Milliseconds rtt;  // of the farthest pair
  UsdPerYear cost;   // energy, and fibre where it has a price
  UsdPerYear fibre_cost;
  TonnesPerYear co2;
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
  // Smallest radius, in whole km, at which each rule leaves the power.
  std::optional<int> least_paper_km;
  std::optional<int> least_autonomous_km;
  std::optional<int> least_strict_km;
};

/// The answer of `trainyard site --at`.
struct PlacesPlan {
  std::string grid;
  bool shipped_grid = false;
  SiteInput input;
  Megawatts power;
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
  Megawatts power;
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
