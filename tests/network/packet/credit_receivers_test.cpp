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
  EXPECT_EQ(pulled(Delivery::rud, packet_of(PacketKind::header, 0, kAsked), kAsked + 1),
            std::vector<std::uint32_t>(kAsked + 1, 0));
  EXPECT_EQ(pulled(Delivery::rod, packet_of(PacketKind::header, 0, kAsked), kAsked),
            std::vector<std::uint32_t>(kAsked, 0));
}

TEST(CreditReceivers, HearWhatWholePacketsAskFor) {
  constexpr std::uint32_t kAsked = 20;
  EXPECT_EQ(pulled(Delivery::rud, packet_of(PacketKind::data, 0, kAsked), kAsked),
            std::vector<std::uint32_t>(kAsked, 0));
}

}  // namespace
}  // namespace trainyard::packet
