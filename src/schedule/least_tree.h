// Numbers in a fixed order, of which the first that is small enough is found at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace trainyard::schedule {

class LeastTree {
 public:
  /// All infinite, so that none of them is found.
  explicit LeastTree(std::size_t places)
      : leaves_(std::bit_ceil(std::max<std::size_t>(places, 1))),
        least_(2 * leaves_, std::numeric_limits<double>::infinity()) {}

  void set(std::size_t place, double value) {
    std::size_t node = place + leaves_;
    least_[node] = value;
    while (node > 1) {
      node /= 2;
      least_[node] = std::min(least_[2 * node], least_[2 * node + 1]);
    }
  }

  /// The first place from `from` on whose number is finite and at most `most`.
  std::optional<std::size_t> first(std::size_t from, double most) const {
    if (from >= leaves_) return std::nullopt;
    const double bound = std::min(most, std::numeric_limits<double>::max());
    std::size_t node = from + leaves_;
    while (!(least_[node] <= bound)) {
      if (std::has_single_bit(node + 1)) return std::nullopt;  // the last of its level
      ++node;
      while (node % 2 == 0) node /= 2;
    }
    while (node < leaves_) {
      node *= 2;
      if (!(least_[node] <= bound)) ++node;
    }
    return node - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> least_;  // of the leaves below each node, from the root, 1; leaves last
};

}  // namespace trainyard::schedule
