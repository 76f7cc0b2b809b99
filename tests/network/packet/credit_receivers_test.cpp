// What receivers of credit learn from single packets, one by one.
#include <gtest/gtest.h>

#include <vector>

#include "cases.h"
#include "network/packet/transports/credits.h"

namespace trainyard::packet {
namespace {

/// Stands for the engine at host 0: keeps what is sent, and goes to when it would be woken.
struct OneHost {
  Picoseconds time = 0;
  Picoseconds woken = kNever;
  Counters counted;
  std::vector<CreditPacket> sent;

  Picoseconds now() const { return time; }
  std::uint32_t host() const { return 0; }
  std::uint32_t plane() const { return 0; }
  void send(const CreditPacket& packet, std::uint32_t = 0) { sent.push_back(packet); }
  void ready() {}
  void wake_at(Picoseconds when) { woken = when; }
  void received(std::uint32_t) {}
  void finished(std::uint32_t) {}
  Counters& counters() { return counted; }
};

CreditPacket packet_of(PacketKind kind, std::uint32_t flow, std::uint32_t target) {
  CreditPacket out;
  out.kind = kind;
  out.flow = flow;
  out.target = target;
  return out;
}

/// Flows of the first so many pulls after a packet of flow 1, which asks for nothing, and `first` of flow 0.
std::vector<std::uint32_t> pulled(Delivery delivery, const CreditPacket& first, std::size_t pulls) {
  Case c;
  c.flows = {{1, 0, 400'000, 0}, {2, 0, 400'000, 0}};
  const Layout layout = c.layout();
  LinkState links;
  TransportSetup setup{layout, c.flows, c.dependencies, c.faults, links};
  setup.delivery = delivery;
  Credits credits(setup, {});
  OneHost host;
  credits.receive(host, packet_of(PacketKind::data, 1, 0));
  credits.receive(host, first);
  std::vector<std::uint32_t> out;
  host.sent.clear();
  while (out.size() < pulls) {
    host.time = host.woken;
    credits.wake(host);
    for (const CreditPacket& packet : host.sent) out.push_back(packet.flow);
    host.sent.clear();
  }
  return out;
}

/// A switch that cuts a payload off leaves what the packet asks for (EQDS, RCCC: uet-htsim's processTrimmed).
TEST(CreditReceivers, HearWhatCutPacketsAskFor) {
  constexpr std::uint32_t kAsked = 20;
  // And one for the repeat.
  EXPECT_EQ(pulled(Delivery::rud, packet_of(PacketKind::header, 0, kAsked * kCreditOfPacket), kAsked + 1),
            std::vector<std::uint32_t>(kAsked + 1, 0));
  EXPECT_EQ(pulled(Delivery::rod, packet_of(PacketKind::header, 0, kAsked * kCreditOfPacket), kAsked),
            std::vector<std::uint32_t>(kAsked, 0));
}

TEST(CreditReceivers, HearWhatWholePacketsAskFor) {
  constexpr std::uint32_t kAsked = 20;
  EXPECT_EQ(pulled(Delivery::rud, packet_of(PacketKind::data, 0, kAsked * kCreditOfPacket), kAsked),
            std::vector<std::uint32_t>(kAsked, 0));
}

/// More may come of a connection: credit goes on ahead of what it asks for, up to a window.
TEST(CreditReceivers, GiveAheadAfterTheLastPacket) {
  constexpr std::uint32_t kWindow = 7;
  Case c;
  c.flows = {{1, 0, 4096, 0}};
  const Layout layout = c.layout();
  LinkState links;
  const TransportSetup setup{layout, c.flows, c.dependencies, c.faults, links};
  Credits credits(setup, {.window_packets = kWindow});
  OneHost host;
  credits.receive(host, packet_of(PacketKind::data, 0, 0));
  host.sent.clear();
  for (int i = 0; i < 100 && host.woken != kNever; ++i) {
    host.time = host.woken;
    credits.wake(host);
  }
  ASSERT_EQ(host.sent.size(), kWindow);
  EXPECT_EQ(host.sent.back().sequence, kWindow * kCreditOfPacket);
}

/// What the first packet of each of three flows at one host asks for, of windows of ten packets.
std::vector<std::uint32_t> asked(const CreditRules& rules, std::uint64_t packets) {
  Case c;
  for (std::uint32_t to = 1; to <= 3; ++to) c.flows.push_back({0, to, packets * 4096, 0});
  const Layout layout = c.layout();
  LinkState links;
  const TransportSetup setup{layout, c.flows, c.dependencies, c.faults, links};
  Credits credits(setup, rules);
  OneHost host;
  for (std::uint32_t flow = 0; flow < 3; ++flow) credits.start(host, flow);
  std::vector<std::uint32_t> out;
  CreditPacket packet;
  while (out.size() < 3 && credits.offer(host, packet)) out.push_back(packet.target);
  return out;
}

/// uet-htsim's computePullTarget: a packet at least while it speculates, and a flow's share of what its host
/// sends.
TEST(CreditSenders, AskForTheirShare) {
  CreditRules rules{.window_packets = 10};
  // Windows have a packet's use left beyond the credit that they have.
  EXPECT_EQ(asked(rules, 100), std::vector<std::uint32_t>(3, kCreditOfPacket));
  rules.shared_requests = true;
  EXPECT_EQ(asked(rules, 100), std::vector<std::uint32_t>(3, 6));
  // The rest of a short flow needs six packets less than the credit that it has: fewer than none.
  const auto without = [](std::uint32_t credit) { return 0U - credit; };
  EXPECT_EQ(asked(rules, 4), std::vector<std::uint32_t>(3, without(6 * kCreditOfPacket / 3)));
  rules.shared_requests = false;
  EXPECT_EQ(asked(rules, 4), std::vector<std::uint32_t>(3, without(6 * kCreditOfPacket)));
  rules.repeats_first = false;
  EXPECT_EQ(asked(rules, 4), std::vector<std::uint32_t>(3, kCreditOfPacket));
}

}  // namespace
}  // namespace trainyard::packet
