// Splits: against every set and every whole division of the power of random places.
#include "siting/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "facility/geo.h"

namespace trainyard {
namespace {

std::vector<SplitPlace> random_places(std::mt19937& random, std::size_t count) {
  std::vector<SplitPlace> places;
  std::uniform_real_distribution<double> lat(30, 45);
  std::uniform_real_distribution<double> lon(-120, -75);
  for (std::size_t i = 0; i < count; ++i) {
    SplitPlace p;
    p.at = {lat(random), lon(random)};
    p.available = Megawatts(static_cast<double>(random() % 9 + 1));
    p.authority = static_cast<std::uint32_t>(random() % 4);
    if (p.authority > 0) p.spare = Megawatts(3.0 * p.authority);
    p.interconnection = p.authority / 2;
    p.price = UsdPerMegawattHour(static_cast<double>(random() % 50 + 20));
    p.co2 = KilogramsPerMegawattHour(static_cast<double>(random() % 500));
    places.push_back(p);
  }
  std::vector<SplitPlace> ordered;
  for (const std::size_t i : by_strength(places)) ordered.push_back(places[i]);
  return ordered;
}

SplitQuestion question(std::size_t sites) {
  SplitQuestion q;
  q.power = Megawatts(12);
  q.sites = sites;
  q.least_share = 1.0 / 12;  // a whole MW
  q.separation = Kilometres(300);
  q.pace = MillisecondsPerKilometre(round_trip_ms_per_km(1.3, 1.468));
  return q;
}

/// Calls f for every set of k places, in the order of their numbers.
template <class F>
void each_set(std::size_t places, std::size_t k, const F& f, std::vector<std::size_t> set = {}) {
  if (set.size() == k) return f(set);
  for (std::size_t p = set.empty() ? 0 : set.back() + 1; p < places; ++p) {
    auto longer = set;
    longer.push_back(p);
    each_set(places, k, f, longer);
  }
}

bool apart(const std::vector<SplitPlace>& places, const std::vector<std::size_t>& set, Kilometres least) {
  for (const std::size_t a : set) {
    for (const std::size_t b : set) {
      if (a != b && distance_km(places[a].at, places[b].at) <= least.count()) return false;
    }
  }
  return true;
}

/// The cheapest division into whole MW, by trying all of them; negative: there is none.
double cheapest(const std::vector<SplitPlace>& places, const std::vector<std::size_t>& set, int left,
                std::vector<int> given = {}) {
  if (given.size() == set.size()) {
    if (left != 0) return -1;
    double usd = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      double of_authority = 0;
      for (std::size_t j = 0; j < set.size(); ++j)
        of_authority += places[set[j]].authority == places[set[i]].authority ? given[j] : 0;
      if (of_authority > places[set[i]].spare.value_or(Megawatts(1e9)).count()) return -1;
      usd += given[i] * 8760 * places[set[i]].price.count();
    }
    return usd;
  }
  double best = -1;
  for (int mw = 1; mw <= std::min(left, static_cast<int>(places[set[given.size()]].available.count()));
       ++mw) {
    auto more = given;
    more.push_back(mw);
    const double usd = cheapest(places, set, left - mw, more);
    if (usd >= 0 && (best < 0 || usd < best)) best = usd;
  }
  return best;
}

/// The most power first, then from north to south, then from west to east: whatever the order in a file.
TEST(Splits, PlacesAreInTheOrderOfPowerThenFromNorthWest) {
  const auto place = [](double megawatts, double lat, double lon) {
    SplitPlace p;
    p.available = Megawatts(megawatts);
    p.at = {lat, lon};
    return p;
  };
  const std::vector<SplitPlace> sorted = {place(9, 30, -80), place(5, 45, -90), place(5, 40, -120),
                                          place(5, 40, -100), place(5, 40, -75)};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  do {
    std::vector<SplitPlace> places;
    places.reserve(order.size());
    for (const std::size_t i : order) places.push_back(sorted[i]);
    const auto strongest = by_strength(places);
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(order[strongest[i]], i);
  } while (std::next_permutation(order.begin(), order.end()));
}

// A great circle of 1000 km and back at 2/3 of light speed with 1.3 times the way: 12.73 ms.
TEST(Splits, DividePowerAsCheaplyAsPossible) {
  std::mt19937 random(4);
  int possible = 0;
  for (int round = 0; round < 300; ++round) {
    const auto places = random_places(random, 3);
    const auto split = evaluate_split(places, {0, 1, 2}, question(3));
    const double best = cheapest(places, {0, 1, 2}, 12);
    ASSERT_EQ(split.has_value(), best >= 0);
    if (!split) continue;
    ++possible;
    EXPECT_NEAR(split->cost.count(), best, 1e-3);
    EXPECT_NEAR((split->power[0] + split->power[1] + split->power[2]).count(), 12, 1e-9);
  }
  EXPECT_GT(possible, 50);
}

TEST(Splits, AreTheBestOfAllSets) {
  std::mt19937 random(5);
  for (int round = 0; round < 30; ++round) {
    const auto places = random_places(random, 14);
    const std::size_t k = 2 + static_cast<std::size_t>(round) % 3;
    const SplitQuestion q = question(k);
    std::vector<FoundSplit> all;
    each_set(places.size(), k, [&](const std::vector<std::size_t>& set) {
      if (!apart(places, set, q.separation)) return;
      if (auto split = evaluate_split(places, set, q)) all.push_back(std::move(*split));
    });
    const SplitsFound found = find_splits(places, q);
    EXPECT_EQ(found.feasible, all.size());
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.compared, places.size());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.rtt < b.rtt; });
    ASSERT_EQ(found.best.size(), std::min(all.size(), q.wanted));
    for (std::size_t i = 0; i < found.best.size(); ++i) EXPECT_EQ(found.best[i].places, all[i].places);
    // The front: no split beats one of it in everything, and every other is beaten.
    for (const FoundSplit& split : all) {
      const auto beats = [](const FoundSplit& a, const FoundSplit& b) {
        return a.rtt <= b.rtt && a.cost <= b.cost && a.co2 <= b.co2;
      };
      const bool in_front = std::any_of(found.pareto.begin(), found.pareto.end(),
                                        [&](const FoundSplit& f) { return f.places == split.places; });
      const bool beaten = std::any_of(all.begin(), all.end(), [&](const FoundSplit& other) {
        return other.places != split.places && beats(other, split);
      });
      EXPECT_EQ(in_front, !beaten);
    }
    // Where not all sets can be looked at, the best round trips are still those of all places.
    SplitQuestion narrow = q;
    narrow.most_sets = 20;
    const SplitsFound few = find_splits(places, narrow);
    EXPECT_LT(few.compared, places.size());
    EXPECT_TRUE(few.exact);
    ASSERT_EQ(few.best.size(), found.best.size());
    for (std::size_t i = 0; i < few.best.size(); ++i)
      EXPECT_NEAR(few.best[i].rtt.count(), found.best[i].rtt.count(), 1e-12);
  }
}

