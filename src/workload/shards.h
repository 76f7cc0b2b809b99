// How a buffer is cut into packets of which each belongs to one rank.
#pragma once

#include <algorithm>
#include <cstdint>

namespace trainyard::workload {

/// A buffer in shards whose sizes differ by at most a byte, the larger ones first; a packet holds bytes of
/// one shard.
class Shards {
 public:
  Shards(std::uint64_t bytes, std::uint32_t shards, std::uint64_t payload_bytes)
      : payload_(payload_bytes),
        larger_(bytes % shards),
        bytes_(bytes / shards),
        packets_(packets_of(bytes_)),
        larger_packets_(packets_of(bytes_ + 1)),
        count_(larger_ * larger_packets_ + (shards - larger_) * packets_) {}

  /// Packets of all shards.
  std::uint64_t count() const { return count_; }
  /// The shard that a packet is part of.
  std::uint32_t shard(std::uint64_t packet) const {
    const std::uint64_t of_larger = larger_ * larger_packets_;
    return static_cast<std::uint32_t>(packet < of_larger ? packet / larger_packets_
                                                         : larger_ + (packet - of_larger) / packets_);
  }
  /// The first packet of a shard; of the shard behind the last, the end.
  std::uint64_t begin(std::uint32_t shard) const {
    return std::min<std::uint64_t>(shard, larger_) * larger_packets_ +
           (shard - std::min<std::uint64_t>(shard, larger_)) * packets_;
  }
  /// Bytes that a packet carries.
  std::uint64_t payload(std::uint64_t packet) const {
    const std::uint32_t at = shard(packet);
    return std::min(payload_, bytes_ + (at < larger_ ? 1 : 0) - (packet - begin(at)) * payload_);
  }

 private:
  std::uint64_t packets_of(std::uint64_t bytes) const { return (bytes + payload_ - 1) / payload_; }

  std::uint64_t payload_;
  std::uint64_t larger_;  // shards that have a byte more than
  std::uint64_t bytes_;   // the others
  std::uint64_t packets_;
  std::uint64_t larger_packets_;
  std::uint64_t count_;
};

}  // namespace trainyard::workload
