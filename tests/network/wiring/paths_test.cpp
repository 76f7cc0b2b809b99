// Which paths packets take.
#include "network/wiring/paths.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "network/packet/cases.h"

namespace trainyard::wiring {
namespace {

using namespace workload;  // NOLINT(google-build-using-namespace)
using namespace packet;    // NOLINT(google-build-using-namespace)

/// How often packets of flow 0 take each uplink.
std::map<std::uint32_t, int> taken(const Layout& layout, const Flow& flow, LoadBalancing choice,
                                   std::uint32_t entropies, int packets, bool back = false) {
  const LinkState links;
  const std::vector<Flow> flows = {flow};
  Paths paths(layout, links, choice, 0, 7, flows, entropies);
  Paths::State state;
  std::map<std::uint32_t, int> out;
  for (int i = 0; i < packets; ++i) {
    Packet packet;
    packet.to = layout.address_of_host[back ? flow.from : flow.to];
    packet.sequence = static_cast<std::uint32_t>(i);
    paths.choose(packet, back ? flow.to : flow.from, 0, back, 0, state);
    ++out[packet.up_leaf * std::max(1U, layout.uplinks_aggregation) + packet.up_aggregation];
  }
  return out;
}

Layout two_tiers() {
  Case c;
  c.hosts = 128;
  c.radix = 32;
  return c.layout();
}

TEST(Paths, SprayedFlowsTakeEveryUplinkOnceARound) {
  const Layout layout = two_tiers();
  ASSERT_EQ(layout.uplinks_leaf, 16U);
  const auto uplinks = taken(layout, {0, 100, 1}, LoadBalancing::spray, 0, 160);
  ASSERT_EQ(uplinks.size(), 16U);
  for (const auto& [uplink, times] : uplinks) EXPECT_EQ(times, 10) << uplink;
}

TEST(Paths, EntropiesAreHashedToUplinksOnceForAll) {
  const Layout layout = two_tiers();
  EXPECT_EQ(taken(layout, {0, 100, 1}, LoadBalancing::spray, 1, 50).size(), 1U);
  // Each of the 24 is taken once a round, so that counts are multiples of the rounds; by chance they are
  // uneven.
  const auto uplinks = taken(layout, {0, 100, 1}, LoadBalancing::spray, 24, 240);
  std::set<int> counts;
  for (const auto& [uplink, times] : uplinks) {
    EXPECT_EQ(times % 10, 0) << uplink;
    counts.insert(times);
  }
  EXPECT_GT(counts.size(), 1U);
  EXPECT_LT(uplinks.size(), 16U);
}

TEST(Paths, AFlowTakesThePathItWasGiven) {
  Case c;
  c.hosts = 128;
  c.radix = 8;
  const Layout layout = c.layout();
  const std::uint32_t paths = layout.uplinks_leaf * layout.uplinks_aggregation;
  ASSERT_EQ(paths, 16U);
  for (std::uint16_t path = 0; path < paths; ++path) {
    Flow flow{0, 100, 1};
    flow.path = path;
    flow.path_back = static_cast<std::uint16_t>(paths - 1 - path);
    EXPECT_EQ(taken(layout, flow, LoadBalancing::ecmp, 0, 3), (std::map<std::uint32_t, int>{{path, 3}}));
    EXPECT_EQ(taken(layout, flow, LoadBalancing::ecmp, 0, 3, true),
              (std::map<std::uint32_t, int>{{flow.path_back, 3}}));
  }
}

}  // namespace
}  // namespace trainyard::wiring
