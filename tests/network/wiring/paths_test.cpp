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

/// The uplinks of a round of 64 entropies behind the word that each entropy's way of a first round had.
class WordOfWays {
 public:
  WordOfWays() : layout_(two_tiers()), paths_(layout_, links_, LoadBalancing::bitmap, 0, 7, flows_) {}

  Packet next() {
    Packet packet;
    packet.to = layout_.address_of_host[100];
    paths_.choose(packet, 0, 0, false, 0, state_);
    return packet;
  }
  std::map<std::uint32_t, int> round() {
    std::map<std::uint32_t, int> out;
    for (int i = 0; i < 64; ++i) ++out[next().up_leaf];
    return out;
  }
  Paths& paths() { return paths_; }

 private:
  LinkState links_;
  std::vector<Flow> flows_ = {{0, 100, 1}};
  Layout layout_;
  Paths paths_;
  Paths::State state_;
};

TEST(Paths, MarkedEntropiesArePassedOverOnceAndCutOnesFourTimes) {
  WordOfWays word;
  const auto usual = word.round();
  ASSERT_EQ(usual.size(), 16U);
  EXPECT_EQ(word.round(), usual);
  // Every packet of an uplink comes back marked: all its entropies are passed over in the next round, of
  // which the others fill the end. Where one follows another, one alone is forgiven, so that a few are passed
  // over again.
  const auto& [uplink, entropies] = *usual.begin();
  const auto taken = [&, up = uplink](int packets) {
    int out = 0;
    for (int i = 0; i < packets; ++i) out += word.next().up_leaf == up ? 1 : 0;
    return out;
  };
  for (int i = 0; i < entropies; ++i) word.paths().arrived(0, static_cast<std::uint16_t>(uplink), 0, true);
  EXPECT_EQ(taken(64 - entropies), 0);
  EXPECT_GE(taken(4 * 64), 2 * entropies);
  for (int i = 0; i < entropies; ++i) word.paths().cut(0, static_cast<std::uint16_t>(uplink), 0);
  EXPECT_EQ(taken(3 * (64 - entropies)), 0);
  EXPECT_GE(taken(8 * 64), 3 * entropies);
}

TEST(Paths, APacketTakesBackTheWordAgainstOneEntropyAlone) {
  WordOfWays word;
  const auto usual = word.round();
  const auto& [uplink, good] = *usual.begin();
  for (const auto& [other, entropies] : usual) {
    for (int i = 0; i < entropies && other != uplink; ++i)
      word.paths().cut(0, static_cast<std::uint16_t>(other), 0);
  }
  // Four rounds of the good ones take back at most one word each, of four against each other entropy.
  int taken = 0;
  for (int i = 0; i < 4 * good; ++i) taken += word.next().up_leaf == uplink ? 1 : 0;
  EXPECT_EQ(taken, 4 * good);
  for (int i = 0; i < 2 * good; ++i) taken += word.next().up_leaf == uplink ? 1 : 0;
  EXPECT_GE(taken, 5 * good);
}

TEST(Paths, RecycledPathsComeBeforeThoseOfTheRound) {
  const Layout layout = two_tiers();
  const LinkState links;
  const std::vector<Flow> flows = {{0, 100, 1}};
  Paths paths(layout, links, LoadBalancing::reps_bitmap, 0, 7, flows);
  Paths::State state;
  paths.arrived(0, 5, 0, true);
  paths.arrived(0, 9, 0, false);
  Packet packet;
  packet.to = layout.address_of_host[100];
  paths.choose(packet, 0, 0, false, 0, state);
  EXPECT_EQ(packet.up_leaf, 9);
}

TEST(Paths, AfterATimeoutTheRoundOfEntropiesGoesOnWhereItStood) {
  const Layout layout = two_tiers();
  const LinkState links;
  const std::vector<Flow> flows = {{0, 100, 1}};
  Paths paths(layout, links, LoadBalancing::reps_bitmap, 0, 7, flows);
  Paths::State state;
  Packet packet;
  packet.to = layout.address_of_host[100];
  constexpr Picoseconds kThawed = 1000;
  const auto send = [&](Picoseconds now) {
    paths.choose(packet, 0, 0, false, now, state);
    return packet.up_leaf;
  };
  paths.arrived(0, 9, 0, false);
  EXPECT_EQ(send(0), 9);
  send(0);  // begins a round
  paths.timed_out(0, kThawed);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(send(1), 9);
    ASSERT_TRUE(paths.in_bounds(state, false));
  }
  for (int i = 0; i < 200; ++i) {
    send(kThawed);
    ASSERT_TRUE(paths.in_bounds(state, false));
  }
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
