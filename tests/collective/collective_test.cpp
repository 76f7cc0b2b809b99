#include "collective/collective.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "collective/all_reduces.h"
#include "collective/all_to_alls.h"
#include "collective/library_schedules.h"
#include "parallel/replicas.h"
#include "trainyard/plan/communication.h"

namespace trainyard {
namespace {

constexpr NetworkRate kUp{BytesPerSecond(1.8e12), Seconds(0)};
constexpr NetworkRate kOut{BytesPerSecond(100e9), Seconds(0)};
constexpr NetworkRate kWide{BytesPerSecond(2.5e9), Seconds(0.030)};
constexpr Networks kPaper{kUp, kOut, kWide, BytesPerSecond(225e9)};

// HotNets '24 section 4.1: 357.87 GB of gradients over 18 devices, 4 replicas a rack, 87 racks, two
// datacenters.
constexpr Bytes kGradients{357.872173056e9 / 18};
constexpr ReplicaGroups kGroups{4, 87, 2};

TEST(Collective, ASingleRankHasNothingToSend) {
  for (const AllReduce algorithm : {AllReduce::bandwidth, AllReduce::ring, AllReduce::tree}) {
    EXPECT_EQ(scatter_cost(algorithm, 1).time(Bytes(1e9), kOut).si(), 0);
    EXPECT_EQ(all_reduce_time(1, Bytes(1e9), kOut, algorithm).si(), 0);
  }
  EXPECT_EQ(all_to_all_cost(AllToAll::bruck, 1).sent, 0);
}

TEST(Collective, RingsMoveTheTextbookShare) {
  EXPECT_DOUBLE_EQ(scatter_cost(AllReduce::bandwidth, 4).time(Bytes(1e9), kOut).si(), 0.75e-2);
  EXPECT_DOUBLE_EQ(all_reduce_time(4, Bytes(1e9), kOut).si(), 1.5e-2);
}

constexpr NetworkRate kSlowStart{BytesPerSecond(1e9), Seconds(1e-3)};

TEST(AllReduce, CostsWhatTheAlgorithmsSendAndWaitFor) {
  const Bytes buffer(8e6);  // 8 ms at the link's rate
  const auto ms = [&](AllReduce algorithm, std::int64_t ranks) {
    return all_reduce_time(ranks, buffer, kSlowStart, algorithm).si() * 1e3;
  };
  EXPECT_NEAR(ms(AllReduce::bandwidth, 8), 14 + 2, 1e-9);
  EXPECT_NEAR(ms(AllReduce::ring, 8), 14 + 14, 1e-9);
  EXPECT_NEAR(ms(AllReduce::halving_doubling, 8), 14 + 6, 1e-9);
  // Six ranks: two send their buffers to partners and get the sum at the end, four halve and double.
  EXPECT_NEAR(ms(AllReduce::halving_doubling, 6), 8 + 12 + 8 + 6, 1e-9);
  EXPECT_NEAR(ms(AllReduce::tree, 7), 16 + 6, 1e-9);
  EXPECT_NEAR(ms(AllReduce::in_network, 72), 8 + 2, 1e-9);
  for (const AllReduce algorithm : {AllReduce::ring, AllReduce::tree, AllReduce::in_network, AllReduce::best})
    EXPECT_EQ(ms(algorithm, 1), 0);
}

TEST(AllReduce, PicksByTheSizeOfTheBuffer) {
  EXPECT_EQ(algorithm_for(AllReduce::best, 100, Bytes(1), kSlowStart), AllReduce::tree);
  EXPECT_EQ(algorithm_for(AllReduce::best, 64, Bytes(1e6), kSlowStart), AllReduce::halving_doubling);
  EXPECT_EQ(algorithm_for(AllReduce::best, 6, Bytes(1e9), kSlowStart), AllReduce::ring);
  EXPECT_EQ(algorithm_for(AllReduce::in_network, 6, Bytes(1e9), kSlowStart), AllReduce::in_network);
}

// One pass of each algorithm, run rank by rank: parts of the buffer that a rank has sent, and rounds.
struct Sent {
  double parts = 0;
  double rounds = 0;
};

/// Recursive halving of n = 2^k ranks: half of what is left in each round.
Sent halving(std::int64_t ranks) {
  Sent run;
  for (std::int64_t left = ranks; left > 1; left /= 2, ++run.rounds)
    run.parts += static_cast<double>(left) / 2;
  return run;
}

/// Bruck's all-gather: each round passes on what a rank has, at most what is missing.
Sent gather_by_doubling(std::int64_t ranks) {
  Sent run;
  for (std::int64_t held = 1; held < ranks; ++run.rounds) {
    const std::int64_t sent = std::min(held, ranks - held);
    run.parts += static_cast<double>(sent);
    held += sent;
  }
  return run;
}

/// Bruck's all-to-all, part by part: a part for a rank at some distance goes on in the rounds of its bits.
Sent all_to_all_by_bits(std::int64_t ranks) {
  Sent run;
  for (std::int64_t bit = 1; bit < ranks; bit *= 2, ++run.rounds) {
    for (std::int64_t distance = 1; distance < ranks; ++distance) run.parts += (distance & bit) != 0 ? 1 : 0;
  }
  return run;
}

TEST(OnePass, CostsWhatRanksSendRoundByRound) {
  for (const std::int64_t n : {2, 3, 4, 5, 8, 11, 16, 64, 100}) {
    const auto ranks = static_cast<double>(n);
    const CollectiveCost ring = scatter_cost(AllReduce::ring, n);
    EXPECT_DOUBLE_EQ(ring.sent, (ranks - 1) / ranks);
    EXPECT_EQ(ring.rounds, ranks - 1);
    const Sent doubled = gather_by_doubling(n);
    EXPECT_DOUBLE_EQ(scatter_cost(AllReduce::tree, n).sent * ranks, doubled.parts) << n;
    EXPECT_EQ(scatter_cost(AllReduce::tree, n).rounds, doubled.rounds) << n;
    const Sent bits = all_to_all_by_bits(n);
    EXPECT_DOUBLE_EQ(all_to_all_cost(AllToAll::bruck, n).sent * ranks, bits.parts) << n;
    EXPECT_EQ(all_to_all_cost(AllToAll::bruck, n).rounds, bits.rounds) << n;
  }
  for (const std::int64_t n : {2, 8, 64}) {
    const CollectiveCost cost = scatter_cost(AllReduce::halving_doubling, n);
    EXPECT_DOUBLE_EQ(cost.sent * static_cast<double>(n), halving(n).parts);
    EXPECT_EQ(cost.rounds, halving(n).rounds);
  }
  // Six ranks: two send their buffers to partners, four halve, the two get their parts.
  EXPECT_DOUBLE_EQ(scatter_cost(AllReduce::halving_doubling, 6).sent, 1 + 3.0 / 4 + 1.0 / 6);
  EXPECT_EQ(scatter_cost(AllReduce::halving_doubling, 6).rounds, 1 + 2 + 1);
}

TEST(AllToAll, TradesBytesForRounds) {
  const auto ms = [](AllToAll algorithm, std::int64_t ranks, double bytes) {
    return all_to_all_cost(algorithm, ranks).time(Bytes(bytes), kSlowStart).si() * 1e3;
  };
  EXPECT_NEAR(ms(AllToAll::bandwidth, 8, 8e6), 7 + 1, 1e-9);
  EXPECT_NEAR(ms(AllToAll::pairwise, 8, 8e6), 7 + 7, 1e-9);
  EXPECT_NEAR(ms(AllToAll::bruck, 8, 8e6), 12 + 3, 1e-9);
  const Networks slow{kSlowStart, kSlowStart, kWide, BytesPerSecond(1e9)};
  EXPECT_EQ(all_to_all_plan(AllToAll::best, 8, 1, Bytes(8), slow).algorithm, AllToAll::bruck);
  EXPECT_EQ(all_to_all_plan(AllToAll::best, 8, 1, Bytes(1e9), slow).algorithm, AllToAll::pairwise);
  EXPECT_EQ(all_to_all_plan(AllToAll::best, 8, 64, Bytes(1e9), slow).algorithm, AllToAll::hierarchical);
}

// Four domains of eight: 7/8 of the buffer over NVLink, 3/4 of it over the NIC, where 31/32 went before.
TEST(AllToAll, OverDomainsUsesBothNetworks) {
  const NetworkRate up{BytesPerSecond(4e9), Seconds(1e-3)};
  const Networks networks{up, kSlowStart, kWide, BytesPerSecond(1e9)};
  const AllToAllPlan both = all_to_all_plan(AllToAll::hierarchical, 8, 4, Bytes(32e6), networks);
  EXPECT_DOUBLE_EQ(both.inside.si(), 28e6);
  EXPECT_DOUBLE_EQ(both.outside.si(), 24e6);
  EXPECT_NEAR(both.time.si(), 24e-3 + 7e-3 + 3e-3, 1e-12);  // NIC slower than NVLink's 7 ms
  const AllToAllPlan direct = all_to_all_plan(AllToAll::bandwidth, 8, 4, Bytes(32e6), networks);
  EXPECT_NEAR(direct.time.si(), 31e-3 + 1e-3, 1e-12);
  EXPECT_EQ(direct.inside.si(), 0);
  EXPECT_EQ(all_to_all_plan(AllToAll::hierarchical, 8, 1, Bytes(32e6), networks).outside.si(), 0);
}

TEST(Hierarchy, EachTierHasItsAlgorithm) {
  const NetworkRate up{BytesPerSecond(1e12), Seconds(2e-6)};
  const NetworkRate out{BytesPerSecond(50e9), Seconds(10e-6)};
  const Networks networks{up, out, kWide, BytesPerSecond(1e9)};
  const auto stages = [&](const ExchangeOptions& options, GradientExchange kind) {
    return gradient_stages(kind, {8, 32, 1}, Bytes(1e9), networks, options);
  };
  const auto scatter = GradientExchange::hierarchical_reduce_scatter;
  const auto mixed = stages({AllReduce::ring, AllReduce::tree}, scatter);
  EXPECT_NEAR(mixed[0].delay.si(), 7 * 2e-6, 1e-15);
  EXPECT_NEAR(mixed[1].delay.si(), 5 * 10e-6, 1e-15);
  EXPECT_NEAR(mixed[3].delay.si(), 5 * 10e-6, 1e-15);
  EXPECT_NEAR(mixed[4].time.si(), 7.0 / 8 * 1e-3 + 7 * 2e-6, 1e-12);
  // Switches that sum halve the bytes of an all-reduce; of a pass they take in or give out all, one's own
  // shard included (tests/network/packet/sharp_test.cpp: PassesTakeTheBufferOnce).
  const auto summed =
      stages({AllReduce::in_network, AllReduce::bandwidth}, GradientExchange::hierarchical_all_reduce);
  EXPECT_DOUBLE_EQ(summed[0].sent.si(), 1e9);
  const auto passes = stages({AllReduce::in_network, AllReduce::bandwidth}, scatter);
  EXPECT_DOUBLE_EQ(passes[0].sent.si(), 1e9);
  EXPECT_NEAR(passes[4].time.si(), 1e-3 + 2e-6, 1e-12);
  const auto flat = stages({AllReduce::ring, AllReduce::halving_doubling}, GradientExchange::flat);
  EXPECT_EQ(flat[0].algorithm, AllReduce::halving_doubling);
  EXPECT_NEAR(flat[0].delay.si(), 2 * 8 * 10e-6, 1e-15);
}

// Rajbhandari et al. 2020, section 7.2.2: with two gathers of the weights three passes, one of them the
// gradients'.
TEST(Hierarchy, ShardsOfGradientsAreNotGathered) {
  const ExchangeOptions sharded{.keeps_shards = true};
  const Bytes buffer(1e9);
  const ReplicaGroups groups{8, 32, 1};
  const double once = 255.0 / 256 * 1e9;
  for (const auto kind : {GradientExchange::flat, GradientExchange::hierarchical_reduce_scatter}) {
    double sent = 0;
    for (const GradientStage& s : gradient_stages(kind, groups, buffer, kPaper, sharded)) sent += s.sent.si();
    EXPECT_NEAR(sent, once, 1) << static_cast<int>(kind);
  }
}

TEST(Hierarchy, HasThePapersStageTimes) {
  const auto stages = gradient_stages(GradientExchange::hierarchical_all_reduce, kGroups, kGradients, kPaper);
  ASSERT_EQ(stages.size(), 5u);
  EXPECT_NEAR(stages[0].time.si(), 16.57e-3, 0.01e-3);
  EXPECT_NEAR(stages[1].time.si(), 98.27e-3, 0.01e-3);
  EXPECT_NEAR(stages[2].bytes.si(), 57e6, 0.2e6);
  EXPECT_NEAR(stages[3].time.si(), 49.14e-3, 0.01e-3);
  EXPECT_NEAR(stages[4].time.si(), 8.3e-3, 0.02e-3);
}

// errata.md row 5: half the time of stages 1 and 2.
TEST(Hierarchy, ReduceScattersHalveTheFirstTwoStages) {
  const auto slow = gradient_stages(GradientExchange::hierarchical_all_reduce, kGroups, kGradients, kPaper);
  const auto fast =
      gradient_stages(GradientExchange::hierarchical_reduce_scatter, kGroups, kGradients, kPaper);
  for (const int i : {0, 1}) EXPECT_DOUBLE_EQ(fast[i].time.si() * 2, slow[i].time.si());
  for (const int i : {2, 3, 4}) EXPECT_DOUBLE_EQ(fast[i].time.si(), slow[i].time.si());
}

/// Whatever the algorithm: the bytes at the rate of the stage's network, and the delays.
RC_GTEST_PROP(Gradients, StagesTakeTheirBytesAndTheirDelays, ()) {
  const ReplicaGroups groups{*rc::gen::inRange(1, 16), *rc::gen::inRange(1, 100), *rc::gen::inRange(1, 9)};
  const Bytes buffer(std::pow(10.0, *rc::gen::inRange(3, 11)));
  const NetworkRate up{BytesPerSecond(1.8e12), Seconds(2e-6)};
  const NetworkRate out{BytesPerSecond(100e9), Seconds(10e-6)};
  const Networks networks{up, out, kWide, BytesPerSecond(225e9)};
  std::vector<AllReduce> names = {AllReduce::best};
  for (const RegisteredAllReduce& entry : all_reduces()) names.push_back(entry.name);
  const AllReduce algorithm = *rc::gen::elementOf(names);
  const bool keeps_shards = *rc::gen::arbitrary<bool>();
  const ExchangeOptions options{
      .in_domain = algorithm, .between_domains = algorithm, .keeps_shards = keeps_shards};
  for (const auto kind : {GradientExchange::flat, GradientExchange::hierarchical_all_reduce,
                          GradientExchange::hierarchical_reduce_scatter}) {
    for (const GradientStage& s : gradient_stages(kind, groups, buffer, networks, options)) {
      BytesPerSecond rate = s.network == NetworkLevel::scale_up    ? up.rate
                            : s.network == NetworkLevel::scale_out ? out.rate
                                                                   : kWide.rate;
      if (kind == GradientExchange::flat && groups.datacenters > 1)
        rate = std::min(rate, kWide.rate * static_cast<double>(groups.local * groups.peers));
      const double expected_s = s.sent.si() / rate.si() + s.delay.si();
      RC_ASSERT(std::abs(s.time.si() - expected_s) <= 1e-12 * (1 + expected_s));
      RC_ASSERT((s.sent.si() > 0) == (s.peers > 1));
      RC_ASSERT((s.delay.si() > 0) == (s.peers > 1));
    }
  }
}

/// A chunk goes to every other datacenter at once, or in two steps: whichever is over first.
TEST(WideArea, TakesTheQuickerOfOneStepAndTwo) {
  for (const std::int64_t datacenters : {2, 3, 4, 7, 12}) {
    const auto others = static_cast<double>(datacenters - 1);
    for (double bytes = 1e3; bytes < 1e12; bytes *= 3) {
      const GradientStage s = gradient_stages(GradientExchange::hierarchical_reduce_scatter,
                                              {1, 1, datacenters}, Bytes(bytes), kPaper)[2];
      const double one = others * bytes / kWide.rate.si() + kWide.delay.si();
      const double two = 2 * (others / (others + 1) * bytes / kWide.rate.si() + kWide.delay.si());
      EXPECT_NEAR(s.time.si(), std::min(one, two), 1e-12 * one);
      EXPECT_EQ(s.passes, two < one ? 2 : 1);
      EXPECT_DOUBLE_EQ(s.delay.si(), (two < one ? 2 : 1) * kWide.delay.si());
    }
  }
}

/// One ring over all datacenters crosses between them as often as there are some, in each pass.
TEST(Flat, RingsCrossBetweenDatacentersInEachPass) {
  Networks near = kPaper;
  near.wide_area.delay = Seconds(0);
  for (const std::int64_t datacenters : {2, 3, 5}) {
    for (const bool keeps_shards : {false, true}) {
      const ExchangeOptions options{.keeps_shards = keeps_shards};
      const ReplicaGroups groups{4, 10, datacenters};
      const auto time_s = [&](const Networks& networks) {
        return gradient_stages(GradientExchange::flat, groups, Bytes(1e9), networks, options)[0].time.si();
      };
      const double crossings = (keeps_shards ? 1.0 : 2.0) * static_cast<double>(datacenters);
      EXPECT_NEAR(time_s(kPaper) - time_s(near), crossings * kWide.delay.si(), 1e-9);
    }
  }
}

TEST(Hierarchy, StagesOnOneNetworkTakeTurns) {
  const auto stages = gradient_stages(GradientExchange::hierarchical_all_reduce, kGroups, kGradients, kPaper);
  EXPECT_DOUBLE_EQ(pipelined_time(stages, StageOverlap::slowest_stage).si(), stages[1].time.si());
  EXPECT_DOUBLE_EQ(pipelined_time(stages, StageOverlap::shared_network).si(),
                   (stages[1].time + stages[3].time).si());
}

// A reduce-scatter and an all-gather over all ranks together move 2 (n-1)/n S; the hierarchy moves as much in
// total.
RC_GTEST_PROP(Hierarchy, SendsAsMuchAsAFlatRingWhenOneNetworkCarriesAll, ()) {
  const ReplicaGroups groups{*rc::gen::inRange(1, 64), *rc::gen::inRange(1, 200), 1};
  const Bytes buffer(1e9);
  double sent = 0;
  for (const GradientStage& s :
       gradient_stages(GradientExchange::hierarchical_reduce_scatter, groups, buffer, kPaper)) {
    sent += s.sent.si();
  }
  const auto n = static_cast<double>(groups.total());
  RC_ASSERT(std::abs(sent - 2 * (n - 1) / n * 1e9) < 1);
}

RC_GTEST_PROP(Gradients, TakeLongerWithMoreBytesAndNeverLessThanTheLinkNeeds, ()) {
  const ReplicaGroups groups{*rc::gen::inRange(1, 16), *rc::gen::inRange(1, 100), *rc::gen::inRange(1, 5)};
  for (const auto kind : {GradientExchange::flat, GradientExchange::hierarchical_all_reduce,
                          GradientExchange::hierarchical_reduce_scatter}) {
    const auto small = gradient_stages(kind, groups, Bytes(1e9), kPaper);
    const auto large = gradient_stages(kind, groups, Bytes(2e9), kPaper);
    for (std::size_t i = 0; i < small.size(); ++i) {
      RC_ASSERT(small[i].time <= large[i].time);
      RC_ASSERT(small[i].time.si() + 1e-12 >= small[i].sent.si() / kPaper.scale_up.rate.si());
    }
  }
}

/// Adds up what ranks send.
class CountingSink : public TransferSink {
 public:
  explicit CountingSink(std::uint32_t ranks) : sent_(ranks, 0) {}
  void send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) override {
    EXPECT_NE(from, to);
    sent_.at(from) += bytes;
    ++transfers_;
  }
  void end_step() override { ++steps_; }

