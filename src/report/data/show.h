// Numbers and names for people: as text, drawings and pages show them.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>

#include "trainyard/quantity_text.h"
#include "trainyard/units.h"

namespace trainyard {

template <Dimension D>
std::string show(Quantity<D> quantity) {
  return format_quantity(quantity.si(), unit_of<Quantity<D>>());
}

/// 4.95%
/// A measure that need not be known.
inline std::string show_known(double value, Unit unit) {
  return std::isfinite(value) ? format_quantity(value, unit) : "unknown";
}

inline std::string show_share(double share) { return format_quantity(share, Unit::fraction); }

/// Whole numbers, four digits of large ones.
template <class T>
requires std::is_arithmetic_v<T> std::string show_count(T count) {
  return format_quantity(static_cast<double>(count), Unit::count);
}

/// 96.03T, 13.02B: parameters and tokens.
inline std::string show_many(double number) { return format_quantity(number, Unit::number); }

/// Beyond it digits say nothing, and numbers are in powers of ten.
constexpr double kMostDigits = 1e15;

/// So many decimals.
inline std::string fixed(double value, int decimals) {
  return std::abs(value) < kMostDigits ? fmt::format("{:.{}f}", value, decimals)
                                       : fmt::format("{:.4g}", value);
}

/// Rounded, in groups of three digits: 12,345.
inline std::string grouped(double value) {
  if (std::abs(value) >= kMostDigits) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return (value < -0.5 ? "-" : "") + digits;
}

template <class T>
requires std::is_integral_v<T> std::string grouped(T count) { return grouped(static_cast<double>(count)); }

inline std::string grouped(const std::optional<double>& value, const char* otherwise = "-") {
  return value ? grouped(*value) : otherwise;
}

/// At most so many bytes, cut between letters.
inline std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes - 3;
  while (end > 0 && (text[end] & '\xC0') == '\x80') --end;
  return text.substr(0, end) + "...";
}

}  // namespace trainyard
