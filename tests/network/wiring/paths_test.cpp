// Which paths packets take.
#include "network/wiring/paths.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

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

/// A lone flow's packets go by one plane after the other: each has to see all uplinks of its own leaf.
TEST(Paths, SprayedFlowsTakeEveryUplinkOfEveryPlaneOnceARound) {
  for (const std::uint32_t planes : {2U, 3U, 4U, 8U}) {
    Case c;
    c.hosts = 128;
    c.radix = 32;
    c.planes = planes;
    const Layout layout = c.layout();
    const LinkState links;
    const std::vector<Flow> flows = {{0, 100, 1}};
    Paths paths(layout, links, LoadBalancing::spray, 0, 7, flows, 0);
    Paths::State state;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> times;
    for (std::uint32_t i = 0; i < 5 * 16 * planes; ++i) {
      Packet packet;
      packet.to = layout.address_of_host[100];
      paths.choose(packet, 0, i % planes, false, 0, state);
      ++times[{i % planes, packet.up_leaf}];
    }
    EXPECT_EQ(times.size(), 16 * planes);
    for (const auto& [way, count] : times) EXPECT_EQ(count, 5) << way.first << " " << way.second;
  }
}

/// Whatever the steps of a round: each plane carries its share of what a flow's receiver says, and of what
/// many flows say first.
TEST(Paths, WordsOfReceiversFallEvenlyOnPlanes) {
  constexpr int kPackets = 4000;
  Case c;
  c.hosts = 128;
  c.radix = 32;
  c.planes = 4;
  const Layout layout = c.layout();
  const LinkState links;
  const std::vector<Flow> flows(kPackets, Flow{0, 100, 1});
  for (const LoadBalancing choice : {LoadBalancing::spray, LoadBalancing::random, LoadBalancing::reps,
                                     LoadBalancing::bitmap, LoadBalancing::weighted}) {
    Paths paths(layout, links, choice, 0, 7, flows, choice == LoadBalancing::bitmap ? 64 : 0);
    for (std::uint32_t flow = 0; flow < 8; ++flow) {
      Paths::State state;
      std::array<int, 4> words{};
      std::array<int, 4> first{};
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const std::uint32_t plane = paths.next_plane(flow, true, state);
        Packet packet;
        packet.flow = flow;
        packet.to = layout.address_of_host[0];
        paths.choose(packet, 100, plane, true, 0, state);
        ++words.at(plane);
        ++first.at(paths.next_plane(i, true, {}));
      }
      const double deviation = std::sqrt(kPackets * 0.25 * 0.75);
      for (const auto& counts : {words, first}) {
        for (const int count : counts) EXPECT_NEAR(count, kPackets / 4, 4 * deviation);
      }
    }
  }
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

/// Flow 0 over 64 entropies.
class WordOfWays {
 public:
  explicit WordOfWays(LoadBalancing choice = LoadBalancing::bitmap)
      : layout_(two_tiers()), paths_(layout_, links_, choice, 0, 7, flows_) {}

  /// The entropy of the next packet.
  std::uint32_t next(Picoseconds now = 0) {
    Packet packet;
    packet.to = layout_.address_of_host[100];
    const std::uint32_t entropy = paths_.choose(packet, 0, 0, false, now, state_);
    const auto known = uplinks_.try_emplace(entropy, packet.up_leaf).first;
    EXPECT_EQ(known->second, packet.up_leaf);
    return entropy;
  }
  /// How many of the next packets take one of these.
  int taken(int packets, const std::set<std::uint32_t>& entropies) {
    int out = 0;
    for (int i = 0; i < packets; ++i) out += entropies.contains(next()) ? 1 : 0;
    return out;
  }
  Paths& paths() { return paths_; }
  const Paths::State& state() const { return state_; }
  std::size_t uplinks() const {
    std::set<std::uint32_t> out;
    for (const auto& [entropy, uplink] : uplinks_) out.insert(uplink);
    return out.size();
  }

 private:
  LinkState links_;
  std::vector<Flow> flows_ = {{0, 100, 1}};
  Layout layout_;
  Paths paths_;
  Paths::State state_;
  std::map<std::uint32_t, std::uint32_t> uplinks_;
};

const std::set<std::uint32_t> kAFew = {3, 17, 18, 40, 63};

TEST(Paths, EachOf64EntropiesIsTakenOnceARound) {
  WordOfWays word;
  std::set<std::uint32_t> all;
  for (int i = 0; i < 64; ++i) all.insert(word.next());
  EXPECT_EQ(all.size(), 64U);
  EXPECT_EQ(*all.rbegin(), 63U);
  EXPECT_EQ(word.uplinks(), 16U);
}

TEST(Paths, MarkedEntropiesArePassedOverOnceAndCutOnesFourTimes) {
  WordOfWays word;
  const int few = static_cast<int>(kAFew.size());
  EXPECT_EQ(word.taken(64, kAFew), few);
  // Passed over in the next round, of which the others fill the end. Where one follows another, one alone is
  // forgiven, so that a few are passed over again.
  for (const std::uint32_t entropy : kAFew) word.paths().arrived(0, entropy, true);
  EXPECT_EQ(word.taken(64 - few, kAFew), 0);
  EXPECT_GE(word.taken(4 * 64, kAFew), 2 * few);
  for (const std::uint32_t entropy : kAFew) word.paths().cut(0, entropy);
  EXPECT_EQ(word.taken(3 * (64 - few), kAFew), 0);
  EXPECT_GE(word.taken(8 * 64, kAFew), 3 * few);
}

TEST(Paths, APacketTakesBackTheWordAgainstOneEntropyAlone) {
  WordOfWays word;
  const int good = static_cast<int>(kAFew.size());
  for (std::uint32_t entropy = 0; entropy < 64; ++entropy) {
    if (!kAFew.contains(entropy)) word.paths().cut(0, entropy);
  }
  // Four rounds of the good ones take back at most one word each, of four against each other entropy.
  int taken = word.taken(4 * good, kAFew);
  EXPECT_EQ(taken, 4 * good);
  taken += word.taken(2 * good, kAFew);
  EXPECT_GE(taken, 5 * good);
}

TEST(Paths, WordAgainstAnEntropyIsOfThatOneAlone) {
  // Others that lead the same way are still taken.
  WordOfWays word;
  for (int i = 0; i < 15; ++i) word.paths().arrived(0, 9, true);
  std::set<std::uint32_t> all;
  for (int i = 0; i < 63; ++i) all.insert(word.next());
  EXPECT_EQ(all.size(), 63U);
  EXPECT_FALSE(all.contains(9));
}

TEST(Paths, RecycledEntropiesComeBeforeThoseOfTheRound) {
  WordOfWays word(LoadBalancing::reps_bitmap);
  word.paths().arrived(0, 5, true);
  word.paths().arrived(0, 9, false);
  EXPECT_EQ(word.next(), 9U);
}

TEST(Paths, AfterATimeoutTheRoundOfEntropiesGoesOnWhereItStood) {
  WordOfWays word(LoadBalancing::reps_bitmap);
  constexpr Picoseconds kThawed = 1000;
  word.paths().arrived(0, 9, false);
  EXPECT_EQ(word.next(), 9U);
  word.next();  // begins a round
  word.paths().timed_out(0, kThawed);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(word.next(1), 9U);
    ASSERT_TRUE(word.paths().in_bounds(word.state(), false));
  }
  for (int i = 0; i < 200; ++i) {
    word.next(kThawed);
    ASSERT_TRUE(word.paths().in_bounds(word.state(), false));
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
