// What one acknowledgement or one loss does to a window or a rate, by the equations of each law's paper, by
// hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

#include "base/mixing.h"
#include "network/packet/transports/bbr.h"
#include "network/packet/transports/credit_rate.h"
#include "network/packet/transports/cubic.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/hpcc.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/round_trip_time.h"
#include "network/packet/transports/smartt.h"
#include "network/packet/transports/swift.h"

namespace trainyard::packet {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr Picoseconds kSecond = 1'000'000 * kMicrosecond;

/// 8 us at 80 ps a byte are 100 packets of 1000 bytes.
FlowFacts hundred_packets() {
  FlowFacts facts;
  facts.base_round_trip = facts.network_round_trip = 8 * kMicrosecond;
  facts.picoseconds_per_byte = 80;
  facts.full_bytes = 1000;
  facts.switches = 3;
  facts.window_packets = 10;
  return facts;
}

/// A law, and one flow of it.
template <class Law>
class OneFlow {
 public:
  template <class Input>
  explicit OneFlow(const Input& input) : law(input) {}
  explicit OneFlow(Law of) : law(std::move(of)) {}

  void begin(const FlowFacts& facts = hundred_packets()) { law.begin(state, facts); }
  void acknowledged(Picoseconds now, Picoseconds round_trip, std::uint32_t newly, bool congested = false,
                    std::uint32_t under_way = 0) {
    Acknowledgement<typename Law::Packet> ack{report};
    ack.now = now;
    ack.round_trip = round_trip;
    ack.newly = newly;
    ack.congested = congested;
    ack.under_way = under_way;
    ack.next = next;
    ack.cumulative = cumulative;
    law.acknowledged(state, ack);
  }
  double window() const { return law.window(state); }

