// Whole numbers for people.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <string>

namespace trainyard {

/// Rounded, in groups of three digits: 12,345.
inline std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return (value < -0.5 ? "-" : "") + digits;
}

inline std::string grouped(const std::optional<double>& value, const char* otherwise = "-") {
  return value ? grouped(*value) : otherwise;
}

}  // namespace trainyard
