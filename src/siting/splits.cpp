#include "siting/splits.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/errors.h"
#include "base/stopping.h"
#include "siting/kept_splits.h"
#include "siting/split_costs.h"

namespace trainyard {
namespace {

constexpr std::uint64_t kMostVisits = 400'000'000;  // some seconds

/// Every set of places that may be worth keeping.
class SplitSearch {
 public:
  SplitSearch(const std::vector<SplitPlace>& places, const SplitQuestion& question)
      : places_(places), q_(question), costs_(places, question), kept_(costs_, question) {}

  SplitsFound search() {
    TY_ASSERT(q_.sites >= 1 && q_.sites <= kMostSplitSites, "sites of a split");
    TY_ASSERT(q_.training || !by_training(q_.goal), "a goal that needs the time of training");
    out_.compared = comparable();
    PlaceSet set;
    enumerate(set, 0, 0, Megawatts());
    if (out_.compared < places_.size()) widen();
    out_.best = kept_.best();
    out_.pareto = kept_.front();
    return std::move(out_);
  }

 private:
  /// Sets that are compared in the time of `most_sets` of up to three sites.
  double most_compared() const {
    constexpr double kLargerSet = 5;
    const double of_size = static_cast<double>(q_.most_sets) / (q_.sites > 3 ? kLargerSet : 1);
    return q_.training ? of_size / q_.training->effort : of_size;
  }

  /// How many of the strongest places can be combined in every way within the bound on sets.
  std::size_t comparable() const {
    const double most = most_compared();
    std::size_t n = std::min(places_.size(), q_.sites);
    for (; n < places_.size(); ++n) {
      double sets = 1;
      for (std::size_t i = 0; i < q_.sites; ++i)
        sets *= static_cast<double>(n + 1 - i) / static_cast<double>(i + 1);
      if (sets > most) break;
    }
    return n;
  }

  /// Whether even the strongest places that may still join leave the set too weak.
  bool too_weak(const PlaceSet& set, Megawatts available, std::size_t next) const {
    const auto missing = static_cast<double>(q_.sites - set.size);
    return available + missing * places_[next].available < q_.power - kSplitRounding;
  }

  /// Every set of places that are compared, in the order of their indices.
  void enumerate(PlaceSet& set, std::size_t from, double most, Megawatts available) {
    if (set.size == q_.sites) return take(set, most, true);
    pause_point();
    for (std::size_t p = from; p + (q_.sites - set.size) <= out_.compared; ++p) {
      if (too_weak(set, available, p)) return;
      const auto place = static_cast<std::uint32_t>(p);
      const double longer = costs_.with_place(set, place, most);
      if (longer < 0) continue;
      set.at[set.size++] = place;
      enumerate(set, p + 1, longer, available + places_[p].available);
      --set.size;
    }
  }

  /// The best round trips over all places: sets that are already longer than the worst kept are cut off.
  void widen() {
    out_.exact = q_.goal == SplitGoal::round_trip;
    if (!out_.exact) return;
    PlaceSet set;
    descend(set, 0, 0, Megawatts());
    if (visits_ > kMostVisits) out_.exact = false;
  }

  void descend(PlaceSet& set, std::size_t from, double most, Megawatts available) {
    if (set.size == q_.sites) {
      if (set.at[set.size - 1] >= out_.compared) take(set, most, false);
      return;
    }
    pause_point();
    for (std::size_t p = from; p + (q_.sites - set.size) <= places_.size(); ++p) {
      if (too_weak(set, available, p) || ++visits_ > kMostVisits) return;
      const auto place = static_cast<std::uint32_t>(p);
      const double longer = costs_.with_place(set, place, most);
      if (longer < 0 || longer >= kept_.bound()) continue;
      set.at[set.size++] = place;
      descend(set, p + 1, longer, available + places_[p].available);
      --set.size;
    }
  }

  void take(const PlaceSet& set, double longest, bool enumerated) {
    if (!costs_.spread_holds(set)) return;
    auto costs = costs_.of(set, longest);
    if (!costs) return;
    if (by_training(q_.goal)) {
      costs->slowdown = costs_.slowdown(set, *costs);
      if (!std::isfinite(costs->slowdown)) return;
    }
    kept_.add_to_best(set, *costs, longest);
    if (!enumerated) return;
    ++out_.feasible;
    kept_.add_to_front(set, *costs);
  }

  const std::vector<SplitPlace>& places_;
  const SplitQuestion& q_;
  SplitCosts costs_;
  KeptSplits kept_;
  std::uint64_t visits_ = 0;
  SplitsFound out_;
};

PlaceSet set_of(const std::vector<std::size_t>& places) {
  TY_ASSERT(places.size() <= kMostSplitSites, "sites of a split");
  PlaceSet set;
  for (const std::size_t place : places) set.at[set.size++] = static_cast<std::uint32_t>(place);
  return set;
}

}  // namespace

std::vector<std::size_t> by_strength(const std::vector<SplitPlace>& places) {
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const SplitPlace& p = places[a];
    const SplitPlace& q = places[b];
    if (p.available != q.available) return p.available > q.available;
    if (p.at.lat_deg != q.at.lat_deg) return p.at.lat_deg > q.at.lat_deg;
    return p.at.lon_deg < q.at.lon_deg;
  });
  return order;
}

std::vector<std::size_t> thinned(const std::vector<SplitPlace>& places, Kilometres separation) {
  const double apart = chord_of_km(separation.count());
  std::vector<std::size_t> out;
  std::vector<UnitVector> kept;
  for (const std::size_t place : by_strength(places)) {
    const UnitVector here = unit_vector(places[place].at);
    const auto near = [&](const UnitVector& other) { return chord_squared(other, here) <= apart * apart; };
    if (std::any_of(kept.begin(), kept.end(), near)) continue;
    kept.push_back(here);
    out.push_back(place);
  }
  return out;
}

std::optional<FoundSplit> evaluate_split(const std::vector<SplitPlace>& places,
                                         const std::vector<std::size_t>& set, const SplitQuestion& question) {
  const SplitCosts costs(places, question);
  const PlaceSet small = set_of(set);
  const auto found = costs.of(small, costs.farthest(small));
  return found ? std::optional(found_split(small, *found)) : std::nullopt;
}

SplitsFound find_splits(const std::vector<SplitPlace>& places, const SplitQuestion& question) {
  if (places.size() < question.sites) return {};
  return SplitSearch(places, question).search();
}

}  // namespace trainyard