  Law law;
  typename Law::State state;
  typename Law::Packet report{};
  std::uint32_t next = 0;
  std::uint32_t cumulative = 0;
};

// --- Cubic, RFC 9438 ---

/// Section 4.6: a loss leaves 0.7. Section 4.7: a window that had not come back to where it was before has
/// another flow to make room for, (1 + 0.7) / 2 of it.
TEST(CubicLaw, ASecondLossBelowTheFirstGivesWayToOthers) {
  OneFlow<Cubic> flow(CubicInput{});
  flow.state.window = 100;
  flow.law.lost(flow.state, 0);
  EXPECT_DOUBLE_EQ(flow.state.before, 100);
  EXPECT_DOUBLE_EQ(flow.window(), 70);
  EXPECT_DOUBLE_EQ(flow.state.slow_start_below, 70);
  flow.state.window = 80;
  flow.law.lost(flow.state, 0);
  EXPECT_DOUBLE_EQ(flow.state.before, 80 * 0.85);
  EXPECT_DOUBLE_EQ(flow.window(), 56);
  flow.state.window = 100;
  flow.law.cut(flow.state, 0);
  EXPECT_DOUBLE_EQ(flow.state.before, 100);
}

TEST(CubicLaw, WindowsHaveTwoPacketsAfterALossAndOneAfterATimeout) {
  OneFlow<Cubic> flow(CubicInput{});
  flow.state.window = 2.5;
  flow.law.lost(flow.state, 0);
  EXPECT_DOUBLE_EQ(flow.window(), 2);
  flow.state.window = 10;
  flow.law.timed_out(flow.state, 0);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
  EXPECT_DOUBLE_EQ(flow.state.slow_start_below, 7);
}

/// Equations 1 and 2: W(t) = 0.4 (t - K)^3 + 100 with K = cbrt(30 / 0.4) = 4.2172 s, a round trip of 0.1 s
/// ahead: 72.0839 at first, 100 where t + 0.1 s is K. Equation 4: 3 (1 - 0.7) / (1 + 0.7) of a packet a
/// window.
TEST(CubicLaw, TheWindowFollowsTheCubicCurve) {
  OneFlow<Cubic> flow(CubicInput{});
  flow.state.window = 100;
  flow.law.lost(flow.state, 0);
  flow.acknowledged(kSecond, kSecond / 10, 0);
  EXPECT_DOUBLE_EQ(flow.window(), 70);
  EXPECT_EQ(flow.state.epoch, 0U);
  flow.acknowledged(kSecond, kSecond / 10, 1);
  EXPECT_NEAR(flow.window(), 70 + 2.0839300 / 70, 1e-8);
  EXPECT_NEAR(flow.state.estimate, 70 + 0.9 / 1.7 / 70, 1e-9);
  const double window = flow.window();
  flow.acknowledged(kSecond + 4'117'163'326'509, kSecond / 10, 1);
  EXPECT_NEAR(flow.window(), window + (100 - window) / window, 1e-9);
  // Section 4.4: no more than by half of it a round trip.
  const double near = flow.window();
  flow.acknowledged(100 * kSecond, kSecond / 10, 2);
  EXPECT_NEAR(flow.window(), near + 0.5 * 2, 1e-9);
}

TEST(CubicLaw, SlowStartEndsWhereTheLastLossLeftTheWindow) {
  OneFlow<Cubic> flow(CubicInput{});
  flow.begin();
  EXPECT_DOUBLE_EQ(flow.window(), 10);
  flow.acknowledged(1, 1, 3);
  EXPECT_DOUBLE_EQ(flow.window(), 13);
  flow.state.slow_start_below = 13;
  flow.acknowledged(kSecond, 1, 1);
  EXPECT_LT(flow.window(), 13.1);
  EXPECT_EQ(flow.state.epoch, kSecond);
}

// --- DCTCP, Alizadeh et al. 2010 ---

/// Equations 1 and 2: alpha = 15/16 alpha + 1/16 of the marked share, and the window loses half of alpha.
TEST(DctcpLaw, TheWindowShrinksByHalfOfTheMarkedShare) {
  DctcpInput input;
  input.initial_share = 0.5;
  input.slow_start_packets = 1;
  OneFlow<Dctcp> flow(input);
  flow.begin();
  flow.acknowledged(1, 1, 4, true);
  EXPECT_DOUBLE_EQ(flow.window(), 10.4);
  flow.acknowledged(2, 1, 5);
  EXPECT_DOUBLE_EQ(flow.window(), 10.4 + 5 / 10.4);
  const double before = flow.window();
  flow.acknowledged(3, 1, 1);  // the tenth: the window at hand is over
  const double alpha = 15.0 / 16 * 0.5 + 1.0 / 16 * 0.4;
  EXPECT_DOUBLE_EQ(flow.state.marked_share, alpha);
  const double after = before * (1 - alpha / 2);
  EXPECT_DOUBLE_EQ(flow.window(), after + 1 / after);
  EXPECT_DOUBLE_EQ(flow.state.round, after);
  EXPECT_DOUBLE_EQ(flow.state.marked, 0);
  EXPECT_DOUBLE_EQ(flow.state.acknowledged, 0);
}

TEST(DctcpLaw, LossesHalveTheWindowAndTimeoutsBeginAgain) {
  OneFlow<Dctcp> flow(DctcpInput{});
  flow.begin();
  flow.acknowledged(1, 1, 2);
  EXPECT_DOUBLE_EQ(flow.window(), 12);  // slow start
  flow.law.lost(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 6);
  EXPECT_DOUBLE_EQ(flow.state.slow_start_below, 6);
  flow.law.timed_out(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
  EXPECT_DOUBLE_EQ(flow.state.slow_start_below, 3);
  flow.law.cut(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
  flow.law.timed_out(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.state.slow_start_below, 2);
}

// --- Swift, Kumar et al. 2020 ---

/// Targets: 20 us, 3 hops of 3.053 us, and what the window adds: 1 / sqrt(w) between 0.1 and 100 packets onto
/// 0 to 100 us, so that 0.1 adds all of it and 100 nothing.
TEST(SwiftLaw, TargetsGrowWithHopsAndWithFlows) {
  const double hops = 20 + 3 * 3.053;
  const double scale = 100 / (1 / std::sqrt(0.1) - 0.1);
  for (const double w : {0.05, 0.1, 1.0, 4.0, 100.0, 400.0}) {
    const double flows = std::min(100.0, std::max(0.0, scale * (1 / std::sqrt(w) - 0.1)));
    const auto target = static_cast<Picoseconds>((hops + flows) * 1e6);
    OneFlow<Swift> flow(SwiftInput{});
    flow.begin();
    flow.state.window = w;
    flow.acknowledged(kSecond, target - 1000, 2);
    EXPECT_NEAR(flow.window(), w + 2 / std::max(1.0, w), 1e-12) << w;
    flow.state.window = w;
    flow.acknowledged(2 * kSecond, target + 1000, 2);
    EXPECT_LE(flow.window(), w) << w;
    EXPECT_GT(flow.window(), w * 0.999) << w;
  }
}

/// A target below what an empty network takes would leave a thousandth of a packet: without one of its own, a
/// flow of a longer way has that, and what hops add, for queues.
TEST(SwiftLaw, TargetsAreNoShorterThanAnEmptyNetworkUnlessAskedFor) {
  FlowFacts far = hundred_packets();
  far.base_round_trip = far.network_round_trip = 1000 * kMicrosecond;
  OneFlow<Swift> usual(SwiftInput{});
  usual.begin(far);
  usual.state.window = 100;
  usual.acknowledged(kSecond, 1009 * kMicrosecond, 1);  // three hops add 9.159 us
  EXPECT_GT(usual.window(), 100);
  usual.acknowledged(2 * kSecond, 1010 * kMicrosecond, 1);
  EXPECT_LT(usual.window(), 100.01);

  SwiftInput asked;
  asked.base_target = Seconds(500e-6);
  OneFlow<Swift> flow(asked);
  flow.begin(far);
  flow.state.window = 100;
  flow.acknowledged(kSecond, 1000 * kMicrosecond, 1);
  EXPECT_LT(flow.window(), 100);
}

/// Algorithm 1: 0.8 of the delay beyond the target, no more than half, once a round trip.
TEST(SwiftLaw, DecreasesAreOnceARoundTrip) {
  OneFlow<Swift> flow(SwiftInput{});
  flow.begin();
  flow.state.window = 100;
  const double target = 20e6 + 3 * 3.053e6;
  const auto late = static_cast<Picoseconds>(1.25 * target);
  flow.acknowledged(kSecond, late, 1);
  EXPECT_NEAR(flow.window(), 100 * (1 - 0.8 * 0.2), 1e-6);
  flow.acknowledged(kSecond + late - 1, late, 1);
  EXPECT_NEAR(flow.window(), 84, 1e-6);
  flow.law.lost(flow.state, kSecond + late - 1);
  EXPECT_NEAR(flow.window(), 84, 1e-6);
  flow.law.lost(flow.state, kSecond + late);
  EXPECT_NEAR(flow.window(), 42, 1e-6);
  flow.acknowledged(3 * kSecond, 100 * late, 1);
  EXPECT_NEAR(flow.window(), 21, 1e-6);
}

TEST(SwiftLaw, FiveTimeoutsInARowLeaveATinyWindow) {
  OneFlow<Swift> flow(SwiftInput{});
  flow.begin();
  flow.state.window = 64;
  for (std::uint64_t i = 1; i <= 4; ++i) flow.law.timed_out(flow.state, i * kSecond);
  EXPECT_DOUBLE_EQ(flow.window(), 4);
  EXPECT_EQ(flow.law.gap(flow.state, 1000, 0), 0U);
  flow.law.timed_out(flow.state, 5 * kSecond);
  EXPECT_DOUBLE_EQ(flow.window(), 0.001);
  EXPECT_EQ(flow.law.gap(flow.state, 1000, 0), 8'000 * kMicrosecond);  // a thousand round trips of 8 us
  flow.acknowledged(6 * kSecond, 8 * kMicrosecond, 0);
  flow.law.timed_out(flow.state, 7 * kSecond);
  EXPECT_EQ(flow.state.timeouts, 1U);
}

// --- SMaRTT, Bonato et al. 2024: base round trip 8 us, target 12 us, product 100 packets ---

OneFlow<Smartt> smartt(double window) {
  OneFlow<Smartt> flow(SmarttInput{});
  flow.begin();
  EXPECT_DOUBLE_EQ(flow.window(), 125);
  flow.state.window = window;
  flow.state.period_end = kSecond;
  return flow;
}

TEST(SmarttLaw, MarksAndDelaysMoveTheWindow) {
  OneFlow<Smartt> flow = smartt(50);
  flow.acknowledged(1, 10 * kMicrosecond, 2);  // neither marked nor late: both increases
  EXPECT_DOUBLE_EQ(flow.window(), 50 + 0.2 * 2 / 50 * 2 + 2 / (50 + 0.2 * 2 / 50 * 2) * 0.25);
  flow = smartt(50);
  flow.acknowledged(1, 15 * kMicrosecond, 2);  // late, and not marked: the fair one
  EXPECT_DOUBLE_EQ(flow.window(), 50 + 2 / 50.0 * 0.25);
  flow = smartt(50);
  flow.acknowledged(1, 10 * kMicrosecond, 2, true);  // marked, and not late: the fair decrease
  EXPECT_DOUBLE_EQ(flow.window(), 50 - 0.5 * 0.8 * 2);
  flow = smartt(50);
  flow.acknowledged(1, 15 * kMicrosecond, 2, true);  // both: 2 (15 - 12) / 15 a packet as well
  EXPECT_DOUBLE_EQ(flow.window(), (50 - 0.8) - (50 - 0.8) / 100 * 0.8 * 2);
  flow = smartt(50);
  flow.acknowledged(1, 120 * kMicrosecond, 2, true);  // no more than what arrived
  EXPECT_DOUBLE_EQ(flow.window(), 48 - 0.48 * 0.8 * 2);
  flow = smartt(1);
  flow.acknowledged(1, 120 * kMicrosecond, 2, true);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
}

/// A whole window without any delay: two packets more for each.
TEST(SmarttLaw, AnEmptyNetworkIsFilledQuickly) {
  OneFlow<Smartt> flow = smartt(10);
  flow.acknowledged(1, 8'160'000, 11);  // 1.02 of the base
  EXPECT_DOUBLE_EQ(flow.window(), 10 + 2 * 11);
  flow.acknowledged(1, 8'160'001, 1);
  EXPECT_DOUBLE_EQ(flow.state.quiet, 0);
  flow = smartt(124);
  flow.state.quiet = 124;
  flow.acknowledged(1, 8'000'000, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 125);
}

TEST(SmarttLaw, AfterAPeriodWithTrimsTheWindowIsWhatGotThrough) {
  OneFlow<Smartt> flow = smartt(50);
  flow.state.period_end = 12 * kMicrosecond;
  flow.law.cut(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 49);
  flow.state.got = 20;
  flow.acknowledged(12 * kMicrosecond, 15 * kMicrosecond, 5, true, 7);
  EXPECT_DOUBLE_EQ(flow.window(), 0.8 * 25);
  EXPECT_DOUBLE_EQ(flow.state.to_ignore, 7);
  EXPECT_EQ(flow.state.period_end, 24 * kMicrosecond);
  flow.law.cut(flow.state, 13 * kMicrosecond);
  flow.acknowledged(13 * kMicrosecond, 15 * kMicrosecond, 6, true, 7);
  EXPECT_DOUBLE_EQ(flow.window(), 20);
  EXPECT_DOUBLE_EQ(flow.state.to_ignore, 0);
  flow.law.timed_out(flow.state, 14 * kMicrosecond);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
  flow.law.cut(flow.state, 14 * kMicrosecond);
  EXPECT_DOUBLE_EQ(flow.window(), 1);
}

// --- NSCC, Ultra Ethernet 1.0: target 6 us of queueing, scale 100 kB / 150 kB ---

OneFlow<Nscc> nscc(double window) {
  OneFlow<Nscc> flow(Nscc(NsccInput{}, true));
  flow.begin();
  EXPECT_DOUBLE_EQ(flow.window(), 150);
  EXPECT_DOUBLE_EQ(flow.state.target, 6e6);
  EXPECT_DOUBLE_EQ(flow.state.scale, 2.0 / 3);
  flow.state.window = window;
  flow.state.period_end = kSecond;
  return flow;
}

TEST(NsccLaw, IncreasesAreGatheredForEightPackets) {
  OneFlow<Nscc> flow = nscc(50);
  flow.acknowledged(1, 11 * kMicrosecond, 8);  // 3 us of queue: 4 (6 - 3) / 12 a packet and scale
  EXPECT_DOUBLE_EQ(flow.window(), 50);
  EXPECT_DOUBLE_EQ(flow.state.increments, 8 * 2.0 / 3);
  flow.acknowledged(1, 14 * kMicrosecond, 1);  // at the target: the fair one
  EXPECT_DOUBLE_EQ(flow.window(), 50 + (8 + 5) * 2.0 / 3 / 50);
  EXPECT_DOUBLE_EQ(flow.state.increments, 0);
  flow.acknowledged(8 * kMicrosecond, 14 * kMicrosecond, 0);  // or for a round trip, which adds a little
  EXPECT_DOUBLE_EQ(flow.window(), 50 + (8 + 5) * 2.0 / 3 / 50 + 0.15 * 2 / 3);
}

TEST(NsccLaw, MarkedAndLateIsLessOnceARoundTrip) {
  OneFlow<Nscc> flow = nscc(50);
  flow.state.average = 9e6;
  flow.acknowledged(8'000'001, 17 * kMicrosecond, 1, true);
  const double average = 9e6;  // and stays there: the delay is as long
  const double window = 50 * (1 - 0.8 * (average - 6e6) / average);
  EXPECT_NEAR(flow.window(), window + 0.15 * 2 / 3, 1e-9);
  flow.acknowledged(16'000'001, 17 * kMicrosecond, 1, true);
  EXPECT_NEAR(flow.window(), window + 2 * 0.15 * 2 / 3, 1e-9);
  flow.state.average = 1e12;
  flow.acknowledged(16'000'002, 17 * kMicrosecond, 1, true);
  EXPECT_NEAR(flow.window(), 0.5 * (window + 2 * 0.15 * 2 / 3), 1e-9);
  // An average below the target: no decrease, whatever one packet's delay.
  flow = nscc(50);
  flow.acknowledged(8'000'001, 17 * kMicrosecond, 1, true);
  EXPECT_NEAR(flow.window(), 50 + 0.15 * 2 / 3, 1e-9);
  EXPECT_DOUBLE_EQ(flow.state.average, 0.0125 * 9e6);
}

TEST(NsccLaw, AnEmptyNetworkIsFilledQuickly) {
  OneFlow<Nscc> flow = nscc(5);
  flow.acknowledged(1, 8'999'999, 6);
  EXPECT_DOUBLE_EQ(flow.window(), 5 + 0.25 * 2 / 3 * 6);
  flow.acknowledged(1, 9'000'000, 1);
  EXPECT_FALSE(flow.state.fast);
  flow.state.window = 149.9;
  flow.state.quiet = 200;
  flow.acknowledged(1, 8'000'000, 6);
  EXPECT_DOUBLE_EQ(flow.window(), 150);
}

TEST(NsccLaw, AfterAPeriodWithTrimsTheWindowIsWhatGotThrough) {
  OneFlow<Nscc> flow = nscc(50);
  flow.state.period_end = 14 * kMicrosecond;
  flow.law.cut(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.window(), 49);
  flow.state.got = 10;
  flow.acknowledged(14'000'001, 14 * kMicrosecond, 5, true, 9);
  EXPECT_DOUBLE_EQ(flow.window(), 15);
  EXPECT_DOUBLE_EQ(flow.state.to_ignore, 9);
  EXPECT_EQ(flow.state.period_end, 28'000'001U);
  flow.law.cut(flow.state, 15 * kMicrosecond);
  EXPECT_DOUBLE_EQ(flow.window(), 15);
  EXPECT_DOUBLE_EQ(flow.state.to_ignore, 8);
  flow.law.timed_out(flow.state, 15 * kMicrosecond);
  EXPECT_DOUBLE_EQ(flow.window(), 14);
}

/// Hosts of one leaf have the windows of their own round trip; what queues may be is the network's, or they
/// would give way to all others.
TEST(NsccLaw, OneTargetHoldsForNearAndFarFlows) {
  FlowFacts near = hundred_packets();
  near.base_round_trip = 4 * kMicrosecond;
  OneFlow<Nscc> flow(Nscc(NsccInput{}, true));
  flow.begin(near);
  EXPECT_DOUBLE_EQ(flow.window(), 75);
  EXPECT_DOUBLE_EQ(flow.state.target, 6e6);
  EXPECT_DOUBLE_EQ(flow.state.scale, 2.0 / 3);
  flow.law.cut(flow.state, 1);
  EXPECT_DOUBLE_EQ(flow.state.average, 0.0125 * 8e6);
  // Nine microseconds of round trip are five of queueing, and no reason to slow down.
  flow.state.average = 9e6;
  flow.state.period_end = kSecond;
  flow.acknowledged(4'000'001, 9 * kMicrosecond, 1, true);
  EXPECT_DOUBLE_EQ(flow.window(), 74);
}

TEST(NsccLaw, MarksBelowTheTargetOnlyChangePaths) {
  OneFlow<Nscc> flow = nscc(5);
  flow.acknowledged(1, 8 * kMicrosecond, 5);
  const double window = flow.window();
  flow.acknowledged(1, 13 * kMicrosecond, 1, true);
  EXPECT_DOUBLE_EQ(flow.window(), window);
  EXPECT_DOUBLE_EQ(flow.state.quiet, 5);  // on the way to a fast increase
  flow.acknowledged(1, 14 * kMicrosecond, 1, true);
  EXPECT_DOUBLE_EQ(flow.state.quiet, 0);
}

TEST(NsccLaw, OnlyMarksOfWhatWasUnderWayAreLeftOut) {
  OneFlow<Nscc> flow = nscc(50);
  flow.state.to_ignore = 10;
  flow.state.trimmed = true;
  flow.state.period_end = 14 * kMicrosecond;
  flow.acknowledged(15 * kMicrosecond, 20 * kMicrosecond, 4, true);
  EXPECT_DOUBLE_EQ(flow.window(), 50);
  flow.acknowledged(15 * kMicrosecond, 20 * kMicrosecond, 4, false, 3);  // ends the period
  EXPECT_DOUBLE_EQ(flow.window(), 8);
  EXPECT_DOUBLE_EQ(flow.state.to_ignore, 3);
}

// --- HPCC, Li et al. 2019 ---

/// T is the network's for all flows (section 5.1), also of hosts that are nearer.
TEST(HpccLaw, NearFlowsCountRoundTripsOfTheNetwork) {
  FlowFacts near = hundred_packets();
  near.base_round_trip = 4 * kMicrosecond;
  OneFlow<Hpcc> flow(HpccInput{});
  flow.begin(near);
  EXPECT_DOUBLE_EQ(flow.window(), 100);
}

/// Algorithm 1: a link at 95% with a queue of half a product is loaded 1.45; after a whole round trip the
/// window is W / (1.45 / 0.95) + W_AI, with W_AI = 100 kB 0.05 / 10.
TEST(HpccLaw, WindowsFillLinksToAShare) {
  OneFlow<Hpcc> flow(HpccInput{});
  flow.begin();
  EXPECT_DOUBLE_EQ(flow.window(), 100);
  EXPECT_NEAR(flow.state.step, 500, 1e-9);
  EXPECT_EQ(flow.law.gap(flow.state, 1000, 0), 80'000U);
  flow.report.record(0, 50'000, 0, 80);
  flow.acknowledged(1, 1, 1);  // the first one only tells of the way
  flow.report = {};
  flow.report.record(8 * kMicrosecond, 60'000, 95'000, 80);
  flow.cumulative = 1;
  flow.next = 100;
  flow.state.utilization = 0.5;
  flow.state.window = flow.state.reference = 80'000;
  flow.acknowledged(8 * kMicrosecond, 1, 1);
  EXPECT_NEAR(flow.state.utilization, 1.45, 1e-6);
  EXPECT_NEAR(flow.state.window, 80'000 / (1.45 / 0.95) + 500, 0.1);
  EXPECT_EQ(flow.state.update_after, 100U);
  EXPECT_DOUBLE_EQ(flow.state.reference, flow.state.window);
}

/// Half of a round trip tells half: U = 0.5 U + 0.5 u. Of several links the most loaded counts.
TEST(HpccLaw, ShortTimesTellLess) {
  OneFlow<Hpcc> flow(HpccInput{});
  flow.begin();
  flow.report.record(0, 0, 0, 80);
  flow.report.record(0, 0, 0, 80);
  flow.acknowledged(1, 1, 1);
  flow.state.utilization = 0.2;
  flow.state.window = flow.state.reference = 40'000;
  flow.report = {};
  flow.report.record(4 * kMicrosecond, 0, 30'000, 80);  // 0.6
  flow.report.record(4 * kMicrosecond, 0, 10'000, 80);  // 0.2
  flow.acknowledged(4 * kMicrosecond, 1, 1);
  EXPECT_NEAR(flow.state.utilization, 0.4, 1e-6);
  EXPECT_DOUBLE_EQ(flow.state.window, 40'500);  // below the share: a step
  EXPECT_EQ(flow.state.stage, 0);
}

TEST(HpccLaw, AfterFiveStepsTheLoadDecides) {
  OneFlow<Hpcc> flow(HpccInput{});
  flow.begin();
  flow.state.utilization = 0.5;
  flow.state.window = flow.state.reference = 10'000;
  for (std::uint32_t i = 1; i <= 5; ++i) {
    flow.cumulative = 2 * i;
    flow.next = 2 * i;
    flow.acknowledged(i, 1, 1);
    // Nothing was recorded: the load stays as it was.
    flow.state.utilization = 0.5;
    EXPECT_DOUBLE_EQ(flow.state.window, 10'000 + 500 * i);
    EXPECT_EQ(flow.state.stage, i);
  }
  flow.cumulative = 11;
  flow.acknowledged(6, 1, 1);
  EXPECT_DOUBLE_EQ(flow.state.window, 12'500 / (0.5 / 0.95) + 500);
  EXPECT_EQ(flow.state.stage, 0);
}

// --- DCQCN, Zhu et al. 2015 ---

TEST(DcqcnLaw, NotificationsCutTheRateByHalfOfAlpha) {
  const DcqcnRate law{DcqcnInput{}};
  DcqcnRate::State s;
  law.begin(s, hundred_packets());
  EXPECT_EQ(law.gap(s, 1000, 0), 0U);
  law.notified(s, 7);
  EXPECT_DOUBLE_EQ(s.rate, 0.5);
  EXPECT_DOUBLE_EQ(s.target, 1);
  EXPECT_DOUBLE_EQ(s.alpha, 1);
  EXPECT_EQ(law.gap(s, 1000, 7), 160'000U);
  s.alpha = 0.5;
  law.notified(s, 8);
  EXPECT_DOUBLE_EQ(s.rate, 0.375);
  EXPECT_DOUBLE_EQ(s.target, 0.5);
  EXPECT_DOUBLE_EQ(s.alpha, 255.0 / 256 * 0.5 + 1.0 / 256);
  s.rate = 0.0011;
  s.alpha = 1;
  law.notified(s, 9);
  EXPECT_DOUBLE_EQ(s.rate, 0.001);
}

/// Every 55 us alpha loses 1/256 and the rate comes half of the way back; after five of those the target
/// rises by 0.05 of the line, and after five by timer and by bytes alike by 0.1, 0.2 and so on.
TEST(DcqcnLaw, RatesRiseByTimeAndByBytes) {
  const DcqcnRate law{DcqcnInput{}};
  DcqcnRate::State s;
  law.begin(s, hundred_packets());
  law.notified(s, 0);
  s.target = 0.5;
  s.rate = 0.25;
  law.gap(s, 1000, 55 * kMicrosecond - 1);
  EXPECT_DOUBLE_EQ(s.rate, 0.25);
  law.gap(s, 1000, 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(s.rate, 0.375);
  EXPECT_DOUBLE_EQ(s.alpha, 255.0 / 256);
  law.gap(s, 1000, 5 * 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(s.target, 0.5);
  law.gap(s, 1000, 6 * 55 * kMicrosecond);
  EXPECT_DOUBLE_EQ(s.target, 0.55);
  EXPECT_EQ(s.timer_rises, 6);
  s.target = 0.3;
  s.byte_rises = 5;
  s.bytes = 10e6 - 1000;
  law.gap(s, 1000, 6 * 55 * kMicrosecond);
  EXPECT_EQ(s.byte_rises, 6);
  EXPECT_DOUBLE_EQ(s.bytes, 0);
  EXPECT_DOUBLE_EQ(s.target, 0.4);
}

TEST(DcqcnLaw, ReceiversNotifyOnceInAWhile) {
  const DcqcnRate law{DcqcnInput{}};
  DcqcnRate::Notes notes;
  const auto notified = [&](bool marked, Picoseconds now) {
    AckedPacket data;
    AckedPacket report;
    if (marked) data.marks = Packet::kCongested;
    law.answer(notes, data, report, now);
    return (report.marks & DcqcnRate::kNotification) != 0;
  };
  EXPECT_FALSE(notified(false, 1));
  EXPECT_TRUE(notified(true, 2));
  EXPECT_FALSE(notified(true, 50 * kMicrosecond + 1));
  EXPECT_TRUE(notified(false, 50 * kMicrosecond + 2));  // of the one before
  EXPECT_FALSE(notified(false, 500 * kMicrosecond));
}

// --- BBR ---

TEST(BbrLaw, StartupEndsWhenTheRateNoLongerGrows) {
  OneFlow<Bbr> flow(BbrInput{});
  flow.begin();
  EXPECT_DOUBLE_EQ(flow.window(), 10);
  const auto round = [&](std::uint32_t packets) {
    flow.report.delivered = flow.state.delivered;
    flow.report.delivered_at = flow.state.delivered_at;
    flow.acknowledged(flow.state.delivered_at + 10 * kMicrosecond, 10 * kMicrosecond, packets, false, 1000);
  };
  round(10);  // a packet a microsecond
  EXPECT_NEAR(flow.window(), 2.885 * 10, 1e-9);
  EXPECT_NEAR(static_cast<double>(flow.law.gap(flow.state, 1000, 0)), 1e6 / 2.885, 1);
  round(13);
  round(16);  // less than a quarter more: twice, and a third time
  round(16);
  EXPECT_EQ(flow.state.phase, Bbr::Phase::startup);
  round(16);
  EXPECT_EQ(flow.state.phase, Bbr::Phase::drain);
  EXPECT_NEAR(static_cast<double>(flow.law.gap(flow.state, 1000, 0)), 1e6 / 1.6 * 2.885, 1);
  EXPECT_NEAR(flow.window(), 2 * 16, 1e-9);
}

TEST(BbrLaw, TheHighestRateOfTenRoundTripsCounts) {
  OneFlow<Bbr> flow(BbrInput{});
  flow.begin();
  const auto round = [&](std::uint32_t packets) {
    flow.report.delivered = flow.state.delivered;
    flow.report.delivered_at = flow.state.delivered_at;
    flow.acknowledged(flow.state.delivered_at + 10 * kMicrosecond, 10 * kMicrosecond, packets);
  };
  round(20);
  for (int i = 0; i < 9; ++i) round(10);
  EXPECT_NEAR(flow.state.rate * 1e6, 2, 1e-9);
  round(10);
  EXPECT_NEAR(flow.state.rate * 1e6, 1, 1e-9);
}

/// Wherever in the flow's life a round is, its rate counts in nine more, and not in the tenth.
void expect_rounds_are_forgotten(const std::function<std::uint32_t(std::uint64_t)>& packets_of) {
  OneFlow<Bbr> flow(BbrInput{});
  flow.begin();
  std::vector<double> rates;  // packets a microsecond
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint32_t packets = packets_of(i);
    flow.report.delivered = flow.state.delivered;
    flow.report.delivered_at = flow.state.delivered_at;
    flow.acknowledged(flow.state.delivered_at + 10 * kMicrosecond, 10 * kMicrosecond, packets);
    rates.push_back(packets / 10.0);
    const std::size_t counted = std::min<std::size_t>(rates.size(), 10);
    ASSERT_NEAR(flow.state.rate * 1e6,
                *std::max_element(rates.end() - static_cast<std::ptrdiff_t>(counted), rates.end()), 1e-9)
        << "round " << i;
  }
}

TEST(BbrLaw, EveryRoundIsForgottenAfterTenOfThem) {
  expect_rounds_are_forgotten(
      [](std::uint64_t i) { return static_cast<std::uint32_t>(1 + below(mixed(7, i), 1000)); });
  // The oldest is always the fastest: one that is forgotten too soon, the first among them, is missed.
  expect_rounds_are_forgotten([](std::uint64_t i) { return static_cast<std::uint32_t>(1000 - i); });
}

// --- what laws share ---

/// RFC 6298, section 2: an eighth and a quarter of what is new.
TEST(RoundTrips, AreSmoothed) {
  RoundTripTime time;
  time.measure(800);
  EXPECT_EQ(time.timeout(), 800U + 4 * 400);
  time.measure(1600);
  EXPECT_EQ(time.smooth, 900U);
  EXPECT_EQ(time.variation, 500U);
  time.measure(100);
  EXPECT_EQ(time.smooth, 800U);
  EXPECT_EQ(time.variation, 575U);
  EXPECT_EQ(time.timeout(), 800U + 4 * 575);
}

/// A slow episode makes senders patient while it may last, not for the rest of a flow.
TEST(RoundTrips, ForgetSlowEpisodes) {
  RoundTripTime time;
  time.measure(100'000);
  EXPECT_EQ(time.patience(), 2 * std::max<Picoseconds>(time.timeout(), 100'000));
  for (int i = 0; i < 64; ++i) time.measure(1000);  // a window or so
  EXPECT_GT(time.longest, 70'000U);
  for (int i = 0; i < 2000; ++i) time.measure(1000);
  EXPECT_EQ(time.longest, 1000U);
}
/// One that comes now and then stays known.
TEST(RoundTrips, RememberSlowWays) {
  RoundTripTime time;
  for (int i = 0; i < 3200; ++i) time.measure(i % 32 == 0 ? 4000 : 1000);
  EXPECT_GT(time.longest, 3500U);
}

/// uet-htsim's oversubscribed_cc: the average of marks goes by halves, and what it has beyond 0.3 costs half
/// of that.
TEST(CreditRates, FallWithMarksAndRiseByMoreAndMore) {
  const CreditRateRules rules{0.1, 1000};
  CreditRate rate;
  Picoseconds now = 0;
  const auto next = [&] {
    const double before = rate.share();
    while (rate.share() == before && now < 100'000) rate.decide(++now, 1, rules);
    return rate.share();
  };
  rate.arrived(true);
  EXPECT_NEAR(next(), 1 - (0.5 - 0.3) * 0.5, 1e-12);
  EXPECT_NEAR(next(), 0.91, 1e-12);
  EXPECT_NEAR(next(), 0.93, 1e-12);
  EXPECT_NEAR(next(), 0.97, 1e-12);
  EXPECT_DOUBLE_EQ(next(), 1);
}

/// Where few packets are marked, it rises by a hundredth a decision; where none is, by twice as much each
/// time, from a hundredth on after every fall.
TEST(CreditRates, RiseByAHundredthWhereFewAreMarked) {
  const CreditRateRules rules{0.1, 1000};
  CreditRate rate;
  Picoseconds now = 0;
  const auto next = [&](int marked, int of) {
    for (int i = 0; i < of; ++i) rate.arrived(i < marked);
    const double before = rate.share();
    for (const Picoseconds from = now; rate.share() == before && now < from + 2000;)
      rate.decide(++now, 1, rules);
    return rate.share() - before;
  };
  for (int i = 0; i < 5; ++i) rate.cut_inside();
  EXPECT_NEAR(next(0, 5), -0.5, 1e-12);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(next(1, 10), 0.01, 1e-12);
  EXPECT_NEAR(next(0, 10), 0.08, 1e-12);
}

/// What was cut inside of the network is taken from the rate, as a share of all that came; what was cut at
/// the receiver's own link only counts among all.
TEST(CreditRates, LoseTheShareThatWasCutInside) {
  const CreditRateRules rules{0.1, 1000};
  CreditRate rate;
  for (int i = 0; i < 6; ++i) rate.arrived(false);
  for (int i = 0; i < 2; ++i) rate.cut_inside();
  for (int i = 0; i < 2; ++i) rate.cut_at_the_end();
  Picoseconds now = 0;
  while (rate.share() == 1 && now < 100'000) rate.decide(++now, 1, rules);
  EXPECT_NEAR(rate.share(), 0.8, 1e-12);
  for (int i = 0; i < 9; ++i) rate.cut_inside();
  while (rate.share() > 0.5 && now < 100'000) rate.decide(++now, 1, rules);
  EXPECT_DOUBLE_EQ(rate.share(), 0.1);
}

/// When decisions fall is luck: other seeds draw other times.
TEST(CreditRates, DecideAtTimesOfTheirSeed) {
  const auto decided_at = [](std::uint64_t seed) {
    CreditRate rate;
    for (int i = 0; i < 4; ++i) rate.cut_inside();
    Picoseconds now = 0;
    while (rate.share() == 1 && now < 100'000) rate.decide(++now, 0, {0.1, 1000, seed});
    return now;
  };
  std::set<Picoseconds> times;
  for (std::uint64_t seed = 0; seed < 20; ++seed) times.insert(decided_at(seed));
  EXPECT_GT(times.size(), 15U);
  EXPECT_GE(*times.begin(), 750U);
  EXPECT_LE(*times.rbegin(), 1251U);
}

// --- States of checkpoints ---

/// A way so short that less than a packet is on it: a law takes back what it began with there.
TEST(States, OfTheShortestWaysAreThoseOfARun) {
  FlowFacts facts = hundred_packets();
  for (const Picoseconds round_trip : {Picoseconds{1000}, 79 * kMicrosecond / 1000, 8 * kMicrosecond}) {
    facts.base_round_trip = facts.network_round_trip = round_trip;
    const auto expect_taken = [&](auto flow) {
      flow.begin(facts);
      EXPECT_TRUE(flow.law.in_bounds(flow.state, 0)) << round_trip;
    };
    expect_taken(OneFlow<Smartt>(SmarttInput{}));
    expect_taken(OneFlow<Hpcc>(HpccInput{}));
    expect_taken(OneFlow<Bbr>(BbrInput{}));
    expect_taken(OneFlow<Nscc>(Nscc(NsccInput{}, true)));
  }
}

TEST(States, ThatNoRunHasAreRefused) {
  const auto refuses = [](auto flow, const auto& forge) {
    flow.begin();
    forge(flow.state);
    return !flow.law.in_bounds(flow.state, 0);
  };
  EXPECT_TRUE(refuses(OneFlow<Smartt>(SmarttInput{}), [](auto& state) { state.most = 0.99; }));
  EXPECT_TRUE(refuses(OneFlow<Smartt>(SmarttInput{}), [](auto& state) { state.product = 0.99; }));
  EXPECT_TRUE(refuses(OneFlow<Nscc>(Nscc(NsccInput{}, true)), [](auto& state) { state.most = 0.99; }));
  EXPECT_TRUE(refuses(OneFlow<Hpcc>(HpccInput{}), [](auto& state) { state.most = 0; }));
  EXPECT_TRUE(refuses(OneFlow<Hpcc>(HpccInput{}), [](auto& state) { state.full_bytes = 0; }));
  EXPECT_TRUE(refuses(OneFlow<Hpcc>(HpccInput{}), [](auto& state) { state.stage = -1; }));
  EXPECT_TRUE(refuses(OneFlow<Hpcc>(HpccInput{}), [](auto& state) { state.stage = HpccInput{}.stages + 1; }));
}

}  // namespace
}  // namespace trainyard::packet
