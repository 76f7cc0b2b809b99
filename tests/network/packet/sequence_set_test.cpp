#include "network/packet/sequence_set.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace trainyard::packet {
namespace {

TEST(SequenceSet, TellsOfManyAtOnceWhatItTellsOneByOne) {
  std::mt19937 random(1);
  for (const std::uint32_t often : {1U, 2U, 20U}) {
    SequenceSet set;
    for (std::uint32_t sequence = 0; sequence < 700; ++sequence) {
      if (sequence < 300 || random() % (often + 1) != 0) set.add(sequence);
    }
    for (std::uint32_t sequence = 0; sequence < 800; ++sequence) {
      for (const std::uint32_t before : {0U, 31U, 63U}) {
        std::uint64_t bits = 0;
        for (std::uint32_t i = 0; i < 64; ++i) {
          const bool told = sequence + i >= before && set.has(sequence + i - before);
          bits |= std::uint64_t{told} << i;
        }
        ASSERT_EQ(set.around(sequence, before), bits) << sequence << " " << before;
      }
    }
  }
}

TEST(SequenceSet, BitsBeyondAFlowAreSeen) {
  EXPECT_TRUE(bits_within(0, 0, 31, 1));
  EXPECT_TRUE(bits_within(std::uint64_t{1} << 31, 0, 31, 1));
  EXPECT_FALSE(bits_within(std::uint64_t{1} << 30, 0, 31, 1));  // before the first
  EXPECT_FALSE(bits_within(std::uint64_t{1} << 32, 0, 31, 1));  // after the last
  EXPECT_TRUE(bits_within(std::uint64_t{1} << 63, 8, 31, 41));
  EXPECT_FALSE(bits_within(std::uint64_t{1} << 63, 8, 31, 40));
}

}  // namespace
}  // namespace trainyard::packet
