// Which way a packet takes: chosen by its sender, or recycled from what came back well.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "base/mixing.h"
#include "network/wiring/layout.h"
#include "network/wiring/way.h"
#include "trainyard/flow.h"
#include "trainyard/load_balancing.h"
#include "trainyard/picoseconds.h"

namespace trainyard::wiring {

struct LinkState;

class Paths {
 public:
  /// Of one direction of one flow.
  struct State {
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

  Paths(const Layout& layout, const LinkState& links, LoadBalancing choice, Picoseconds flowlet_gap,
        std::uint64_t seed, const std::vector<workload::Flow>& flows, std::uint32_t entropies = 0,
        bool detours = false);

  /// Whether all packets of a flow use one plane.
  bool bound_to_plane() const { return bound_; }
  /// The flow's own plane or that of its hash, or the next one that is not known to be cut off from either
  /// host.
  std::uint32_t plane_of(std::uint32_t flow, bool back) const {
    if (layout_.planes == 1) return 0;
    const std::uint16_t own = flows_[flow].plane;
    return live_plane(flow,
                      own != workload::Flow::kPlaneOfHash ? own : below(hash(flow, back), layout_.planes));
  }
  /// The plane for the next packet of one direction.
  std::uint32_t next_plane(std::uint32_t flow, bool back, const State& state) const {
    if (layout_.planes == 1) return 0;
    if (bound_) return plane_of(flow, back);
    return live_plane(flow, (std::uint32_t{state.next} + state.left + state.round) % layout_.planes);
  }
  /// Whether a flow may use a plane, as far as failures are known.
  auto usable(std::uint32_t plane) const {
    return [this, plane](std::uint32_t flow) { return plane_is_up(flow, plane); };
  }

  /// Sets the uplinks of a packet from this host, or the number of its path and where it goes first.
  void choose(Way& packet, std::uint32_t from, std::uint32_t plane, bool back, Picoseconds now, State& state);

  /// Fetches what is recycled of a flow.
  void prefetch(std::uint32_t flow) const {
    if (!caches_.empty()) __builtin_prefetch(&caches_[flow], 1);
  }

  /// A packet that went this way arrived; without a mark the way is good for another (REPS), with one it is
  /// passed over for a while (bitmap).
  void arrived(std::uint32_t flow, std::uint16_t up_leaf, std::uint16_t up_aggregation, bool congested);
  /// A packet that went this way was cut.
  void cut(std::uint32_t flow, std::uint16_t up_leaf, std::uint16_t up_aggregation);
  /// A timeout: what is cached is used again rather than explored (REPS).
  void timed_out(std::uint32_t flow, Picoseconds until);

  /// Whether packets may carry this way.
  bool is_way(std::uint16_t up_leaf, std::uint16_t up_aggregation) const {
    return layout_.is_way(up_leaf, up_aggregation);
  }

  template <class Archive>
  void serialize(Archive& a) {
    serialize_tables(a, caches_);
    if (passes_over(choice_)) serialize_tables(a, penalties_);
    for (const Cache& cache : caches_) {
      keep_bounds(cache.valid <= Cache::kSize);
      keep_all(cache.ways, [&](std::uint32_t way) {
        return layout_.is_way(static_cast<std::uint16_t>(way >> 16U), static_cast<std::uint16_t>(way));
      });
    }
  }
  /// Whether a restored state of a direction can go on.
  bool in_bounds(const State& state, bool back) const {
    const bool sprays =
        choice_ == LoadBalancing::spray || passes_over(choice_) || (choice_ == LoadBalancing::reps && back);
    return !sprays || layout_.uplinks_leaf == 0 ||
           (state.next < sprayed_over() && state.step <= sprayed_over() && state.left <= sprayed_over());
  }

 private:
  /// Recycled entropies (Bonato et al. 2024, "REPS").
  struct Cache {
    static constexpr std::uint32_t kSize = 8;
    std::array<std::uint32_t, kSize> ways{};
    std::uint32_t put = 0;
    std::uint32_t valid = 0;
    Picoseconds frozen_until = 0;

