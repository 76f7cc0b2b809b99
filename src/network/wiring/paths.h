// Which way a packet takes: chosen by its sender, or recycled from what came back well.
#pragma once

#include <cstdint>
#include <vector>

#include "base/mixing.h"
#include "network/wiring/balancing/balancing.h"
#include "network/wiring/layout.h"
#include "network/wiring/way.h"
#include "trainyard/flow.h"
#include "trainyard/picoseconds.h"

namespace trainyard::wiring {

struct LinkState;

class Paths {
 public:
  using State = PathState;

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
  /// The plane for the next packet of one direction: a random one, where the flow is not bound to one.
  std::uint32_t next_plane(std::uint32_t flow, bool back, const State& state) const {
    if (layout_.planes == 1) return 0;
    if (bound_) return plane_of(flow, back);
    const std::uint64_t place =
        state.next | std::uint64_t{state.left} << 16U | std::uint64_t{state.round} << 32U;
    return live_plane(flow, below(mixed(hash(flow, back), place), layout_.planes));
  }
  /// Whether a flow that is bound to a plane has one that is not known to be cut off.
  bool is_bound_to_live_plane(std::uint32_t flow) const {
    return bound_ && layout_.planes > 1 && both_ends_up(flow, plane_of(flow, false));
  }
  std::uint32_t planes() const { return layout_.planes; }
  /// Whether a flow may use a plane, as far as failures are known.
  auto usable(std::uint32_t plane) const {
    return [this, plane](std::uint32_t flow) { return plane_is_up(flow, plane); };
  }

  /// Sets the uplinks of a packet from this host, or the number of its path and where it goes first. What
  /// comes back names that way to those below.
  std::uint32_t choose(Way& packet, std::uint32_t from, std::uint32_t plane, bool back, Picoseconds now,
                       State& state);

  /// Fetches what is recycled of a flow.
  void prefetch(std::uint32_t flow) const { balancing_.prefetch(flow); }

  /// A packet that went this way arrived; without a mark the way is good for another (REPS), with one it is
  /// passed over for a while (bitmap).
  void arrived(std::uint32_t flow, std::uint32_t way, bool congested);
  /// A packet that went this way was cut.
  void cut(std::uint32_t flow, std::uint32_t way);
  /// A timeout: what is cached is used again rather than explored (REPS).
  void timed_out(std::uint32_t flow, Picoseconds until);

  /// Whether acknowledgements may name this way.
  bool can_judge(std::uint32_t way) const { return balancing_.can_judge(way); }

  template <class Archive>
  void serialize(Archive& a) {
    balancing_.serialize(a);
  }
  /// Whether a restored state of a direction can go on.
  bool in_bounds(const State& state, bool back) const { return balancing_.in_bounds(state, back); }

 private:
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

  std::uint64_t hash(std::uint32_t flow, bool back) const { return balancing_.hash(flow, back); }
  /// With routes: sends a packet to a random leaf first, unless that is on its way.
  void go_first(Way& packet, std::uint32_t from, std::uint64_t random) const;
  /// With routes: a random leaf by which a packet could go.
  std::uint32_t detour(std::uint32_t from, std::uint32_t to, std::uint64_t random) const;
  void avoid_failures(Way& packet, std::uint32_t from, std::uint32_t plane, bool back) const;

  const Layout& layout_;
  const LinkState& links_;
  bool bound_;
  const std::vector<workload::Flow>& flows_;
  bool detours_;  // by another leaf first, with routes (Valiant 1982)
  Balancing balancing_;
};

}  // namespace trainyard::wiring