TEST(Splits, SpreadAsAsked) {
  std::mt19937 random(6);
  const auto places = random_places(random, 16);
  SplitQuestion q = question(2);
  q.wanted = 1000;
  const std::size_t any = find_splits(places, q).feasible;
  q.spread = SpreadRule::authorities;
  const SplitsFound authorities = find_splits(places, q);
  q.spread = SpreadRule::interconnections;
  const SplitsFound interconnections = find_splits(places, q);
  EXPECT_LT(authorities.feasible, any);
  EXPECT_LE(interconnections.feasible, authorities.feasible);  // another interconnection is another authority
  for (const FoundSplit& s : authorities.best)
    EXPECT_NE(places[s.places[0]].authority, places[s.places[1]].authority);
  for (const FoundSplit& s : interconnections.best)
    EXPECT_NE(places[s.places[0]].interconnection, places[s.places[1]].interconnection);
}

TEST(Splits, OtherGoalsOrderByThem) {
  std::mt19937 random(7);
  const auto places = random_places(random, 16);
  SplitQuestion q = question(3);
  q.goal = SplitGoal::cost;
  const SplitsFound cheap = find_splits(places, q);
  for (std::size_t i = 1; i < cheap.best.size(); ++i) EXPECT_LE(cheap.best[i - 1].cost, cheap.best[i].cost);
  q.goal = SplitGoal::carbon;
  const SplitsFound clean = find_splits(places, q);
  EXPECT_LE(clean.best.front().co2, cheap.best.front().co2);
}

/// Longer with the distance, less with even shares; hidden below some threshold.
double slowdown_of(std::size_t sites, const std::vector<double>& share,
                   const std::function<double(std::size_t, std::size_t)>& rtt_ms) {
  double least = 1;
  double farthest_ms = 0;
  for (std::size_t i = 0; i < sites; ++i) {
    least = std::min(least, share[i]);
    for (std::size_t j = 0; j < i; ++j) farthest_ms = std::max(farthest_ms, rtt_ms(i, j));
  }
  return std::max(1.0, 0.5 + farthest_ms / 100 + 0.05 / least);
}

SplitTraining training() {
  return {[](const SplitShape& shape) {
            std::vector<double> share(shape.share.begin(), shape.share.end());
            return slowdown_of(shape.sites, share,
                               [&](std::size_t i, std::size_t j) { return shape.rtt[i][j].count(); });
          },
          1, UsdPerYear(40e6)};
}

