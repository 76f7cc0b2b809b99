#include "trainyard/printable.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

namespace trainyard {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// Of UTF-8 (RFC 3629), at the beginning of a text that is not empty.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  char32_t code = lead & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kFirst[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kFirst[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes, true};
}

/// Whether a terminal would obey it, not show it: C0, DEL and C1, and the bidirectional controls (UAX #9).
bool is_command(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  return c < ' ' || within(0x7F, 0x9F) || c == 0x61C || within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
         within(0x2066, 0x2069) || c == 0xFEFF;
}

/// Of ASCII, what is shown.
bool is_plain(char c) { return (c >= ' ' && c < 0x7F) || c == '\n' || c == '\t'; }

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const auto other =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out += text.substr(0, other);
    text.remove_prefix(other);
    if (text.empty()) return out;
    const Character c = first_of(text);
    if (!c.valid) {
      out += kReplacement;
    } else if (is_command(c.code)) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code));
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes);
  }
}

std::string elided(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t end = most / 4;
  return fmt::format("{} ... {}", text.substr(0, most - end), text.substr(text.size() - end));
}

}  // namespace trainyard
