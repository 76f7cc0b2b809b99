// The queue for repair crews beside distributions that are known.
#include "goodput/crew_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr std::int64_t kMost = 12000;
constexpr std::int64_t kAll = 1000000;

double poisson(double mean, std::size_t n) {
  const auto count = static_cast<double>(n);
  return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
}

/// After a unit of time, to which it comes in so many parts that are longer and longer.
std::vector<double> repairs_after(const CrewWork& work, int parts) {
  CrewQueue queue(work, kMost, 1);
  for (int i = 1; i <= parts; ++i)
    queue.advance_to(std::pow(static_cast<double>(i) / parts, 2), work.rate_per_s);
  return queue.repairs();
}

void expect_poisson(const std::vector<double>& repairs, double mean) {
  double off = 0;
  for (std::size_t n = 0; n < repairs.size(); ++n) off += std::abs(repairs[n] - poisson(mean, n));
  EXPECT_LT(off, 1e-4) << mean;
  EXPECT_NEAR(std::accumulate(repairs.begin(), repairs.end(), 0.0), 1, 1e-9) << mean;
}

TEST(CrewQueue, CountsFailuresOfWhichNoneIsRepaired) {
  for (const double failures : {3.0, 100.0, 1000.0, 10000.0})
    for (const int parts : {1, 32})
      expect_poisson(repairs_after({.rate_per_s = failures, .repair_s = 1e12, .crews = 1}, parts), failures);
}

TEST(CrewQueue, IsPoissonWhereAllAreRepairedAtOnce) {
  for (const double failures : {3.0, 1000.0, 10000.0})
    for (const double repair_s : {0.01, 0.1, 1.0})
      expect_poisson(repairs_after({.rate_per_s = failures, .repair_s = repair_s, .crews = kAll}, 32),
                     failures * repair_s * -std::expm1(-1 / repair_s));
}

/// Failures less repairs of crews that never rest: both are Poisson counts.
TEST(CrewQueue, GrowsByWhatCrewsDoNotKeepUpWith) {
  const std::vector<double> repairs = repairs_after({.rate_per_s = 8000, .repair_s = 0.001, .crews = 3}, 32);
  double mean = 0;
  double square = 0;
  for (std::size_t n = 0; n < repairs.size(); ++n) {
    mean += static_cast<double>(n) * repairs[n];
    square += static_cast<double>(n * n) * repairs[n];
  }
  EXPECT_NEAR(mean, 5000, 2);  // some repairs are missing where it begins with none to do
  EXPECT_NEAR(square - mean * mean, 11000, 20);
}

/// Of more crews than ever have work, those that rest are nothing to follow: it took half a second each.
TEST(CrewQueue, RestingCrewsCostNothing) {
  const CrewWork work{.rate_per_s = 1, .repair_s = 1, .crews = kAll};
  const std::clock_t began = std::clock();
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> quiet = settled_repairs(work, 0, 3);
    EXPECT_NEAR(quiet.front(), poisson(std::exp(-3.0), 0), 1e-6);
  }
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 5);
}

/// After years in which nothing fails, whatever was to be done is done: it was followed repair by repair.
TEST(CrewQueue, LongQuietLeavesNothingToDo) {
  CrewQueue queue({.rate_per_s = 1000, .repair_s = 0.01, .crews = 3}, 4, 100);
  queue.advance_to(100, 1000);
  const std::clock_t began = std::clock();
  EXPECT_NEAR(queue.repairs_after_quiet(1e6).front(), 1, 1e-9);
  EXPECT_NEAR(queue.repairs_after_quiet(1).front(), 0, 1e-4);
  EXPECT_LT(static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC, 5);
}

/// The same states, all of them, by a method that knows no tricks: Runge and Kutta's of fourth order.
class SlowQueue {
 public:
  using Values = std::vector<double>;

  SlowQueue(const CrewWork& work, std::size_t states) : work_(work), chance_(states, 0) { chance_[0] = 1; }

  void advance(double time_s, double rate_per_s) {
    work_.rate_per_s = rate_per_s;
    const Values usual(chance_.size(), 1);
    go(
        time_s, usual, [&](const Values& x) { return change(x, usual); }, chance_);
  }

