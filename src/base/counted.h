// A count with its noun, as people write it: the one place that knows plurals.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <string>
#include <string_view>

namespace trainyard {

/// "stages" of "stage", "switches" of "switch", "copies" of "copy", "ways" of "way".
inline std::string plural_of(std::string_view noun) {
  const auto ends = [&](std::string_view end) { return noun.ends_with(end); };
  if (ends("s") || ends("sh") || ends("ch") || ends("x")) return std::string(noun) + "es";
  const bool vowel_before =
      noun.size() > 1 && std::string_view("aeiou").find(noun[noun.size() - 2]) != std::string_view::npos;
  if (ends("y") && !vowel_before) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + "s";
}

/// "1 stage", "12,288 devices", "1.5 replicas": of a number as it is shown.
inline std::string counted(std::string_view shown, std::string_view noun) {
  return fmt::format("{} {}", shown, shown == "1" ? std::string(noun) : plural_of(noun));
}

template <std::integral T>
std::string counted(T count, std::string_view noun) {
  return counted(fmt::format("{}", count), noun);
}

}  // namespace trainyard
