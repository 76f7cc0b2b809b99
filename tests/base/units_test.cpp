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

TEST(Units, OtherThanTheBaseOneKeepTheirDigits) {
  EXPECT_EQ((Megawatts(0.1) + Megawatts(0.2)).count(), 0.1 + 0.2);
  EXPECT_EQ(as<Watts>(Megawatts(4731.9324)).si(), 4731.9324 * 1e6);
  EXPECT_EQ(as<Megawatts>(Watts(0.57e6)).count(), 0.57e6 / 1e6);
  EXPECT_EQ(as<Seconds>(Milliseconds(2.5)).si(), 2.5 / 1e3);
  EXPECT_EQ(as<UsdPerMegawattHour>(UsdPerJoule(2e-8)).count(), 2e-8 * 3.6e9);
}

TEST(Units, OtherThanTheBaseOneMultiply) {
  const UsdPerYear energy = Megawatts(2) * HoursPerYear(8760) * UsdPerMegawattHour(50);
  EXPECT_EQ(energy.count(), 2 * 8760 * 50);
  const Usd half_a_year = energy * as<Years>(Days(182.5));
  EXPECT_EQ(half_a_year.si(), 2 * 4380 * 50);
  const Milliseconds rtt = Kilometres(100) * MillisecondsPerKilometre(0.01);
  EXPECT_EQ(rtt.count(), 100 * 0.01);
  const auto carbon = as<TonnesPerYear>(Megawatts(2) * HoursPerYear(8760) * KilogramsPerMegawattHour(400));
  EXPECT_EQ(carbon.count(), 2 * 8760 * 400 / 1e3);
}

TEST(Units, CountAsNumbers) { EXPECT_EQ(real(3) / 2, 1.5); }

TEST(Units, NameTheirUnit) {
  EXPECT_EQ(unit_of<BitRate>(), Unit::bits_per_second);
  EXPECT_EQ(unit_of<Watts>(), Unit::watts);
}

}  // namespace
}  // namespace trainyard
