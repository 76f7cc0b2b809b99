// Numbers and names for people: as text, drawings and pages show them.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>

#include "trainyard/units.h"

namespace trainyard {

/// Four digits with a prefix: "989.4 TFLOP/s"; of fractions a percentage: 4.95%.
std::string show(double value, Unit unit);

template <Dimension D>
std::string show(Quantity<D> quantity) {
  return show(quantity.si(), unit_of<Quantity<D>>());
}

/// A measure that need not be known.
std::string show_known(double value, Unit unit);

inline std::string show_share(double share) { return show(share, Unit::fraction); }

/// Whole numbers, four digits of large ones.
template <class T>
std::string show_count(T count) {
  static_assert(std::is_arithmetic_v<T>);
  return show(static_cast<double>(count), Unit::count);
}

/// 96.03T, 13.02B: parameters and tokens.
inline std::string show_many(double number) { return show(number, Unit::number); }

/// So many decimals; powers of ten of numbers so large that digits say nothing.
std::string fixed(double value, int decimals);

/// Rounded, in groups of three digits: 12,345.
std::string grouped(double value);

/// The same of large numbers, of others so many digits: 12,345 and 0.123.
std::string grouped_or(int digits, double value);

template <std::integral T>
std::string grouped(T count) {
  return grouped(static_cast<double>(count));
}

std::string grouped(const std::optional<double>& value, const char* otherwise = "-");

/// At most so many bytes, cut between letters.
std::string shortened(const std::string& text, std::size_t bytes);

}  // namespace trainyard
