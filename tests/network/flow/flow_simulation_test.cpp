#include "network/flow/flow_simulation.h"

#include <gtest/gtest.h>

#include <set>

#include "water_filling.h"

namespace trainyard::flow {
namespace {

/// Links alone: every flow brings its own route.
class Links final : public Network {
 public:
  explicit Links(std::vector<double> capacities) : Network(8, std::move(capacities)) {}
  bool route(const RouteQuery&, const DownLinks&, Route&) const override { return false; }
  Seconds latency(std::uint32_t, std::uint32_t, Bytes) const override { return Seconds(0); }
};

/// Two links from host 0 to host 1, the first one as long as it is up.
class TwoWays final : public Network {
 public:
  TwoWays() : Network(2, {10, 5}) {}
  bool route(const RouteQuery&, const DownLinks& down, Route& out) const override {
    if (down.is_down(0) && down.is_down(1)) return false;
    out = {{down.is_down(0) ? 1U : 0U, 1}};
    return true;
  }
  Seconds latency(std::uint32_t, std::uint32_t, Bytes) const override { return Seconds(0.5); }
};

struct TimedFlow {
  TestFlow flow;
  double bytes = 0;
  double start = 0;
  std::vector<std::size_t> after;
  double delay = 0;
  double latency = 0;
};

struct Began {
  double began = 0;
  double sent = 0;
};

/// The plain simulation: every rate anew at every event, by water-filling, and no queue of events.
class PlainSimulation {
 public:
  PlainSimulation(std::vector<double> capacity, std::vector<TimedFlow> flows)
      : capacity_(std::move(capacity)),
        flows_(std::move(flows)),
        times_(flows_.size()),
        left_(flows_.size()) {
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      times_[f] = {kNever, kNever};
      left_[f] = flows_[f].bytes;
    }
  }

  std::vector<Began> run() {
    double now = 0;
    while (true) {
      const std::vector<std::size_t> active = begin(now);
      std::vector<TestFlow> under_way;
      for (const std::size_t f : active) under_way.push_back(flows_[f].flow);
      const std::vector<double> rate = water_filling(capacity_, under_way);
      double next = next_start(now);
      for (std::size_t i = 0; i < active.size(); ++i) {
        if (rate[i] > 0) next = std::min(next, now + left_[active[i]] / rate[i]);
      }
      if (next == kNever) return times_;
      for (std::size_t i = 0; i < active.size(); ++i) {
        left_[active[i]] -= rate[i] * (next - now);
        if (left_[active[i]] <= 1e-10 * flows_[active[i]].bytes) times_[active[i]].sent = next;
      }
      now = next;
    }
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  double ready(std::size_t f) const {
    double at = flows_[f].start;
    for (const std::size_t before : flows_[f].after)
      at = std::max(at, times_[before].sent + flows_[before].latency + flows_[f].delay);
    return at;
  }
  std::vector<std::size_t> begin(double now) {
    std::vector<std::size_t> active;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (times_[f].began == kNever && ready(f) <= now * (1 + 1e-12)) times_[f].began = now;
      if (times_[f].began < kNever && times_[f].sent == kNever) active.push_back(f);
    }
    return active;
  }
  double next_start(double now) const {
    double next = kNever;
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (times_[f].began == kNever && ready(f) > now) next = std::min(next, ready(f));
    }
    return next;
  }

  std::vector<double> capacity_;
  std::vector<TimedFlow> flows_;
  std::vector<Began> times_;
  std::vector<double> left_;
};

std::vector<TimedFlow> random_flows(RandomNetwork& random, std::size_t links) {
  std::vector<TimedFlow> out(1 + random.below(25));
  const int priorities = random.below(3) == 0 ? 3 : 1;
  const bool shared = random.below(2) == 0;
  for (std::size_t f = 0; f < out.size(); ++f) {
    TimedFlow& flow = out[f];
    if (f > 0 && random.below(4) == 0) {
      flow = out[random.below(f)];  // an equal one, that may share a bundle
      continue;
    }
    flow.flow = random.flow(links, false, shared, priorities);
    flow.bytes = static_cast<double>(1 + random.below(4)) * 50;
    flow.start = random.below(2) == 0 ? 0 : static_cast<double>(random.below(20));
    flow.latency = random.below(2) == 0 ? 0 : 0.25;
    flow.delay = random.below(2) == 0 ? 0 : 1.5;
    for (std::size_t i = random.below(3); f > 0 && i > 0; --i) flow.after.push_back(random.below(f));
  }
  return out;
}