/// The same of a split that was found.
double slowdown_of(const std::vector<SplitPlace>& places, const FoundSplit& split, const SplitQuestion& q) {
  std::vector<double> share;
  for (const Megawatts part : split.power) share.push_back(part / q.power);
  return slowdown_of(share.size(), share, [&](std::size_t i, std::size_t j) {
    const Kilometres distance(distance_km(places[split.places[i]].at, places[split.places[j]].at));
    return (distance * q.pace).count();
  });
}

TEST(Splits, OfTrainingAreTheBestOfAllSets) {
  std::mt19937 random(15);
  for (int round = 0; round < 20; ++round) {
    const auto places = random_places(random, 14);
    SplitQuestion q = question(2 + static_cast<std::size_t>(round) % 2);
    q.training = training();
    std::vector<FoundSplit> all;
    each_set(places.size(), q.sites, [&](const std::vector<std::size_t>& set) {
      if (!apart(places, set, q.separation)) return;
      if (auto split = evaluate_split(places, set, q)) all.push_back(std::move(*split));
    });
    const auto time = [&](const FoundSplit& s) { return slowdown_of(places, s, q); };
    const auto cost = [&](const FoundSplit& s) { return time(s) * (s.cost.count() + 40e6); };
    for (const SplitGoal goal : {SplitGoal::training_time, SplitGoal::training_cost}) {
      q.goal = goal;
      std::stable_sort(all.begin(), all.end(), [&](const FoundSplit& a, const FoundSplit& b) {
        const double x = goal == SplitGoal::training_time ? time(a) : cost(a);
        const double y = goal == SplitGoal::training_time ? time(b) : cost(b);
        return std::abs(x - y) > 1e-9 * y ? x < y : a.rtt < b.rtt;
      });
      const SplitsFound found = find_splits(places, q);
      ASSERT_EQ(found.best.size(), std::min(all.size(), q.wanted));
      for (std::size_t i = 0; i < found.best.size(); ++i) EXPECT_EQ(found.best[i].places, all[i].places);
    }
    // The front is the same for every goal.
    q.goal = SplitGoal::round_trip;
    const SplitsFound found = find_splits(places, q);
    for (const FoundSplit& split : all) {
      const bool in_front = std::any_of(found.pareto.begin(), found.pareto.end(),
                                        [&](const FoundSplit& f) { return f.places == split.places; });
      const bool beaten = std::any_of(all.begin(), all.end(), [&](const FoundSplit& other) {
        return other.places != split.places && other.rtt <= split.rtt && other.cost <= split.cost &&
               other.co2 <= split.co2 && time(other) <= time(split) * (1 + 1e-12);
      });
      EXPECT_EQ(in_front, !beaten);
    }
  }
}

TEST(Splits, OfTrainingThatTakesEffortAreOfFewerPlaces) {
  std::mt19937 random(16);
  const auto places = random_places(random, 14);
  SplitQuestion q = question(3);
  q.most_sets = 400;  // 364 sets of 14
  q.training = training();
  EXPECT_EQ(find_splits(places, q).compared, 14U);
  q.training->effort = 10;
  const SplitsFound few = find_splits(places, q);
  EXPECT_EQ(few.compared, 7U);  // 35 sets; 56 of 8
  EXPECT_TRUE(few.exact);
  q.goal = SplitGoal::training_time;
  EXPECT_FALSE(find_splits(places, q).exact);
  q.training->effort = 1;
  q.sites = 4;
  EXPECT_EQ(find_splits(places, q).compared, 8U);  // 70 of 80
}

TEST(Splits, ThinnedPlacesAreApartAndStrong) {
  std::mt19937 random(8);
  const auto places = random_places(random, 60);
  const auto kept = thinned(places, Kilometres(400));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_GT(distance_km(places[kept[i]].at, places[kept[j]].at), 400);
  }
  for (std::size_t p = 0; p < places.size(); ++p) {  // who is left out has a neighbour at least as strong
    EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [&](std::size_t k) {
      return k == p ||
             (distance_km(places[k].at, places[p].at) <= 400 && places[k].available >= places[p].available);
    }));
  }
}

TEST(Splits, TooFewPlacesGiveNone) {
  EXPECT_TRUE(find_splits({}, question(2)).best.empty());
  std::mt19937 random(9);
  SplitQuestion q = question(2);
  q.least_share = 0.6;  // of each of two
  EXPECT_EQ(find_splits(random_places(random, 10), q).feasible, 0U);
}

}  // namespace
}  // namespace trainyard
