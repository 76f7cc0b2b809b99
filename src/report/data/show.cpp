#include "report/data/show.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>

#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// Beyond it digits say nothing, and numbers are in powers of ten.
constexpr double kMostDigits = 1e15;

}  // namespace

std::string show(double value, Unit unit) { return format_quantity(value, unit); }

std::string show_known(double value, Unit unit) {
  return std::isfinite(value) ? format_quantity(value, unit) : "unknown";
}

std::string fixed(double value, int decimals) {
  return std::abs(value) < kMostDigits ? fmt::format("{:.{}f}", value, decimals)
                                       : fmt::format("{:.4g}", value);
}

std::string grouped(double value) {
  if (std::abs(value) >= kMostDigits) return fmt::format("{:.4g}", value);
  std::string digits = fmt::format("{:.0f}", std::abs(value));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return (value < -0.5 ? "-" : "") + digits;
}

std::string grouped_or(int digits, double value) {
  constexpr double kLarge = 999.5;  // rounds to four digits
  return std::abs(value) < kLarge ? fmt::format("{:.{}g}", value, digits) : grouped(value);
}

std::string grouped(const std::optional<double>& value, const char* otherwise) {
  return value ? grouped(*value) : otherwise;
}

std::string shortened(const std::string& text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes - 3;
  while (end > 0 && (text[end] & '\xC0') == '\x80') --end;
  return text.substr(0, end) + "...";
}

}  // namespace trainyard
