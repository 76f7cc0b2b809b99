// What the load balancings choose paths with. Each is a file in this folder, a function of its name that sets
// the uplinks of a packet.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "base/mixing.h"
#include "base/prefetch.h"
#include "network/wiring/way.h"
#include "trainyard/flow.h"
#include "trainyard/picoseconds.h"

namespace trainyard {
enum class LoadBalancing;
}  // namespace trainyard

namespace trainyard::wiring {

struct Layout;

/// Where the paths of one direction of one flow stand.
struct PathState {
  std::uint16_t next = 0;  // of a round over all uplinks
  std::uint16_t step = 1;
  std::uint16_t left = 0;
  std::uint16_t round = 0;
  Picoseconds last = 0;  // sent

  template <class Archive>
  void serialize(Archive& a) {
    a(next, step, left, round, last);
  }
};

/// A packet that leaves its host now.
struct Sending {
  Way& packet;
  bool back = false;  // from the flow's receiver
  Picoseconds now = 0;
  PathState& state;
  std::uint32_t& entropy;  // of the way, by those that judge entropies
};

class Balancing {
 public:
  Balancing(const Layout& layout, LoadBalancing choice, Picoseconds flowlet_gap, std::uint64_t seed,
            const std::vector<workload::Flow>& flows, std::uint32_t entropies);

  /// Sets the uplinks of a packet by the load balancing that was chosen.
  void pick(const Sending& sending);

  std::uint32_t uplinks_leaf() const { return uplinks_leaf_; }
  std::uint32_t uplinks_aggregation() const { return uplinks_aggregation_; }
  /// Whether a path is a number of the layout's routes.
  bool by_routes() const { return by_routes_; }
  /// As Layout says.
  const std::vector<std::uint32_t>& uplink_shares() const { return uplink_shares_; }
  /// The number of the host at an address.
  std::uint32_t host_at(std::uint32_t address) const;
  /// A flow's own path, or that of its hash.
  std::uint16_t path_of(std::uint32_t flow, bool back) const {
    if (!own_paths_) return workload::Flow::kPathOfHash;
    return back ? flows_[flow].path_back : flows_[flow].path;
  }
  Picoseconds flowlet_gap() const { return flowlet_gap_; }
  /// That a flow's packets carry; 0: uplinks are chosen one by one.
  std::uint32_t entropies() const { return entropies_; }
  /// What the packets of a round take one by one.
  std::uint32_t sprayed_over() const { return entropies_ == 0 ? uplinks_leaf_ : entropies_; }
  std::uint32_t packets_of_round() const { return sprayed_over() * in_a_row_; }

  std::uint64_t hash(std::uint32_t flow, bool back) const {
    return mixed(seed_ ^ ((std::uint64_t{flow} << 1U) | (back ? 1U : 0U)));
  }
  void take(Way& packet, std::uint64_t random) const {
    packet.up_leaf = static_cast<std::uint16_t>(below(random, uplinks_leaf_));
    if (uplinks_aggregation_ > 0)
      packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(random), uplinks_aggregation_));
  }
  void take_entropy(const Sending& sending, std::uint32_t entropy) const {
    sending.entropy = entropy;
    take(sending.packet, mixed(hash(sending.packet.flow, false), entropy));
  }
  /// With routes: the number of a path of this flow.
  std::uint16_t number(const Sending& sending, std::uint32_t path) const;
  /// The next of a round over all uplinks or entropies, in random steps.
  std::uint16_t next_of_round(const Sending& sending) const;

  /// Takes the oldest way of a flow's cache, if it may be used.
  bool recycle(const Sending& sending);
  /// Whether a flow's entropies are judged, in place of its ways.
  bool judges_entropies() const { return !penalties_.empty(); }
  /// Whether this is a way, or an entropy where those are judged.
  bool can_judge(std::uint32_t way) const { return judges_entropies() ? way < sprayed_over() : is_way(way); }
  void keep(std::uint32_t flow, std::uint32_t way);
  /// What is kept is used again rather than explored.
  void freeze(std::uint32_t flow, Picoseconds until) {
    if (!caches_.empty()) caches_[flow].frozen_until = until;
  }

  void prefetch(std::uint32_t flow) const {
    if (!caches_.empty()) prefetch_line(&caches_[flow]);
    if (judges_entropies()) prefetch_line(&penalties_[std::size_t{flow} * sprayed_over()]);
  }

  /// How often each entropy of a flow will be passed over.
  std::uint8_t* penalties(std::uint32_t flow) { return &penalties_[std::size_t{flow} * sprayed_over()]; }
  void pass_over(std::uint32_t flow, std::uint32_t entropy, std::uint8_t packets);

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, caches_);
    if (!penalties_.empty()) serialize_tables(a, penalties_);
    for (const Cache& cache : caches_) {
      keep_bounds(cache.valid <= Cache::kSize);
      keep_all(cache.ways, [&](std::uint32_t way) { return can_judge(way); });
    }
  }
  /// Whether a restored state of a direction can go on.
  bool in_bounds(const PathState& state, bool back) const;

 private:
  /// Recycled entropies (Bonato et al. 2024, "REPS").
  struct Cache {
    static constexpr std::uint32_t kSize = 8;
    std::array<std::uint32_t, kSize> ways{};  // or entropies
    std::uint32_t put = 0;
    std::uint32_t valid = 0;
    Picoseconds frozen_until = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(ways, put, valid, frozen_until);
    }
  };

  bool is_way(std::uint32_t way) const;

  const Layout& layout_;
  std::uint32_t uplinks_leaf_;
  std::uint32_t uplinks_aggregation_;
  bool by_routes_;
  const std::vector<std::uint32_t>& uplink_shares_;
  LoadBalancing choice_;
  Picoseconds flowlet_gap_;
  std::uint64_t seed_;
  const std::vector<workload::Flow>& flows_;
  bool own_paths_;  // of any flow: else none is read
  std::uint32_t entropies_;
  std::uint32_t in_a_row_ = 1;           // packets that take the same of a round, over as many planes
  std::vector<std::uint16_t> steps_;     // that visit every uplink or entropy
  std::vector<Cache> caches_;            // by flow, for recycling
  std::vector<std::uint8_t> penalties_;  // by flow and entropy, for passing over
};

/// Those that others are made of.
namespace balancings {
void bitmap(Balancing& balancing, const Sending& sending);
void random(Balancing& balancing, const Sending& sending);
void spray(Balancing& balancing, const Sending& sending);
}  // namespace balancings

}  // namespace trainyard::wiring
