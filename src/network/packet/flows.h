// What is to be sent, and what became of it.
#pragma once

#include <cstdint>
#include <vector>

#include "network/packet/packet.h"

namespace trainyard::packet {

/// Bytes from one host to another.
struct Flow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t bytes = 0;
  Picoseconds start = 0;  // at the earliest

  Picoseconds began = kNever;     // with its predecessors done
  Picoseconds received = kNever;  // the last byte reached the receiver
  Picoseconds finished = kNever;  // the sender knows

  std::uint8_t priority = kDataPriority;  // of its data, where the transport has no priorities of its own

  /// Of the paths up from its leaf, l * uplinks_aggregation + a, where flows have one path each.
  static constexpr std::uint16_t kPathOfHash = 0xFFFF;
  std::uint16_t path = kPathOfHash;
  std::uint16_t path_back = kPathOfHash;  // of what the receiver sends
};

/// A flow that begins no sooner than another one has ended.
struct Dependency {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
  bool on_receipt = true;  // ended: its last byte was received; else: its sender knows
};

/// Which of a flow's packets have been seen. What lies before the first gap takes no memory.
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
