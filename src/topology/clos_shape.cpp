#include "topology/clos_shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/whole_numbers.h"

namespace trainyard {
namespace {

constexpr std::int64_t kEndless = std::int64_t{1} << 50;
/// Shapes that are looked at: all of them up to four tiers of 2,800 ports, the fullest ones beyond.
constexpr double kMostShapes = 2e6;

double oversubscription(const ClosParts& parts, std::size_t tier) {
  return tier < parts.oversubscription.size() ? parts.oversubscription[tier] : 1;
}

/// Ports down of a switch; all of them on the top tier.
std::int64_t ports_down(const ClosParts& parts, std::size_t tier, std::size_t top) {
  if (tier == top) return parts.ports;
  const double o = oversubscription(parts, tier);
  const auto down = static_cast<std::int64_t>(static_cast<double>(parts.ports) * (o / (1 + o)) + 1e-9);
  return std::clamp<std::int64_t>(down, 1, parts.ports - 1);
}

std::int64_t uplinks_for(const ClosParts& parts, std::size_t tier, std::int64_t down) {
  const auto wanted =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(down) / oversubscription(parts, tier) - 1e-9));
  return std::min(wanted, parts.ports - down);
}

/// Tries every count of children of the middle tiers; the top one follows.
class ShapeSearch {
 public:
  ShapeSearch(const ClosParts& parts, std::int64_t tiers, std::int64_t endpoints)
      : parts_(parts), top_(static_cast<std::size_t>(tiers) - 1) {
    shape_.endpoints = endpoints;
    shape_.tiers.resize(static_cast<std::size_t>(tiers));
    fewest_leaves_ = ceil_div(endpoints, ports_down(parts, 0, top_));
    const double middle_tiers = std::max<double>(1, static_cast<double>(tiers) - 2);
    most_choices_ = static_cast<std::int64_t>(std::pow(kMostShapes, 1 / middle_tiers));
  }

  std::optional<ClosShape> best() {
    if (top_ == 0) {
      if (fewest_leaves_ > 1) return std::nullopt;
      finish(1);
    } else {
      choose(1, 1);
    }
    return best_;
  }

 private:
  void choose(std::size_t tier, std::int64_t leaves_below) {
    if (tier == top_) {
      const std::int64_t children = std::max<std::int64_t>(2, ceil_div(fewest_leaves_, leaves_below));
      if (children > parts_.ports) return;
      shape_.tiers[tier].children = children;
      return finish(leaves_below * children);
    }
    const std::int64_t most = ports_down(parts_, tier, top_);
    const std::int64_t useful = std::max<std::int64_t>(1, ceil_div(fewest_leaves_, leaves_below));
    const std::int64_t fullest = std::min(most, useful);
    const std::int64_t least = std::max(least_children(tier, leaves_below), fullest - most_choices_ + 1);
    for (std::int64_t children = fullest; children >= least; --children) {
      shape_.tiers[tier].children = children;
      choose(tier + 1, leaves_below * children);
    }
  }

  /// Below this the tiers above cannot hold the rest.
  std::int64_t least_children(std::size_t tier, std::int64_t leaves_below) const {
    double above = static_cast<double>(parts_.ports);
    for (std::size_t t = tier + 1; t < top_; ++t) above *= static_cast<double>(ports_down(parts_, t, top_));
    const double needed = static_cast<double>(fewest_leaves_) / (above * static_cast<double>(leaves_below));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(needed - 1e-9)));
  }

  /// Fills in switches and links from the leaf up, and keeps the shape when it is the best so far.
  void finish(std::int64_t leaves) {
    if (leaves > shape_.endpoints) return;  // a leaf without hosts
    shape_.tiers[0].children = ceil_div(shape_.endpoints, leaves);
    std::int64_t width = 1;
    std::int64_t switches = 0;
    std::int64_t links = 0;
    std::int64_t blocks = leaves;
    for (std::size_t t = 0; t <= top_; ++t) {
      ClosTier& tier = shape_.tiers[t];
      if (t > 0) {
        const std::int64_t below = tier.children * shape_.tiers[t - 1].uplinks;
        tier.group = ceil_div(below, ports_down(parts_, t, top_));
        tier.down = ceil_div(below, tier.group);
        blocks /= tier.children;
      } else {
        tier.down = tier.children;
      }
      width *= tier.group;
      tier.uplinks = t == top_ ? 0 : uplinks_for(parts_, t, tier.down);
      switches += blocks * width;
      links += blocks * width * tier.uplinks;
    }
    const bool better =
        !best_ || switches < best_switches_ || (switches == best_switches_ && links < best_links_);
    if (!better) return;
    best_ = shape_;
    best_switches_ = switches;
    best_links_ = links;
  }

  const ClosParts& parts_;
  std::size_t top_;
  std::int64_t fewest_leaves_ = 1;
  std::int64_t most_choices_ = 1;  // of children of a tier
  ClosShape shape_;
  std::optional<ClosShape> best_;
  std::int64_t best_switches_ = 0;
  std::int64_t best_links_ = 0;
};

}  // namespace

std::int64_t ClosShape::blocks(std::size_t tier) const {
  std::int64_t count = 1;
  for (std::size_t t = tier + 1; t < tiers.size(); ++t) count *= tiers[t].children;
  return count;
}

std::int64_t ClosShape::width(std::size_t tier) const {
  std::int64_t count = 1;
  for (std::size_t t = 0; t <= tier; ++t) count *= tiers[t].group;
  return count;
}

std::int64_t ClosShape::all_switches() const {
  std::int64_t sum = 0;
  for (std::size_t t = 0; t < tiers.size(); ++t) sum += switches(t);
  return sum;
}

std::int64_t ClosShape::block_of_leaf(std::size_t tier, std::int64_t leaf) const {
  for (std::size_t t = 1; t <= tier; ++t) leaf /= tiers[t].children;
  return leaf;
}

bool ClosShape::even() const {
  for (std::size_t t = 1; t < tiers.size(); ++t) {
    if (tiers[t - 1].uplinks % tiers[t].group != 0) return false;
  }
  return true;
}

double ClosShape::link_paths() const {
  double paths = 1;
  for (std::size_t t = 0; t < top(); ++t) paths *= static_cast<double>(tiers[t].uplinks);
  return paths;
}

std::int64_t largest_clos(const ClosParts& parts, std::int64_t tiers) {
  const auto top = static_cast<std::size_t>(tiers) - 1;
  std::int64_t product = 1;
  for (std::size_t t = 0; t <= top; ++t) {
    product *= ports_down(parts, t, top);
    if (product > kEndless) return kEndless;
  }
  return product;
}

std::optional<std::int64_t> fewest_tiers(const ClosParts& parts, std::int64_t endpoints, std::int64_t most) {
  for (std::int64_t tiers = 1; tiers <= most; ++tiers) {
    if (largest_clos(parts, tiers) >= endpoints) return tiers;
  }
  return std::nullopt;
}

std::optional<ClosShape> best_clos_shape(const ClosParts& parts, std::int64_t tiers, std::int64_t endpoints) {
  if (parts.ports < 2 || endpoints < 1 || largest_clos(parts, tiers) < endpoints) return std::nullopt;
  return ShapeSearch(parts, tiers, endpoints).best();
}

}  // namespace trainyard
