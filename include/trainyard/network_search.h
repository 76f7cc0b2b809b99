// The cheapest networks for a cluster and its model: every mix of switch, planes, rails, tiers and
// oversubscription, and the Pareto front of price, power, exposed time and fault tolerance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/networks_compared.h"
#include "trainyard/planning.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

/// What networks are judged by. Smaller is better but for `kept`.
struct NetworkScore {
  Usd price;
  Watts power;
  /// Of the time of a step that is no work: 1 - tokens a second over those of the fastest mapping on any of
  /// the networks, would it not wait. More than what is exposed: a pipeline fills and drains the slower, too,
  /// and other mappings may compute longer.
  double lost_share = 0;
  double kept = 0;  // of an HB domain's rate after one switch fails

  bool dominates(const NetworkScore& other) const;
};

/// What a network carries beside the plan's own traffic.
struct NetworkCarries {
  double all_to_all = 1;              // share of a host's rate at which all send to all alike
  double shifted = 1;                 // the same to equal ranks half a datacenter away
  double failed = 1;                  // of a step's speed while one switch next to the hosts is down
  std::optional<double> permutation;  // of a host's rate; nothing: not looked at
};

/// One mix, scored.
struct NetworkChoice {
  DesignInput input;
  std::int64_t tiers = 0;
  std::int64_t networks = 0;
  std::int64_t chips = 0;
  NetworkScore score;
  double exposed_share = 0;      // of a step, under the mapping
  double tokens_per_second = 0;  // under the mapping
  TrafficShares shares;
  NetworkCarries carries;
  std::optional<MappingInput> mapping;  // the fastest on it; nothing: the scenario states its mapping
};

/// A network one step beside a front's: what changes, and why it is not the better one. With another count of
/// planes or rails or another topology: the cheapest such network that is required to carry as much and
/// loses as little as the front's or the tolerance allows; where there is none, the one that loses least.
struct NetworkNeighbour {
  std::string change;
  NetworkChoice choice;
  bool on_front = false;
  std::string verdict;
};

struct FrontMember {
  NetworkChoice choice;
  std::vector<NetworkNeighbour> neighbours;
};

/// The cheapest network that loses no more of a step than this beyond the least of all.
struct ToleratedNetwork {
  double beyond = 0;  // share of a step, in tenths of a percent
  NetworkChoice choice;
};

/// Something that every network of the front carries.
struct NetworkRequirement {
  std::string key;     // of [optimize]
  std::string title;   // "all to all"
  double least = 0;    // 0: not required
  double carried = 0;  // by the best network
  /// The cheapest network within the tolerance that keeps all other requirements, when it is cheaper than the
  /// best: this one binds.
  std::optional<NetworkChoice> without;
};

struct NetworkSearch {
  std::int64_t tried = 0;          // mixes
  std::int64_t possible = 0;       // networks of them that can be built: rails alone, or several in one
  double least_lost = 0;           // of all
  std::vector<FrontMember> front;  // by price
  double tolerance = 0;            // optimize.tolerance
  std::size_t best = 0;            // cheapest within the tolerance; index into front
  std::vector<ToleratedNetwork> tolerated;  // for every tenth of a percent that saves something, from none on
  std::vector<NetworkRequirement> requirements;
  std::optional<NetworkChoice> without_any;  // the cheapest within the tolerance, whatever else it carries
  // The papers' open questions.
  std::optional<NetworkChoice> best_full;     // the same without oversubscription
  std::optional<NetworkChoice> best_any;      // the cheapest any-to-any one without oversubscription
  std::optional<NetworkChoice> fewest_rails;  // with the tiers of the best full one
  std::optional<NetworkChoice> fewer_rails;   // the next fewer: one tier more
};

/// Searches as [optimize] says. Throws Infeasible when no mix can be built, or none carries what is required.
NetworkSearch search_networks(const Scenario& scenario, const Progress& progress = {});

}  // namespace trainyard