    template <class Archive>
    void serialize(Archive& a) {
      a(ways, put, valid, frozen_until);
    }
  };

  /// Whether paths that came back marked are passed over for a while.
  static constexpr bool passes_over(LoadBalancing choice) {
    return choice == LoadBalancing::bitmap || choice == LoadBalancing::reps_bitmap;
  }
  static constexpr std::uint32_t kUsualEntropies = 64;  // of bitmap, as uet-htsim
  static constexpr std::uint8_t kMostPenalty = 15;
  static constexpr bool recycles(LoadBalancing choice) {
    return choice == LoadBalancing::reps || choice == LoadBalancing::reps_bitmap;
  }

  /// A packet that leaves its host now.
  struct Sending {
    Way& packet;
    bool back = false;  // from the flow's receiver
    Picoseconds now = 0;
    State& state;
  };

  bool plane_is_up(std::uint32_t flow, std::uint32_t plane) const {
    return layout_.planes == 1 || both_ends_up(flow, plane);
  }
  bool both_ends_up(std::uint32_t flow, std::uint32_t plane) const;
  std::uint32_t live_plane(std::uint32_t flow, std::uint32_t wanted) const {
    for (std::uint32_t i = 0; i < layout_.planes; ++i) {
      const std::uint32_t plane = (wanted + i) % layout_.planes;
      if (plane_is_up(flow, plane)) return plane;
    }
    return wanted;
  }

  std::uint64_t hash(std::uint32_t flow, bool back) const {
    return mixed(seed_ ^ ((std::uint64_t{flow} << 1U) | (back ? 1U : 0U)));
  }
  void take_entropy(Way& packet, std::uint32_t entropy) const {
    take(packet, mixed(hash(packet.flow, false), entropy));
  }
  void take(Way& packet, std::uint64_t random) const {
    packet.up_leaf = static_cast<std::uint16_t>(below(random, layout_.uplinks_leaf));
    if (layout_.uplinks_aggregation > 0)
      packet.up_aggregation = static_cast<std::uint16_t>(below(mixed(random), layout_.uplinks_aggregation));
  }
  /// What the packets of a round take one by one.
  std::uint32_t sprayed_over() const { return entropies_ == 0 ? layout_.uplinks_leaf : entropies_; }
  void pick(const Sending& sending);
  /// The next of a round over all uplinks or entropies, in random steps.
  std::uint16_t next_of_round(const Sending& sending) const;
  /// Takes the oldest way of a flow's cache, if it may be used.
  bool recycle(const Sending& sending);
  void pass_over(std::uint32_t flow, std::uint32_t way, std::uint8_t packets);
  /// With routes: sends a packet to a random leaf first, unless that is on its way.
  void go_first(Way& packet, std::uint32_t from, std::uint64_t random) const;
  /// With routes: a random leaf by which a packet could go.
  std::uint32_t detour(std::uint32_t from, std::uint32_t to, std::uint64_t random) const;
  /// With routes: the number of a path of this flow.
  std::uint16_t number(const Sending& sending, std::uint32_t path) const;
  void avoid_failures(Way& packet, std::uint32_t from, std::uint32_t plane, bool back) const;
  // Each load balancing, in a file of its own.
#define TRAINYARD_LOAD_BALANCING(name, flow_paths, sentence) void name(const Sending& sending);
#include "trainyard/registries/load_balancings.def"

  const Layout& layout_;
  const LinkState& links_;
  LoadBalancing choice_;
  bool bound_;
  Picoseconds flowlet_gap_;
  std::uint64_t seed_;
  const std::vector<workload::Flow>& flows_;
  bool detours_;                         // by another leaf first, with routes (Valiant 1982)
  std::uint32_t entropies_;              // that a flow's packets carry; 0: uplinks are chosen one by one
  std::vector<std::uint16_t> steps_;     // that visit every uplink or entropy
  std::vector<Cache> caches_;            // by flow, for recycling
  std::vector<std::uint8_t> penalties_;  // by flow and entropy: how often it will be passed over
};

}  // namespace trainyard::wiring
