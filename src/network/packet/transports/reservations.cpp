#include "network/packet/transports/reservations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bounds.h"
#include "base/errors.h"
#include "trainyard/errors.h"

namespace trainyard::packet {
namespace {

constexpr double kTie = 1e-9;  // shares that differ by less are one

/// The links that flows share, by number: hosts' links out and in, then of each tier up and down by block.
class Trunks {
 public:
  explicit Trunks(const Layout& layout) : layout_(layout), capacity_(2UL * layout.hosts()) {
    const double host = layout.planes / static_cast<double>(layout.links.front().picoseconds_per_byte);
    std::fill(capacity_.begin(), capacity_.end(), host);
    for (std::uint32_t t = 0; t + 1 < layout.tiers; ++t) {
      first_.push_back(capacity_.size());
      const auto& blocks = layout.block_of_leaf[t];
      capacity_.resize(capacity_.size() + 2UL * (*std::max_element(blocks.begin(), blocks.end()) + 1));
    }
    for (const Node& node : layout.nodes) add_uplinks(node);
  }

  const std::vector<double>& capacity() const { return capacity_; }

  /// Those on the way of a flow.
  std::vector<std::size_t> of(const Flow& flow) const {
    std::vector<std::size_t> out = {flow.from, std::size_t{layout_.hosts()} + flow.to};
    const std::uint32_t top = layout_.meeting_tier(flow.from, flow.to);
    for (std::uint32_t t = 0; t < top; ++t) {
      out.push_back(up(t, leaf_of(layout_.address_of_host[flow.from])));
      out.push_back(up(t, leaf_of(layout_.address_of_host[flow.to])) + 1);
    }
    return out;
  }

 private:
  std::size_t up(std::uint32_t tier, std::uint32_t leaf) const {
    return first_[tier] + 2UL * layout_.block_of_leaf[tier][leaf];
  }

  void add_uplinks(const Node& node) {
    if (node.hosts || node.tier + 1U >= layout_.tiers) return;
    for (std::uint32_t p = node.ports_down; p < node.ports; ++p) {
      const double rate = 1 / static_cast<double>(layout_.link_of(node.first_port + p).picoseconds_per_byte);
      capacity_[first_[node.tier] + 2UL * node.block] += rate;
      capacity_[first_[node.tier] + 2UL * node.block + 1] += rate;
    }
  }

  const Layout& layout_;
  std::vector<std::size_t> first_;  // of each tier
  std::vector<double> capacity_;    // bytes a picosecond
};

/// Raises all rates together; those on a link that is full stay as they are.
class WaterFilling {
 public:
  WaterFilling(const std::vector<double>& capacity, const std::vector<std::vector<std::size_t>>& ways)
      : left_(capacity), open_(capacity.size()), ways_(ways), flows_of_(capacity.size()) {}

  /// Sets the rates of these flows.
  void fill(const std::vector<std::uint32_t>& flows, std::vector<Reservation>& out) {
    std::vector<char> fixed(ways_.size());
    std::vector<std::size_t> used;
    for (const std::uint32_t f : flows) {
      for (const std::size_t trunk : ways_[f]) {
        if (open_[trunk]++ == 0) used.push_back(trunk);
        flows_of_[trunk].push_back(f);
      }
    }
    for (std::size_t rest = flows.size(); rest > 0;) {
      const double share = least_share(used);
      for (const std::size_t trunk : used) {
        if (open_[trunk] == 0 || left_[trunk] / open_[trunk] > share * (1 + kTie)) continue;
        for (const std::uint32_t f : flows_of_[trunk]) {
          if (fixed[f] != 0) continue;
          fixed[f] = 1;
          --rest;
          out[f].rate = share;
          for (const std::size_t on_the_way : ways_[f]) {
            left_[on_the_way] -= share;
            --open_[on_the_way];
          }
        }
      }
    }
  }

 private:
  double least_share(const std::vector<std::size_t>& used) const {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t trunk : used) {
      if (open_[trunk] > 0) least = std::min(least, left_[trunk] / open_[trunk]);
    }
    return least;
  }

  std::vector<double> left_;
  std::vector<std::uint32_t> open_;  // flows without a rate
  const std::vector<std::vector<std::size_t>>& ways_;
  std::vector<std::vector<std::uint32_t>> flows_of_;
};

/// The flows of each wave.
std::vector<std::vector<std::uint32_t>> waves_of(const std::vector<std::uint32_t>& flows,
                                                 const std::vector<std::vector<std::size_t>>& ways,
                                                 std::size_t trunks, std::uint32_t most) {
  std::vector<std::vector<std::uint32_t>> waves;
  std::vector<std::uint32_t> taken(trunks);  // flows of earlier and the latest wave
  for (const std::uint32_t f : flows) {
    std::uint32_t wave = 0;
    if (most > 0) {
      for (const std::size_t trunk : ways[f]) wave = std::max(wave, taken[trunk] / most);
      for (const std::size_t trunk : ways[f]) taken[trunk] = std::max(taken[trunk] + 1, wave * most + 1);
    }
    waves.resize(std::max<std::size_t>(waves.size(), wave + 1));
    waves[wave].push_back(f);
  }
  return waves;
}

}  // namespace

std::vector<std::uint32_t> steps_of(std::size_t flows, const std::vector<Dependency>& dependencies) {
  std::vector<std::uint32_t> out(flows);
  for (bool longer = true; longer;) {
    longer = false;
    for (const Dependency& d : dependencies) {
      if (out[d.after] > out[d.before]) continue;
      out[d.after] = out[d.before] + 1;
      TY_ASSERT(out[d.after] < flows, "flows that wait for each other");
      longer = true;
    }
  }
  return out;
}

std::vector<Reservation> reserve(const Layout& layout, const std::vector<Flow>& flows,
                                 const ReservationRules& rules) {
  if (!layout.routes.empty())
    fail_input(whole("simulation.transport"),
               "schedules reserve the tiers of folded Clos networks, of at most three tiers",
               "a transport that needs no schedule: ndp, smartt, nscc, ...");
  const Trunks trunks(layout);
  std::vector<double> capacity = trunks.capacity();
  for (double& c : capacity) c *= rules.utilization;
  std::vector<std::vector<std::size_t>> ways;
  ways.reserve(flows.size());
  for (const Flow& flow : flows) ways.push_back(trunks.of(flow));
  std::vector<Reservation> out(flows.size());
  const std::uint32_t steps =
      rules.steps.empty() ? 1 : *std::max_element(rules.steps.begin(), rules.steps.end()) + 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::vector<std::uint32_t> members;
    for (std::uint32_t f = 0; f < flows.size(); ++f) {
      if (rules.steps.empty() || rules.steps[f] == step) members.push_back(f);
    }
    double begin = 0;
    for (const auto& wave : waves_of(members, ways, capacity.size(), rules.most_flows)) {
      WaterFilling(capacity, ways).fill(wave, out);
      double longest = 0;
      for (const std::uint32_t f : wave) {
        out[f].wait = begin < static_cast<double>(kFarthest) ? static_cast<Picoseconds>(begin) : kFarthest;
        longest = std::max(longest, static_cast<double>(flows[f].bytes) * rules.wire_factor / out[f].rate);
      }
      begin += longest;
    }
  }
  return out;
}

}  // namespace trainyard::packet
