// Two sites and the paths between them, against closed forms.
#include "network/long_haul.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "network/packet/transports/acked.h"
#include "network/packet/transports/scheduled.h"
#include "packet/compiled_runs.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/long_haul.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Scenario scenario(const std::vector<std::string>& sets = {}) {
  ScenarioText text = ScenarioText::load("hotnets24-dense");
  for (const std::string& set : sets) text.set(set);
  return text.resolve();
}

LongHaulResult run(const Scenario& s, Transport transport, double bytes, double bit_error_rate = 0) {
  LongHaulCase one;
  one.transport = transport;
  one.bytes = Bytes(bytes);
  one.bit_error_rate = bit_error_rate;
  return simulate_long_haul(s, one);
}

/// A window that never changes.
class FixedWindow {
 public:
  using Packet = packet::AckedPacket;
  static constexpr bool kGoBackN = false;
  struct State {};
  struct Notes {};
  explicit FixedWindow(double packets) : packets_(packets) {}
  void begin(State&, const packet::FlowFacts&) const {}
  void acknowledged(State&, const packet::Acknowledgement<Packet>&) const {}
  void lost(State&, Picoseconds) const {}
  void cut(State&, Picoseconds) const {}
  void timed_out(State&, Picoseconds) const {}
  double window(const State&) const { return packets_; }
  Picoseconds gap(State&, std::uint32_t, Picoseconds) const { return 0; }
  void answer(Notes&, const Packet&, Packet&, Picoseconds) const {}

 private:
  double packets_;
};

/// Runs a transport on a long haul; `make(setup)` makes it.
template <class Make>
packet::RunOutcome run_on(const wiring::Layout& layout, std::vector<workload::Flow>& flows,
                          const Make& make) {
  const std::vector<workload::Dependency> none;
  const std::vector<wiring::Fault> no_faults;
  wiring::LinkState links;
  packet::TransportSetup setup{layout, flows, none, no_faults, links};
  setup.queues.data_bytes = 1'000'000'000;
  setup.queues.control_bytes = 1'000'000'000;
  setup.load_balancing = LoadBalancing::weighted;
  setup.timeout = 4 * setup.longest_round_trip();
  auto transport = make(setup);
  return packet::run_transport(setup, transport, packet::kMostPriorities,
                               [](const packet::WindowSummary&) { return true; });
}

/// The time of a full packet's way: four links, each in full before the next.
Picoseconds way(const wiring::Layout& layout, std::uint64_t bytes) {
  const wiring::LinkRules& host = layout.links[0];
  const wiring::LinkRules& path = layout.links[1];
  return 2 * (host.delay + host.time(bytes) + path.delay + path.time(bytes));
}

workload::Flow flow(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  workload::Flow out;
  out.from = from;
  out.to = to;
  out.bytes = bytes;
  return out;
}

