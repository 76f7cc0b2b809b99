#include "scenario/value_lists.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <cstdint>

#include "base/document.h"

namespace trainyard {

bool scalar_text(std::string& out, const Value& value) {
  if (const auto* s = value.as<std::string>()) {
    out = *s;
  } else if (const auto* i = value.as<std::int64_t>()) {
    out = std::to_string(*i);
  } else if (const auto* d = value.as<double>(); d && std::isfinite(*d)) {
    out = fmt::format("{}", *d);
  } else if (const auto* b = value.as<bool>()) {
    out = *b ? "true" : "false";
  } else {
    return false;
  }
  return true;
}

bool split_number(std::string_view text, NumberWithUnit& out) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out.number);
  out.unit = std::string(end, text.data() + text.size());
  return code == std::errc{} && std::isfinite(out.number);
}

}  // namespace trainyard
