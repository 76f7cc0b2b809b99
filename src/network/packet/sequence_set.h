// Which of a flow's packets have been seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard::packet {

/// What lies before the first gap takes no memory.
class SequenceSet {
 public:
  bool has(std::uint32_t sequence) const {
    const std::uint32_t word = sequence / 64;
    if (word < base_) return true;
    return word - base_ < words_.size() && (words_[word - base_] >> (sequence % 64) & 1U) != 0;
  }
  /// Whether it was new.
  bool add(std::uint32_t sequence) {
    const std::uint32_t word = sequence / 64;
    if (word < base_) return false;
    if (word - base_ >= words_.size()) words_.resize(word - base_ + 1, 0);
    std::uint64_t& bits = words_[word - base_];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    if ((bits & bit) != 0) return false;
    bits |= bit;
    if (words_.size() >= kTrim && words_[kTrim - 1] == kFull) trim();
    return true;
  }
  /// The first that is missing, at or after `from`.
  std::uint32_t first_missing(std::uint32_t from) const {
    if (from / 64 < base_) from = base_ * 64;
    while (from / 64 - base_ < words_.size()) {
      const std::uint64_t rest = ~words_[from / 64 - base_] >> (from % 64);
      if (rest != 0) return from + static_cast<std::uint32_t>(__builtin_ctzll(rest));
      from = (from / 64 + 1) * 64;
    }
    return from;
  }
  /// Whether all of them are below `count`.
  bool within(std::uint32_t count) const {
    if (base_ > count / 64 || words_.size() > count / 64 + 1 - base_) return false;
    const bool ends = words_.size() == count / 64 + 1 - base_;
    return !ends || (words_.back() >> (count % 64)) == 0;
  }
  std::size_t bytes() const { return words_.capacity() * sizeof(words_[0]); }
  template <class Archive>
  void serialize(Archive& a) {
    a(base_, words_);
  }

 private:
  static constexpr std::uint64_t kFull = ~std::uint64_t{0};
  static constexpr std::size_t kTrim = 4;

  void trim() {
    std::size_t full = 0;
    while (full < words_.size() && words_[full] == kFull) ++full;
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(full));
    base_ += static_cast<std::uint32_t>(full);
  }

  std::uint32_t base_ = 0;  // words before it are full
  std::vector<std::uint64_t> words_;
};

}  // namespace trainyard::packet
