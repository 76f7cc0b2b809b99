#include "search/space/descent.h"

#include <numeric>
#include <utility>

#include "base/mixing.h"
#include "search/space/point_sample.h"

namespace trainyard {
namespace {

constexpr std::size_t kAllAlone = 1024;  // of one setting, so many values are all tried
constexpr std::size_t kAllPaired = 16;   // of one of two settings

/// The values that are tried of a setting: all where they are few, else 1, 2, 4, ... beside the present one.
std::vector<std::uint32_t> values_near(std::uint32_t now, std::size_t count, std::size_t all) {
  std::vector<std::uint32_t> out;
  if (count <= all) {
    for (std::uint32_t v = 0; v < count; ++v) out.push_back(v);
    return out;
  }
  out.push_back(now);
  for (std::uint32_t step = 1; step < count; step *= 2) {
    if (step <= now) out.push_back(now - step);
    if (now + step < count) out.push_back(now + step);
  }
  return out;
}

class Descent {
 public:
  Descent(PointSample& sample, std::vector<std::uint32_t> from, const CostSum& cost, std::uint64_t seed)
      : sample_(sample), cost_(cost), at_(std::move(from)), order_(at_.size()) {
    best_ = cost_(sample_.costs(at_));
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t i = order_.size(); i > 1; --i)
      std::swap(order_[i - 1], order_[below(mixed(seed, i), static_cast<std::uint32_t>(i))]);
  }

  void run() {
    do {
      while (improve_one() && !sample_.is_spent()) {
      }
    } while (!sample_.is_spent() && improve_two());
  }

 private:
  /// Goes where the costs are less.
  bool try_at(const std::vector<std::uint32_t>& to) {
    const double cost = cost_(sample_.costs(to));
    if (!(cost < best_)) return false;
    best_ = cost;
    at_ = to;
    return true;
  }

  std::size_t values(std::size_t setting) const { return sample_.space()[setting].values.size(); }

  /// Every setting in turn.
  bool improve_one() {
    bool improved = false;
    for (const std::size_t s : order_) {
      std::vector<std::uint32_t> to = at_;
      for (const std::uint32_t v : values_near(at_[s], values(s), kAllAlone)) {
        to[s] = v;
        improved |= try_at(to);
      }
    }
    return improved;
  }

  /// Until the first two settings that improve.
  bool improve_two() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (std::size_t j = 0; j < i && !sample_.is_spent(); ++j) {
        if (improve_both(order_[i], order_[j])) return true;
      }
    }
    return false;
  }

  bool improve_both(std::size_t a, std::size_t b) {
    bool improved = false;
    std::vector<std::uint32_t> to = at_;
    for (const std::uint32_t u : values_near(at_[a], values(a), kAllPaired)) {
      for (const std::uint32_t v : values_near(at_[b], values(b), kAllPaired)) {
        to[a] = u;
        to[b] = v;
        improved |= try_at(to);
      }
    }
    return improved;
  }

  PointSample& sample_;
  const CostSum& cost_;
  std::vector<std::uint32_t> at_;
  double best_ = 0;
  std::vector<std::size_t> order_;
};

}  // namespace

void descend(PointSample& sample, std::vector<std::uint32_t> from, const CostSum& cost, std::uint64_t seed) {
  Descent(sample, std::move(from), cost, seed).run();
}

}  // namespace trainyard