FlowId add(FlowSimulation& sim, const TimedFlow& flow) {
  FlowRequest request{.from = 0, .to = 1, .bytes = Bytes(flow.bytes), .start = Seconds(flow.start)};
  for (const std::size_t before : flow.after) request.after.push_back({static_cast<FlowId>(before)});
  request.delay = Seconds(flow.delay);
  request.latency = Seconds(flow.latency);
  request.priority = flow.flow.priority;
  request.route = flow.flow.route;
  return sim.add(request);
}

void expect_time(double time, double expected) {
  if (std::isinf(expected)) {
    ASSERT_EQ(time, expected);
  } else {
    ASSERT_NEAR(time, expected, 1e-9 * (1 + expected));
  }
}

void expect_times(const FlowSimulation& sim, const std::vector<Began>& expected) {
  for (std::size_t f = 0; f < expected.size(); ++f) {
    SCOPED_TRACE(f);
    const FlowTimes times = sim.times(static_cast<FlowId>(f));
    ASSERT_NO_FATAL_FAILURE(expect_time(times.began.si(), expected[f].began));
    ASSERT_NO_FATAL_FAILURE(expect_time(times.sent.si(), expected[f].sent));
  }
}

TEST(FlowSimulation, IsThePlainSimulationOnRandomFlows) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    RandomNetwork random(seed);
    const Links network(random.capacities());
    const std::vector<TimedFlow> flows = random_flows(random, network.capacities().size());
    FlowSimulation sim(network);
    for (const TimedFlow& flow : flows) add(sim, flow);
    sim.run();
    ASSERT_NO_FATAL_FAILURE(expect_times(sim, PlainSimulation(network.capacities(), flows).run()));
  }
}

TEST(FlowSimulation, SolvingOnlyWhatChangesIsSolvingEverything) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomNetwork random(seed);
    const Links network(std::vector<double>(60, 100));
    FlowSimulation some(network);
    FlowSimulation all(network, true);
    for (std::size_t f = 0; f < 300; ++f) {
      TimedFlow flow;
      flow.flow = random.flow(60, false, seed % 2 == 0, seed % 3 == 0 ? 2 : 1);
      flow.bytes = 10 + 1000 * random.uniform();
      flow.start = 5 * random.uniform();
      add(some, flow);
      add(all, flow);
    }
    some.run();
    all.run();
    EXPECT_EQ(some.ended(), 300U);
    EXPECT_LT(some.solved(), all.solved());
    for (FlowId f = 0; f < 300; ++f)
      ASSERT_NEAR(some.times(f).sent.si(), all.times(f).sent.si(), 1e-9 * all.times(f).sent.si());
  }
}

TEST(FlowSimulation, GoesFromEndToEndButNotBeyondTheLimit) {
  const Links network({10});
  const Route route = {{0, 1}};
  FlowSimulation sim(network);
  sim.add({.to = 1, .bytes = Bytes(100), .route = route});
  sim.add({.to = 1, .bytes = Bytes(50), .latency = Seconds(2), .route = route});
  EXPECT_TRUE(sim.advance(Seconds(4)).empty());
  EXPECT_EQ(sim.now(), Seconds(4));
  EXPECT_EQ(sim.rate(0), BytesPerSecond(5));
  EXPECT_EQ(sim.left(0), Bytes(80));
  // Flow 1 is sent at 10 s and received at 12 s; then flow 0 has the link to itself and ends at 15 s.
  const auto first = sim.advance();
  EXPECT_EQ(std::vector<FlowId>(first.begin(), first.end()), (std::vector<FlowId>{1}));
  EXPECT_EQ(sim.now(), Seconds(12));
  EXPECT_EQ(sim.times(1).sent, Seconds(10));
  EXPECT_EQ(sim.next_event(), Seconds(15));
  const auto second = sim.advance(Seconds(15));
  EXPECT_EQ(std::vector<FlowId>(second.begin(), second.end()), (std::vector<FlowId>{0}));
  EXPECT_EQ(sim.next_event(), kForever);
  EXPECT_TRUE(sim.advance().empty());
  EXPECT_EQ(sim.now(), Seconds(15));
  EXPECT_EQ(sim.carried(), (std::vector<double>{150}));
}

