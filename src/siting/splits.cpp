#include "siting/splits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/errors.h"

namespace trainyard {
namespace {

constexpr std::size_t kMostSites = kMostSplitSites;
constexpr HoursPerYear kAlways(8760);
constexpr Megawatts kRounding(1e-9);
constexpr Megawatts kUnlimited(1e300);
constexpr std::uint64_t kMostVisits = 400'000'000;  // some seconds

/// A set of places under construction: no allocation in the innermost loop.
struct Set {
  std::array<std::uint32_t, kMostSites> at{};
  std::size_t size = 0;
};

/// What a set costs, before it is worth keeping.
struct Costs {
  std::array<Megawatts, kMostSites> power{};
  Milliseconds rtt;
  UsdPerYear cost;
  UsdPerYear fibre_cost;
  TonnesPerYear co2;
  double slowdown = 1;  // 1 until somebody asks
};

constexpr Megawatts kNothing(0);

Kilometres ground(double chord_squared) { return Kilometres(km_of_chord_squared(chord_squared)); }

/// In all but the time of training.
bool dominates(const Costs& a, const Costs& b) {
  return a.rtt <= b.rtt && a.cost <= b.cost && a.co2 <= b.co2;
}

/// Sets of places with what a search needs of them in flat arrays.
class SplitSearch {
 public:
  SplitSearch(const std::vector<SplitPlace>& places, const SplitQuestion& question)
      : places_(places), q_(question) {
    for (const SplitPlace& place : places) vectors_.push_back(unit_vector(place.at));
    const double apart = chord_of_km(q_.separation.count());
    apart_squared_ = apart * apart;
  }

  SplitsFound search() {
    TY_ASSERT(q_.sites >= 1 && q_.sites <= kMostSites, "sites of a split");
    TY_ASSERT(q_.training || !by_training(), "a goal that needs the time of training");
    out_.compared = comparable();
    limit_ = out_.compared;
    Set set;
    enumerate(set, 0, 0, kNothing);
    if (out_.compared < places_.size()) widen();
    for (const Kept& kept : best_) out_.best.push_back(found(kept));
    std::stable_sort(front_.begin(), front_.end(),
                     [](const Kept& a, const Kept& b) { return a.costs.rtt < b.costs.rtt; });
    for (const Kept& kept : front_) out_.pareto.push_back(found(kept));
    return std::move(out_);
  }

  /// Power, times and costs of a set; absent where it cannot take the power.
  std::optional<Costs> costs_of(const Set& set, double chord_squared_most) const {
    Costs out;
    if (!divide(set, out)) return std::nullopt;
    out.rtt = ground(chord_squared_most) * q_.pace;
    const HoursPerYear hours = kAlways * q_.load;
    for (std::size_t i = 0; i < set.size; ++i) {
      const SplitPlace& place = places_[set.at[i]];
      out.cost += out.power[i] * hours * place.price;
      if (out.power[i] > Megawatts()) out.co2 += as<TonnesPerYear>(out.power[i] * hours * place.co2);
    }
    if (q_.fibre_price > FibrePrice()) {
      for (std::size_t i = 0; i < set.size; ++i) {
        for (std::size_t j = i + 1; j < set.size; ++j)
          out.fibre_cost +=
              q_.fibre_price * std::min(out.power[i], out.power[j]) * ground(chord(set.at[i], set.at[j]));
      }
      out.cost += out.fibre_cost;
    }
    return out;
  }

