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
  Picoseconds start = 0;

  Picoseconds received = kNever;  // the last byte reached the receiver
  Picoseconds finished = kNever;  // the sender knows
};

/// Which of a flow's packets have been seen.
class SequenceSet {
 public:
  void resize(std::uint32_t packets) { words_.assign((packets + 63) / 64, 0); }
  bool has(std::uint32_t sequence) const { return (words_[sequence / 64] >> (sequence % 64) & 1U) != 0; }
  /// Whether it was new.
  bool add(std::uint32_t sequence) {
    std::uint64_t& word = words_[sequence / 64];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }
  /// The first that is missing, at or after `from`.
  std::uint32_t first_missing(std::uint32_t from) const {
    while (from / 64 < words_.size() && has(from)) ++from;
    return from;
  }
  std::size_t bytes() const { return words_.capacity() * sizeof(words_[0]); }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace trainyard::packet
