#include "network/flow/max_min.h"

#include <gtest/gtest.h>

#include "network/flow/fair_shares.h"
#include "water_filling.h"

namespace trainyard::flow {
namespace {

constexpr double kScale = 100;  // the largest capacity of random networks

struct RandomCase {
  std::vector<double> capacity;
  std::vector<TestFlow> flows;

  explicit RandomCase(std::uint64_t seed) {
    RandomNetwork random(seed);
    capacity = random.capacities();
    const std::size_t count = random.below(60);
    const bool weighted = random.below(2) == 0;
    const bool shared = random.below(2) == 0;
    const int priorities = random.below(2) == 0 ? 1 : 3;
    for (std::size_t f = 0; f < count; ++f)
      flows.push_back(random.flow(capacity.size(), weighted, shared, priorities));
  }
};

TEST(MaxMin, TheTextbookExample) {
  // Three flows share link 0; link 1 holds one of them back at 20, the others share 70.
  MaxMinProblem problem;
  problem.capacity = {90, 20, 100};
  problem.add({{{0, 1}, {1, 1}}});
  problem.add({{{0, 1}, {2, 1}}});
  problem.add({{{0, 1}}});
  const MaxMinRates fair = max_min(problem);
  EXPECT_EQ(fair.rate, (std::vector<double>{20, 35, 35}));
  EXPECT_EQ(fair.bottleneck, (std::vector<std::uint32_t>{1, 0, 0}));
}

TEST(MaxMin, IsThePlainWaterFillingOnRandomNetworks) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const RandomCase c(seed);
    const MaxMinRates fair = max_min(problem_of(c.capacity, c.flows));
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_near(fair.rate, water_filling(c.capacity, c.flows), kScale));
  }
}

TEST(MaxMin, GivesEveryFlowABottleneckAndOverloadsNoLink) {
  for (std::uint64_t seed = 10000; seed < 12000; ++seed) {
    const RandomCase c(seed);
    SCOPED_TRACE(seed);
    ASSERT_NO_FATAL_FAILURE(expect_fair(c.capacity, c.flows, max_min(problem_of(c.capacity, c.flows)).rate));
  }
}

TEST(MaxMin, AFlowOfWeightNIsNEqualFlows) {
  for (std::uint64_t seed = 20000; seed < 20500; ++seed) {
    RandomNetwork random(seed);
    const std::vector<double> capacity = random.capacities();
    std::vector<TestFlow> bundles;
    std::vector<TestFlow> singles;
    std::vector<std::size_t> bundle_of;
    for (std::size_t b = 0; b < 8; ++b) {
      TestFlow flow = random.flow(capacity.size(), false, true, 2);
      const std::size_t count = 1 + random.below(5);
      singles.insert(singles.end(), count, flow);
      bundle_of.insert(bundle_of.end(), count, b);
      flow.weight = static_cast<double>(count);
      bundles.push_back(flow);
    }
    const std::vector<double> together = max_min(problem_of(capacity, bundles)).rate;
    const std::vector<double> each = max_min(problem_of(capacity, singles)).rate;
    for (std::size_t f = 0; f < singles.size(); ++f)
      ASSERT_NEAR(each[f], together[bundle_of[f]] / bundles[bundle_of[f]].weight, 1e-9 * kScale);
  }
}

TEST(MaxMin, SharesMakeASprayedFlowAsFastAsItsLinksTogether) {
  MaxMinProblem problem;
  problem.capacity = {100, 10, 10, 10, 10};
  problem.add({{{0, 1}, {1, 0.25}, {2, 0.25}, {3, 0.25}, {4, 0.25}}});
  EXPECT_DOUBLE_EQ(max_min(problem).rate[0], 40);
}

TEST(MaxMin, ALinkWithoutCapacityStopsItsFlowsOnly) {
  MaxMinProblem problem;
  problem.capacity = {0, 100};
  problem.add({{{0, 1}, {1, 1}}});
  problem.add({{{1, 1}}});
  EXPECT_EQ(max_min(problem).rate, (std::vector<double>{0, 100}));
}

TEST(MaxMin, WithoutLinksNothingLimitsAFlow) {
  MaxMinProblem problem;
  problem.add({});
  EXPECT_EQ(max_min(problem).rate[0], std::numeric_limits<double>::infinity());
}

TEST(MaxMin, LosesNoDigitsWhereAlmostAllOfALinkIsTakenAway) {
  // A million is taken from link 0 in shares; what is left to the last flow is 1 of share 1e-6.
  MaxMinProblem problem;
  problem.capacity = {1001};
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    problem.capacity.push_back(i % 7 == 0 ? 3 : 3.3);
    problem.add({{{0, 1.0 / 3}, {i, 1}}});
  }
  problem.capacity[0] = 0;
  for (std::size_t i = 1; i <= 1000; ++i) problem.capacity[0] += problem.capacity[i] / 3;
  problem.capacity[0] += 1e-3;
  problem.add({{{0, 1e-6}}});
  EXPECT_NEAR(max_min(problem).rate.back(), 1000, 1e-4);
}

