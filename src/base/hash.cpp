#include "base/hash.h"

#include <fmt/core.h>

namespace trainyard {

void TextHash::add(std::string_view part) {
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  for (const char c : part) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * kPrime;
}

std::string TextHash::digits() const { return fmt::format("{:016x}", hash_); }

std::string text_hash(std::string_view text) {
  TextHash hash;
  hash.add(text);
  return hash.digits();
}

}  // namespace trainyard
