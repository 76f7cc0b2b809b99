// What few counts settle, computed once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "base/mixing.h"

namespace trainyard {

/// Values by keys of N counts. Not to be shared by threads.
template <std::size_t N, class Value>
class Memo {
 public:
  using Key = std::array<std::int64_t, N>;

  /// The value of a key, made where it is asked for the first time; valid until the next call.
  template <class Make>
  const Value& of(const Key& key, const Make& make) {
    const auto found = values_.find(key);
    if (found != values_.end()) return found->second;
    if (values_.size() >= kMost) values_.clear();
    return values_.emplace(key, make()).first->second;
  }

 private:
  static constexpr std::size_t kMost = 100'000;  // so that no search takes memory without end

  struct Hash {
    std::size_t operator()(const Key& key) const {
      constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
      std::uint64_t sum = 0;
      for (const std::int64_t part : key) sum = sum * kOdd + static_cast<std::uint64_t>(part);
      return mixed(sum);
    }
  };

  std::unordered_map<Key, Value, Hash> values_;
};

}  // namespace trainyard
