// Transfers of a step whose times the packet engine says.
//
// Chosen kinds of transfers over the scale-out network take as many times as long as in closed form as the
// last flow of a permutation, in the scenario's [simulation], takes over the least time of its size. In a
// permutation every host sends to one other and receives from one, as all devices of a stage do that pass a
// chunk on, and as ranks do in each step of a ring or of an all-to-all: a transfer of n ranks is n-1 such
// steps one after another (an all-reduce, and an all-to-all there and back, twice as many), and waits for the
// last flow of each, as HotNets '24 section 6.3 takes completion times. What is not chosen takes its closed
// form, and nothing shares links with anything but its own permutation.
//
// While a device has lost planes of its NIC, its transfers take as long as the last flow of a permutation in
// which one host has lost as many; whether senders know is simulation.failures_known.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "step/timeline.h"
#include "step/transfer_model.h"

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

/// Kinds of transfers that packets can time.
std::span<const StepWork> packet_phases();

/// Transfers of these kinds over the scale-out network take `times` as long as in closed form, everything
/// else as in closed form. Throws InputError where the step has no such transfer of one of the kinds.
TransferModelMaker slowed_network(const std::vector<StepWork>& phases, double times);

/// Permutations of the plan's [simulation] say how many times as long. Throws InputError for what cannot be
/// simulated, where the step has no such transfer of one of the kinds, and for failures of parts of planes.
TransferModelMaker packet_network(const std::vector<StepWork>& phases);

}  // namespace trainyard