TEST(LongHaul, RoundTripIsThatOfThePath) {
  const Scenario s = scenario();
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  const wiring::LinkRules& host = layout.links[0];
  const wiring::LinkRules& path = layout.links[1];
  EXPECT_EQ(4 * (host.delay + path.delay), 60'000'000'000U);
  EXPECT_EQ(layout.links_between(0, 7), 4U);
  EXPECT_EQ(layout.links_between(0, 3), 2U);
}

TEST(LongHaul, AWindowBelowTheBandwidthDelayProductGivesAWindowARoundTrip) {
  const Scenario s = scenario();
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  constexpr std::uint64_t kWindow = 100;
  constexpr std::uint64_t kRounds = 7;
  std::vector<workload::Flow> flows = {flow(0, 4, kWindow * kRounds * 4096)};
  run_on(layout, flows, [](const packet::TransportSetup& setup) {
    return packet::Acked<FixedWindow>(setup, FixedWindow(kWindow));
  });
  // Each round trip brings a window; the last one's packets follow each other at the line rate.
  const Picoseconds round_trip = way(layout, 4096) + way(layout, 64);
  const Picoseconds expected =
      (kRounds - 1) * round_trip + (kWindow - 1) * layout.links[0].time(4096) + way(layout, 4096);
  EXPECT_EQ(flows[0].received, expected);
}

TEST(LongHaul, AScheduledFlowAloneTakesItsBytesAtItsRateAndTheDelay) {
  const Scenario s = scenario();
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  constexpr std::uint64_t kPackets = 5000;
  std::vector<workload::Flow> flows = {flow(0, 4, kPackets * 4096)};
  run_on(layout, flows, [](const packet::TransportSetup& setup) {
    return packet::Scheduled(setup, {}, {.utilization = 0.5});
  });
  const Picoseconds gap = 2 * layout.links[0].time(4096);
  EXPECT_EQ(flows[0].received, (kPackets - 1) * gap + way(layout, 4096));
}

TEST(LongHaul, PacketsAreLostToBitErrorsAsOftenAsTheyShould) {
  const Scenario s = scenario();
  constexpr double kErrors = 1e-6;
  constexpr double kPackets = 100'000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const wiring::Layout layout = lay_out_long_haul(s.long_haul, {kErrors, seed});
    std::vector<workload::Flow> flows = {flow(0, 4, static_cast<std::uint64_t>(kPackets) * 4096)};
    const packet::RunOutcome out = run_on(
        layout, flows, [](const packet::TransportSetup& setup) { return packet::Scheduled(setup, {}, {}); });
    const double sent = kPackets + static_cast<double>(out.counters.repeats);
    const double data_lost = 1 - std::pow(1 - kErrors, 8 * 4096);
    const double ack_lost = 1 - std::pow(1 - kErrors, 8 * 64);
    const double expected = sent * data_lost + sent * (1 - data_lost) * ack_lost;
    EXPECT_NEAR(static_cast<double>(out.counters.corrupted), expected, 4 * std::sqrt(expected));
  }
}

/// More than `parity` of n packets lost, by Pascal's triangle in place of the logarithms of the program.
double block_loss(double p, int n, int parity) {
  std::vector<double> ways = {1};  // probability of so many losses
  for (int i = 0; i < n; ++i) {
    ways.push_back(0);
    for (std::size_t j = ways.size() - 1; j > 0; --j) ways[j] = ways[j] * (1 - p) + ways[j - 1] * p;
    ways[0] *= 1 - p;
  }
  double sum = 0;
  for (std::size_t j = static_cast<std::size_t>(parity) + 1; j < ways.size(); ++j) sum += ways[j];
  return sum;
}

TEST(LongHaul, BlocksNeedRepairAsOftenAsTheBinomialSays) {
  const Scenario s = scenario();
  constexpr double kErrors = 1e-6;
  constexpr std::uint64_t kBlocks = 20'000;
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {kErrors, 5});
  const double p = 1 - std::pow(1 - kErrors, 8 * 4096);
  for (const std::uint32_t parity : {1U, 2U}) {
    std::vector<workload::Flow> flows = {flow(0, 4, kBlocks * 10 * 4096)};
    const packet::RunOutcome out = run_on(layout, flows, [&](const packet::TransportSetup& setup) {
      return packet::Scheduled(setup, {10, parity}, {});
    });
    const double expected = kBlocks * block_loss(p, 10 + static_cast<int>(parity), static_cast<int>(parity));
    // A lost acknowledgement of a block's last packet repairs it too: once in two thousand blocks.
    EXPECT_NEAR(static_cast<double>(out.counters.timeouts), expected,
                4 * std::sqrt(expected) + kBlocks * 8 * 64 * kErrors * 2);
    EXPECT_NE(flows[0].received, kNever);
  }
}

TEST(LongHaul, UnequalPathsCarryTheirShares) {
  const Scenario s = scenario({R"(long_haul.path_rates=["80 Gbps", "20 Gbps", "40 Gbps"])",
                               R"(long_haul.path_rtts=["60 ms", "70 ms", "90 ms"])"});
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  std::vector<workload::Flow> flows;
  for (std::uint32_t h = 0; h < 4; ++h) flows.push_back(flow(h, 4 + h, 20'000'000));
  const packet::RunOutcome out = run_on(
      layout, flows, [](const packet::TransportSetup& setup) { return packet::Scheduled(setup, {}, {}); });
  EXPECT_EQ(out.counters.repeats, 0U);
  double all = 0;
  for (std::size_t p = 2; p < 5; ++p) all += static_cast<double>(out.up[p].bytes);
  EXPECT_NEAR(static_cast<double>(out.up[2].bytes) / all, 80.0 / 140, 0.002);
  EXPECT_NEAR(static_cast<double>(out.up[3].bytes) / all, 20.0 / 140, 0.002);
  EXPECT_NEAR(static_cast<double>(out.up[4].bytes) / all, 40.0 / 140, 0.002);
}

