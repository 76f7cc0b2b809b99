// The packet engine against its slow twin, against closed forms, and NDP's promise to deliver everything.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "network/packet/ndp.h"
#include "reference_engine.h"
#include "scenario/scenario.h"

namespace trainyard::packet {
namespace {

NetworkDesign clos(std::int64_t hosts, std::int64_t radix) {
  static const Scenario scenario =
      ScenarioText::parse(
          std::make_shared<const SourceText>(SourceText{
              "test.toml",
              "[facility]\ndevices = 8\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"}))
          .resolve();
  DesignInput input;
  input.name = "test";
  input.hosts = hosts;
  input.domain = 1;
  input.radix = radix;
  return resolve_design(scenario, input);
}

struct Case {
  std::int64_t hosts = 8;
  std::int64_t radix = 4;
  std::vector<Flow> flows;
  QueueRules queues;
  LinkRules links;
  NdpRules ndp;
};

std::vector<std::vector<FlowStart>> starts_of(const Case& c) {
  std::vector<std::vector<FlowStart>> starts(static_cast<std::size_t>(c.hosts));
  for (std::uint32_t f = 0; f < c.flows.size(); ++f) starts[c.flows[f].from].push_back({c.flows[f].start, f});
  for (auto& of_host : starts) {
    std::stable_sort(of_host.begin(), of_host.end(),
                     [](const FlowStart& a, const FlowStart& b) { return a.time < b.time; });
  }
  return starts;
}

struct Outcome {
  std::vector<Flow> flows;
  Counters counters;
  std::uint64_t finished = 0;
};

Outcome run_windows(const Case& c) {
  Outcome out{c.flows, {}, 0};
  const Layout layout = lay_out(clos(c.hosts, c.radix));
  Ndp ndp(layout, c.links, c.ndp, out.flows);
  Engine<Ndp> engine(layout, c.links, c.queues, ndp, starts_of(c), c.ndp.packet_bytes);
  engine.run(kNever, [](Picoseconds) { return true; });
  out.counters = engine.counters();
  out.finished = ndp.finished();
  return out;
}

Outcome run_reference(const Case& c) {
  Outcome out{c.flows, {}, 0};
  const Layout layout = lay_out(clos(c.hosts, c.radix));
  Ndp ndp(layout, c.links, c.ndp, out.flows);
  ReferenceEngine<Ndp> engine(layout, c.links, c.queues, ndp, starts_of(c));
  engine.run();
  out.counters = engine.counters();
  out.finished = ndp.finished();
  return out;
}

/// Random flows over random trees, with small queues that cut and drop.
Case random_case() {
  Case c;
  c.hosts = *rc::gen::inRange<std::int64_t>(2, 60);
  c.radix = *rc::gen::inRange<std::int64_t>(8, 20);
  const auto flows = *rc::gen::inRange<std::size_t>(1, 40);
  const bool incast = *rc::gen::arbitrary<bool>();
  const auto hosts = static_cast<std::uint32_t>(c.hosts);
  for (std::size_t f = 0; f < flows; ++f) {
    Flow flow;
    flow.from = *rc::gen::inRange<std::uint32_t>(0, hosts);
    flow.to = incast ? 0 : *rc::gen::inRange<std::uint32_t>(0, hosts);
    if (flow.to == flow.from) flow.to = (flow.from + 1) % hosts;
    flow.bytes = *rc::gen::inRange<std::uint64_t>(1, 400'000);
    flow.start = *rc::gen::inRange<std::uint64_t>(0, 20'000'000);
    c.flows.push_back(flow);
  }
  c.queues.data_packets = *rc::gen::inRange<std::uint32_t>(1, 20);
  c.queues.control_packets = *rc::gen::inRange<std::uint32_t>(2, 60);
  c.queues.trim = *rc::gen::inRange(0, 4) != 0;
  c.ndp.window_packets = *rc::gen::inRange<std::uint32_t>(1, 30);
  c.ndp.spray = *rc::gen::arbitrary<bool>();
  c.links.delay = *rc::gen::inRange<Picoseconds>(100'000, 3'000'000);
  c.links.picoseconds_per_byte = *rc::gen::element<std::uint64_t>(10, 20, 80, 800);
  return c;
}

RC_GTEST_PROP(PacketEngine, GivesTheResultsOfTheReferenceToThePicosecond, ()) {
  const Case c = random_case();
  const Outcome windows = run_windows(c);
  const Outcome reference = run_reference(c);
  for (std::size_t f = 0; f < c.flows.size(); ++f) {
    RC_ASSERT(windows.flows[f].received == reference.flows[f].received);
    RC_ASSERT(windows.flows[f].finished == reference.flows[f].finished);
  }
  RC_ASSERT(windows.counters.hops == reference.counters.hops);
  RC_ASSERT(windows.counters.trims == reference.counters.trims);
  RC_ASSERT(windows.counters.drops == reference.counters.drops);
  RC_ASSERT(windows.counters.longest_queue == reference.counters.longest_queue);
}

RC_GTEST_PROP(Ndp, DeliversEveryByteWhateverIsCutOrDropped, ()) {
  const Case c = random_case();
  const Outcome out = run_windows(c);
  RC_ASSERT(out.finished == c.flows.size());
  for (const Flow& flow : out.flows) {
    RC_ASSERT(flow.received != kNever);
    RC_ASSERT(flow.finished > flow.received);
    // No faster than the sender's link.
    RC_ASSERT(flow.received - flow.start >= flow.bytes * c.links.picoseconds_per_byte);
  }
}

TEST(Ndp, ALoneFlowTakesItsTimeOnEveryLink) {
  // Store and forward over h links: P packets one after the other, then the last one over the h - 1 other
  // links.
  for (const std::int64_t hosts : {2, 16, 54}) {
    Case c;
    c.hosts = hosts;
    c.radix = 6;
    c.flows.push_back({0, static_cast<std::uint32_t>(hosts - 1), 30ULL * 4096, 0, kNever, kNever});
    const Outcome out = run_windows(c);
    const Layout layout = lay_out(clos(c.hosts, c.radix));
    const std::uint64_t links = 2ULL * layout.tiers;
    const Picoseconds packet = c.links.time(4096);
    EXPECT_EQ(out.flows[0].received, 30 * packet + (links - 1) * packet + links * c.links.delay) << hosts;
    EXPECT_EQ(out.flows[0].finished, out.flows[0].received + links * (c.links.time(64) + c.links.delay))
        << hosts;
  }
}

TEST(Ndp, AnIncastTakesTheReceiversLink) {
  // n senders of one packet each: the last byte leaves the receiver's leaf n packet times after the first
  // begins.
  Case c;
  c.hosts = 16;
  c.radix = 32;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 4096, 0, kNever, kNever});
  const Outcome out = run_windows(c);
  Picoseconds last = 0;
  for (const Flow& flow : out.flows) last = std::max(last, flow.received);
  const Picoseconds packet = c.links.time(4096);
  EXPECT_EQ(last, packet + c.links.delay + 15 * packet + c.links.delay);
  EXPECT_EQ(out.counters.trims, 0U);
}

TEST(Ndp, SprayingFillsATreeAndSinglePathsDoNot) {
  Case c;
  c.hosts = 128;
  c.radix = 16;
  for (std::uint32_t h = 0; h < 128; ++h) c.flows.push_back({h, (h + 64) % 128, 800'000, 0, kNever, kNever});
  const auto last = [](const Outcome& out) {
    Picoseconds t = 0;
    for (const Flow& flow : out.flows) t = std::max(t, flow.received);
    return t;
  };
  const Picoseconds sprayed = last(run_windows(c));
  c.ndp.spray = false;
  const Picoseconds single = last(run_windows(c));
  const Picoseconds ideal = 800'000 * c.links.picoseconds_per_byte;
  EXPECT_LT(sprayed, ideal + ideal / 4);
  EXPECT_GT(single, 2 * ideal);
}

TEST(Layout, EveryPortIsWiredBackToItself) {
  for (const std::int64_t hosts : {1, 5, 40, 300, 1000}) {
    const Layout layout = lay_out(clos(hosts, 18));
    for (std::uint32_t n = 0; n < layout.nodes.size(); ++n) {
      for (std::uint32_t p = 0; p < layout.nodes[n].ports; ++p) {
        const Wire& there = layout.wires[layout.nodes[n].first_port + p];
        const Wire& back = layout.wires[layout.nodes[there.node].first_port + there.in_port];
        ASSERT_EQ(back.node, n);
        ASSERT_EQ(back.in_port, p);
      }
    }
  }
}

}  // namespace
}  // namespace trainyard::packet
