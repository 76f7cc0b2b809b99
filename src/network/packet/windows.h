// Windows of time, and the slots in which packets under way wait for theirs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bounds.h"
#include "network/packet/packet.h"
#include "network/wiring/layout.h"

namespace trainyard::packet {

/// The window at hand. All are as long as the shortest delay of a link, or a second; slots, used in a ring,
/// are as many as the longest way of a packet over a link takes windows. Where that is too many, packets from
/// afar wait in the farthest slot, from which they go on.
class Windows {
 public:
  /// `unbounded`: links may take any time.
  Windows(const Layout& layout, std::uint32_t largest_bytes, bool unbounded = false)
      : length_(std::min(layout.shortest_delay(), kLongest)),
        wanted_(unbounded ? kFarthest : slots_for(layout, largest_bytes)),
        slots_(std::min(slots_for(layout, largest_bytes),
                        std::max(kLeastSlots, kMostHeads / std::max<std::size_t>(1, layout.nodes.size())))),
        end_(length_) {}

  Picoseconds length() const { return length_; }
  Picoseconds begin() const { return begin_; }
  /// Of the window, or of the part of it that is at hand.
  Picoseconds end() const { return end_; }
  Picoseconds whole_end() const { return begin_ + length_; }
  bool is_cut() const { return end_ != whole_end(); }
  /// Of packets that arrive in this window.
  std::size_t slot() const { return slot_; }
  std::size_t slots() const { return slots_; }
  /// Whether packets may arrive later than their slot says.
  bool goes_on() const { return slots_ < wanted_; }

  /// Only what happens before that time in the window; the rest of it stays for later parts.
  void cut(Picoseconds time) { end_ = time; }
  void end_cut() { end_ = whole_end(); }

  void go_on() {
    begin_ = end_;
    end_ += length_;
    slot_ = (slot_ + 1) % slots_;
  }
  /// Goes on to the window of that time, where it lies ahead.
  void skip_to(Picoseconds time) {
    if (time < end()) return;
    const Picoseconds windows = (time - begin_) / length_;
    begin_ += windows * length_;
    end_ = begin_ + length_;
    slot_ = (slot_ + windows % slots_) % slots_;
  }

  /// Of packets that arrive at that time.
  std::size_t slot_of(Picoseconds arrival) const {
    if (slots_ <= kFewestSlots && !goes_on()) {
      // Which of them, nobody could guess: no branches.
      const Picoseconds second = begin_ + length_;
      const std::size_t at = slot_ + (arrival >= second ? 1 : 0) + (arrival >= second + length_ ? 1 : 0) +
                             (arrival >= second + 2 * length_ ? 1 : 0);
      return at < slots_ ? at : at - slots_;
    }
    if (goes_on()) return (slot_ + std::min<Picoseconds>((arrival - begin_) / length_, slots_ - 1)) % slots_;
    if (slots_ > kFewSlots) return (slot_ + (arrival - begin_) / length_) % slots_;
    std::size_t at = slot_;
    for (Picoseconds end = begin_ + length_; arrival >= end; end += length_)
      at = at + 1 == slots_ ? 0 : at + 1;
    return at;
  }
  /// Whether that is the slot of such an arrival, or one from which it goes on.
  bool is_slot(std::size_t wanted, Picoseconds arrival) const {
    if (arrival < begin_ || wanted >= slots_) return false;
    const Picoseconds windows = (arrival - begin_) / length_;
    if (goes_on()) return windows < wanted_ && (wanted + slots_ - slot_) % slots_ <= windows;
    return windows < slots_ && wanted == (slot_ + windows) % slots_;
  }

  template <class Archive>
  void serialize(Archive& a) {
    a(begin_, slot_);
    keep_bounds(slot_ < slots_ && begin_ % length_ == 0 && begin_ < kFarthest);
    end_ = begin_ + length_;
  }

 private:
  // A second: its times leave room beside them for a port in one word.
  static constexpr Picoseconds kLongest = Picoseconds{1} << 40U;
  static constexpr std::size_t kFewestSlots = 4;
  static constexpr std::size_t kFewSlots = 16;
  static constexpr std::size_t kLeastSlots = 64;
  static constexpr std::size_t kMostHeads = std::size_t{1} << 20U;  // one of each slot and node, of 8 bytes

  static std::size_t slots_for(const Layout& layout, std::uint32_t largest_bytes) {
    Picoseconds longest = 0;
    for (const LinkRules& link : layout.links)
      longest = std::max(longest, link.delay + link.time(largest_bytes));
    return static_cast<std::size_t>(longest / std::min(layout.shortest_delay(), kLongest)) + 2;
  }

  const Picoseconds length_;
  const std::size_t wanted_;
  const std::size_t slots_;
  Picoseconds begin_ = 0;
  Picoseconds end_;
  std::size_t slot_ = 0;
};

}  // namespace trainyard::packet
