// How long permutations of packets take, by the packet engine.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

/// Packets of one permutation at most; about a second and a half of one core over two tiers.
constexpr double kMostSamplePackets = 4e6;

/// Completion times of permutations, by identity of the simulation and bytes of a flow.
using PermutationMemo = std::map<std::pair<std::string, double>, Seconds>;

/// How long permutations of [simulation] on its design take, each size simulated once. Flows that would be
/// more than `most_packets` together are extrapolated: fixed + slope x bytes through the two sizes that have
/// as many, and half of it.
class PermutationTimes {
 public:
  /// With the first planes of one host down: `lost_planes` of them. Throws InputError for a network of so
  /// many hosts that not even a window of each can be simulated, and for planes that it does not have.
  explicit PermutationTimes(const Scenario& scenario, std::int64_t lost_planes = 0,
                            std::shared_ptr<PermutationMemo> memo = std::make_shared<PermutationMemo>(),
                            double most_packets = kMostSamplePackets);

  /// The last flow's completion time over the least of its size with all planes; at least 1. Throws
  /// InputError as simulate().
  double slowdown(Bytes bytes);

  /// What extrapolating is worth here: the largest simulated time foretold from half and a quarter of its
  /// size, over what it is, less 1.
  double extrapolation_error();

  std::int64_t hosts() const { return hosts_; }
  /// The largest flows that are simulated.
  Bytes most() const { return most_; }

 private:
  Seconds last(Bytes bytes);
  Seconds extrapolated(Bytes largest, Bytes bytes);
  Seconds least(Bytes bytes) const;

  Scenario intact_;
  Scenario scenario_;  // with planes down
  std::string identity_;
  std::int64_t hosts_ = 0;
  Bytes most_;
  std::shared_ptr<PermutationMemo> memo_;
};

}  // namespace trainyard
