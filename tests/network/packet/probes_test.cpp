// Time series: against the slow twin, closed forms, and what must not change because somebody looks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "cases.h"
#include "makers.h"
#include "network/packet/transports/dcqcn.h"
#include "network/packet/transports/dctcp.h"
#include "network/packet/transports/ndp.h"
#include "trainyard/errors.h"

namespace trainyard::packet {
namespace {

std::string bytes_of(const std::vector<ProbeSeries>& all) {
  std::string out;
  for (const ProbeSeries& series : all) pack(out, series.queue, series.flow);
  return out;
}

void expect_same_series(const Outcome& a, const Outcome& b) {
  RC_ASSERT(a.series.size() == b.series.size());
  for (std::size_t i = 0; i < a.series.size(); ++i) {
    RC_ASSERT(a.series[i].queue.size() == b.series[i].queue.size());
    RC_ASSERT(a.series[i].flow.size() == b.series[i].flow.size());
  }
  RC_ASSERT(bytes_of(a.series) == bytes_of(b.series));
}

template <class Make>
void compare(const Case& c, const Make& make) {
  const Outcome windows = run_windows(c, make);
  const Outcome reference = run_reference(c, make, windows.end);
  expect_same(windows, reference);
  expect_same_series(windows, reference);
  Case parallel = c;
  parallel.threads = 3;
  expect_same_series(windows, run_windows(parallel, make));
  // Who looks changes nothing.
  Case unseen = c;
  unseen.probes.clear();
  const Outcome alone = run_windows(unseen, make);
  expect_same(windows, alone);
  RC_ASSERT(alone.end == windows.end);
  RC_ASSERT(alone.counters.longest_queue == windows.counters.longest_queue);
}

RC_GTEST_PROP(Probes, SeeWhatTheReferenceSees, ()) {
  Case c = random_case();
  if (*rc::gen::inRange(0, 3) == 0) add_faults(c);
  if (*rc::gen::inRange(0, 3) == 0) add_limits(c);
  add_probes(c);
  compare(c, kNdp);
}

RC_GTEST_PROP(Probes, SeeWindowsOfSenders, ()) {
  Case c = random_case();
  add_probes(c);
  compare(c, kDctcp);
}

/// One end of a link that a host has.
Probe of_port(std::uint32_t port, Picoseconds interval) {
  Probe out;
  out.index = port;
  out.interval = interval;
  return out;
}

TEST(Probes, AddUpToWhatTheLinksCarried) {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 300'000, 0});
  const Layout layout = c.layout();
  for (std::uint32_t p = 0; p < layout.wires.size(); ++p) c.probes.push_back(of_port(p, 3'333'333));
  RunOutcome run;
  run_case(c, [&](const TransportSetup& setup) {
    auto transport = kNdp(setup);
    run = run_transport(setup, transport, kMostPriorities, [](const WindowSummary&) { return true; });
    return run.counters;
  });
  std::uint64_t passed = 0;
  for (const auto* uses : {&run.up, &run.down}) {
    for (const LinkUse& use : *uses) passed += use.bytes;
  }
  std::uint64_t sent = 0;
  Counters sum;
  for (const ProbeSeries& series : run.series) {
    Picoseconds spans = 0;
    Picoseconds busy = 0;
    std::uint64_t bytes = 0;
    for (const QueueSample& s : series.queue) {
      EXPECT_LE(s.busy, s.span);
      EXPECT_LE(s.queue_bytes, s.longest_bytes);
      spans += s.span;
      busy += s.busy;
      bytes += s.sent_bytes;
      sum.trims += s.trims;
      sum.drops += s.drops;
      sum.longest_queue = std::max(sum.longest_queue, s.longest_bytes);
    }
    EXPECT_EQ(spans, run.now);
    EXPECT_EQ(busy, c.links.time(bytes));  // everything has been sent
    sent += bytes;
  }
  EXPECT_EQ(sent, passed);
  EXPECT_GT(sum.trims, 0U);
  EXPECT_EQ(sum.trims, run.counters.trims);
  EXPECT_EQ(sum.drops, run.counters.drops);
  EXPECT_EQ(sum.longest_queue, run.counters.longest_queue);
}

/// Of the packet that arrives and the last that waits a coin cuts one: the trace says which.
TEST(Traces, NameThePacketThatWasCut) {
  Case c;
  c.hosts = 16;
  c.radix = 8;
  for (std::uint32_t h = 1; h < 16; ++h) c.flows.push_back({h, 0, 300'000, 0});
  std::vector<TraceEntry> trace;
  std::uint64_t trims = 0;
  run_case(c, [&](const TransportSetup& given) {
    TransportSetup setup = given;
    setup.traced_flows.assign(c.flows.size(), 1);
    auto transport = kNdp(setup);
    const RunOutcome run =
        run_transport(setup, transport, kMostPriorities, [](const WindowSummary&) { return true; });
    trace = run.trace;
    trims = run.counters.trims;
    return run.counters;
  });
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> cuts;  // by flow and sequence
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> headers;
  for (const TraceEntry& entry : trace) {
    const std::pair key{entry.flow, entry.sequence};
    if (entry.event == TraceEvent::cut) {
      ++cuts[key];
      EXPECT_EQ(entry.kind, PacketKind::data);
      EXPECT_EQ(entry.bytes, 4096 <= 300'000 - entry.sequence * 4096 ? 4096 : 300'000 % 4096);
    }
    if (entry.event == TraceEvent::received && entry.kind == PacketKind::header) ++headers[key];
  }
  EXPECT_GT(trims, 100U);
  EXPECT_EQ(cuts, headers);
}

TEST(Probes, SeeAnIncastsQueueGrowAndDrain) {
  // n senders of one packet each over equal links: all arrive at once, one goes on and n - 1 wait; each
  // packet time one more leaves.
  Case c;
  c.hosts = 9;
  c.radix = 16;
  constexpr std::uint64_t kSenders = 8;
  for (std::uint32_t h = 1; h <= kSenders; ++h) c.flows.push_back({h, 0, 4096, 0});
  const Layout layout = c.layout();
  const std::uint32_t own = layout.port_of_host(0, 0);
  const Wire& wire = layout.wires[own];
  const std::uint32_t port = layout.nodes[wire.node].first_port + wire.in_port;
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds first = packet + c.links.delay;  // arrival
  Probe probe = of_port(port, packet);
  probe.from = first + packet / 2;
  c.probes.push_back(probe);
  const Outcome out = run_windows(c, kNdp);
  const std::vector<QueueSample>& samples = out.series[0].queue;
  ASSERT_GE(samples.size(), kSenders + 1);
  for (std::size_t i = 0; i <= kSenders; ++i) {
    const std::uint64_t wait = i < kSenders ? kSenders - 1 - i : 0;
    EXPECT_EQ(samples[i].queue_bytes, wait * 4096) << i;
    if (i == 0) continue;
    EXPECT_EQ(samples[i].sent_bytes, i < kSenders ? 4096U : 0U) << i;
    EXPECT_EQ(samples[i].busy, i < kSenders ? packet : packet / 2) << i;
    EXPECT_EQ(samples[i].longest_bytes, samples[i - 1].queue_bytes) << i;
  }
}

TEST(Probes, SeeALoneFlowsQueueBeforeASlowerLink) {
  // Into a link of half the rate: of two packets that arrive one waits more, until the last has arrived.
  Case c;
  c.hosts = 2;
  c.radix = 4;
  constexpr std::uint64_t kPackets = 40;
  c.queues.data_bytes = 100 * 4096;
  c.window_packets = 100;
  c.flows.push_back({0, 1, kPackets * 4096, 0});
  c.slower = c.links;
  c.slower->picoseconds_per_byte = 160;
  const Layout layout = c.layout();
  const Wire& wire = layout.wires[layout.port_of_host(1, 0)];
  const std::uint32_t port = layout.nodes[wire.node].first_port + wire.in_port;
  c.faults.push_back({0, port, false, static_cast<std::uint16_t>(layout.wired_links())});
  const Picoseconds packet = c.links.time(4096);
  const Picoseconds arrived = kPackets * packet + c.links.delay;
  Probe probe = of_port(port, arrived);
  probe.from = 1;  // and again when the last has arrived
  c.probes.push_back(probe);
  Probe flow = probe;
  flow.of_flow = true;
  flow.index = 0;
  c.probes.push_back(flow);
  const Outcome out = run_windows(c, kNdp);
  // Until then the slow link has begun half of them.
  ASSERT_GE(out.series[0].queue.size(), 2U);
  EXPECT_EQ(out.series[0].queue[1].queue_bytes, kPackets / 2 * 4096);
  EXPECT_EQ(out.series[0].queue[1].longest_bytes, kPackets / 2 * 4096);
  EXPECT_EQ(out.series[1].flow.back().received_bytes, kPackets * 4096);
}

TEST(Probes, AreRefusedWhenTheyHaveSeenTooMuch) {
  Case c;
  c.hosts = 2;
  c.flows.push_back({0, 1, 40'000'000, 0});
  c.probes.push_back(of_port(0, 1));
  EXPECT_THROW(run_windows(c, kNdp), InputError);
}

/// As many samples as are kept, and one more.
TEST(Probes, KeepAMillionSamples) {
  const auto sample_until = [](Picoseconds until) {
    Probe probe;
    probe.interval = 1;
    probe.until = until;
    Probes probes({probe});
    while (probes.due() <= until)
      probes.sample([](std::size_t, QueueSample&) { return Probes::Totals{}; },
                    [](std::size_t, FlowSample&) {});
    return probes.series().front().queue.size();
  };
  EXPECT_EQ(sample_until(kMostSamples - 1), kMostSamples);
  EXPECT_THROW(sample_until(kMostSamples), InputError);
}

}  // namespace
}  // namespace trainyard::packet
