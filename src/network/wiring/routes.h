// Shortest ways through a network of any shape: at every switch the ports that bring a packet closer to where
// it goes, and which of them the number that it carries picks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/huge_pages.h"
#include "base/mixing.h"
#include "base/prefetch.h"
#include "network/wiring/way.h"

namespace trainyard::wiring {

/// Links of both ways.
struct DetourLinks {
  std::uint32_t direct = 0;
  std::uint32_t detour = 0;
};

/// Switches are those of a plane; targets are the switches that have hosts. Here a packet's `up_leaf` is the
/// number of its path and `up_aggregation` a leaf to go to first (detour()), or 0.
class Routes {
 public:
  /// Numbers of paths lie below.
  static constexpr std::uint32_t kMostPaths = 65'535;
  /// Leaves that packets can be sent to first.
  static constexpr std::uint32_t kMostDetours = 32'766;

  /// Empty: there is nothing to look up.
  Routes() = default;
  /// `first_port_of_leaf`: of the first host of each leaf, at its switch.
  Routes(std::uint32_t switches, std::vector<std::uint32_t> switch_of_leaf,
         std::vector<std::uint32_t> first_port_of_leaf);

  /// A port of a switch to another.
  struct Port {
    std::uint32_t to = 0;
    std::uint16_t number = 0;
  };
  /// Tells where a switch sends packets. `ranks[s * targets() + t]`, as JoinedPaths gives them: of every
  /// switch towards every target.
  void add(std::uint32_t at, const std::vector<Port>& ports, const std::vector<std::uint16_t>& ranks);
  /// When all have been added: how numbers of paths are read. A switch takes its digit of the number, the
  /// first switches the lowest ones, so that as many packets as there are paths walk over all of them.
  void number_paths();

  bool empty() const { return switch_of_leaf_.empty(); }
  std::uint32_t targets() const { return static_cast<std::uint32_t>(switch_of_target_.size()); }
  std::uint32_t switch_of_target(std::uint32_t target) const { return switch_of_target_[target]; }
  std::uint32_t switch_of_leaf(std::uint32_t leaf) const { return switch_of_leaf_[leaf]; }
  std::uint32_t leaves() const { return static_cast<std::uint32_t>(switch_of_leaf_.size()); }
  std::uint32_t paths() const { return paths_; }
  std::uint32_t diameter() const { return static_cast<std::uint32_t>(stride_.size()) - 1; }

  /// Links between the switches of two leaves.
  std::uint32_t hops(std::uint32_t from_leaf, std::uint32_t to_leaf) const {
    return set_at(switch_of_leaf_[from_leaf], target_of_leaf_[to_leaf]).hops;
  }
  /// Ports towards another leaf, of the first one's switch.
  std::span<const std::uint16_t> ports(std::uint32_t from_leaf, std::uint32_t to_leaf) const {
    return ports_of(set_at(switch_of_leaf_[from_leaf], target_of_leaf_[to_leaf]));
  }

  /// The ports of a switch towards a leaf of another, and the first of them.
  std::span<const std::uint16_t> ports_at(std::uint32_t at, std::uint32_t to_leaf) const {
    return ports_of(set_at(at, target_of_leaf_[to_leaf]));
  }
  std::uint16_t first_port(std::uint32_t at, std::uint32_t to_leaf) const {
    return ports_[set_at(at, target_of_leaf_[to_leaf]).first];
  }

  /// A number of a path for a pair of leaves, whose first switch reads its lowest digit.
  std::uint16_t number(std::uint32_t path, std::uint32_t from_leaf, std::uint32_t to_leaf) const {
    const std::uint32_t stride = stride_[hops(from_leaf, to_leaf)];
    return static_cast<std::uint16_t>(stride < 2 ? path : path % (paths_ / stride) * stride);
  }
  static std::uint16_t detour(std::uint32_t leaf) { return static_cast<std::uint16_t>(leaf + 1); }
  static std::uint16_t begun(std::uint16_t detour) { return detour & kLeafBits; }
  bool is_detour(std::uint16_t detour) const { return begun(detour) <= leaves(); }

