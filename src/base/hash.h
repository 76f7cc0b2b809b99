// A short name for a text: the identity of scenarios and catalogs in results.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// Of a text that comes in parts.
class TextHash {
 public:
  void add(std::string_view part);
  /// As text_hash() of all parts together.
  std::string digits() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

/// 16 hexadecimal digits (FNV-1a, 64 bits): identity, not security.
std::string text_hash(std::string_view text);

}  // namespace trainyard
