// Sums in switches: their closed forms to the picosecond, both engines, and what is refused.
#include "network/packet/transports/sharp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "cases.h"
#include "makers.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/simulation.h"

namespace trainyard::packet {
namespace {

constexpr std::uint64_t kPayload = 4096;

/// All hosts of a fat tree of so many tiers.
Case whole_tree(std::uint32_t tiers) {
  Case c;
  c.hosts = tiers == 1 ? 6 : 16;
  c.radix = tiers == 1 ? 16 : tiers == 2 ? 8 : 4;
  EXPECT_EQ(c.layout().tiers, tiers);
  c.links.delay = 700'000;
  c.links.picoseconds_per_byte = 20;
  c.queues.trim = false;
  c.load_balancing = LoadBalancing::ecmp;
  c.window_packets = 1000;
  return c;
}

std::vector<std::uint32_t> all_hosts(const Case& c) {
  std::vector<std::uint32_t> out(static_cast<std::size_t>(c.hosts));
  std::iota(out.begin(), out.end(), 0U);
  return out;
}

/// Of B bytes over T tiers of switches, in packets of time t, the last one of t': a packet's way up and down
/// is R = 2 T (t + d) + T s, with links of delay d and a sum's delay s. Packets leave at the pace of one
/// link, or W in a round trip. The last one is stored and forwarded behind the one before it, where it
/// catches up with that.
Picoseconds closed_form(const Case& c, std::uint64_t tiers, std::uint64_t bytes) {
  const Picoseconds t = c.links.time(kPayload);
  const std::uint64_t packets = (bytes + kPayload - 1) / kPayload;
  const Picoseconds last = c.links.time(bytes - (packets - 1) * kPayload);
  const Picoseconds sums = tiers * c.queues.sum_delay;
  const Picoseconds round = 2 * tiers * (t + c.links.delay) + sums;
  const std::uint64_t window = c.window_packets;
  const auto leaves = [&](std::uint64_t i) {
    return window * t >= round ? i * t : i / window * round + i % window * t;
  };
  const Picoseconds alone = leaves(packets - 1) + 2 * tiers * (last + c.links.delay) + sums;
  return packets == 1 ? alone : std::max(alone, leaves(packets - 2) + round + last);
}

TEST(Sharp, TakesTheBufferOnceAndOnePacketsWayUpAndDown) {
  for (const std::uint32_t tiers : {1U, 2U, 3U}) {
    for (const Picoseconds sum : {Picoseconds{0}, Picoseconds{130'000}}) {
      for (const std::uint64_t bytes : {1ULL, 4096ULL, 4097ULL, 40'960ULL, 1'000'000ULL}) {
        Case c = whole_tree(tiers);
        c.queues.sum_delay = sum;
        add_sums(c, all_hosts(c), {bytes});
        const Outcome out = run_windows(c, MakeSharp{});
        for (const Flow& flow : out.flows) {
          EXPECT_EQ(flow.received, closed_form(c, tiers, bytes)) << tiers << " " << bytes;
          EXPECT_EQ(flow.finished, flow.received);
        }
        EXPECT_EQ(out.counters.drops, 0U);
      }
    }
  }
}

TEST(Sharp, SendsAWindowInARoundTrip) {
  for (const std::uint32_t tiers : {1U, 2U, 3U}) {
    for (const std::uint32_t window : {1U, 2U, 7U, 40U}) {
      for (const std::uint64_t bytes : {4096ULL, 100ULL * 4096, 333'333ULL}) {
        Case c = whole_tree(tiers);
        c.window_packets = window;
        c.queues.sum_delay = 50'000;
        add_sums(c, all_hosts(c), {bytes});
        for (const Flow& flow : run_windows(c, MakeSharp{}).flows)
          EXPECT_EQ(flow.received, closed_form(c, tiers, bytes)) << tiers << " " << window << " " << bytes;
      }
    }
  }
}

/// One packet up and one down on every link of the tree, whatever the hosts: 16 links of hosts and 4 leaves'.
TEST(Sharp, PutsTheBufferOnEveryLinkOfTheTreeOnce) {
  Case c = whole_tree(2);
  add_sums(c, all_hosts(c), {10 * kPayload});
  EXPECT_EQ(run_windows(c, MakeSharp{}).counters.hops, 10U * 2 * (16 + 4));
}

/// A reduce-scatter and an all-gather of N shards of k packets take what an all-reduce of N k packets takes,
/// for any window: either way the slowest part of a packet's way is that of its data, up or down. Hosts that
/// get a note last have it a little sooner.
TEST(Sharp, ScattersAndGathersInTheTimeOfAnAllReduce) {
  for (const std::uint32_t tiers : {1U, 2U, 3U}) {
    for (const std::uint32_t window : {1U, 3U, 7U, 40U, 1000U}) {
      for (const std::uint64_t packets_of_shard : {1U, 2U, 9U}) {
        for (const Picoseconds sum : {Picoseconds{0}, Picoseconds{130'000}}) {
          Case c = whole_tree(tiers);
          c.window_packets = window;
          const std::uint64_t bytes = packets_of_shard * kPayload * all_hosts(c).size();
          Case gather = c;  // nothing is summed
          c.queues.sum_delay = gather.queues.sum_delay = sum;
          add_sums(c, all_hosts(c), {bytes}, 0, Reduction::Kind::reduce_scatter);
          add_sums(gather, all_hosts(c), {bytes}, 0, Reduction::Kind::all_gather);
          const Picoseconds scattered = closed_form(c, tiers, bytes);
          gather.queues.data_bytes = window * kPayload;  // notes let go at once what waits
          const Outcome out = run_windows(c, MakeSharp{});
          Picoseconds last = 0;
          for (const Flow& flow : out.flows) last = std::max(last, flow.received);
          EXPECT_EQ(last, scattered) << tiers << " " << window << " " << packets_of_shard;
          EXPECT_EQ(out.counters.drops, 0U);
          Case plain = gather;
          plain.queues.sum_delay = 0;
          for (const Flow& flow : run_windows(gather, MakeSharp{}).flows)
            EXPECT_EQ(flow.received, closed_form(plain, tiers, bytes))
                << tiers << " " << window << " " << packets_of_shard;
        }
      }
    }
  }
}

/// An owner that gathers late holds back all others, and what they may send meanwhile stays in the window.
TEST(Sharp, GathersWaitForTheLastHost) {
  for (const Reduction::Kind kind : {Reduction::Kind::reduce_scatter, Reduction::Kind::all_gather}) {
    Case c = whole_tree(2);
    c.window_packets = 50;
    c.queues.data_bytes = c.window_packets * kPayload;
    add_sums(c, all_hosts(c), {160 * kPayload}, 0, kind);
    constexpr Picoseconds kLate = 90'000'000;
    c.flows[5].start = kLate;
    const Outcome out = run_windows(c, MakeSharp{});
    Picoseconds last = 0;
    for (const Flow& flow : out.flows) last = std::max(last, flow.received);
    EXPECT_GE(last, kLate);
    EXPECT_LE(last, kLate + closed_form(c, 2, 160 * kPayload));
    EXPECT_EQ(out.counters.drops, 0U);
  }
}

/// Hosts under one leaf need no other switch.
TEST(Sharp, SumsAtTheLowestSwitchThatIsAboveAll) {
  Case c = whole_tree(3);
  add_sums(c, {0, 1}, {kPayload});
  EXPECT_EQ(run_windows(c, MakeSharp{}).flows[0].received, closed_form(c, 1, kPayload));
}

/// The second of two planes carries half.
TEST(Sharp, DealsPacketsToPlanes) {
  Case c = whole_tree(2);
  c.planes = 2;
  add_sums(c, all_hosts(c), {100 * kPayload});
  for (const Flow& flow : run_windows(c, MakeSharp{}).flows)
    EXPECT_EQ(flow.received, closed_form(c, 2, 50 * kPayload));
}

/// A host that begins late holds back the others by what it is late, and the window what they send meanwhile.
TEST(Sharp, WaitsForTheLastHost) {
  Case c = whole_tree(2);
  c.window_packets = 50;
  add_sums(c, all_hosts(c), {200 * kPayload});
  constexpr Picoseconds kLate = 90'000'000;
  c.flows[5].start = kLate;
  for (const Flow& flow : run_windows(c, MakeSharp{}).flows)
    EXPECT_EQ(flow.received, kLate + closed_form(c, 2, 200 * kPayload));
}

RC_GTEST_PROP(Sharp, IsTheSameOnBothEnginesAndForAnyNumberOfThreads, ()) {
  Case c = case_of_sums();
  if (*rc::gen::inRange(0, 4) == 0) add_tiers(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (*rc::gen::inRange(0, 4) == 0) add_retry(c);
  const Outcome windows = run_windows(c, MakeSharp{});
  expect_same(windows, run_reference(c, MakeSharp{}));
  c.threads = 2;
  expect_same(windows, run_windows(c, MakeSharp{}));
}

RC_GTEST_PROP(Sharp, WindowsKeepQueuesFromOverflowing, ()) {
  Case c = case_of_sums();
  if (*rc::gen::inRange(0, 2) == 0) add_tiers(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  if (c.limits.any()) c.queues.data_bytes *= c.planes;  // all end at one NIC
  const Outcome out = run_windows(c, MakeSharp{});
  RC_ASSERT(out.counters.drops == 0U);
  RC_ASSERT(out.counters.finished == c.flows.size());
  RC_ASSERT(out.counters.longest_queue <= c.queues.data_bytes);
  for (const Flow& flow : out.flows) {
    RC_ASSERT(flow.received != kNever);
    RC_ASSERT((flow.received - flow.began) * c.planes >= flow.bytes * c.links.picoseconds_per_byte);
  }
}

// From a scenario.

ScenarioText scenario(const std::vector<std::string>& settings) {
  ScenarioText text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml",
      "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n[[design]]\n"
      "name = \"d\"\ntopology = \"fat_tree\"\ndomain = 1\nradix = 8\nrate = \"400 Gbps\"\nhosts = 64\n"}));
  text.set("simulation.transport=sharp");
  text.set("simulation.traffic=in_network_all_reduce");
  text.set("simulation.bytes=\"1 MB\"");
  for (const std::string& setting : settings) text.set(setting);
  return text;
}

std::string refused(const std::vector<std::string>& settings) {
  try {
    simulate(scenario(settings).resolve(), {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(SharpScenario, SaysWhatItCannotSum) {
  const auto expect = [](const std::string& says, const std::vector<std::string>& settings) {
    EXPECT_NE(refused(settings).find(says), std::string::npos) << says << ": " << refused(settings);
  };
  expect("sums and copies collectives", {"simulation.traffic=permutation"});
  expect("sums and copies collectives", {"simulation.traffic=ring_all_reduce"});
  expect("sums and copies collectives", {"simulation.connections_per_flow=2"});
  // Notes let go at once what waits at switches.
  expect("simulation.queue of ", {"sharp.window=60", "simulation.traffic=in_network_all_gather"});
  expect("cannot be cut into 64", {"simulation.bytes=\"60 B\"", "simulation.traffic=in_network_all_gather"});
  expect("nobody sends again", {"simulation.packet_loss=0.001"});
  expect("simulation.bit_error_rate", {"simulation.bit_error_rate=1e-9"});
  expect("simulation.pause", {"simulation.pause=true"});
  expect("simulation.credit_buffer", {"simulation.credit_buffer=\"1 MB\""});
  expect("simulation.shared_buffer", {"simulation.shared_buffer=\"10 MB\""});
  expect("simulation.cut_through", {"simulation.cut_through=true"});
  expect("simulation.load_balancing", {"simulation.load_balancing=spray"});
  expect("sharp.memory", {"sharp.memory=\"4 kB\""});
  expect("at least 40960 bytes", {"sharp.memory=\"40 kB\"", "sharp.window=10"});
  expect("simulation.queue of ", {"sharp.window=60", "tier=[{tier=1, rate='100 Gbps'}]"});
  expect("divisor of 64", {"simulation.group=7"});
  expect("nothing to sum", {"simulation.group=1"});
  // A link that sends a packet again stands still meanwhile, and a window comes to it.
  expect("simulation.queue of ",
         {"sharp.window=60", "simulation.link_retry=true", "simulation.packet_loss=0.01"});
  expect("simulation.queue of ",
         {"sharp.window=60", "simulation.link_retry=true", "simulation.replay_buffer=\"5 kB\""});
  expect("simulation.queue of ", {"sharp.window=60", "simulation.host_receive_rate=\"100 Gbps\""});
  expect("failures", {"failure=[{node='leaf 0', uplink=1}]"});
  expect("folded Clos", {"design=[{name='d', topology='torus', hosts=64, dimensions=[4, 4, 4], domain=1, "
                         "rate='400 Gbps'}]"});
}

Picoseconds last_of(const std::vector<std::string>& settings, unsigned threads = 1) {
  SimulationRun how;
  how.threads = threads;
  Picoseconds last = 0;
  for (const Flow& flow : simulate(scenario(settings).resolve(), how).flows)
    last = std::max(last, flow.received);
  return last;
}

/// What the closed forms of plans say of switches that sum: S / rate + 2 delays of a way up or down
/// (src/collective/all_reduces/in_network.cpp), here with headers and a packet's store and forward.
TEST(SharpScenario, TakesWhatTheClosedFormOfPlansSays) {
  for (const double megabytes : {1.0, 10.0}) {
    const std::string bytes = "simulation.bytes=\"" + std::to_string(megabytes) + " MB\"";
    const double simulated = seconds(last_of({bytes, "simulation.link_delay=\"500 ns\""})).si();
    constexpr double kBytesPerSecond = 50e9, kTiers = 3, kDelay = 500e-9;
    const double plan = megabytes * 1e6 / kBytesPerSecond + 2 * (kTiers * kDelay);
    EXPECT_GT(simulated, plan);
    EXPECT_LT(simulated, plan * 1.04) << megabytes;
  }
}

/// S/B + a of a pass, with a host's own shard, which switches sum as well: a reduce-scatter and an all-gather
/// are an all-reduce without the other's delay only where the two follow each other.
TEST(SharpScenario, PassesTakeTheBufferOnce) {
  const Picoseconds all_reduce = last_of({"simulation.bytes=\"8 MB\"", "simulation.queue=200"});
  for (const char* traffic : {"in_network_reduce_scatter", "in_network_all_gather"}) {
    const Picoseconds pass = last_of(
        {"simulation.bytes=\"8 MB\"", "simulation.queue=200", std::string("simulation.traffic=") + traffic});
    EXPECT_NEAR(static_cast<double>(pass) / static_cast<double>(all_reduce), 1, 0.02) << traffic;
  }
}

/// Bytes on links of the hosts: of a reduce-scatter all of the buffer up and one shard down, with notes for
/// the others' packets; of an all-gather the same the other way. Shards that are no whole packets have
/// packets of their own: here three of 64 shards, which are a byte longer, a second one.
TEST(SharpScenario, PutsShardsOnTheOtherDirectionAlone) {
  constexpr std::uint64_t kHosts = 64, kNote = 64;
  for (const std::uint64_t more : {0U, 3U}) {
    const std::uint64_t buffer = 2 * kHosts * kPayload + more;
    const std::uint64_t packets = 2 * kHosts + more;
    const std::uint64_t all = kHosts * buffer;
    const std::uint64_t shards = buffer + (kHosts - 1) * packets * kNote;
    for (const bool gathers : {false, true}) {
      const SimulationResult r = simulate(
          scenario({gathers ? "simulation.traffic=in_network_all_gather"
                            : "simulation.traffic=in_network_reduce_scatter",
                    "simulation.bytes=\"" + std::to_string(buffer) + " B\"", "simulation.header=\"0 B\"",
                    "simulation.control_packet=\"64 B\"", "simulation.queue=200"})
              .resolve(),
          {});
      EXPECT_EQ(r.counters.finished, kHosts);
      EXPECT_EQ(r.up.front().bytes, gathers ? shards : all);
      EXPECT_EQ(r.down.front().bytes, gathers ? all : shards);
    }
  }
}

/// Memory for a tenth of what fills the way gives a tenth of the rate.
TEST(SharpScenario, MemoryOfSwitchesBoundsTheRate) {
  const Picoseconds all = last_of({"simulation.bytes=\"10 MB\"", "simulation.link_delay=\"2 us\""});
  const Picoseconds less =
      last_of({"simulation.bytes=\"10 MB\"", "simulation.link_delay=\"2 us\"", "sharp.memory=\"63 kB\""});
  EXPECT_NEAR(static_cast<double>(less) / static_cast<double>(all), 10, 1.5);
}

TEST(SharpScenario, GroupsSumEachByItself) {
  const Picoseconds one = last_of({"simulation.group=16", "simulation.queue=200"});
  EXPECT_EQ(last_of({"simulation.group=16", "simulation.queue=200"}, 2), one);
  EXPECT_LE(one, last_of({}));
}

TEST(SharpScenario, TakesLessThanARing) {
  const Picoseconds ring = last_of({"simulation.transport=nscc", "simulation.traffic=ring_all_reduce"});
  EXPECT_GT(ring, 2 * last_of({}));
}

}  // namespace
}  // namespace trainyard::packet
