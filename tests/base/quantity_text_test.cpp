#include "trainyard/quantity_text.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

double parsed(const std::string& text, Unit unit) {
  const ParsedQuantity q = parse_quantity(text, unit);
  EXPECT_EQ(q.error, "") << text;
  return q.si;
}

std::string refused(const std::string& text, Unit unit) { return parse_quantity(text, unit).error; }

TEST(ParseQuantity, ReadsDecimalAndBinaryBytes) {
  EXPECT_EQ(parsed("192 GB", Unit::bytes), 192e9);
  EXPECT_EQ(parsed("1.5GiB", Unit::bytes), 1.5 * 1024 * 1024 * 1024);
}

TEST(ParseQuantity, ReadsWhatIsCountedAsTheDecimalThatItIs) {
  EXPECT_EQ(parsed("1.001 kB", Unit::bytes), 1001);  // 1.001 * 1e3 is less, and would be cut to 1000 bytes
  EXPECT_EQ(parsed("1.5e-5 GB", Unit::bytes), 15000);
  EXPECT_EQ(parsed("15E+2 kB", Unit::bytes), 15e5);
  EXPECT_EQ(parsed("0e2147483647 kB", Unit::bytes), 0);
  EXPECT_EQ(parsed("$0.000249M", Unit::usd), 249);
  EXPECT_EQ(parsed("0.000249 MW", Unit::watts), 249);
  EXPECT_EQ(parsed("1.001 km", Unit::metres), 1001);
}

TEST(ParseQuantity, ABitRateMayBeWrittenInBytesASecond) {
  EXPECT_EQ(parsed("800 Gbps", Unit::bits_per_second), 800e9);
  EXPECT_EQ(parsed("1.8 TB/s", Unit::bits_per_second), 14.4e12);
}

TEST(ParseQuantity, BytesASecondHaveAllPrefixes) {
  double factor = 8;
  for (const char* unit : {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}) {
    EXPECT_DOUBLE_EQ(parsed(std::string("3 ") + unit, Unit::bits_per_second), 3 * factor) << unit;
    factor *= 1e3;
  }
}

/// What a message offers as units is a list of spellings, each of which is taken.
TEST(ParseQuantity, TakesEveryUnitThatItNames) {
  for (const Unit unit : {Unit::bytes, Unit::bytes_per_second, Unit::bits_per_second, Unit::seconds,
                          Unit::flop, Unit::flop_per_second, Unit::watts, Unit::metres}) {
    const std::string all = unit_names(unit);
    std::size_t names = 0;
    for (std::size_t at = 0; at <= all.size(); ++names) {
      const std::size_t end = std::min(all.find(", ", at), all.size());
      const std::string name = all.substr(at, end - at);
      EXPECT_FALSE(name.empty() || name.find(' ') != std::string::npos) << all;
      EXPECT_GT(parsed("1 " + name, unit), 0) << all;
      at = end + 2;
    }
    EXPECT_GE(names, 2U) << all;
    EXPECT_NE(refused("1 parsec-fortnight", unit).find(all), std::string::npos)
        << refused("1 parsec-fortnight", unit);
  }
}

TEST(ParseQuantity, ReadsMoney) {
  EXPECT_EQ(parsed("$100B", Unit::usd), 100e9);
  EXPECT_EQ(parsed("$ 3 M", Unit::usd), 3e6);
  EXPECT_EQ(parsed("748 USD", Unit::usd), 748);
  EXPECT_EQ(parsed("3 MUSD", Unit::usd), 3e6);
  EXPECT_EQ(parsed("$374", Unit::usd), 374);
}

TEST(ParseQuantity, ReadsTimesAndPrices) {
  EXPECT_EQ(parsed("60 ms", Unit::seconds), 0.060);
  EXPECT_EQ(parsed("4 years", Unit::seconds), 4.0 * 365 * 86400);
  EXPECT_DOUBLE_EQ(parsed("0.08 $/kWh", Unit::usd_per_joule), 0.08 / 3.6e6);
}

TEST(ParseQuantity, ABareNumberLacksItsUnit) {
  EXPECT_NE(refused("100", Unit::bytes).find("a unit is missing"), std::string::npos);
  EXPECT_NE(refused("100", Unit::usd).find("a unit is missing"), std::string::npos);
}

TEST(ParseQuantity, AnUnknownUnitGetsTheNearest) {
  EXPECT_NE(refused("800 Gbsp", Unit::bits_per_second).find("did you mean 'Gbps'?"), std::string::npos);
  EXPECT_NE(refused("800 GW", Unit::bits_per_second), "");
}