TEST(LongHaul, TheControllerKeepsQueuesShortAndCubicDoesNot) {
  const Scenario s = scenario({R"(long_haul.path_rtts=["10 ms"])", "long_haul.window=2000"});
  const LongHaulResult scheduled = run(s, Transport::scheduled, 20e6);
  const LongHaulResult cubic = run(s, Transport::cubic, 20e6);
  EXPECT_EQ(scheduled.counters.drops, 0U);
  EXPECT_LT(scheduled.counters.longest_queue, 100'000U);
  EXPECT_GT(cubic.counters.longest_queue, 1'000'000U);
  EXPECT_LT(scheduled.longest, scheduled.ideal * 1.1);
  EXPECT_GE(scheduled.longest, scheduled.ideal);
  EXPECT_GE(cubic.longest, cubic.ideal);
}

TEST(LongHaul, EveryByteArrivesWhateverIsLost) {
  const Scenario s = scenario({R"(long_haul.path_rtts=["2 ms"])", R"(long_haul.queue="40 kB")"});
  for (const Transport transport : {Transport::cubic, Transport::bbr, Transport::scheduled, Transport::fec}) {
    const LongHaulResult out = run(s, transport, 1e6, 3e-6);
    EXPECT_EQ(out.counters.finished, 8U);
    EXPECT_GT(out.counters.corrupted, 0U);
    EXPECT_GT(out.median, Seconds(0));
  }
}

TEST(LongHaul, DoesNotDependOnThreads) {
  const Scenario s = scenario({R"(long_haul.path_rtts=["2 ms"])", "long_haul.local_flows=2"});
  for (const Transport transport : {Transport::bbr, Transport::fec}) {
    LongHaulCase one;
    one.transport = transport;
    one.bytes = Bytes(2e6);
    one.bit_error_rate = 1e-6;
    const LongHaulResult single = simulate_long_haul(s, one);
    one.threads = 3;
    const LongHaulResult several = simulate_long_haul(s, one);
    EXPECT_EQ(single.longest, several.longest);
    EXPECT_EQ(single.local_longest, several.local_longest);
    EXPECT_EQ(single.counters.hops, several.counters.hops);
    EXPECT_EQ(single.counters.corrupted, several.counters.corrupted);
  }
}

TEST(LongHaul, PriorityKeepsLocalTrafficOutOfTheWay) {
  const Scenario s = scenario({R"(long_haul.path_rtts=["4 ms"])", "long_haul.local_flows=3",
                               "long_haul.window=500", R"(long_haul.local_bytes="10 MB")"});
  LongHaulCase one;
  one.transport = Transport::cubic;
  one.bytes = Bytes(5e6);
  const LongHaulResult equal = simulate_long_haul(s, one);
  one.wide_area_first = true;
  const LongHaulResult first = simulate_long_haul(s, one);
  EXPECT_LT(first.longest, equal.longest);
}

TEST(LongHaul, AnExchangeOfSeveralSitesTakesItsBytesAndDelays) {
  for (const char* kind : {"all_pairs", "scatter", "ring"}) {
    for (const int k : {2, 3, 5}) {
      const Scenario s = scenario({R"(long_haul.path_rtts=["4 ms"])", "long_haul.sites=" + std::to_string(k),
                                   std::string("long_haul.exchange=") + kind, "long_haul.senders=2",
                                   R"(long_haul.path_rates=["40 Gbps"])"});
      const double n = k;
      const bool at_once = k == 2 || kind == std::string("all_pairs");
      const bool ring = !at_once && kind == std::string("ring");
      const double sent = 30e6 * (at_once ? n - 1 : 2 * (n - 1) / n);
      const double delays = at_once ? 1 : ring ? 2 * (n - 1) : 2;
      const LongHaulResult out = run(s, Transport::scheduled, 30e6);
      EXPECT_EQ(out.flows, static_cast<std::int64_t>(2 * (at_once ? n * (n - 1) : 2 * n * (n - 1))));
      // Two hosts of a site share 40 Gbps, of which the controller gives 95% away.
      const double least = delays * 2e-3 + sent * 8 / 20e9;
      EXPECT_NEAR(out.ideal.si() / least, 1, 0.02) << kind << k;
      EXPECT_GE(out.exchange, out.ideal) << kind << k;
      EXPECT_LT(out.exchange.si(), delays * 2.1e-3 + sent * 8 / 20e9 / 0.95 * 1.03) << kind << k;
      EXPECT_EQ(out.counters.drops, 0U) << kind << k;
      if (at_once) {
        EXPECT_EQ(out.exchange, out.longest);
      }
    }
  }
}

TEST(LongHaul, EverySiteOfSeveralGetsEveryByteWhateverIsLost) {
  for (const char* kind : {"all_pairs", "scatter", "ring"}) {
    const Scenario s = scenario({R"(long_haul.path_rtts=["2 ms"])", "long_haul.sites=4",
                                 std::string("long_haul.exchange=") + kind, "long_haul.local_flows=1"});
    for (const Transport transport : {Transport::cubic, Transport::bbr, Transport::fec}) {
      const LongHaulResult out = run(s, transport, 1e6, 3e-6);
      EXPECT_EQ(out.counters.finished, 4U * (kind == std::string("all_pairs") ? 12 : 24) + 4 * 4) << kind;
      EXPECT_GE(out.exchange, out.ideal);
    }
  }
}

TEST(LongHaul, ALateControllerIsNoHalt) {
  for (const Transport transport : {Transport::scheduled, Transport::fec}) {
    const double longest = run(scenario({"scheduled.delay=1000 s"}), transport, 1e6).longest.si();
    EXPECT_GT(longest, 1000);
    EXPECT_LT(longest, 1001);
  }
}

TEST(Reservations, OfStepsGiveEachTheWholeNetwork) {
  const std::vector<workload::Dependency> dependencies = {{0, 2}, {1, 2}, {2, 3}};
  EXPECT_EQ(packet::steps_of(5, dependencies), (std::vector<std::uint32_t>{0, 0, 1, 2, 0}));
  const Scenario s = scenario({R"(long_haul.path_rates=["40 Gbps"])"});
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  const std::vector<workload::Flow> flows = {flow(0, 4, 1000), flow(1, 5, 1000), flow(2, 6, 1000)};
  const auto out = packet::reserve(layout, flows, {.utilization = 1, .steps = {0, 0, 1}});
  constexpr double kGbps = 1e9 / 8 / 1e12;  // bytes a picosecond
  EXPECT_NEAR(out[0].rate / kGbps, 20, 1e-9);
  EXPECT_NEAR(out[1].rate / kGbps, 20, 1e-9);
  EXPECT_NEAR(out[2].rate / kGbps, 40, 1e-9);
}

TEST(LongHaul, WhatCannotBeSimulatedIsRefused) {
  EXPECT_THROW(scenario({"long_haul.sites=1"}), InputError);
  EXPECT_THROW(scenario({"long_haul.sites=9"}), InputError);
  EXPECT_THROW(scenario({"long_haul.sites=3", "long_haul.both_directions=false"}), InputError);
  for (const char* kind : {"tree", "best", "regions"})
    EXPECT_THROW(scenario({std::string("long_haul.exchange=") + kind}), InputError);

  EXPECT_GT(run(scenario({R"(long_haul.host_rate="33 Gbps")"}), Transport::cubic, 1e5).longest, Seconds(0));
  EXPECT_THROW(run(scenario({R"(long_haul.queue="4095 B")"}), Transport::cubic, 1e6), InputError);
  EXPECT_GT(run(scenario({R"(long_haul.queue="4096 B")"}), Transport::cubic, 1e5).longest, Seconds(0));
  EXPECT_THROW(run(scenario(), Transport::cubic, 0), InputError);
  EXPECT_THROW(run(scenario(), Transport::cubic, 1e15), InputError);
  EXPECT_THROW(run(scenario({"long_haul.senders=1", "long_haul.local_flows=1"}), Transport::cubic, 1e6),
               InputError);
  EXPECT_THROW(scenario({R"(long_haul.transports=["roce"])"}), InputError);
  EXPECT_THROW(scenario({R"(long_haul.transports=["ideal"])"}), InputError);
  EXPECT_THROW(scenario({R"(long_haul.path_rtts=["60 ms", "70 ms"])"}), InputError);
  EXPECT_THROW(scenario({R"(long_haul.path_rtts=["50 us"])"}), InputError);
  EXPECT_THROW(scenario({"long_haul.path_rates=[]"}), InputError);
  EXPECT_THROW(scenario({"fec.data=200", "fec.parity=100"}), InputError);
}

TEST(Reservations, AreMaxMinFair) {
  const Scenario s = scenario({R"(long_haul.path_rates=["40 Gbps"])", "long_haul.senders=2"});
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  // Two flows share the path; the one inside the site has what is left of its sender's link.
  const std::vector<workload::Flow> flows = {flow(0, 2, 1000), flow(1, 3, 1000), flow(0, 1, 1000)};
  const auto out = packet::reserve(layout, flows, {.utilization = 1});
  constexpr double kGbps = 1e9 / 8 / 1e12;  // bytes a picosecond
  EXPECT_NEAR(out[0].rate / kGbps, 20, 1e-9);
  EXPECT_NEAR(out[1].rate / kGbps, 20, 1e-9);
  EXPECT_NEAR(out[2].rate / kGbps, 80, 1e-9);
}

TEST(Reservations, AdmitSoManyFlowsAtATime) {
  const Scenario s = scenario({R"(long_haul.path_rates=["40 Gbps"])"});
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  const std::vector<workload::Flow> flows = {flow(0, 4, 4'000'000), flow(1, 5, 4'000'000),
                                             flow(2, 6, 4'000'000)};
  const auto out = packet::reserve(layout, flows, {.utilization = 1, .most_flows = 1});
  const Picoseconds each = 4'000'000 * 200ULL;  // 40 Gbps
  for (std::size_t f = 0; f < 3; ++f) EXPECT_EQ(out[f].wait, f * each);
}

RC_GTEST_PROP(Reservations, FillALinkOfEveryFlowAndNoneTooFar, ()) {
  const Scenario s = scenario({R"(long_haul.path_rates=["40 Gbps", "20 Gbps"])"});
  const wiring::Layout layout = lay_out_long_haul(s.long_haul, {});
  std::vector<workload::Flow> flows;
  const auto count = *rc::gen::inRange(1, 30);
  for (int f = 0; f < count; ++f) {
    const auto from = *rc::gen::inRange<std::uint32_t>(0, 8);
    const auto to = *rc::gen::inRange<std::uint32_t>(0, 8);
    flows.push_back(flow(from, from == to ? (to + 1) % 8 : to, 1000));
  }
  const auto rates = packet::reserve(layout, flows, {.utilization = 1});
  constexpr double kHost = 1.0 / 80;
  constexpr double kPaths = 1.0 / 200 + 1.0 / 400;
  std::vector<double> load(8 + 8 + 2);  // out, in, from either site
  std::vector<std::vector<std::size_t>> ways;
  for (std::size_t f = 0; f < flows.size(); ++f) {
    std::vector<std::size_t> links = {flows[f].from, 8 + flows[f].to};
    if (flows[f].from / 4 != flows[f].to / 4) links.push_back(16 + flows[f].from / 4);
    for (const std::size_t link : links) load[link] += rates[f].rate;
    ways.push_back(links);
  }
  const auto capacity = [](std::size_t link) { return link < 16 ? kHost : kPaths; };
  for (std::size_t link = 0; link < load.size(); ++link) RC_ASSERT(load[link] < capacity(link) * (1 + 1e-9));
  // Bertsekas & Gallager: each flow has a full link on which none has more.
  for (std::size_t f = 0; f < flows.size(); ++f) {
    bool bottleneck = false;
    for (const std::size_t link : ways[f]) {
      double most = 0;
      for (std::size_t g = 0; g < flows.size(); ++g) {
        if (std::find(ways[g].begin(), ways[g].end(), link) != ways[g].end())
          most = std::max(most, rates[g].rate);
      }
      bottleneck |= load[link] > capacity(link) * (1 - 1e-9) && rates[f].rate > most * (1 - 1e-9);
    }
    RC_ASSERT(bottleneck);
  }
}

}  // namespace
}  // namespace trainyard