TEST(FlowSimulation, FlowsAddedOnTheWayAreThoseAddedBefore) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    RandomNetwork random(seed);
    const Links network(random.capacities());
    std::vector<TimedFlow> flows = random_flows(random, network.capacities().size());
    for (TimedFlow& flow : flows) flow.after.clear();
    std::stable_sort(flows.begin(), flows.end(),
                     [](const TimedFlow& a, const TimedFlow& b) { return a.start < b.start; });
    FlowSimulation before(network);
    for (const TimedFlow& flow : flows) add(before, flow);
    before.run();
    FlowSimulation online(network);
    for (const TimedFlow& flow : flows) {
      while (online.now() < Seconds(flow.start)) online.advance(Seconds(flow.start));
      add(online, flow);
    }
    online.run();
    for (FlowId f = 0; f < flows.size(); ++f)
      ASSERT_NO_FATAL_FAILURE(expect_time(online.times(f).sent.si(), before.times(f).sent.si()));
  }
}

TEST(FlowSimulation, EqualFlowsAreOneBundle) {
  const Links network({10, 10});
  const Route route = {{0, 1}, {1, 1}};
  FlowSimulation sim(network);
  for (int i = 0; i < 1000; ++i) sim.add({.to = 1, .bytes = Bytes(1), .route = route});
  EXPECT_EQ(sim.advance().size(), 1000U);
  EXPECT_DOUBLE_EQ(sim.now().si(), 100);
  EXPECT_EQ(sim.solved(), 1U);
  EXPECT_DOUBLE_EQ(sim.carried()[1], 1000);
}

TEST(FlowSimulation, AFlowThatNothingCarriesNeverEnds) {
  const Links network({0, 10});
  const Route closed = {{0, 1}, {1, 1}};
  const Route open = {{1, 1}};
  FlowSimulation sim(network);
  const FlowId stuck = sim.add({.to = 1, .bytes = Bytes(1), .route = closed});
  const FlowId waits = sim.add({.to = 1, .bytes = Bytes(1), .after = {{stuck}}, .route = open});
  const FlowId free = sim.add({.to = 1, .bytes = Bytes(20), .route = open});
  sim.run();
  EXPECT_EQ(sim.ended(), 1U);
  EXPECT_EQ(sim.times(free).received, Seconds(2));
  EXPECT_EQ(sim.times(stuck).received, kForever);
  EXPECT_EQ(sim.times(waits).began, kForever);
}

TEST(FlowSimulation, BytesOfAHostToItselfTakeNoTime) {
  const Links network({1});
  FlowSimulation sim(network);
  const FlowId self = sim.add({.from = 3, .to = 3, .bytes = Bytes(1e9), .start = Seconds(2)});
  const FlowId next = sim.add({.from = 3, .to = 3, .after = {{self}}, .delay = Seconds(1)});
  sim.run();
  EXPECT_EQ(sim.times(self).received, Seconds(2));
  EXPECT_EQ(sim.times(next).received, Seconds(3));
}

TEST(FlowSimulation, ADependencyOnTheSendersKnowledgeWaitsForTheReply) {
  const Links network({10});
  const Route route = {{0, 1}};
  FlowSimulation sim(network);
  const FlowId first =
      sim.add({.to = 1, .bytes = Bytes(10), .latency = Seconds(1), .reply = Seconds(4), .route = route});
  const FlowId on_receipt = sim.add({.to = 1, .after = {{first}}});
  const FlowId on_reply = sim.add({.to = 1, .after = {{first, true}}});
  sim.run();
  EXPECT_EQ(sim.times(on_receipt).began, Seconds(2));
  EXPECT_EQ(sim.times(on_reply).began, Seconds(6));
  EXPECT_EQ(sim.times(first).known, Seconds(6));
}

TEST(FlowSimulation, FlowsMoveToAnotherWayWhenTheirsFailsAndBack) {
  const TwoWays network;
  FlowSimulation sim(network);
  const FlowId flow = sim.add({.from = 0, .to = 1, .bytes = Bytes(100)});
  sim.set_link(0, false, Seconds(2));  // 20 bytes are sent
  sim.set_link(1, false, Seconds(6));  // 20 more, at 5 bytes a second
  sim.set_link(0, true, Seconds(7));   // nothing for a second, then the rest at 10
  sim.run();
  EXPECT_DOUBLE_EQ(sim.times(flow).sent.si(), 13);
  EXPECT_DOUBLE_EQ(sim.times(flow).received.si(), 13.5);
  EXPECT_EQ(sim.carried(), (std::vector<double>{80, 20}));
}

}  // namespace
}  // namespace trainyard::flow
