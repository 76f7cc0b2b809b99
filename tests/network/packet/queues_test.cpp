// What the engine keeps packets in: in the right order, and none lost, however much it is.
#include <gtest/gtest.h>

#include <ctime>
#include <deque>
#include <vector>

#include "base/huge_pages.h"
#include "network/packet/arrivals.h"
#include "network/packet/fifo.h"
#include "network/packet/inboxes.h"
#include "network/packet/packet.h"

namespace trainyard::packet {
namespace {

TEST(Fifo, IsADequeThroughGrowthAndWrapping) {
  Fifo<std::uint32_t> fifo;
  std::deque<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    fifo.push_back(i);
    expected.push_back(i);
    if (i % 3 != 0) {
      EXPECT_EQ(fifo.front(), expected.front());
      fifo.pop_front();
      expected.pop_front();
    }
    ASSERT_EQ(std::vector(fifo.begin(), fifo.end()), std::vector(expected.begin(), expected.end()));
  }
  EXPECT_EQ(fifo.size(), expected.size());
}

TEST(Fifo, BringsOneForwardAndKeepsTheOthersInOrder) {
  Fifo<std::uint32_t> fifo;
  for (std::uint32_t i = 0; i < 6; ++i) fifo.push_back(i);
  for (std::uint32_t i = 0; i < 3; ++i) fifo.pop_front();
  for (std::uint32_t i = 6; i < 10; ++i) fifo.push_back(i);  // around the end of the ring
  fifo.bring_forward(5);
  EXPECT_EQ(std::vector(fifo.begin(), fifo.end()), (std::vector<std::uint32_t>{8, 3, 4, 5, 6, 7, 9}));
  fifo.bring_forward(0);
  EXPECT_EQ(fifo.front(), 8U);
}

void expect_given_back(std::size_t chunk_bytes) {
  constexpr std::uint32_t kPackets = 1000, kNode = 3;
  Inboxes<Packet> inboxes(5, 2, chunk_bytes);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      Packet packet;
      packet.sequence = i;
      inboxes.put(1, kNode, packet);
      inboxes.put(1, 2, packet);
    }
    EXPECT_EQ(inboxes.unused_from(0), 1U);
    std::vector<Packet> out;
    inboxes.collect(inboxes, 1, kNode, out);
    std::vector<char> seen(kPackets, 0);
    for (const Packet& packet : out) ++seen[packet.sequence];
    EXPECT_EQ(seen, std::vector<char>(kPackets, 1));
    EXPECT_TRUE(inboxes.empty(1, kNode));
    EXPECT_FALSE(inboxes.empty(1, 2));
    out.clear();
    inboxes.collect(inboxes, 1, 2, out);
    inboxes.close(1);
    EXPECT_EQ(inboxes.put_count(), inboxes.taken_count());
    EXPECT_EQ(inboxes.unused_from(0), 2U);
  }
}

TEST(Inboxes, GiveBackWhatWasPutOverManyChunks) {
  const std::size_t small = Inboxes<Packet>::chunk_for(0);
  const std::size_t large = Inboxes<Packet>::chunk_for(1000);
  EXPECT_LT(small, large);
  expect_given_back(small);
  expect_given_back(large);
}

TEST(Inboxes, KnowTheNextSlotThatIsUsedAroundTheRing) {
  Inboxes<Packet> inboxes(1, 8, Inboxes<Packet>::chunk_for(0));
  EXPECT_EQ(inboxes.unused_from(5), 8U);
  inboxes.put(3, 0, {});
  EXPECT_EQ(inboxes.unused_from(3), 0U);
  EXPECT_EQ(inboxes.unused_from(1), 2U);
  EXPECT_EQ(inboxes.unused_from(4), 7U);
}

