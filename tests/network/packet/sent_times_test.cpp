// Which packets a timeout takes for lost, of those whose sending was noted.
#include "network/packet/transports/sent_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "network/packet/sequence_set.h"

namespace trainyard::packet {
namespace {

/// 40 new packets, one a picosecond; the first ten and the 21st have arrived.
class SentTimesOf40 : public testing::Test {
 protected:
  static constexpr std::uint32_t kPackets = 40;
  static constexpr std::uint32_t kLatest = 20;

  SentTimesOf40() {
    for (std::uint32_t s = 0; s < kPackets; ++s) times.add_new(s, s, acknowledged);
    for (std::uint32_t s = 0; s < 10; ++s) acknowledged.add(s);
    acknowledged.add(kLatest);
  }
  std::vector<std::uint32_t> lost(Picoseconds silent, std::uint32_t next) {
    std::vector<std::uint32_t> out;
    times.lose(silent, next, acknowledged, repeats, [&](std::uint32_t s) { out.push_back(s); });
    return out;
  }

  SequenceSet acknowledged;
  SentTimes times;
  std::vector<std::uint32_t> repeats;
};

/// Receivers answer for several: seven before the latest that has arrived may have arrived with it.
TEST_F(SentTimesOf40, AreOfLostPacketsEightBeforeTheLatestThatArrived) {
  EXPECT_EQ(lost(kPackets, 0), (std::vector<std::uint32_t>{10, 11, 12}));
}

/// Every eighth stands for those before it: what was sent later is not lost yet.
TEST_F(SentTimesOf40, AreOfLostPacketsThatWereNotedInTime) {
  acknowledged.add(kPackets - 1);
  EXPECT_EQ(lost(16, 0), (std::vector<std::uint32_t>{10, 11, 12, 13, 14, 15}));
}

/// The silence of the whole flow takes the rest, each once, but for those that wait to be repeated.
TEST_F(SentTimesOf40, TakeTheRestWhenAllIsSilent) {
  lost(kPackets, 0);
  repeats = {10, 11, 12, 30};
  std::vector<std::uint32_t> rest(kPackets - 13);
  std::iota(rest.begin(), rest.end(), 13U);
  std::erase_if(rest, [](std::uint32_t s) { return s == kLatest || s == 30; });
  EXPECT_EQ(lost(kNever, kPackets), rest);
}

}  // namespace
}  // namespace trainyard::packet
