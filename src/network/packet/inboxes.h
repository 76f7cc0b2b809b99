// Packets in flight to each node, by window of arrival.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.h"
#include "base/prefetch.h"

namespace trainyard::packet {

/// Chunks of packets that are recycled. Every producer (a thread) has an object of its own; whoever takes the
/// packets keeps the chunks.
///
/// Of the chunk that a node's packets go to now only the place of the next one is known: chunks lie at
/// multiples of their size and end with a packet, so that the place says whether the chunk is full, and
/// nothing else is read.
template <class P>
class Inboxes {
 public:
  /// Of chunks, for nodes that so many packets reach in a window: of large ones with few packets only the
  /// beginnings would be used, which compete for the same few lines of a cache.
  static std::size_t chunk_for(std::size_t packets) {
    return packets < kFew && kFew * sizeof(P) <= kSmallChunk ? kSmallChunk : kLargeChunk;
  }

  Inboxes(std::size_t nodes, std::size_t slots, std::size_t chunk_bytes)
      : nodes_(nodes),
        chunk_bytes_(chunk_bytes),
        next_(nodes * slots, kNone),
        in_slot_(slots, 0),
        blocks_(chunk_bytes) {}

  /// Where it stands now.
  [[gnu::always_inline]] P& put(std::size_t slot, std::uint32_t node, const P& packet) {
    std::uintptr_t& next = next_[slot * nodes_ + node];
    if (is_full(next)) [[unlikely]]
      next = begin_chunk(next);
    P& out = *std::bit_cast<P*>(next);
    next += sizeof(P);
    // The next packets of this chunk come when the processor has turned to others.
    prefetch_line(std::bit_cast<const void*>(next + kAhead));
    if constexpr (sizeof(P) > kAhead) prefetch_line(std::bit_cast<const void*>(next + sizeof(P)));
    out = packet;
    ++in_slot_[slot];
    ++put_;
    return out;
  }

  /// How many slots from this one on, in the ring, hold nothing; as many as there are: none holds anything.
  std::size_t unused_from(std::size_t slot) const {
    const auto begin = in_slot_.begin() + static_cast<std::ptrdiff_t>(slot);
    const auto is_used = [](std::uint64_t packets) { return packets != 0; };
    const auto used = std::find_if(begin, in_slot_.end(), is_used);
    if (used != in_slot_.end()) return static_cast<std::size_t>(used - begin);
    return in_slot_.size() - slot +
           static_cast<std::size_t>(std::find_if(in_slot_.begin(), begin, is_used) - in_slot_.begin());
  }
  /// All nodes have taken what it held.
  void close(std::size_t slot) { in_slot_[slot] = 0; }
  bool empty(std::size_t slot, std::uint32_t node) const { return next_[slot * nodes_ + node] == kNone; }

  /// Fetches what will be taken of a node; there need not be one.
  void prefetch(std::size_t slot, std::uint32_t node) const {
    std::size_t count = 0;
    if (node >= nodes_) return;
    const std::uintptr_t next = next_[slot * nodes_ + node];
    if (const Chunk* chunk = last_chunk(next, count)) prefetch(chunk, next);
  }

  /// Calls visit(packet) for the last that were put for a node, at most `most` of them; there need not be
  /// any.
  template <class Visit>
  [[gnu::always_inline]] void peek(std::size_t slot, std::uint32_t node, std::size_t most,
                                   const Visit& visit) const {
    std::size_t count = 0;
    if (node >= nodes_) return;
    const Chunk* chunk = last_chunk(next_[slot * nodes_ + node], count);
    if (!chunk) return;
    const P* packets = packets_of(chunk);
    for (std::size_t i = count - std::min(count, most); i < count; ++i) visit(packets[i]);
  }

