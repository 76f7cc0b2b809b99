#include "collective/collective.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

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
  EXPECT_EQ(scatter_time(1, Bytes(1e9), kOut).si(), 0);
  EXPECT_EQ(all_reduce_time(1, Bytes(1e9), kOut).si(), 0);
}

TEST(Collective, RingsMoveTheTextbookShare) {
  EXPECT_DOUBLE_EQ(scatter_time(4, Bytes(1e9), kOut).si(), 0.75e-2);
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
