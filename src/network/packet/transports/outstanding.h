// Packets under way, in the order in which they were sent.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bounds.h"
#include "base/prefetch.h"
#include "network/packet/packet.h"

namespace trainyard::packet {

/// A ring buffer ordered by sending time.
class Outstanding {
 public:
  struct Entry {
    Picoseconds sent = 0;
    std::uint32_t sequence = 0;
    bool open = false;  // neither acknowledged nor taken for lost

    template <class Archive>
    void serialize(Archive& a) {
      a(sent, sequence, open);
    }
  };

  void add(Picoseconds sent, std::uint32_t sequence, bool open = true) {
    if (count_ == ring_.size()) grow();
    ring_[(head_ + count_++) & (ring_.size() - 1)] = {sent, sequence, open};
  }
  bool empty() const { return count_ == 0; }
  std::uint32_t size() const { return count_; }
  Entry& front() { return at(0); }
  bool is_full() const { return count_ == ring_.size(); }
  void pop_front() {
    head_ = (head_ + 1) & static_cast<std::uint32_t>(ring_.size() - 1);
    --count_;
  }

  /// The entry of this packet, or nothing.
  Entry* find(Picoseconds sent, std::uint32_t sequence) {
    std::uint32_t low = 0;
    if (count_ == 0 || at(0).sent != sent) {
      std::uint32_t high = count_;
      while (low < high) {
        const std::uint32_t middle = (low + high) / 2;
        if (at(middle).sent < sent) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
    }
    for (; low < count_ && at(low).sent == sent; ++low) {
      if (at(low).sequence == sequence) return &at(low);
    }
    return nullptr;
  }

  /// The open entry of this packet, or nothing: near the front, as a rule.
  Entry* find_open(std::uint32_t sequence) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (at(i).open && at(i).sequence == sequence) return &at(i);
    }
    return nullptr;
  }

  /// Forgets what is settled at the front.
  void drop_settled() {
    while (count_ > 0 && !at(0).open) pop_front();
  }
  /// Forgets those that `keeps(entry)` not.
  template <class Keeps>
  void keep(const Keeps& keeps) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (keeps(at(i))) at(kept++) = at(i);
    }
    count_ = kept;
  }
  Entry& at(std::uint32_t index) { return ring_[(head_ + index) & (ring_.size() - 1)]; }
  /// How many are open; nobody's, ~0, where one is no packet below `packets`.
  std::uint32_t open_below(std::uint32_t packets) const {
    std::uint32_t open = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const Entry& entry = ring_[(head_ + i) & (ring_.size() - 1)];
      if (entry.sequence >= packets) return ~std::uint32_t{0};
      open += entry.open ? 1 : 0;
    }
    return open;
  }
  /// Whether all were sent by then.
  bool sent_by(Picoseconds now) const {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (ring_[(head_ + i) & (ring_.size() - 1)].sent > now) return false;
    }
    return true;
  }
  /// Fetches the oldest, and where the next one goes.
  void prefetch() const {
    prefetch_line(ring_.data() + head_);
    prefetch_line(ring_.data() + ((head_ + count_) & (ring_.size() - 1)));
  }
  void clear() { head_ = count_ = 0; }
  std::size_t bytes() const { return ring_.capacity() * sizeof(Entry); }
  template <class Archive>
  void serialize(Archive& a) {
    a(ring_, head_, count_);
    const bool fits = (ring_.size() & (ring_.size() - 1)) == 0 && count_ <= ring_.size();
    keep_bounds(fits && (head_ < ring_.size() || (head_ == 0 && ring_.empty())));
  }

  void grow() {
    std::vector<Entry> larger(ring_.empty() ? kSmallest : 2 * ring_.size());
    for (std::uint32_t i = 0; i < count_; ++i) larger[i] = at(i);
    ring_ = std::move(larger);
    head_ = 0;
  }

 private:
  static constexpr std::size_t kSmallest = 16;

  std::vector<Entry> ring_;
  std::uint32_t head_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace trainyard::packet