  std::vector<std::uint64_t> sent_;  // by each rank
  std::uint64_t transfers_ = 0;
  std::uint64_t steps_ = 0;
};

TEST(AllReduce, SchedulesSendAndWaitForWhatTheClosedFormsSay) {
  for (const RegisteredAllReduce& entry : all_reduces()) {
    for (const CollectiveSchedule& schedule : entry.algorithm->schedules) {
      SCOPED_TRACE(std::string(schedule.traffic));
      for (const std::uint32_t n : {2U, 3U, 8U, 13U, 32U}) {
        if (schedule.power_of_two && (n & (n - 1)) != 0) continue;
        const bool pass = static_cast<double>(schedule.transfers(n)) == entry.algorithm->pass(n).rounds * n;
        const CollectiveCost cost = pass ? entry.algorithm->pass(n) : entry.algorithm->all_reduce(n);
        CountingSink sink(n);
        schedule.run(n, 1000 * n, sink);
        for (const std::uint64_t sent : sink.sent_)
          EXPECT_DOUBLE_EQ(static_cast<double>(sent), cost.sent * 1000 * n);
        EXPECT_EQ(static_cast<double>(sink.steps_), cost.rounds);
        EXPECT_EQ(sink.transfers_, schedule.transfers(n));
      }
    }
  }
}

/// Buffers that ranks do not divide: pieces differ by a byte.
TEST(AllReduce, SchedulesOfUnevenPiecesSendEveryByteOnce) {
  std::vector<std::pair<const CollectiveSchedule*, double>> schedules;
  for (const RegisteredAllReduce& entry : all_reduces())
    for (const CollectiveSchedule& schedule : entry.algorithm->schedules) {
      const bool pass = static_cast<double>(schedule.transfers(8)) == entry.algorithm->pass(8).rounds * 8;
      schedules.emplace_back(&schedule, pass ? 1 : 2);
    }
  schedules.emplace_back(&pat_all_gather(), 1);
  schedules.emplace_back(&pat_reduce_scatter(), 1);
  for (const auto& [schedule, passes] : schedules) {
    SCOPED_TRACE(std::string(schedule->traffic));
    for (const std::uint32_t n : {2U, 3U, 6U, 8U, 13U, 32U}) {
      if (schedule->power_of_two && (n & (n - 1)) != 0) continue;
      for (const std::uint64_t bytes : {1000ULL * n + 1, 1000ULL * n + n - 1, 1000ULL * n + n / 2}) {
        CountingSink sink(n);
        schedule->run(n, bytes, sink);
        // A pass moves each piece to n - 1 ranks, or as many parts of it from them.
        const double all = std::accumulate(sink.sent_.begin(), sink.sent_.end(), 0.0);
        EXPECT_EQ(all, passes * static_cast<double>(bytes) * (n - 1)) << n << " ranks, " << bytes;
        EXPECT_EQ(sink.transfers_, schedule->transfers(n));
        EXPECT_EQ(sink.steps_ * n, schedule->transfers(n));
      }
    }
  }
}

TEST(WideArea, OneDelayForTwoDatacentersAndTwoWhereFewerBytesPay) {
  const auto two =
      gradient_stages(GradientExchange::hierarchical_reduce_scatter, {1, 1, 2}, Bytes(2.5e6), kPaper);
  EXPECT_NEAR(two[2].time.si(), 0.030 + 1e-3, 1e-9);
  const auto ten =
      gradient_stages(GradientExchange::hierarchical_reduce_scatter, {1, 1, 10}, Bytes(2.5e9), kPaper);
  EXPECT_NEAR(ten[2].time.si(), 2 * (0.030 + 0.9), 1e-9);  // 9 s directly
}

}  // namespace
}  // namespace trainyard
