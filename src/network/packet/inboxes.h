// Packets in flight to each node, by window of arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace trainyard::packet {

/// Chunks of packets that are recycled. Every producer (a thread) has an object of its own; whoever takes the
/// packets keeps the chunks.
template <class P>
class Inboxes {
 public:
  Inboxes(std::size_t nodes, std::size_t slots)
      : nodes_(nodes), heads_(nodes * slots, nullptr), used_slots_(slots, 0) {}

  /// Where it stands now.
  P& put(std::size_t slot, std::uint32_t node, const P& packet) {
    Chunk*& head = heads_[slot * nodes_ + node];
    if (!head || head->count == kChunk) {
      Chunk* fresh = take_chunk();
      fresh->next = head;
      head = fresh;
    }
    P& out = head->packets[head->count++];
    out = packet;
    used_slots_[slot] = 1;
    ++put_;
    return out;
  }

  /// How many slots from this one on, in the ring, hold nothing; as many as there are: none holds anything.
  std::size_t unused_from(std::size_t slot) const {
    std::size_t out = 0;
    while (out < used_slots_.size() && used_slots_[(slot + out) % used_slots_.size()] == 0) ++out;
    return out;
  }
  /// All nodes have taken what it held.
  void close(std::size_t slot) { used_slots_[slot] = 0; }
  bool empty(std::size_t slot, std::uint32_t node) const { return !heads_[slot * nodes_ + node]; }

  /// Moves what `from` holds for a node to `out`, in no particular order, and its chunks to this pool.
  void collect(Inboxes& from, std::size_t slot, std::uint32_t node, std::vector<P>& out) {
    Chunk*& head = from.heads_[slot * nodes_ + node];
    for (Chunk* at = head; at;) {
      out.insert(out.end(), at->packets, at->packets + at->count);
      taken_ += at->count;
      Chunk* next = at->next;
      at->next = free_;
      free_ = at;
      at = next;
    }
    head = nullptr;
  }

  /// Calls visit(slot, node, packet) for everything that it holds.
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      for (const Chunk* at = heads_[i]; at; at = at->next) {
        for (std::uint32_t p = 0; p < at->count; ++p)
          visit(i / nodes_, static_cast<std::uint32_t>(i % nodes_), at->packets[p]);
      }
    }
  }

  /// Packets put and taken since the start; in flight are the differences of all producers' sums.
  std::uint64_t put_count() const { return put_; }
  std::uint64_t taken_count() const { return taken_; }
  std::size_t bytes() const {
    return blocks_.size() * kBlock * sizeof(Chunk) + heads_.capacity() * sizeof(void*);
  }

 private:
  static constexpr std::uint32_t kChunk = 2032 / sizeof(P);
  static constexpr std::uint32_t kBlock = 64;
  struct Chunk {
    Chunk* next;
    std::uint32_t count;
    P packets[kChunk];
  };

  Chunk* take_chunk() {
    if (free_) {
      Chunk* chunk = free_;
      free_ = chunk->next;
      chunk->count = 0;
      return chunk;
    }
    if (used_ == kBlock || blocks_.empty()) {
      blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(kBlock));
      used_ = 0;
    }
    Chunk* chunk = &blocks_.back()[used_++];
    chunk->count = 0;
    return chunk;
  }

  std::size_t nodes_;
  std::vector<Chunk*> heads_;
  std::vector<char> used_slots_;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  Chunk* free_ = nullptr;
  std::uint32_t used_ = 0;  // of the last block
  std::uint64_t put_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace trainyard::packet