TEST(ParseQuantity, RefusesWhatIsNotAFiniteNumber) {
  for (const char* text :
       {"", " ", "GB", "nan GB", "inf GB", "1e999 GB", "1e308 TB", "0x10 GB", "--1 GB", "1..2 GB"}) {
    EXPECT_NE(refused(text, Unit::bytes), "") << text;
  }
}

RC_GTEST_PROP(ExactQuantity, IsReadBackToTheSameNumber, ()) {
  const auto mantissa = *rc::gen::inRange(1, 1000000000);
  const auto exponent = *rc::gen::inRange(-12, 13);
  const double si = mantissa * std::pow(10.0, exponent);
  for (const Unit unit :
       {Unit::bytes, Unit::bits_per_second, Unit::seconds, Unit::watts, Unit::usd, Unit::flop_per_second}) {
    const ParsedQuantity q = parse_quantity(exact_quantity(si, unit), unit);
    RC_ASSERT(q.error.empty());
    RC_ASSERT(q.si == si);
  }
}

/// No unit in which a number is whole writes it shorter.
RC_GTEST_PROP(ExactQuantity, IsTheShortestText, ()) {
  const std::vector<std::pair<const char*, double>> units = {
      {"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
  const auto& unit = units[*rc::gen::inRange<std::size_t>(0, units.size())];
  const double most = std::min(1e14, 0x1p53 / unit.second);
  const double number = std::floor(std::pow(most, *rc::gen::inRange(0, 1000) / 1000.0));
  const std::string text = exact_quantity(number * unit.second, Unit::bytes);
  RC_ASSERT(parsed(text, Unit::bytes) == number * unit.second);
  RC_ASSERT(text.size() <= fmt::format("{:.0f} {}", number, unit.first).size());
}

TEST(ExactQuantity, CountsRatesOfNetworksInBits) {
  EXPECT_EQ(exact_quantity(51.2e12, Unit::bits_per_second), "51.2 Tbps");  // a Tomahawk 5
  EXPECT_EQ(exact_quantity(400e9, Unit::bits_per_second), "400 Gbps");
  EXPECT_EQ(exact_quantity(3.35e12, Unit::bytes_per_second), "3.35 TB/s");
  EXPECT_EQ(exact_quantity(31.5e9, Unit::bytes_per_second), "31.5 GB/s");
  EXPECT_EQ(exact_quantity(80 * std::pow(2, 30), Unit::bytes), "80 GiB");
}

TEST(WrittenQuantity, HasNoExponentWhereAUnitFits) {
  EXPECT_EQ(written_quantity(5e-5, Unit::seconds), "50 us");
  EXPECT_EQ(written_quantity(2e-5, Unit::seconds), "20 us");
  EXPECT_EQ(written_quantity(1.1e-5, Unit::seconds), "11 us");
  EXPECT_EQ(written_quantity(0.25, Unit::seconds), "0.25 s");
  EXPECT_EQ(written_quantity(400e9, Unit::bits_per_second), "400 Gbps");
}

TEST(FormatQuantity, UsesEngineeringUnits) {
  EXPECT_EQ(format_quantity(0.251, Unit::joules), "251.0 mJ");  // of a token
  EXPECT_EQ(format_quantity(11.4, Unit::joules), "11.40 J");
  EXPECT_EQ(format_quantity(7200, Unit::joules), "2.000 Wh");
  EXPECT_EQ(format_quantity(0.13280, Unit::seconds), "132.8 ms");
  EXPECT_EQ(format_quantity(3.0333e9, Unit::watts), "3.033 GW");
  EXPECT_EQ(format_quantity(1500, Unit::watts), "1.500 kW");
  EXPECT_EQ(format_quantity(1.2e6, Unit::watts), "1.200 MW");
  EXPECT_EQ(format_quantity(16.8e21, Unit::flop_per_second), "16.80 ZFLOP/s");
  EXPECT_EQ(format_quantity(0.0495, Unit::fraction), "4.950%");
  EXPECT_EQ(format_quantity(100e9, Unit::usd), "$100.0B");
  EXPECT_EQ(format_quantity(1679976, Unit::count), "1,679,976");
  EXPECT_EQ(format_quantity(103.8e12, Unit::number), "103.8T");
  EXPECT_EQ(format_quantity(4.0 * 365 * 86400, Unit::seconds), "4.000 years");
}

TEST(FormatQuantity, RoundsIntoTheNextPrefix) {
  EXPECT_EQ(format_quantity(999.999e6, Unit::watts), "1.000 GW");
}

}  // namespace
}  // namespace trainyard
