// Which of a flow's packets have been seen.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard::packet {

/// What lies before the first gap takes no memory, and what lies near it stands here.
class SequenceSet {
 public:
  bool has(std::uint32_t sequence) const { return (bits_of(sequence / 64) >> (sequence % 64) & 1U) != 0; }
  /// Bit i: whether `first` + i is one.
  std::uint64_t from(std::uint32_t first) const {
    const std::uint32_t word = first / 64;
    const std::uint32_t shift = first % 64;
    return shift == 0 ? bits_of(word) : bits_of(word) >> shift | bits_of(word + 1) << (64 - shift);
  }
  /// Bit i: whether `sequence` - `before` + i is one; `before` is below 64, and nothing lies before 0.
  std::uint64_t around(std::uint32_t sequence, std::uint32_t before) const {
    return sequence >= before ? from(sequence - before) : from(0) << (before - sequence);
  }
  /// The first that it has not.
  std::uint32_t first_missing() const {
    return base_ * 64 + static_cast<std::uint32_t>(std::countr_one(first_));
  }
  /// One behind the last; 0: it has none.
  std::uint32_t end() const {
    std::uint32_t word = base_ + static_cast<std::uint32_t>(later_.size());
    while (word > base_ && bits_of(word) == 0) --word;
    return word * 64 + static_cast<std::uint32_t>(std::bit_width(bits_of(word)));
  }
  /// Whether it was new.
  bool add(std::uint32_t sequence) {
    const std::uint32_t word = sequence / 64;
    if (word < base_) return false;
    if (word - base_ > later_.size()) later_.resize(word - base_, 0);
    std::uint64_t& bits = word == base_ ? first_ : later_[word - base_ - 1];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    if ((bits & bit) != 0) return false;
    bits |= bit;
    if (first_ == kFull) go_on();
    return true;
  }
  /// The first that is missing, at or after `from`.
  std::uint32_t first_missing(std::uint32_t from) const {
    if (from / 64 < base_) from = base_ * 64;
    while (from / 64 - base_ <= later_.size()) {
      const std::uint64_t rest = ~bits_of(from / 64) >> (from % 64);
      if (rest != 0) return from + static_cast<std::uint32_t>(__builtin_ctzll(rest));
      from = (from / 64 + 1) * 64;
    }
    return from;
  }
  /// Whether all of them are below `count`.
  bool within(std::uint32_t count) const {
    const std::uint32_t last = count / 64;
    if (base_ > last || later_.size() > last - base_) return false;
    return bits_of(last) >> (count % 64) == 0;
  }
  std::size_t bytes() const { return later_.capacity() * sizeof(later_[0]); }
  template <class Archive>
  void serialize(Archive& a) {
    a(base_, first_, later_);
  }

 private:
  static constexpr std::uint64_t kFull = ~std::uint64_t{0};

  std::uint64_t bits_of(std::uint32_t word) const {
    if (word <= base_) return word == base_ ? first_ : kFull;
    return word - base_ <= later_.size() ? later_[word - base_ - 1] : 0;
  }

  void go_on() {
    std::size_t full = 0;
    while (full < later_.size() && later_[full] == kFull) ++full;
    first_ = full < later_.size() ? later_[full] : 0;
    base_ += static_cast<std::uint32_t>(full) + 1;
    const std::size_t gone = std::min(full + 1, later_.size());
    later_.erase(later_.begin(), later_.begin() + static_cast<std::ptrdiff_t>(gone));
  }

  std::uint32_t base_ = 0;   // words before it are full
  std::uint64_t first_ = 0;  // that word, which is not
  std::vector<std::uint64_t> later_;
};

/// Whether bits of SequenceSet::around() are all of the first `count`.
inline bool bits_within(std::uint64_t bits, std::uint32_t sequence, std::uint32_t before,
                        std::uint32_t count) {
  if (bits == 0) return true;
  const std::int64_t first = std::int64_t{sequence} - before;
  return first + std::countr_zero(bits) >= 0 && first + 63 - std::countl_zero(bits) < count;
}

}  // namespace trainyard::packet