/// Counts are asked for in every window; of windows that one packet takes there may be a million.
TEST(Inboxes, CountWithoutAWalkOverTheSlots) {
  constexpr std::size_t kSlots = 1U << 20U;
  constexpr std::uint64_t kPackets = 20'000;
  Inboxes<Packet> inboxes(1, kSlots, Inboxes<Packet>::chunk_for(0));
  const std::clock_t begin = std::clock();
  std::uint64_t counts = 0;
  for (std::uint64_t i = 0; i < kPackets; ++i) {
    inboxes.put(i, 0, {});
    counts += inboxes.put_count();
  }
  EXPECT_EQ(counts, kPackets * (kPackets + 1) / 2);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC);  // walks took 20 s
}

/// Arrivals of one port group, by times and input ports that are given.
std::vector<std::uint32_t> order_of(const std::vector<std::pair<Picoseconds, std::uint16_t>>& places,
                                    Picoseconds delay, bool grouped) {
  Layout layout;
  layout.links = {LinkRules{.delay = delay}};
  const Windows windows(layout, 4096);
  Arrivals<Packet> arrivals;
  for (const auto& [time, port] : places) {
    Packet packet;
    packet.sequence = static_cast<std::uint32_t>(arrivals.packets.size());
    packet.arrival = time;
    packet.in_port = port;
    arrivals.packets.push_back(packet);
  }
  auto range = typename Arrivals<Packet>::Range{};
  if (grouped) {
    arrivals.group(
        3, windows, [](const Packet&) { return 1U; }, [](std::uint32_t) {});
    EXPECT_FALSE(arrivals.has(0));
    range = arrivals.in_order(1U);
  } else {
    range = arrivals.in_order(windows);
  }
  std::vector<std::uint32_t> out;
  for (std::uint32_t k = range.begin; k < range.end; ++k) out.push_back(arrivals.at(k).sequence);
  return out;
}

/// By time, then by port, whether both fit into a word with the number of the packet or, with delays of 0.1 s
/// and many packets, do not.
TEST(Arrivals, AreInTheOrderOfTimesAndPortsHoweverLongTheWindow) {
  for (const Picoseconds delay : {Picoseconds{1'000'000}, Picoseconds{1'000'000'000'000}}) {
    for (const std::uint32_t count : {4U, 3000U}) {
      std::vector<std::pair<Picoseconds, std::uint16_t>> places;
      for (std::uint32_t i = 0; i < count; ++i)
        places.emplace_back(i * 7919ULL % 101 * (delay / 101), static_cast<std::uint16_t>(65535 - i));
      std::vector<std::uint32_t> expected(count);
      for (std::uint32_t i = 0; i < count; ++i) expected[i] = i;
      std::sort(expected.begin(), expected.end(),
                [&](std::uint32_t a, std::uint32_t b) { return places[a] < places[b]; });
      EXPECT_EQ(order_of(places, delay, true), expected) << delay << " " << count;
      EXPECT_EQ(order_of(places, delay, false), expected) << delay << " " << count;
    }
  }
}

TEST(HugePages, GiveAlignedPiecesThatDoNotOverlap) {
  PieceBlocks blocks(2048);
  std::vector<char*> pieces;
  for (int i = 0; i < 3000; ++i) {
    pieces.push_back(static_cast<char*>(blocks.take()));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(pieces.back()) % 2048, 0U);
    std::fill(pieces.back(), pieces.back() + 2048, static_cast<char>(i));
  }
  for (int i = 0; i < 3000; ++i) {
    EXPECT_EQ(pieces[static_cast<std::size_t>(i)][0], static_cast<char>(i));
    EXPECT_EQ(pieces[static_cast<std::size_t>(i)][2047], static_cast<char>(i));
  }
  EXPECT_GE(blocks.bytes(), 3000U * 2048);
  EXPECT_LE(blocks.bytes(), 3000U * 2048 + kHugePage);
  PagedVector<std::uint64_t> table(1'000'000, 7);
  EXPECT_EQ(table.back(), 7U);
}

}  // namespace
}  // namespace trainyard::packet