  /// The port by which a switch sends a packet on. Notes in it that it has been where it was to go first.
  std::uint32_t take(std::uint32_t at, Way& packet) const { return picked(at, packet, goal(at, packet)); }
  /// Fetches what take() will look up.
  void prefetch(std::uint32_t at, const Way& packet) const {
    Way copy = packet;
    const std::uint32_t target = goal(at, copy);
    if (target != kHere) prefetch_line(&set_of_[std::size_t{at} * targets() + target]);
  }
  /// Calls for all ports that it could take, from this one of them on.
  template <class Visit>
  void visit_choices(std::uint32_t at, const Way& packet, std::uint32_t port, const Visit& visit) const {
    Way copy = packet;
    const std::uint32_t target = goal(at, copy);
    if (target == kHere) return visit(port);
    const auto all = ports_of(set_at(at, target));
    const auto begin = std::find(all.begin(), all.end(), port);
    for (auto i = begin; i != all.end(); ++i) visit(*i);
    for (auto i = all.begin(); i != begin; ++i) visit(*i);
  }
  /// Links from a switch to where a packet with a detour is meant for.
  DetourLinks detour_links(std::uint32_t at, const Way& packet) const {
    const std::uint32_t first = begun(packet.up_aggregation) - 1U;
    const std::uint32_t to = leaf_of(packet.to);
    return {set_at(at, target_of_leaf_[to]).hops,
            std::uint32_t{set_at(at, target_of_leaf_[first]).hops} + hops(first, to)};
  }

 private:
  static constexpr std::uint16_t kPassed = 0x8000;  // of a detour: it lies behind
  static constexpr std::uint16_t kLeafBits = 0x7FFF;
  static constexpr std::uint32_t kHere = 0xFFFFFFFF;

  struct Set {
    std::uint32_t first = 0;  // in ports_
    std::uint16_t count = 0;
    std::uint16_t hops = 0;
  };

  /// A set that was found not long ago.
  struct Recent {
    std::uint64_t key = 0;
    std::uint32_t set = 0;  // 0: none was
  };
  static constexpr std::size_t kRecent = 4096;

  void add_set(std::uint32_t at, std::uint32_t target, const std::vector<Port>& ports,
               const std::vector<std::uint16_t>& ranks);
  /// Where a switch sends a packet to.
  std::uint32_t goal(std::uint32_t at, Way& packet) const {
    const std::uint32_t leaf = leaf_of(packet.to);
    if (switch_of_leaf_[leaf] == at) return kHere;
    if (packet.up_aggregation != 0 && (packet.up_aggregation & kPassed) == 0) {
      const std::uint32_t first = packet.up_aggregation - 1U;
      if (switch_of_leaf_[first] != at) return target_of_leaf_[first];
      packet.up_aggregation |= kPassed;
    }
    return target_of_leaf_[leaf];
  }
  std::uint32_t picked(std::uint32_t at, const Way& packet, std::uint32_t target) const {
    if (target == kHere) return first_port_of_leaf_[leaf_of(packet.to)] + host_of(packet.to);
    const Set& set = set_at(at, target);
    if (set.count == 1) return ports_[set.first];
    const std::uint32_t stride = stride_[set.hops];
    const std::uint32_t digit =
        stride > 0 ? packet.up_leaf / stride % set.count
                   : below(mixed((std::uint64_t{packet.flow} << 16U) | packet.up_leaf, at), set.count);
    return ports_[set.first + digit];
  }
  const Set& set_at(std::uint32_t at, std::uint32_t target) const {
    return sets_[set_of_[std::size_t{at} * targets() + target]];
  }
  std::span<const std::uint16_t> ports_of(const Set& set) const {
    return {ports_.data() + set.first, set.count};
  }

  std::vector<std::uint32_t> switch_of_leaf_;
  std::vector<std::uint32_t> first_port_of_leaf_;
  std::vector<std::uint32_t> target_of_leaf_;
  std::vector<std::uint32_t> switch_of_target_;
  PagedVector<std::uint32_t> set_of_;  // by switch and target
  std::vector<Set> sets_ = {Set{}};    // those that differ, which are few; the first: a switch itself
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by hash, until paths are numbered
  std::vector<Recent> recent_;                              // of those, by the end of their hash
  std::vector<std::uint16_t> ports_;                        // of all sets
  std::vector<std::uint32_t> stride_ = {0};  // by the links that are left; 0: the number is hashed
  std::uint32_t paths_ = 1;
};

}  // namespace trainyard::wiring