  /// Least shares first, then the cheapest places up to what they and their authorities give.
  bool divide(const Set& set, Costs& out) const {
    const Megawatts least = q_.least_share * q_.power;
    std::array<Megawatts, kMostSites> room{};  // of the authority, kept at its first place in the set
    std::array<std::size_t, kMostSites> group{};
    for (std::size_t i = 0; i < set.size; ++i) {
      const SplitPlace& place = places_[set.at[i]];
      if (place.available < least - kRounding) return false;
      group[i] = i;
      for (std::size_t j = 0; j < i && group[i] == i; ++j) {
        if (places_[set.at[j]].authority == place.authority) group[i] = group[j];
      }
      if (group[i] == i) room[i] = place.spare.value_or(kUnlimited);
      room[group[i]] -= least;
      out.power[i] = least;
    }
    Megawatts left = q_.power - least * static_cast<double>(set.size);
    if (left < kNothing - kRounding) return false;
    std::array<std::uint8_t, kMostSites> order{};
    for (std::size_t i = 0; i < set.size; ++i) {
      if (room[group[i]] < kNothing - kRounding) return false;
      std::size_t at = i;  // insertion sort by price, stable
      for (; at > 0 && price(set, order[at - 1]) > price(set, i); --at) order[at] = order[at - 1];
      order[at] = static_cast<std::uint8_t>(i);
    }
    for (std::size_t o = 0; o < set.size && left > kNothing; ++o) {
      const std::size_t i = order[o];
      const Megawatts more =
          std::max(kNothing, std::min({left, places_[set.at[i]].available - least, room[group[i]]}));
      out.power[i] += more;
      room[group[i]] -= more;
      left -= more;
    }
    return left <= kRounding;
  }

  double farthest(const Set& set) const {
    double most = 0;
    for (std::size_t i = 0; i < set.size; ++i) {
      for (std::size_t j = i + 1; j < set.size; ++j) most = std::max(most, chord(set.at[i], set.at[j]));
    }
    return most;
  }

 private:
  struct Kept {
    Set set;
    Costs costs;
    std::pair<double, double> goal;  // then the round trip
  };

  bool by_training() const {
    return q_.goal == SplitGoal::training_time || q_.goal == SplitGoal::training_cost;
  }

  UsdPerMegawattHour price(const Set& set, std::size_t i) const { return places_[set.at[i]].price; }
  double chord(std::uint32_t a, std::uint32_t b) const { return chord_squared(vectors_[a], vectors_[b]); }

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

  bool spread_holds(const Set& set) const {
    if (q_.spread == SpreadRule::any) return true;
    bool same_authority = false;
    bool two_interconnections = false;
    for (std::size_t i = 0; i < set.size; ++i) {
      for (std::size_t j = i + 1; j < set.size; ++j) {
        same_authority |= places_[set.at[i]].authority == places_[set.at[j]].authority;
        two_interconnections |= places_[set.at[i]].interconnection != places_[set.at[j]].interconnection;
      }
    }
    return q_.spread == SpreadRule::authorities ? !same_authority : two_interconnections;
  }

  /// The longest side of the set with one more place; negative when that is too near to another.
  double with_place(const Set& set, std::uint32_t place, double most) const {
    for (std::size_t i = 0; i < set.size; ++i) {
      const double side = chord(set.at[i], place);
      if (side <= apart_squared_) return -1;
      most = std::max(most, side);
    }
    return most;
  }

  /// Whether even the strongest places that may still join leave the set too weak.
  bool too_weak(const Set& set, Megawatts available, std::size_t next) const {
    const auto missing = static_cast<double>(q_.sites - set.size);
    return available + missing * places_[next].available < q_.power - kRounding;
  }

