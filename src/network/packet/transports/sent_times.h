// When the packets under way were sent, for transports in which each packet has a timeout of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/bounds.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/outstanding.h"

namespace trainyard::packet {

/// Of repeats each has its time; of new packets every eighth, which stands for those before it. Times are
/// looked at when they are the oldest, or when room is short: what has arrived until then costs nothing when
/// word of it comes. A flow of fewer packets without repeats takes a pointer.
class SentTimes {
 public:
  void add_new(Picoseconds now, std::uint32_t sequence, const SequenceSet& acknowledged) {
    if (sequence % kNoted == kNoted - 1) add(now, sequence + 1, false, acknowledged);
  }
  void add_repeat(Picoseconds now, std::uint32_t sequence, const SequenceSet& acknowledged) {
    add(now, sequence, true, acknowledged);
  }
  /// The oldest time of packets that are not all known to have arrived; kNever: there is none.
  Picoseconds oldest(const SequenceSet& acknowledged) {
    if (!held_) return kNever;
    drop_settled(acknowledged);
    return held_->times.empty() ? kNever : held_->times.front().sent;
  }
  /// Calls `lost(sequence)`, in ascending order, for each packet that was sent before `silent`, new ones
  /// eight before the latest that has arrived, or before `next` in any case, and has neither arrived nor been
  /// sent once more nor waits for that among `repeats`.
  template <class Repeats, class Lost>
  void lose(Picoseconds silent, std::uint32_t next, const SequenceSet& acknowledged, const Repeats& repeats,
            const Lost& lost) {
    Outstanding& times = held().times;
    std::vector<std::uint32_t> sequences;
    std::uint32_t noted = 0;
    for (; !times.empty() && times.front().sent < silent; times.pop_front()) {
      const Outstanding::Entry& entry = times.front();
      if (!entry.open) {
        noted = std::max(noted, entry.sequence);
      } else if (!acknowledged.has(entry.sequence)) {
        sequences.push_back(entry.sequence);
      }
    }
    // Receivers answer for several: what has arrived may be named only with those that follow.
    const std::uint32_t overtaken = acknowledged.end() - std::min(acknowledged.end(), kNoted);
    add_new_before(std::max(next, std::min(noted, overtaken)), acknowledged, sequences);
    if (!sequences.empty()) lose(sequences, repeats, lost);
  }
  void clear() { held_.reset(); }

  std::size_t bytes() const { return held_ ? sizeof(Held) + held_->times.bytes() : 0; }
  template <class Archive>
  void serialize(Archive& a) {
    bool any = held_ != nullptr;
    a(any);
    if (any) a(held().times, held().judged);
  }
  /// Whether a restored state can go on: of so many packets, sent by now.
  bool in_bounds(std::uint32_t packets, Picoseconds now) const {
    if (!held_) return true;
    if (held_->judged > packets || !held_->times.sent_by(now)) return false;
    for (std::uint32_t i = 0; i < held_->times.size(); ++i) {
      const Outstanding::Entry& entry = held_->times.at(i);
      if (entry.sequence > packets || (entry.open && entry.sequence == packets)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kNoted = 8;

  struct Held {
    Outstanding times;         // open: a repeat; else the packets before a sequence
    std::uint32_t judged = 0;  // new packets before it have been silent for their timeout
  };
  Held& held() {
    if (!held_) held_ = std::make_unique<Held>();
    return *held_;
  }

  /// Seldom called, and kept out of what sends every packet.
  [[gnu::noinline]] void add(Picoseconds now, std::uint32_t sequence, bool repeat,
                             const SequenceSet& acknowledged) {
    if (held().times.is_full()) make_room(acknowledged);
    held_->times.add(now, sequence, repeat);
  }
  static bool settled(const Outstanding::Entry& entry, const SequenceSet& acknowledged) {
    return entry.open ? acknowledged.has(entry.sequence) : acknowledged.first_missing() >= entry.sequence;
  }
  void drop_settled(const SequenceSet& acknowledged) {
    Outstanding& times = held_->times;
    while (!times.empty() && settled(times.front(), acknowledged)) times.pop_front();
  }
  /// So much that what is dropped is in proportion to what is looked at.
  void make_room(const SequenceSet& acknowledged) {
    Outstanding& times = held_->times;
    const std::uint32_t half = times.size() / 2;
    drop_settled(acknowledged);
    if (times.size() > half)
      times.keep([&](const Outstanding::Entry& entry) { return !settled(entry, acknowledged); });
    if (times.size() > half || times.bytes() == 0) times.grow();
  }
  /// Those before `judged` are repeats since then, if they are under way.
  void add_new_before(std::uint32_t next, const SequenceSet& acknowledged,
                      std::vector<std::uint32_t>& sequences) {
    std::uint32_t s = acknowledged.first_missing(held_->judged);
    for (; s < next; s = acknowledged.first_missing(s + 1)) sequences.push_back(s);
    held_->judged = std::max(held_->judged, next);
  }
  template <class Repeats, class Lost>
  void lose(std::vector<std::uint32_t>& sequences, const Repeats& repeats, const Lost& lost) {
    std::sort(sequences.begin(), sequences.end());
    sequences.erase(std::unique(sequences.begin(), sequences.end()), sequences.end());
    std::vector<char> goes_on(sequences.size());
    const auto note = [&](std::uint32_t sequence) {
      const auto at = std::lower_bound(sequences.begin(), sequences.end(), sequence);
      if (at != sequences.end() && *at == sequence)
        goes_on[static_cast<std::size_t>(at - sequences.begin())] = 1;
    };
    for (const std::uint32_t sequence : repeats) note(sequence);
    for (std::uint32_t i = 0; i < held_->times.size(); ++i) {
      if (held_->times.at(i).open) note(held_->times.at(i).sequence);
    }
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (goes_on[i] == 0) lost(sequences[i]);
    }
  }

  std::unique_ptr<Held> held_;
};

}  // namespace trainyard::packet
