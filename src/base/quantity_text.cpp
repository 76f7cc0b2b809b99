#include "trainyard/quantity_text.h"

#include <fmt/compile.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "base/finite.h"
#include "base/foreign_text.h"
#include "trainyard/nearest.h"

namespace trainyard {
namespace {

struct Spelling {
  std::string_view name;
  double factor;
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;
constexpr double kDay = 24 * kHour;
constexpr double kYear = 365 * kDay;
constexpr double kWattHour = 3600;

constexpr Spelling kBytes[] = {
    {"B", 1},     {"kB", 1e3},     {"MB", 1e6},        {"GB", 1e9},           {"TB", 1e12},
    {"PB", 1e15}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
constexpr Spelling kByteRates[] = {{"B/s", 1},    {"kB/s", 1e3},  {"MB/s", 1e6},
                                   {"GB/s", 1e9}, {"TB/s", 1e12}, {"PB/s", 1e15}};
constexpr Spelling kBitRates[] = {{"bps", 1},
                                  {"kbps", 1e3},
                                  {"Mbps", 1e6},
                                  {"Gbps", 1e9},
                                  {"Tbps", 1e12},
                                  {"Pbps", 1e15},
                                  {"B/s", kBitsPerByte},
                                  {"kB/s", kBitsPerByte * 1e3},
                                  {"MB/s", kBitsPerByte * 1e6},
                                  {"GB/s", kBitsPerByte * 1e9},
                                  {"TB/s", kBitsPerByte * 1e12}};
constexpr Spelling kSeconds[] = {
    {"s", 1},         {"ms", 1e-3},       {"us", 1e-6},        {"ns", 1e-9},    {"ps", 1e-12},
    {"min", kMinute}, {"h", kHour},       {"hours", kHour},    {"hour", kHour}, {"day", kDay},
    {"days", kDay},   {"week", 7 * kDay}, {"weeks", 7 * kDay}, {"year", kYear}, {"years", kYear}};
constexpr Spelling kFlop[] = {{"FLOP", 1},     {"kFLOP", 1e3},  {"MFLOP", 1e6},
                              {"GFLOP", 1e9},  {"TFLOP", 1e12}, {"PFLOP", 1e15},
                              {"EFLOP", 1e18}, {"ZFLOP", 1e21}, {"YFLOP", 1e24}};
constexpr Spelling kFlopRates[] = {{"FLOP/s", 1},     {"kFLOP/s", 1e3},  {"MFLOP/s", 1e6},
                                   {"GFLOP/s", 1e9},  {"TFLOP/s", 1e12}, {"PFLOP/s", 1e15},
                                   {"EFLOP/s", 1e18}, {"ZFLOP/s", 1e21}};
constexpr Spelling kJoules[] = {{"J", 1},
                                {"kWh", kWattHour * 1e3},
                                {"MWh", kWattHour * 1e6},
                                {"GWh", kWattHour * 1e9},
                                {"TWh", kWattHour * 1e12}};
constexpr Spelling kWatts[] = {{"W", 1}, {"kW", 1e3}, {"MW", 1e6}, {"GW", 1e9}};
constexpr Spelling kUsd[] = {{"USD", 1}, {"$", 1}, {"K", 1e3}, {"M", 1e6}, {"B", 1e9}, {"T", 1e12}};
constexpr Spelling kUsdPerJoule[] = {{"$/kWh", 1 / (kWattHour * 1e3)}, {"$/MWh", 1 / (kWattHour * 1e6)}};
constexpr Spelling kMetres[] = {{"m", 1}, {"km", 1e3}};

std::span<const Spelling> spellings(Unit unit) {
  switch (unit) {
    case Unit::bytes:
      return kBytes;
    case Unit::bytes_per_second:
      return kByteRates;
    case Unit::bits_per_second:
      return kBitRates;
    case Unit::seconds:
      return kSeconds;
    case Unit::flop:
      return kFlop;
    case Unit::flop_per_second:
      return kFlopRates;
    case Unit::joules:
      return kJoules;
    case Unit::watts:
      return kWatts;
    case Unit::usd:
      return kUsd;
    case Unit::usd_per_joule:
      return kUsdPerJoule;
    case Unit::metres:
      return kMetres;
    default:
      return {};
  }
}

/// "$100B", "$100 B", "100 USD", "3M USD": the money unit without its decoration.
std::string_view money_unit(std::string_view rest, bool dollar_sign) {
  constexpr std::string_view kWord = "USD";
  if (rest.size() > kWord.size() && rest.ends_with(kWord))
    return trimmed(rest.substr(0, rest.size() - kWord.size()));
  if (rest.empty() && dollar_sign) return kWord;
  return rest;
}

/// What is counted whole, or added up to the cent: read as the decimal it is, "1.001 kB" is 1001 B. Rates and
/// times are measured; theirs is a product, a unit in the last place off at most.
bool is_counted(Unit unit) {
  return unit == Unit::bytes || unit == Unit::usd || unit == Unit::watts || unit == Unit::metres;
}

/// 6 of 1e6.
std::optional<int> power_of_ten(double factor) {
  int power = 0;
  for (double ten = 1; ten <= factor; ten *= 10, ++power) {
    if (ten == factor) return power;
  }
  return std::nullopt;
}

/// The double nearest to the decimal times 10^power; nothing where it cannot be held.
std::optional<double> shifted(std::string_view decimal, int power) {
  const std::size_t e = decimal.find_first_of("eE");
  std::int64_t exponent = 0;
  if (e != std::string_view::npos) {
    constexpr std::int64_t kFarthest = 10'000;  // of a zero: other numbers are out of range long before
    std::string_view written = decimal.substr(e + 1);
    if (written.starts_with('+')) written.remove_prefix(1);
    std::from_chars(written.data(), written.data() + written.size(), exponent);
    if (std::abs(exponent) > kFarthest) return std::nullopt;
  }
  const std::string text = fmt::format("{}e{}", decimal.substr(0, e), exponent + power);
  double out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return read.ec == std::errc{} ? std::optional(out) : std::nullopt;
}

double in_base_units(double number, std::string_view decimal, double factor, Unit unit) {
  const auto power = is_counted(unit) ? power_of_ten(factor) : std::nullopt;
  return (power ? shifted(decimal, *power) : std::nullopt).value_or(number * factor);
}

ParsedQuantity apply_unit(double number, std::string_view decimal, std::string_view name, Unit unit) {
  for (const Spelling& spelling : spellings(unit)) {
    if (spelling.name != name) continue;
    const double si = in_base_units(number, decimal, spelling.factor, unit);
    if (!std::isfinite(si)) return {0, "the number is too large"};
    return {si, {}};
  }
  if (name.empty()) return {0, "a unit is missing; one of " + unit_names(unit)};
  std::vector<std::string> names;
  for (const Spelling& spelling : spellings(unit)) names.emplace_back(spelling.name);
  return {0, fmt::format("unknown unit '{}'; {}", name, suggestion(name, names))};
}

struct Prefix {
  double factor;
  std::string_view symbol;
};

constexpr Prefix kPrefixes[] = {{1e24, "Y"}, {1e21, "Z"}, {1e18, "E"}, {1e15, "P"}, {1e12, "T"},
                                {1e9, "G"},  {1e6, "M"},  {1e3, "k"},  {1, ""}};
constexpr Prefix kSmallPrefixes[] = {{1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
constexpr Prefix kMoneyPrefixes[] = {{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}, {1, ""}};

constexpr int kSignificant = 4;

/// Four significant digits without an exponent for numbers of 0.001 to 99999.
std::string digits(double value) {
  if (value == 0) return "0";
  constexpr double kHalfOfTheLastDigit = 1.00005;  // 999.99 is written 1000
  const double magnitude = std::floor(std::log10(std::abs(value) * kHalfOfTheLastDigit));
  if (magnitude < -3 || magnitude > 5) return fmt::format("{:.{}g}", value, kSignificant);
  const int decimals = std::max(0, kSignificant - 1 - static_cast<int>(magnitude));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string with_prefix(double value, std::span<const Prefix> prefixes, std::string_view base) {
  if (std::abs(value) >= prefixes.front().factor * 1e5)
    return fmt::format("{:.{}g} {}", value, kSignificant, base);
  for (const Prefix& prefix : prefixes) {
    // 0.99995 rounds up to the next prefix at four digits.
    if (std::abs(value) >= prefix.factor * 0.99995) {
      return fmt::format("{} {}{}", digits(value / prefix.factor), prefix.symbol, base);
    }
  }
  const Prefix& last = prefixes.back();
  if (value == 0) return fmt::format("0 {}", base);
  return fmt::format("{} {}{}", digits(value / last.factor), last.symbol, base);
}

std::string format_seconds(double si) {
  const double size = std::abs(si);
  if (size >= kYear) return digits(si / kYear) + " years";
  if (size >= 2 * kDay) return digits(si / kDay) + " days";
  if (size >= 2 * kHour) return digits(si / kHour) + " h";
  if (size >= 1000) return digits(si / kMinute) + " min";
  return with_prefix(si, kSmallPrefixes, "s");
}

std::string format_money(double si) {
  const std::string sign = si < 0 ? "-" : "";
  const double size = std::abs(si);
  for (const Prefix& prefix : kMoneyPrefixes) {
    if (size >= prefix.factor * 0.99995) {
      return fmt::format("{}${}{}", sign, digits(size / prefix.factor), prefix.symbol);
    }
  }
  return fmt::format("{}${}", sign, digits(size));
}

/// 1.300M, 130.0T: counts of parameters and tokens.
std::string format_number(double value) {
  constexpr double kLarge = 1e6;
  if (std::abs(value) < kLarge) return digits(value);
  std::string text = format_money(value);
  return text.erase(text.find('$'), 1);
}

std::string grouped(double value) {
  std::string text = fmt::format("{:.0f}", value);
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t i = text.size(); i > first + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string format_count(double value) {
  return std::abs(value) < 1e9 ? grouped(value) : fmt::format("{:.5g}", value);
}

struct UnitText {
  std::string_view suffix;
  std::string_view base;
};

UnitText unit_text(Unit unit) {
  switch (unit) {
    case Unit::none:
      return {"", ""};
    case Unit::flag:
      return {"", ""};
    case Unit::count:
      return {"", ""};
    case Unit::number:
      return {"", ""};
    case Unit::fraction:
      return {"", ""};
    case Unit::bytes:
      return {"_bytes", "B"};
    case Unit::bytes_per_second:
      return {"_bytes_per_s", "B/s"};
    case Unit::bits_per_second:
      return {"_bps", "bps"};
    case Unit::seconds:
      return {"_s", "s"};
    case Unit::flop:
      return {"_flop", "FLOP"};
    case Unit::flop_per_second:
      return {"_flop_per_s", "FLOP/s"};
    case Unit::joules:
      return {"_j", "J"};
    case Unit::watts:
      return {"_w", "W"};
    case Unit::usd:
      return {"_usd", "USD"};
    case Unit::usd_per_joule:
      return {"_usd_per_j", "USD/J"};
    case Unit::metres:
      return {"_m", "m"};
  }
  return {"", ""};
}

/// Whether fmt writes a number as it does the integer, which takes it less long.
bool is_plain(double number) {
  constexpr double kLargest = 1e15;
  return number >= 0 && !std::signbit(number) && number < kLargest && number == std::floor(number);
}

/// Characters of the exact number at least.
std::size_t least_length(double number) {
  constexpr std::size_t kShortest = 3;  // 0.5
  if (!is_plain(number)) return kShortest;
  std::size_t out = 1;
  for (double ten = 10; ten <= number; ten *= 10) ++out;
  return out;
}

/// Appends a number as it is read back, as fmt writes it: mostly a whole one.
void append_exact(std::string& text, double number) {
  if (is_plain(number)) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), static_cast<std::int64_t>(number));
  } else {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number);
  }
}

}  // namespace

ParsedQuantity parse_quantity(std::string_view text, Unit unit) {
  std::string_view rest = trimmed(text);
  const bool dollar_sign = unit == Unit::usd && rest.starts_with('$');
  if (dollar_sign) rest = trimmed(rest.substr(1));
  double number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (code == std::errc::result_out_of_range) return {0, "the number is out of range"};
  if (code != std::errc{}) return {0, "expected a number and a unit (" + unit_names(unit) + ")"};
  if (!std::isfinite(number)) return {0, "the number must be finite"};
  const std::string_view decimal = rest.substr(0, static_cast<std::size_t>(end - rest.data()));
  rest = trimmed(rest.substr(decimal.size()));
  if (unit == Unit::usd) rest = money_unit(rest, dollar_sign);
  return apply_unit(number, decimal, rest, unit);
}

std::string unit_names(Unit unit) {
  if (unit == Unit::usd) return "for example $100B, $3M, 748 USD";
  std::string names;
  for (const Spelling& spelling : spellings(unit)) {
    if (!names.empty()) names += ", ";
    names += spelling.name;
  }
  return names;
}

namespace {

/// What an answer has that is without bound, where nobody says of what it is.
std::string what_has(Unit unit) {
  if (unit == Unit::flag || unit == Unit::none || unit == Unit::number) return "a number";
  if (unit == Unit::count) return "a count";
  if (unit == Unit::fraction) return "a share";
  return fmt::format("a quantity in {}", base_unit_name(unit));
}

}  // namespace

std::string format_quantity(double si, Unit unit) {
  if (!std::isfinite(si)) finite(si, what_has(unit));
  switch (unit) {
    case Unit::none:
    case Unit::number:
      return format_number(si);
    case Unit::flag:
      return si != 0 ? "yes" : "no";
    case Unit::count:
      return format_count(si);
    case Unit::fraction:
      return digits(si * 100) + "%";
    case Unit::seconds:
      return format_seconds(si);
    case Unit::usd:
      return format_money(si);
    case Unit::joules:  // a token's in joules, a datacenter's in watt-hours
      if (std::abs(si) < kWattHour) return with_prefix(si, kSmallPrefixes, "J");
      return with_prefix(si / kWattHour, kPrefixes, "Wh");
    case Unit::usd_per_joule:
      return fmt::format("{} $/kWh", digits(si * kWattHour * 1e3));
    case Unit::metres:
      return si >= 1e3 ? digits(si / 1e3) + " km" : digits(si) + " m";
    default:
      return with_prefix(si, kPrefixes, unit_text(unit).base);
  }
}

std::string exact_quantity(double si, Unit unit) {
  std::string text;
  if (spellings(unit).empty()) {
    append_exact(text, si);
    return text;
  }
  // The unit that gives the shortest number which is read back exactly: 192 GB, not 192000000000 B.
  // Rates of networks are counted in bits: 51.2 Tbps, not 6.4 TB/s.
  std::string best;
  for (const Spelling& spelling : spellings(unit)) {
    const bool in_bytes = unit == Unit::bits_per_second && spelling.name.ends_with("B/s");
    if (in_bytes && !best.empty()) continue;
    const double number = si / spelling.factor;
    if (number * spelling.factor != si) continue;
    if (!best.empty() && least_length(number) + 1 + spelling.name.size() > best.size()) continue;
    text.clear();
    append_exact(text, number);
    (text += ' ') += spelling.name;
    if (unit == Unit::usd && spelling.name.size() == 1) text += "USD";
    // Of equally short ones the larger unit: 3.35 TB/s, not 3350 GB/s.
    const bool large = unit == Unit::bytes_per_second && number >= 1 && text.size() == best.size();
    const bool better = best.empty() || text.size() < best.size() || large;
    if (better && spelling.name != "$" && parse_quantity(text, unit).si == si) best.swap(text);
  }
  return best.empty() ? fmt::format("{} {}", si, unit_text(unit).base) : best;
}

std::string written_quantity(double si, Unit unit) {
  std::string exact = exact_quantity(si, unit);
  if (exact.find("e-") == std::string::npos) return exact;
  constexpr int kDigits = 15;  // of a double, whatever its last place
  constexpr double kLarge = 1000;
  for (const Spelling& spelling : spellings(unit)) {
    const double number = si / spelling.factor;
    if (std::abs(number) >= 1 && std::abs(number) < kLarge)
      return fmt::format("{:.{}g} {}", number, kDigits, spelling.name);
  }
  return exact;
}

std::string_view unit_suffix(Unit unit) { return unit_text(unit).suffix; }

std::string_view base_unit_name(Unit unit) { return unit_text(unit).base; }

}  // namespace trainyard
