// A central controller that is late, inexact or dead: what it costs a flow, to the picosecond.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.h"
#include "trainyard/errors.h"

namespace trainyard::packet {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;
constexpr std::uint64_t kPacketsToTake = 100;

Case lone_flow(Picoseconds start = 0) {
  Case c;
  c.hosts = 4;
  c.radix = 8;
  c.load_balancing = LoadBalancing::weighted;
  c.flows.push_back({0, 3, kPacketsToTake * 4096, start});
  return c;
}

/// When the last byte of the flow has arrived, of so much of the links' rate.
Picoseconds received(const Case& c, const Controller& controller, double utilization = 1) {
  const auto make = [&](const TransportSetup& setup) {
    return Scheduled(setup, {}, {.utilization = utilization}, controller);
  };
  const Outcome out = run_windows(c, make);
  EXPECT_EQ(out.counters.finished, c.flows.size());
  EXPECT_EQ(out.flows[0].received, run_reference(c, make).flows[0].received);
  return out.flows[0].received;
}

TEST(Controller, FlowsBeginWhenTheyHaveItsWord) {
  const Picoseconds at_once = received(lone_flow(), {});
  EXPECT_EQ(received(lone_flow(), {.delay = 7 * kMicrosecond}), at_once + 7 * kMicrosecond);
}

TEST(Controller, WithoutItsWordFlowsSendAtTheirFallback) {
  const Case c = lone_flow();
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds at_once = received(c, {});
  // A tenth of the packets at a quarter of the rate, the rest at the whole.
  const Picoseconds late = received(c, {.delay = 40 * packet, .fallback = 0.25});
  EXPECT_EQ(late, at_once + 30 * packet);
}

TEST(Controller, WhoBeginsWhileItIsDeadWaitsUntilItIsBack) {
  const Controller dead = {
      .delay = kMicrosecond, .dead_from = 5 * kMicrosecond, .dead_until = 50 * kMicrosecond};
  const Picoseconds lone = received(lone_flow(), {});
  EXPECT_EQ(received(lone_flow(4 * kMicrosecond), dead), lone + 5 * kMicrosecond);  // it goes on
  EXPECT_EQ(received(lone_flow(5 * kMicrosecond), dead), lone + 51 * kMicrosecond);
  EXPECT_EQ(received(lone_flow(50 * kMicrosecond), dead), lone + 51 * kMicrosecond);
}

TEST(Controller, DeadForGoodLeavesTheFallback) {
  const Case c = lone_flow(kMicrosecond);
  const Controller dead = {.dead_from = 0, .fallback = 0.5};
  EXPECT_EQ(received(c, dead), received(c, {}) + (kPacketsToTake - 1) * c.links.time(4096));
}

TEST(Controller, BlocksWithParityWaitForItsWordToo) {
  const Case c = lone_flow();
  const auto time = [&](const Controller& controller) {
    return run_windows(c,
                       [&](const TransportSetup& setup) {
                         return Scheduled(setup, {.data = 4, .parity = 1}, {}, controller);
                       })
        .flows[0]
        .received;
  };
  EXPECT_EQ(time({.delay = 7 * kMicrosecond}), time({}) + 7 * kMicrosecond);
}

/// Hosts do nothing until its word is due.
TEST(Controller, WhoWaitsForItIsNotWoken) {
  const auto events = [](Picoseconds delay) {
    const Outcome out = run_windows(
        lone_flow(), [&](const TransportSetup& setup) { return Scheduled(setup, {}, {}, {.delay = delay}); });
    EXPECT_EQ(out.counters.finished, 1U);
    return out.counters.events;
  };
  EXPECT_EQ(events(10'000'000 * kMicrosecond), events(kMicrosecond));
}

/// Flows whose controller answers at once wait for their turns, with a rate of their own or without.
TEST(Controller, AFallbackThatNobodyNeedsChangesNothing) {
  Case c = lone_flow();
  for (std::uint32_t from = 1; from < 3; ++from) c.flows.push_back({from, 3, kPacketsToTake * 4096, 0});
  const auto times = [&](const Controller& controller) {
    const auto make = [&](const TransportSetup& setup) {
      return Scheduled(setup, {}, {.utilization = 1, .most_flows = 1}, controller);
    };
    std::vector<Picoseconds> out;
    for (const auto& flow : run_windows(c, make).flows) out.push_back(flow.received);
    return out;
  };
  const std::vector<Picoseconds> in_turn = times({});
  EXPECT_GT(in_turn[2], 3 * kPacketsToTake * c.links.time(4096));
  EXPECT_EQ(times({.fallback = 0.01}), in_turn);
  EXPECT_EQ(times({.dead_from = in_turn[2] * 2, .fallback = 0.5}), in_turn);
}

/// Flows that meet wait for each other, here and there for longer than an eighth of a round trip.
TEST(Controller, NothingIsRepeatedWithoutALoss) {
  Case c = lone_flow();
  c.hosts = 64;
  c.radix = 16;
  c.flows.clear();
  const std::uint32_t hosts = 64;
  for (std::uint32_t host = 0; host < hosts; ++host)
    c.flows.push_back({host, (host * 11 + 5) % hosts, kPacketsToTake * 4096, 0});
  std::erase_if(c.flows, [](const Flow& flow) { return flow.from == flow.to; });
  const Outcome out = run_windows(c, [](const TransportSetup& setup) { return Scheduled(setup, {}, {}); });
  EXPECT_EQ(out.counters.finished, c.flows.size());
  EXPECT_GT(out.counters.longest_queue, 3 * 4096U);
  EXPECT_EQ(out.counters.repeats, 0U);
}

/// A rate that is off by e takes as much longer.
TEST(Controller, ErrorsChangeRates) {
  const Case c = lone_flow();
  const Controller wrong = {.error = 0.5};
  const double accuracy = wrong.accuracy(0, 1);
  EXPECT_NE(accuracy, 1);
  const auto gap = [&](double rate) {
    return static_cast<Picoseconds>(std::llround(static_cast<double>(c.links.time(4096)) / rate));
  };
  EXPECT_EQ(received(c, wrong, 0.5), received(c, {}, 0.5) + (kPacketsToTake - 1) * gap(accuracy / 2) -
                                         (kPacketsToTake - 1) * gap(0.5));
  double sum = 0;
  for (std::uint32_t flow = 0; flow < 1000; ++flow) {
    EXPECT_GE(wrong.accuracy(flow, 1), 0.5);
    EXPECT_LE(wrong.accuracy(flow, 1), 1.5);
    sum += wrong.accuracy(flow, 1);
  }
  EXPECT_NEAR(sum / 1000, 1, 0.04);
}

TEST(Controller, OneThatNeverAnswersIsRefused) {
  ScheduledInput input;
  input.dead_until = Seconds(1);
  EXPECT_THROW(Controller::of(input), InputError);
  input.dead_from = Seconds(2);
  EXPECT_THROW(Controller::of(input), InputError);
  input.dead_until.reset();
  EXPECT_THROW(Controller::of(input), InputError);
  input.fallback = 0.1;
  EXPECT_EQ(Controller::of(input).word(2 * kMicrosecond * kMicrosecond), kNever);
}

}  // namespace
}  // namespace trainyard::packet
