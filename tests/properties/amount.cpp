#include "amount.h"

#include <array>
#include <span>
#include <string_view>

namespace trainyard::properties {
namespace {

/// A unit as factor x 10^power of the base unit.
struct Spelling {
  std::string_view name;
  int power;
  std::int64_t inverse = 1;  // digits are multiplied by it ...
  int inverse_power = 0;     // ... and divided by 10^it: 125 / 1000 is 1/8
};

constexpr std::int64_t kEighth = 125;
constexpr int kEighthPower = 3;
constexpr std::int64_t kOf1024 = 9765625;
constexpr int kOf1024Power = 10;

constexpr std::array kBits = {Spelling{"Gbps", 9},
                              Spelling{"Tbps", 12},
                              Spelling{"Mbps", 6},
                              Spelling{"kbps", 3},
                              Spelling{"bps", 0},
                              Spelling{"GB/s", 9, kEighth, kEighthPower},
                              Spelling{"MB/s", 6, kEighth, kEighthPower}};
constexpr std::array kByteRates = {Spelling{"GB/s", 9}, Spelling{"TB/s", 12}, Spelling{"MB/s", 6},
                                   Spelling{"B/s", 0}};
constexpr std::array kFlopRates = {Spelling{"TFLOP/s", 12}, Spelling{"PFLOP/s", 15}, Spelling{"GFLOP/s", 9}};
constexpr std::array kSeconds = {Spelling{"us", -6}, Spelling{"ms", -3}, Spelling{"ns", -9}, Spelling{"s", 0},
                                 Spelling{"ps", -12}};
constexpr std::array kBytes = {Spelling{"B", 0},   Spelling{"kB", 3},
                               Spelling{"MB", 6},  Spelling{"GB", 9},
                               Spelling{"TB", 12}, Spelling{"KiB", 0, kOf1024, kOf1024Power}};
constexpr std::array kWatts = {Spelling{"kW", 3}, Spelling{"W", 0}, Spelling{"MW", 6}};
constexpr std::array kUsd = {Spelling{"USD", 0}, Spelling{"$", 0},     Spelling{"$K", 3},
                             Spelling{"$M", 6},  Spelling{"M USD", 6}, Spelling{"$B", 9}};
constexpr std::array kEnergyPrices = {Spelling{"$/kWh", 0}, Spelling{"$/MWh", -3}};

std::span<const Spelling> spellings_of(Unit unit) {
  switch (unit) {
    case Unit::bits_per_second:
      return kBits;
    case Unit::bytes_per_second:
      return kByteRates;
    case Unit::flop_per_second:
      return kFlopRates;
    case Unit::seconds:
      return kSeconds;
    case Unit::bytes:
      return kBytes;
    case Unit::watts:
      return kWatts;
    case Unit::usd:
      return kUsd;
    case Unit::usd_per_joule:
      return kEnergyPrices;
    default:
      return {};
  }
}

/// "0.0004": digits x 10^exponent.
std::string decimal(std::int64_t digits, int exponent) {
  while (digits != 0 && digits % 10 == 0) {
    digits /= 10;
    ++exponent;
  }
  std::string text = std::to_string(digits);
  if (digits == 0) return text;
  if (exponent >= 0) return text.append(static_cast<std::size_t>(exponent), '0');
  const auto behind = static_cast<std::size_t>(-exponent);
  if (text.size() <= behind) text.insert(0, behind + 1 - text.size(), '0');
  return text.insert(text.size() - behind, ".");
}

}  // namespace

std::vector<std::string> spellings(const Amount& amount) {
  constexpr std::size_t kLongest = 16;
  std::vector<std::string> out;
  for (const Spelling& unit : spellings_of(amount.unit)) {
    const std::string number =
        decimal(amount.digits * unit.inverse, amount.exponent - unit.power - unit.inverse_power);
    if (!out.empty() && number.size() > kLongest) continue;
    const bool sign = unit.name.starts_with('$') && amount.unit == Unit::usd;
    out.push_back(sign ? "$" + number + std::string(unit.name.substr(1))
                       : number + " " + std::string(unit.name));
  }
  return out;
}

}  // namespace trainyard::properties
