// Transfers of collectives, step by step, for engines that move bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trainyard {

/// A size in nearly equal whole pieces.
struct Pieces {
  std::uint64_t bytes;
  std::uint64_t count;

  /// Of the pieces before this one.
  std::uint64_t before(std::uint64_t index) const {
    return bytes / count * index + std::min(index, bytes % count);
  }
  std::uint64_t of(std::uint64_t index) const { return before(index + 1) - before(index); }
};

/// Takes a schedule. In a step a rank sends at most once; what it was sent in the step before has to be
/// there.
class TransferSink {
 public:
  virtual ~TransferSink() = default;
  virtual void send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) = 0;
  virtual void end_step() = 0;
};

/// One collective of an algorithm.
struct CollectiveSchedule {
  std::string_view traffic;  // its name as simulation.traffic
  bool power_of_two;         // of ranks, or it is refused
  /// How many transfers run() makes among n ranks; n pieces of the buffer have a byte each at least.
  std::uint64_t (*transfers)(std::uint64_t ranks);
  /// Of `bytes` in each rank's buffer.
  void (*run)(std::uint32_t ranks, std::uint64_t bytes, TransferSink& sink);
};

/// Ranks of a ring, and what goes around it.
struct Ring {
  std::vector<std::uint32_t> ranks;
  std::uint64_t bytes;
};

/// `count` rings: the first through ranks 0, stride, 2 stride, ..., each other one `offset` further on.
std::vector<Ring> rings_of(std::uint32_t count, std::uint32_t members, std::uint32_t stride,
                           std::uint32_t offset, std::uint64_t bytes);

/// Once around rings of equal length: the member at i ends with the sum of piece i + 1.
void reduce_scatter(TransferSink& sink, const std::vector<Ring>& rings);
/// It begins with that piece, and all end with all pieces.
void all_gather(TransferSink& sink, const std::vector<Ring>& rings);

}  // namespace trainyard
