// The shape of a folded Clos network: switches of every tier and how many links join them.
//
// A parallel-port generalized fat tree (Zahavi 2010, "Fat-tree routing and node ordering providing contention
// free traffic for MPI global collectives"), with links spread as evenly as whole numbers allow: a block of
// tier t holds `children` blocks of tier t-1; the switches that stand at the same position of those blocks
// share a group of `group` switches of tier t, and their `uplinks` are dealt to the group in turn.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace trainyard {

struct ClosTier {
  std::int64_t children = 1;  // blocks of the tier below in a block; hosts of the fullest leaf
  std::int64_t group = 1;     // switches that share the links of one position below
  std::int64_t uplinks = 0;   // of a switch; 0 on the top tier
  std::int64_t down = 0;      // ports in use towards the hosts, of the fullest switch
};

struct ClosShape {
  std::int64_t endpoints = 0;
  std::vector<ClosTier> tiers;  // from the leaf up

  std::size_t top() const { return tiers.size() - 1; }
  /// Blocks of a tier in the whole network.
  std::int64_t blocks(std::size_t tier) const;
  /// Switches of a tier in one block.
  std::int64_t width(std::size_t tier) const;
  std::int64_t switches(std::size_t tier) const { return blocks(tier) * width(tier); }
  std::int64_t all_switches() const;
  /// Links from a tier up to the next.
  std::int64_t links_up(std::size_t tier) const { return switches(tier) * tiers[tier].uplinks; }
  std::int64_t leaves() const { return blocks(0); }
  /// Whether every switch has as many links to one switch of the group above it as to another: only then do
  /// evenly sprayed packets fill the links of a block alike.
  bool even() const;
  /// Paths between two hosts that meet at the top, each link by itself.
  double link_paths() const;
  /// The block of a tier that holds a leaf.
  std::int64_t block_of_leaf(std::size_t tier, std::int64_t leaf) const;
};

/// What a Clos network is built from.
struct ClosParts {
  std::int64_t ports = 0;                // of a switch
  std::vector<double> oversubscription;  // ports down over ports up, from the leaf up; 1 where nothing stands
};

/// The most endpoints of so many tiers: 2 (k/2)^n without oversubscription (Al-Fares et al. 2008 for n = 3).
std::int64_t largest_clos(const ClosParts& parts, std::int64_t tiers);

/// The fewest tiers that join the endpoints; nothing when `most` tiers do not.
std::optional<std::int64_t> fewest_tiers(const ClosParts& parts, std::int64_t endpoints, std::int64_t most);

/// The shape of so many tiers with the fewest switches, then the fewest links. Nothing when it cannot hold
/// the endpoints.
std::optional<ClosShape> best_clos_shape(const ClosParts& parts, std::int64_t tiers, std::int64_t endpoints);

}  // namespace trainyard