/// Flows come and go, links change; after every change rates are those of all flows solved together.
class FairSharesHistory {
 public:
  FairSharesHistory(std::uint64_t seed, int priorities)
      : random_(seed), capacity_(random_.capacities()), shares_(capacity_), priorities_(priorities) {}

  void step() {
    const std::size_t changes = 1 + random_.below(3);
    for (std::size_t i = 0; i < changes; ++i) change();
    shares_.update();
    std::vector<double> rates;
    for (const std::uint32_t slot : slots_) rates.push_back(shares_.rate(slot));
    ASSERT_NO_FATAL_FAILURE(expect_near(rates, max_min(problem_of(capacity_, flows_)).rate, kScale));
    ASSERT_NO_FATAL_FAILURE(expect_fair(capacity_, flows_, rates));
  }

 private:
  void change() {
    const std::size_t what = random_.below(10);
    if (what == 0) {
      const std::size_t link = random_.below(capacity_.size());
      capacity_[link] = random_.below(3) == 0 ? 0 : kScale * random_.uniform();
      return shares_.set_capacity(static_cast<std::uint32_t>(link), capacity_[link]);
    }
    if (what < 5 && !flows_.empty()) {
      const std::size_t f = random_.below(flows_.size());
      shares_.remove(slots_[f]);
      slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(f));
      flows_.erase(flows_.begin() + static_cast<std::ptrdiff_t>(f));
      return;
    }
    flows_.push_back(random_.flow(capacity_.size(), true, true, priorities_));
    slots_.push_back(shares_.add(flows_.back().route, flows_.back().weight, flows_.back().priority));
  }

  RandomNetwork random_;
  std::vector<double> capacity_;
  FairShares shares_;
  int priorities_;
  std::vector<TestFlow> flows_;
  std::vector<std::uint32_t> slots_;
};

TEST(FairShares, AreThoseOfAllFlowsSolvedTogetherAfterEveryChange) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    FairSharesHistory history(seed, seed % 2 == 0 ? 1 : 3);
    SCOPED_TRACE(seed);
    for (int step = 0; step < 60; ++step) ASSERT_NO_FATAL_FAILURE(history.step());
  }
}

TEST(FairShares, FollowAChainOfFlowsToItsEnd) {
  // Flow i crosses links i and i + 1, of growing capacity: each is held back by the one before it, so a
  // change of the first link changes every flow.
  constexpr std::uint32_t kFlows = 300;
  std::vector<double> capacity;
  for (std::uint32_t l = 0; l <= kFlows; ++l) capacity.push_back(10 + l);
  FairShares shares(capacity);
  std::vector<TestFlow> flows(kFlows + 1, {{{0, 1}}});
  std::vector<std::uint32_t> slots;
  for (std::uint32_t f = 0; f < kFlows; ++f) flows[f].route = {{f, 1}, {f + 1, 1}};
  for (const TestFlow& flow : flows) slots.push_back(shares.add(flow.route, 1, 0));
  for (const double first : {10.0, 4.0, 0.0, 9.0}) {
    capacity[0] = first;
    shares.set_capacity(0, first);
    shares.update();
    std::vector<double> rates;
    for (const std::uint32_t slot : slots) rates.push_back(shares.rate(slot));
    ASSERT_NO_FATAL_FAILURE(expect_near(rates, water_filling(capacity, flows), kScale));
    ASSERT_NO_FATAL_FAILURE(expect_fair(capacity, flows, rates));
  }
}

TEST(FairShares, SolveOnlyWhatAChangeReaches) {
  constexpr std::uint32_t kLinks = 1000;
  FairShares shares(std::vector<double>(kLinks, 10));
  std::vector<std::uint32_t> slots;
  for (std::uint32_t l = 0; l < kLinks; ++l) {
    const Route route = {{l, 1}};
    slots.push_back(shares.add(route, 1, 0));
    slots.push_back(shares.add(route, 1, 0));
  }
  shares.update();
  const std::uint64_t before = shares.solved();
  shares.remove(slots[0]);
  EXPECT_EQ(shares.update(), (std::vector<std::uint32_t>{slots[1]}));
  EXPECT_EQ(shares.rate(slots[1]), 10);
  EXPECT_EQ(shares.solved() - before, 1U);
}

}  // namespace
}  // namespace trainyard::flow
