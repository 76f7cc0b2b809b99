#include "trainyard/units.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Units, DivideIntoTheRightDimension) {
  const Seconds time = Bytes(217e6) / BytesPerSecond(100e9);
  EXPECT_DOUBLE_EQ(time.si(), 2.17e-3);
  const double ratio = Bytes(10) / Bytes(4);
  EXPECT_EQ(ratio, 2.5);
}

TEST(Units, PowerTimesTimeIsEnergyAndHasAPrice) {
  const Joules energy = Watts(1000) * Seconds(3600);
  EXPECT_DOUBLE_EQ((energy * UsdPerJoule(0.08 / 3.6e6)).si(), 0.08);
}

TEST(Units, EightBitsAreAByte) {
  EXPECT_EQ(byte_rate(BitRate(800e9)).si(), 100e9);
  EXPECT_EQ(bit_rate(BytesPerSecond(1.8e12)).si(), 14.4e12);
}

TEST(Units, CountAsNumbers) { EXPECT_EQ(real(3) / 2, 1.5); }

TEST(Units, NameTheirUnit) {
  EXPECT_EQ(unit_of<BitRate>(), Unit::bits_per_second);
  EXPECT_EQ(unit_of<Watts>(), Unit::watts);
}

}  // namespace
}  // namespace trainyard
