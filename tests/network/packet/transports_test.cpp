// Every transport: the same on both engines, and every byte delivered whatever is lost.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/bbr.h"
#include "network/packet/transports/credits.h"
#include "network/packet/transports/cubic.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/homa.h"
#include "network/packet/transports/hpcc.h"
#include "network/packet/transports/ndp.h"
#include "network/packet/transports/nscc.h"
#include "network/packet/transports/scheduled.h"
#include "network/packet/transports/smartt.h"
#include "network/packet/transports/swift.h"

namespace trainyard::packet {
namespace {

struct MakeCredits {
  auto operator()(const TransportSetup& s) const {
    // Half of them slow down.
    const CreditRateRules slowing{s.window_packets % 2 == 0 ? 1 : 0.2, 10'000'000};
    return Credits(s, {s.window_packets, 1 + s.window_packets % 4, 0.99, slowing, s.window_packets % 3 != 0,
                       s.window_packets % 5 > 1});
  }
};
struct MakeOrderedCredits {
  static constexpr Delivery kDelivery = Delivery::rod;
  auto operator()(const TransportSetup& s) const {
    return Credits(s, {s.window_packets, 1 + s.window_packets % 4, 0.99, {0.01, 10'000'000}});
  }
};
struct MakeForgetfulCredits : MakeCredits {
  static constexpr Delivery kDelivery = Delivery::rudi;
};
struct MakeSwift {
  auto operator()(const TransportSetup& s) const { return Acked<Swift>(s, Swift(SwiftInput{})); }
};
struct MakeSmartt {
  auto operator()(const TransportSetup& s) const { return Acked<Smartt>(s, Smartt(SmarttInput{})); }
};
struct MakeCubic {
  auto operator()(const TransportSetup& s) const { return Acked<Cubic>(s, Cubic(CubicInput{})); }
};
struct MakeIrn {
  auto operator()(const TransportSetup& s) const { return Acked<Roce<false>>(s, Roce<false>(DcqcnInput{})); }
};

struct MakeScheduled {
  auto operator()(const TransportSetup& s) const { return Scheduled(s, {}, {}); }
};
struct MakeFec {
  auto operator()(const TransportSetup& s) const { return Scheduled(s, {10, 1}, {1.0, 3}); }
};

template <class Make>
class Transports : public testing::Test {};
using All = testing::Types<MakeNdp, MakeCredits, MakeOrderedCredits, MakeForgetfulCredits, MakeHoma,
                           MakeDctcp, MakeSwift, MakeHpcc, MakeSmartt, MakeNscc, MakeOrderedNscc,
                           MakeForgetfulNscc, MakeCubic, MakeBbr, MakeRoce, MakeIrn, MakeScheduled, MakeFec>;
TYPED_TEST_SUITE(Transports, All);

/// Go-back-N without a window collapses where queues drop: such transports get pauses, and fewer bit errors.
template <class Make>
Case case_with_troubles() {
  Case c = random_case();
  if (*rc::gen::inRange(0, 4) == 0) add_tiers(c);
  if constexpr (requires { Make::kLossless; }) make_lossless(c);
  if constexpr (requires { Make::kDelivery; }) add_delivery(c, Make::kDelivery);
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  if (*rc::gen::inRange(0, 3) == 0) add_pauses(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (kKeepsConnections<Make> && c.delivery != Delivery::rudi) {
    if (*rc::gen::arbitrary<bool>()) add_messages(c);
  }
  if (*rc::gen::arbitrary<bool>()) c.sizes.ack_priority = kDataPriority;
  return c;
}

TYPED_TEST(Transports, AreTheSameOnBothEnginesAndForAnyNumberOfThreads) {
  EXPECT_TRUE(rc::check([] {
    Case c = case_with_troubles<TypeParam>();
    const Outcome windows = run_windows(c, TypeParam{});
    expect_same(windows, run_reference(c, TypeParam{}));
    c.threads = 2;
    expect_same(windows, run_windows(c, TypeParam{}));
  }));
}

template <class Law, class... More>
auto maker(const More&... more) {
  return [more...](const TransportSetup& s) { return Acked<Law>(s, Law(more...)); };
}

TEST(SmallPackets, CarryAllThatTheirNetworksAndAcknowledgementsNeed) {
  EXPECT_TRUE(rc::check([] {
    Case c = case_with_troubles<MakeSmartt>();
    c.packets_per_ack = 1;
    expect_same(run_windows(c, maker<PromptSmartt>(SmarttInput{})),
                run_windows(c, maker<Smartt>(SmarttInput{})));
    expect_same(run_windows(c, maker<PromptNscc>(NsccInput{}, c.queues.trim)),
                run_windows(c, maker<Nscc>(NsccInput{}, c.queues.trim)));
    const Case lossless = case_with_troubles<MakeHpcc>();
    const std::uint32_t switches = lossless.layout().longest_reach().links + 1;
    if (switches > NearHpcc::Packet::kMostHops || lossless.routing != PacketRouting::minimal) return;
    expect_same(run_windows(lossless, maker<NearHpcc>(HpccInput{})),
                run_windows(lossless, maker<Hpcc>(HpccInput{})));
    expect_same(run_windows(lossless, maker<FarHpcc>(HpccInput{})),
                run_windows(lossless, maker<Hpcc>(HpccInput{})));
  }));
}

TYPED_TEST(Transports, DeliverEveryByteWhateverIsLost) {
  EXPECT_TRUE(rc::check([] {
    const Case c = case_with_troubles<TypeParam>();
    const Outcome out = run_windows(c, TypeParam{});
    RC_ASSERT(out.counters.finished == c.flows.size());
    for (const Flow& flow : out.flows) {
      RC_ASSERT(flow.received != kNever);
      RC_ASSERT(flow.finished > flow.received);
      // No faster than the sender's links.
      RC_ASSERT((flow.received - flow.began) * c.planes >= flow.bytes * c.links.picoseconds_per_byte);
    }
  }));
}

TYPED_TEST(Transports, FillALinkThatTheyHaveForThemselves) {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  c.flows.push_back({0, 15, 4'000'000, 0});
  c.queues.mark_from = 40 * 4096;
  c.queues.mark_all = 41 * 4096;
  const Outcome out = run_windows(c, TypeParam{});
  const Picoseconds least = c.links.time(4'000'000);
  EXPECT_LT(out.flows[0].received, least + least / 5);
}

/// Messages whose plane was down go on when it is up, though their receivers asked all the while.
TEST(Homa, GoesOnWhenItsPlaneIsUpAgain) {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  c.planes = 2;
  c.load_balancing = LoadBalancing::ecmp;
  c.faults_known = true;
  for (std::uint32_t h = 0; h < 8; ++h) c.flows.push_back({h, 15 - h, 2'000'000, 0});
  const Layout layout = c.layout();
  const Picoseconds down = 30 * c.links.delay, up = 5000 * c.links.delay;
  for (std::uint32_t h = 0; h < 8; ++h) c.faults.push_back({down, layout.port_of_host(h, 0), true});
  for (std::uint32_t h = 0; h < 8; ++h) c.faults.push_back({up, layout.port_of_host(h, 0), false});
  std::uint64_t windows = 0;
  const Outcome out = run_case(c, [&](const TransportSetup& setup) {
    auto transport = MakeHoma{}(setup);
    constexpr std::uint64_t kEnough = 20'000;
    return run_transport(setup, transport, kMostPriorities,
                         [&](const WindowSummary&) { return ++windows < kEnough; })
        .counters;
  });
  EXPECT_EQ(out.counters.finished, c.flows.size());
}

TEST(Credits, FlowsOfAnyLengthNeedNoTimeout) {
  for (std::uint64_t packets = 1; packets <= 100; packets += 3) {
    Case c;
    c.hosts = 32;
    c.radix = 8;
    for (std::uint32_t h = 0; h < 32; ++h) c.flows.push_back({h, (h + 8) % 32, packets * 4096, 0});
    const Outcome out = run_windows(c, MakeCredits{});
    EXPECT_EQ(out.counters.timeouts, 0U) << packets;
    EXPECT_EQ(out.counters.finished, 32U);
  }
}

TEST(Credits, ALoneFlowNeverWaitsForCredit) {
  for (std::uint64_t packets = 1; packets <= 200; packets += packets < 36 ? 7 : 1) {
    Case c;
    c.hosts = 16;
    c.radix = 4;
    c.flows.push_back({0, 15, packets * 4096, 0});
    const Outcome out = run_windows(c, MakeCredits{});
    constexpr Picoseconds kLinks = 6;  // over three tiers
    const Picoseconds least = kLinks * c.links.delay + (packets + kLinks - 1) * c.links.time(4096);
    EXPECT_LE(out.flows[0].received, least + 4 * c.links.time(4096)) << packets;
  }
}

TEST(Credits, IncastsRepeatWhatWasCutAndNothingElse) {
  Case c;
  c.hosts = 128;
  c.radix = 16;
  c.queues.control_bytes = 8000ULL * 64;  // no header is lost
  for (std::uint32_t h = 1; h < 128; ++h) c.flows.push_back({h, 0, 40 * 4096, 0});
  const Outcome out = run_windows(c, MakeCredits{});
  EXPECT_GT(out.counters.trims, 0U);
  EXPECT_LE(out.counters.repeats, out.counters.trims);
  const Picoseconds least = 127 * 40 * c.links.time(4096);
  EXPECT_LT(out.flows[0].received, least + least / 20);
  for (const Flow& flow : out.flows) EXPECT_LT(flow.received, least + least / 20);
}

TEST(Planes, ThatComeBackAreSentOnAgain) {
  // The plane of the flow goes down, as is known, while its second packet waits for the first.
  Case c;
  c.hosts = 4;
  c.planes = 3;
  c.load_balancing = LoadBalancing::ecmp;
  c.links.delay = 305'306;
  c.links.picoseconds_per_byte = 80;
  c.limits.receive = Pace{13'654};
  c.faults_known = true;
  c.flows = {{0, 1, 4097, 1'907'189}};
  for (std::uint32_t port = 0; port < 3; ++port) {
    c.faults.push_back({2'137'142, port, true});
    c.faults.push_back({2'442'448, port, false});
  }
  std::stable_sort(c.faults.begin(), c.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.time < b.time; });
  EXPECT_EQ(run_windows(c, MakeScheduled{}).counters.finished, 1U);
  EXPECT_EQ(run_windows(c, MakeFec{}).counters.finished, 1U);
}

TEST(Planes, CarryAFlowTogether) {
  const auto last = [](const auto& make, std::uint32_t planes) {
    Case c;
    c.hosts = 32;
    c.radix = 16;
    c.planes = planes;
    c.window_packets = 200;
    c.links.delay = 100'000;
    for (std::uint32_t h = 0; h < 32; ++h) c.flows.push_back({h, (h + 8) % 32, 4'000'000, 0});
    return static_cast<double>(last_received(run_windows(c, make)));
  };
  EXPECT_GT(last(MakeNdp{}, 1), 3.2 * last(MakeNdp{}, 4));
  EXPECT_GT(last(MakeHoma{}, 1), 3.2 * last(MakeHoma{}, 4));
  EXPECT_GT(last(MakeCredits{}, 1), 3.2 * last(MakeCredits{}, 4));
}

/// Two flows of a host and two planes, one switch: were each flow to keep to a plane, receivers of two flows
/// over the same one would take twice as long.
TEST(Planes, AreSharedByTheFlowsOfAHost) {
  const auto last = [](const auto& make, std::uint32_t planes, std::uint32_t flows) {
    Case c;
    c.hosts = 16;
    c.radix = 32;
    c.planes = planes;
    c.window_packets = 100;
    c.links.delay = 100'000;
    for (std::uint32_t k = 1; k <= flows; ++k) {
      for (std::uint32_t h = 0; h < 16; ++h) c.flows.push_back({h, (h + 5 * k) % 16, 4'000'000, 0});
    }
    return static_cast<double>(last_received(run_windows(c, make))) /
           (4e6 * flows * static_cast<double>(c.links.picoseconds_per_byte) / planes);
  };
  for (const auto& [planes, flows] : {std::pair{2U, 2U}, {4U, 2U}, {4U, 4U}, {2U, 3U}}) {
    SCOPED_TRACE(std::to_string(planes) + " planes, " + std::to_string(flows) + " flows");
    EXPECT_LT(last(MakeNdp{}, planes, flows), 1.15);
    EXPECT_LT(last(MakeCredits{}, planes, flows), 1.15);
    EXPECT_LT(last(MakeScheduled{}, planes, flows), 1.3);
  }
}

TEST(Planes, TakeFlowsInTurnsThatTheSeedDraws) {
  const auto order = [](std::uint64_t seed) {
    Case c;
    c.planes = 4;
    const Layout layout = c.layout();
    Turns turns(layout, /*bound_to_plane=*/false, seed);
    for (std::uint32_t flow = 0; flow < 4; ++flow) turns.add(0, 0, flow);
    std::vector<std::uint32_t> out;
    for (std::uint32_t turn = 0; turn < 64; ++turn) {
      out.push_back(turns.take(0, turn % 4, [](std::uint32_t) { return true; }));
      turns.add(0, 0, out.back());
    }
    return out;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Planes, OfWhichOneHasFailedAreAvoidedWhereThatIsKnown) {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  c.planes = 3;
  for (std::uint32_t h = 0; h < 16; ++h) c.flows.push_back({h, (h + 8) % 16, 400'000, 0});
  const Layout layout = c.layout();
  const std::uint32_t port = layout.port_of_host(3, 1);
  const Wire& wire = layout.wires[port];
  c.faults = {{0, port, true}, {0, layout.nodes[wire.node].first_port + wire.in_port, true}};
  c.faults_known = true;
  for (const LoadBalancing choice : {LoadBalancing::spray, LoadBalancing::random, LoadBalancing::ecmp}) {
    c.load_balancing = choice;
    const Outcome ndp = run_windows(c, MakeNdp{});
    EXPECT_EQ(ndp.counters.finished, 16U);
    EXPECT_EQ(ndp.counters.timeouts, 0U);
    const Outcome irn = run_windows(c, MakeIrn{});
    EXPECT_EQ(irn.counters.timeouts, 0U);
  }
}

/// Packets behind the first window leave when the first acknowledgement is back.
template <class Input, class Law, class... More>
void expect_first_window(More... more) {
  const auto run = [&](std::uint64_t packets) {
    Case c;
    c.hosts = 4;
    c.radix = 8;
    c.flows.push_back({0, 3, packets * 4096, 0});
    Input input;
    input.first_window = 4;
    return run_windows(c, [&](const TransportSetup& s) { return Acked<Law>(s, Law(input, more...)); })
        .flows[0];
  };
  const Flow one = run(1);
  EXPECT_EQ(run(4).received, one.received + 3 * Case{}.links.time(4096));
  EXPECT_EQ(run(5).received, one.finished + one.received);
}

TEST(FirstWindow, IsWhatAFlowSendsBeforeItHearsAnything) {
  expect_first_window<NsccInput, Nscc>(true);
  expect_first_window<SmarttInput, Smartt>();
}

/// What the uplinks of the first leaf send.
std::vector<std::uint64_t> sent_up(const Case& of) {
  Case c = of;
  const Layout layout = c.layout();
  const wiring::Node& leaf = layout.nodes[layout.leaves];
  for (std::uint32_t port = leaf.ports_down; port < leaf.ports; ++port)
    c.probes.push_back({.index = leaf.first_port + port, .interval = 1'000'000'000'000});
  const Outcome out = run_windows(c, MakeNscc{});
  std::vector<std::uint64_t> sent;
  for (const ProbeSeries& series : out.series) {
    sent.push_back(0);
    for (const QueueSample& sample : series.queue) sent.back() += sample.sent_bytes;
  }
  return sent;
}

/// Hosts of three leaves send to one of the fourth, where alone packets are cut: the first one's go up by its
/// entropies in turn, as they do when nobody is in their way.
TEST(NsccLaw, CutsAtTheReceiversLinkSayNothingOfPaths) {
  Case c;
  c.hosts = 8;
  c.radix = 4;
  c.load_balancing = LoadBalancing::bitmap;
  c.queues.trim = true;
  c.queues.data_bytes = 40'000;
  c.flows = {{0, 7, 64 * 4096}};  // a round
  const std::vector<std::uint64_t> round = sent_up(c);
  ASSERT_EQ(round.size(), 2U);
  c.flows = {{0, 7, 2'000'000}, {2, 7, 2'000'000}, {4, 7, 2'000'000}};
  const std::vector<std::uint64_t> sent = sent_up(c);
  const double rounds = static_cast<double>(sent[0] + sent[1]) / static_cast<double>(round[0] + round[1]);
  EXPECT_GT(rounds, 8);
  EXPECT_NEAR(static_cast<double>(sent[0]), rounds * static_cast<double>(round[0]), 12 * 4096);
}

TEST(HpccLaw, RoundTripsShorterThanAPacketStillPaceAtTheLine) {
  HpccInput input;
  input.base_rtt = Seconds(1e-9);
  const Hpcc law(input);
  FlowFacts facts;
  facts.picoseconds_per_byte = 20;
  Hpcc::State state;
  law.begin(state, facts);
  EXPECT_EQ(law.gap(state, 1000, 0), 20'000U);
  const Hpcc::Packet report;
  law.acknowledged(state, {.report = report, .now = 1'000'000, .round_trip = 1'000'000, .newly = 1});
  EXPECT_EQ(law.gap(state, 1000, 0), 20'000U);
  EXPECT_EQ(law.window(state), 1);
}

}  // namespace
}  // namespace trainyard::packet