  /// By the clock of the work: chances, and both moments of the time that states have lasted.
  TimeOfWork time_to(const Values& served, double work_s) const {
    const std::size_t n = chance_.size();
    Values slower(n);
    for (std::size_t i = 0; i < n; ++i) slower[i] = 1 / served[i];
    Values all(chance_);
    all.resize(3 * n, 0);
    const auto moves = [&](const Values& x) {
      Values out;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at = x.begin() + static_cast<std::ptrdiff_t>(k * n);
        Values one = change(Values(at, at + static_cast<std::ptrdiff_t>(n)), slower);
        for (std::size_t i = 0; k > 0 && i < n; ++i)
          one[i] += static_cast<double>(k) * slower[i] * x[(k - 1) * n + i];
        out.insert(out.end(), one.begin(), one.end());
      }
      return out;
    };
    go(work_s, slower, moves, all);
    const auto sum = [&](std::size_t k) {
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(k * n);
      return std::accumulate(at, at + static_cast<std::ptrdiff_t>(n), 0.0);
    };
    return {sum(1), std::sqrt(std::max(0.0, sum(2) - sum(1) * sum(1)))};
  }

  Values chance(std::size_t most) const {
    return {chance_.begin(), chance_.begin() + static_cast<std::ptrdiff_t>(most) + 1};
  }
  void set(const Values& chance) { std::copy(chance.begin(), chance.end(), chance_.begin()); }

 private:
  double leaves(std::size_t state) const {
    return static_cast<double>(std::min<std::int64_t>(static_cast<std::int64_t>(state), work_.crews)) /
           work_.repair_s;
  }

  Values change(const Values& x, const Values& slower) const {
    Values out(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double up = i + 1 < x.size() ? work_.rate_per_s * slower[i] * x[i] : 0;
      const double down = leaves(i) * slower[i] * x[i];
      out[i] -= up + down;
      if (i + 1 < x.size()) out[i + 1] += up;
      if (i > 0) out[i - 1] += down;
    }
    return out;
  }

  void go(double time, const Values& slower, const std::function<Values(const Values&)>& moves,
          Values& x) const {
    constexpr double kOfStay = 0.2;  // a step, of the shortest stay
    const double busiest =
        (work_.rate_per_s + leaves(chance_.size())) * *std::max_element(slower.begin(), slower.end());
    const auto steps = static_cast<int>(std::ceil(time * busiest / kOfStay));
    const double h = time / steps;
    const auto beside = [](const Values& a, const Values& b, double by) {
      Values out(a);
      for (std::size_t i = 0; i < a.size(); ++i) out[i] += by * b[i];
      return out;
    };
    for (int step = 0; step < steps; ++step) {
      const Values k1 = moves(x);
      const Values k2 = moves(beside(x, k1, h / 2));
      const Values k3 = moves(beside(x, k2, h / 2));
      const Values k4 = moves(beside(x, k3, h));
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
  }

  CrewWork work_;
  Values chance_;
};

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) out += std::abs(a[i] - b[i]);
  return out;
}

/// Idle, just busy and overwhelmed crews; at a rate that changes on the way; whatever lies beyond `most`.
TEST(CrewQueue, ChancesAreTheSlowMethods) {
  struct Case {
    CrewWork work;
    std::int64_t most;
    std::size_t states;
    double time_s;
    double off;  // all states together
  };
  const Case cases[] = {
      {{0.5, 1, 4}, 60, 61, 3, 1e-4},    {{3.6, 1, 4}, 120, 121, 20, 1e-4}, {{4, 1, 1}, 300, 301, 30, 1e-4},
      {{50, 1, 1}, 1000, 800, 10, 1e-4}, {{50, 1, 1}, 350, 800, 10, 1e-4},  {{20, 1, 5}, 200, 500, 12, 1e-4},
      {{3.6, 1, 4}, 10, 200, 20, 2e-3},  {{6, 1, 4}, 20, 300, 20, 2e-3},
  };
  for (const Case& c : cases) {
    CrewQueue queue(c.work, c.most, c.time_s);
    SlowQueue slow(c.work, c.states);
    double before = 0;
    for (const auto& [until, rate] : {std::pair{0.1, 1.0}, {0.4, 0.3}, {0.7, 1.0}, {1.0, 0.9}}) {
      queue.advance_to(until * c.time_s, rate * c.work.rate_per_s);
      slow.advance((until - before) * c.time_s, rate * c.work.rate_per_s);
      before = until;
      const auto most = std::min(static_cast<std::size_t>(c.most), c.states - 1);
      EXPECT_LT(apart(queue.repairs(), slow.chance(most)), c.off)
          << c.work.rate_per_s << " a second, " << c.work.crews << " crews, most " << c.most << ", until "
          << until;
      EXPECT_NEAR(std::accumulate(queue.chances().begin(), queue.chances().end(), 0.0), 1, 1e-9);
    }
    // Nothing fails for a while: what there is becomes less.
    for (const double quiet_s : {0.1, 1.0, 3.0}) {
      SlowQueue quiet = slow;
      quiet.advance(quiet_s, 0);
      if (c.off < 1e-3) {
        EXPECT_LT(apart(queue.repairs_after_quiet(quiet_s),
                        quiet.chance(std::min(static_cast<std::size_t>(c.most), c.states - 1))),
                  c.off)
            << c.work.rate_per_s << " a second, quiet for " << quiet_s;
      }
    }
  }
}

