#include "search/space/island.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "base/mixing.h"
#include "search/evolution/evolution.h"
#include "search/space/descent.h"

namespace trainyard {
namespace {

constexpr std::uint64_t kRounds = 4;    // populations, at least, if none dries up
constexpr std::uint64_t kMixtures = 4;  // of several objectives, beside each alone

using ChoiceList = std::vector<std::vector<std::uint32_t>>;

/// Several objectives as one: the largest of the weighted distances from the best of each (Chebyshev).
class Mixture {
 public:
  /// Of the ranges between points that are the best in one objective each.
  Mixture(PointSample& sample, const ChoiceList& bests, std::uint64_t seed) {
    constexpr double kHashes = 0x1p-64;
    for (std::size_t o = 0; o < sample.objectives(); ++o) {
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (const auto& choice : bests) {
        const double cost = sample.costs(choice)[o];
        low = std::min(low, cost);
        high = std::max(high, cost);
      }
      ideal_.push_back(low);
      const double weight = static_cast<double>(mixed(seed, o)) * kHashes + 1e-3;
      weights_.push_back(weight / (high > low ? high - low : 1));
    }
  }

  double operator()(std::span<const double> costs) const {
    double out = -std::numeric_limits<double>::infinity();
    for (std::size_t o = 0; o < costs.size(); ++o) out = std::max(out, weights_[o] * (costs[o] - ideal_[o]));
    return out;
  }

 private:
  std::vector<double> ideal_;
  std::vector<double> weights_;
};

std::vector<std::uint32_t> lowest_of(PointSample& sample, const ChoiceList& choices, const CostSum& cost) {
  const std::vector<std::uint32_t>* best = nullptr;
  double lowest = 0;
  for (const auto& choice : choices) {
    const double now = cost(sample.costs(choice));
    if (best && !(now < lowest)) continue;
    best = &choice;
    lowest = now;
  }
  return *best;
}

/// From the best of each objective; of several, then from those of mixtures.
void descend_from(PointSample& sample, const ChoiceList& population, std::uint64_t seed) {
  ChoiceList bests;
  for (std::size_t o = 0; o < sample.objectives(); ++o) {
    const CostSum cost = [o](std::span<const double> costs) { return costs[o]; };
    bests.push_back(lowest_of(sample, population, cost));
    descend(sample, bests.back(), cost, mixed(seed, o));
  }
  for (std::uint64_t i = 0; sample.objectives() > 1 && i < kMixtures && !sample.is_spent(); ++i) {
    const CostSum cost = Mixture(sample, bests, mixed(seed, kMixtures + i));
    descend(sample, lowest_of(sample, population, cost), cost, mixed(seed, i));
  }
}

/// A sample as what evolves.
class EvolvingSample final : public EvolvingPoints {
 public:
  explicit EvolvingSample(PointSample& sample) : sample_(sample) {
    for (const FreeSetting& setting : sample.space()) values_.push_back(setting.values.size());
  }

  std::span<const std::size_t> values() const override { return values_; }
  std::size_t objectives() const override { return sample_.objectives(); }
  std::span<const double> costs(NarrowChoice point) override { return sample_.costs(point); }
  std::size_t planned() const override { return sample_.planned(); }

 private:
  PointSample& sample_;
  std::vector<std::size_t> values_;
};

ChoiceList evolved(PointSample& sample, std::uint64_t seed, std::uint64_t until) {
  EvolvingSample points(sample);
  return evolve(points, seed, until);
}

}  // namespace

void settle_island(PointSample& sample, std::uint64_t seed, std::uint64_t evaluations,
                   const std::function<void()>& tick) {
  for (std::uint64_t round = 0; !sample.is_spent(); ++round) {
    const std::size_t before = sample.planned();
    const std::uint64_t own = mixed(seed, round);
    const std::uint64_t until =
        std::min(evaluations, before + std::max<std::uint64_t>(1, evaluations / kRounds));
    const ChoiceList population = evolved(sample, own, until);
    tick();
    descend_from(sample, population, own);
    tick();
    if (sample.planned() == before) return;
  }
}

}  // namespace trainyard