  /// Moves what `from` holds for a node to `out`, in no particular order, and its chunks to this pool.
  void collect(Inboxes& from, std::size_t slot, std::uint32_t node, std::vector<P>& out) {
    std::uintptr_t& next = from.next_[slot * nodes_ + node];
    std::size_t count = 0;
    for (Chunk* chunk = last_chunk(next, count); chunk; count = packets_of_chunk()) {
      Chunk* before = chunk->before;
      if (before) prefetch(before, std::bit_cast<std::uintptr_t>(before) + chunk_bytes_);
      const P* packets = packets_of(chunk);
      out.insert(out.end(), packets, packets + count);
      taken_ += count;
      chunk->before = free_;
      free_ = chunk;
      chunk = before;
    }
    next = kNone;
  }

  /// Calls visit(slot, node, packet) for everything that it holds.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      std::size_t count = 0;
      for (const Chunk* at = last_chunk(next_[i], count); at; at = at->before, count = packets_of_chunk()) {
        for (std::size_t p = 0; p < count; ++p)
          visit(i / nodes_, static_cast<std::uint32_t>(i % nodes_), packets_of(at)[p]);
      }
    }
  }

  /// Packets put and taken since the start; in flight are the differences of all producers' sums.
  std::uint64_t put_count() const { return put_; }
  std::uint64_t taken_count() const { return taken_; }
  std::size_t bytes() const { return blocks_.bytes() + next_.capacity() * sizeof(std::uintptr_t); }

 private:
  static constexpr std::size_t kSmallChunk = 256;
  static constexpr std::size_t kLargeChunk = 2048;
  static constexpr std::size_t kFew = 5;
  static constexpr std::size_t kAhead = 64;
  static constexpr std::uintptr_t kNone = 0;  // there is no chunk
  /// The beginning of one; packets fill its end.
  struct Chunk {
    Chunk* before;  // filled before
  };
  static_assert(sizeof(Chunk) + sizeof(P) <= kLargeChunk && alignof(P) <= alignof(Chunk));

  std::size_t packets_of_chunk() const { return (chunk_bytes_ - sizeof(Chunk)) / sizeof(P); }
  std::uintptr_t first_place(const Chunk* chunk) const {
    return std::bit_cast<std::uintptr_t>(chunk) + chunk_bytes_ - packets_of_chunk() * sizeof(P);
  }
  const P* packets_of(const Chunk* chunk) const { return std::bit_cast<const P*>(first_place(chunk)); }

  /// The beginning of what will be copied, from which the processor goes on by itself, and where it leads to;
  /// packets end at `end`.
  static void prefetch(const Chunk* chunk, std::uintptr_t end) {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kLines = 6;
    const auto begin = std::bit_cast<std::uintptr_t>(chunk);
    for (std::uintptr_t at = begin; at < std::min(end, begin + kLines * kLine); at += kLine)
      prefetch_line(std::bit_cast<const void*>(at));
  }

  bool is_full(std::uintptr_t next) const { return (next & (chunk_bytes_ - 1)) == 0; }
  /// The chunk of a place, and how many packets stand before it there.
  Chunk* last_chunk(std::uintptr_t next, std::size_t& count) const {
    if (next == kNone) return nullptr;
    auto* chunk = std::bit_cast<Chunk*>((next - 1) & ~(chunk_bytes_ - 1));
    count = (next - first_place(chunk)) / sizeof(P);
    return chunk;
  }

  [[gnu::noinline]] std::uintptr_t begin_chunk(std::uintptr_t full) {
    Chunk* chunk = free_;
    if (chunk) {
      free_ = chunk->before;
    } else {
      chunk = static_cast<Chunk*>(blocks_.take());
    }
    chunk->before = full == kNone ? nullptr : std::bit_cast<Chunk*>(full - chunk_bytes_);
    return first_place(chunk);
  }

  std::size_t nodes_;
  std::size_t chunk_bytes_;             // a power of two
  std::vector<std::uintptr_t> next_;    // place of the next packet, by slot and node
  std::vector<std::uint64_t> in_slot_;  // packets put since a slot was closed
  PieceBlocks blocks_;
  Chunk* free_ = nullptr;
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace trainyard::packet
