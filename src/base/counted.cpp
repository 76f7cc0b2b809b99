#include "base/counted.h"

#include <fmt/core.h>

namespace trainyard {

std::string plural_of(std::string_view noun) {
  const auto ends = [&](std::string_view end) { return noun.ends_with(end); };
  if (ends("s") || ends("sh") || ends("ch") || ends("x")) return std::string(noun) + "es";
  const bool vowel_before =
      noun.size() > 1 && std::string_view("aeiou").find(noun[noun.size() - 2]) != std::string_view::npos;
  if (ends("y") && !vowel_before) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + "s";
}

std::string counted(std::string_view shown, std::string_view noun) {
  return fmt::format("{} {}", shown, shown == "1" ? std::string(noun) : plural_of(noun));
}

}  // namespace trainyard
