// Texts that are compared without regard to capitals.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace trainyard {

/// Capitals of ASCII as small letters, everything else as it is.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

}  // namespace trainyard
