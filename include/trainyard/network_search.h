// The cheapest networks for a cluster and its model: every mix of switch, planes, rails, tiers and
// oversubscription, and the Pareto front of price, power, exposed time and fault tolerance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/networks_compared.h"
#include "trainyard/planning.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/units.h"

namespace trainyard {

/// What networks are judged by. Smaller is better but for `kept`.
struct NetworkScore {
  Usd price;
  Watts power;
  double exposed_share = 0;
  double kept = 0;  // of an HB domain's rate after one switch fails

  bool dominates(const NetworkScore& other) const;
};

/// One mix, scored.
struct NetworkChoice {
  DesignInput input;
  std::int64_t tiers = 0;
  std::int64_t networks = 0;
  std::int64_t chips = 0;
  NetworkScore score;
  TrafficShares shares;
};

/// A network one step beside a front's: what changes, and why it is not the better one.
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

/// The cheapest network that exposes no more of a step than this beyond the least of all.
struct ToleratedNetwork {
  double beyond = 0;  // share of a step, in tenths of a percent
  NetworkChoice choice;
};

struct NetworkSearch {
  std::int64_t tried = 0;                   // mixes
  std::int64_t possible = 0;                // of them that can be built
  double least_exposed = 0;                 // of all
  std::vector<FrontMember> front;           // by price
  double tolerance = 0;                     // optimize.tolerance
  std::size_t best = 0;                     // cheapest within the tolerance; index into front
  std::vector<ToleratedNetwork> tolerated;  // for every tenth of a percent that saves something, from none on
  // The papers' open questions.
  std::optional<NetworkChoice> best_full;     // the same without oversubscription
  std::optional<NetworkChoice> best_any;      // the cheapest any-to-any one without oversubscription
  std::optional<NetworkChoice> fewest_rails;  // with the tiers of the best full one
  std::optional<NetworkChoice> fewer_rails;   // the next fewer: one tier more
};

/// Searches as [optimize] says. Throws Infeasible when no mix can be built.
NetworkSearch search_networks(const Scenario& scenario, const Progress& progress = {});

}  // namespace trainyard