/// In the long run as many repairs begin from each state as end in the next (Erlang 1917).
TEST(CrewQueue, SettledStatesAreInBalance) {
  for (const CrewWork& work : {CrewWork{0.3, 1, 1}, {0.95, 1, 1}, {3, 2, 8}, {7.9, 1, 8}, {90, 1, 100}}) {
    const std::vector<double> chance = settled_repairs(work, 2000);
    EXPECT_NEAR(std::accumulate(chance.begin(), chance.end(), 0.0), 1, 1e-9);
    double off = 0;
    for (std::size_t n = 0; n + 1 < chance.size(); ++n) {
      const double ended = std::min(static_cast<double>(n + 1), static_cast<double>(work.crews));
      off += std::abs(chance[n] * work.rate_per_s - chance[n + 1] * ended / work.repair_s);
    }
    EXPECT_LT(off, 1e-9) << work.rate_per_s;
    // How many are asked for changes none of them, below the likeliest, at the crews or beyond.
    for (const std::int64_t most : {0, 1, 5, 8, 9, 20}) {
      const std::vector<double> few = settled_repairs(work, most);
      ASSERT_EQ(few.size(), static_cast<std::size_t>(most) + 1);
      EXPECT_LT(apart(few, chance), 1e-12) << work.rate_per_s << " of " << most;
    }
    for (const double quiet_s : {0.2, 1.0}) {
      SlowQueue slow(work, 400);
      slow.set(settled_repairs(work, 399));
      slow.advance(quiet_s, 0);
      for (const std::int64_t most : {0, 6, 30})
        EXPECT_LT(apart(settled_repairs(work, most, quiet_s), slow.chance(static_cast<std::size_t>(most))),
                  1e-4)
            << work.rate_per_s << " of " << most << ", quiet for " << quiet_s;
    }
  }
  for (const CrewWork& growing : {CrewWork{1, 1, 1}, {3, 1, 2}})
    EXPECT_EQ(settled_repairs(growing, 3), std::vector<double>(4, 0));
}

/// Weights of any sign go the way that chances go, each by itself, and none is lost.
TEST(CrewQueue, WeightsAreCarriedOnAsChancesAre) {
  const CrewWork work{3, 1, 4};
  CrewQueue queue(work, 150, 40);
  queue.advance_to(1);
  std::vector<double> twice_less(queue.chances());
  for (double& w : twice_less) w *= -2;
  std::vector<double> one_state(queue.counts().size(), 0);
  one_state[7] = 1;
  std::vector<std::vector<double>> weights = {queue.chances(), twice_less, one_state};
  SlowQueue slow(work, 151);
  slow.set(std::vector<double>(one_state.begin(), one_state.begin() + 151));
  slow.advance(0.5, work.rate_per_s);
  queue.carry_on(weights, 0.5);
  queue.advance_to(1.5);
  EXPECT_LT(apart(weights[0], queue.chances()), 2e-3);
  EXPECT_LT(apart(weights[2], slow.chance(150)), 2e-2);
  double off = 0;
  for (std::size_t i = 0; i < weights[0].size(); ++i) off += std::abs(weights[1][i] + 2 * weights[0][i]);
  EXPECT_LT(off, 1e-12);
  EXPECT_NEAR(std::accumulate(weights[2].begin(), weights[2].end(), 0.0), 1, 1e-9);
}

TEST(CrewQueue, WorkTakesTheLongerTheLessIsServed) {
  const CrewWork work{3, 1, 4};
  constexpr std::size_t kStates = 121;
  CrewQueue queue(work, kStates - 1, 40);
  SlowQueue slow(work, kStates);
  queue.advance_to(2);
  slow.advance(2, work.rate_per_s);
  for (const double share : {1.0, 0.5, 0.1}) {  // whatever breaks
    const TimeOfWork even = queue.time_to(std::vector<double>(kStates, share), 10);
    EXPECT_NEAR(even.mean_s, 10 / share, 1e-6 / share);
    EXPECT_NEAR(even.deviation_s / even.mean_s, 0, 1e-4);
  }
  std::vector<double> served(kStates);
  for (std::size_t n = 0; n < kStates; ++n) served[n] = std::max(0.2, 1 - 0.1 * static_cast<double>(n));
  for (const double work_s : {0.5, 5.0, 50.0}) {
    const TimeOfWork seen = queue.time_to(served, work_s);
    const TimeOfWork expected = slow.time_to(served, work_s);
    EXPECT_NEAR(seen.mean_s / expected.mean_s, 1, 1e-3) << work_s;
    EXPECT_NEAR(seen.deviation_s / expected.deviation_s, 1, 1e-2) << work_s;
  }
  const TimeOfWork never = CrewQueue({4, 1, 4}, 10, 10).time_to(std::vector<double>(11, 1), 1);
  EXPECT_TRUE(std::isinf(never.mean_s));
}

}  // namespace
}  // namespace trainyard