  /// Every set of places below `limit_`, in the order of their indices.
  void enumerate(Set& set, std::size_t from, double most, Megawatts available) {
    if (set.size == q_.sites) return take(set, most, true);
    for (std::size_t p = from; p + (q_.sites - set.size) <= limit_; ++p) {
      if (too_weak(set, available, p)) return;
      const auto place = static_cast<std::uint32_t>(p);
      const double longer = with_place(set, place, most);
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
    Set set;
    descend(set, 0, 0, kNothing);
    if (visits_ > kMostVisits) out_.exact = false;
  }

  void descend(Set& set, std::size_t from, double most, Megawatts available) {
    if (set.size == q_.sites) {
      if (set.at[set.size - 1] >= out_.compared) take(set, most, false);
      return;
    }
    for (std::size_t p = from; p + (q_.sites - set.size) <= places_.size(); ++p) {
      if (too_weak(set, available, p) || ++visits_ > kMostVisits) return;
      const auto place = static_cast<std::uint32_t>(p);
      const double longer = with_place(set, place, most);
      if (longer < 0 || longer >= bound_) continue;
      set.at[set.size++] = place;
      descend(set, p + 1, longer, available + places_[p].available);
      --set.size;
    }
  }

  void take(const Set& set, double most, bool enumerated) {
    if (!spread_holds(set)) return;
    auto costs = costs_of(set, most);
    if (!costs) return;
    if (by_training()) {
      costs->slowdown = slowdown(set, *costs);
      if (!std::isfinite(costs->slowdown)) return;
    }
    keep_best({set, *costs, {goal_of(*costs, most), most}});
    if (!enumerated) return;
    ++out_.feasible;
    keep_front({set, *costs, {}});
  }

  double goal_of(const Costs& costs, double most) const {
    switch (q_.goal) {
      case SplitGoal::round_trip:
        return most;
      case SplitGoal::cost:
        return costs.cost.count();
      case SplitGoal::carbon:
        return costs.co2.count();
      case SplitGoal::training_time:
        return costs.slowdown;
      case SplitGoal::training_cost:
        return costs.slowdown * (costs.cost + q_.training->capital).count();
    }
    return most;
  }

  double slowdown(const Set& set, const Costs& costs) {
    shape_.sites = set.size;
    for (std::size_t i = 0; i < set.size; ++i) {
      shape_.share[i] = costs.power[i] / q_.power;
      for (std::size_t j = 0; j < i; ++j)
        shape_.rtt[i][j] = shape_.rtt[j][i] = ground(chord(set.at[i], set.at[j])) * q_.pace;
    }
    return q_.training->slowdown(shape_);
  }

  void keep_best(const Kept& kept) {
    if (best_.size() == q_.wanted && (q_.wanted == 0 || kept.goal >= best_.back().goal)) return;
    const auto place = std::upper_bound(best_.begin(), best_.end(), kept,
                                        [](const Kept& a, const Kept& b) { return a.goal < b.goal; });
    best_.insert(place, kept);
    if (best_.size() > q_.wanted) best_.pop_back();
    if (best_.size() == q_.wanted && q_.goal == SplitGoal::round_trip) bound_ = best_.back().goal.first;
  }

  /// The time of training is asked for only where it can matter: nothing is quicker than a hidden exchange.
  void keep_front(Kept kept) {
    bool known = by_training() || !q_.training;
    for (const Kept& other : front_) {
      if (!dominates(other.costs, kept.costs)) continue;
      if (!known && other.costs.slowdown > 1) {
        kept.costs.slowdown = slowdown(kept.set, kept.costs);
        known = true;
      }
      if (other.costs.slowdown <= kept.costs.slowdown) return;
    }
    if (!known) kept.costs.slowdown = slowdown(kept.set, kept.costs);
    std::erase_if(front_, [&](const Kept& other) {
      return dominates(kept.costs, other.costs) && kept.costs.slowdown <= other.costs.slowdown;
    });
    front_.push_back(kept);
  }

  static FoundSplit found(const Kept& kept) {
    FoundSplit out;
    for (std::size_t i = 0; i < kept.set.size; ++i) {
      out.places.push_back(kept.set.at[i]);
      out.power.push_back(kept.costs.power[i]);
    }
    out.rtt = kept.costs.rtt;
    out.cost = kept.costs.cost;
    out.fibre_cost = kept.costs.fibre_cost;
    out.co2 = kept.costs.co2;
    return out;
  }

  const std::vector<SplitPlace>& places_;
  const SplitQuestion& q_;
  std::vector<UnitVector> vectors_;
  double apart_squared_ = 0;
  std::size_t limit_ = 0;
  double bound_ = 1e300;  // longest side that is still of use
  std::uint64_t visits_ = 0;
  std::vector<Kept> best_;
  std::vector<Kept> front_;
  SplitShape shape_;
  SplitsFound out_;
};

Set set_of(const std::vector<std::size_t>& places) {
  TY_ASSERT(places.size() <= kMostSites, "sites of a split");
  Set set;
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
  const SplitSearch search(places, question);
  const Set small = set_of(set);
  const auto costs = search.costs_of(small, search.farthest(small));
  if (!costs) return std::nullopt;
  FoundSplit out;
  out.places = set;
  out.power.assign(costs->power.begin(), costs->power.begin() + static_cast<long>(set.size()));
  out.rtt = costs->rtt;
  out.cost = costs->cost;
  out.fibre_cost = costs->fibre_cost;
  out.co2 = costs->co2;
  return out;
}

SplitsFound find_splits(const std::vector<SplitPlace>& places, const SplitQuestion& question) {
  if (places.size() < question.sites) return {};
  return SplitSearch(places, question).search();
}

}  // namespace trainyard
