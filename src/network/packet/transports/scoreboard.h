// What a sender knows of its packets: which are under way, have arrived, or are to be sent again.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "network/packet/fifo.h"
#include "network/packet/sequence_set.h"
#include "network/packet/transports/control_law.h"
#include "network/packet/transports/host_tools.h"
#include "network/packet/transports/outstanding.h"

namespace trainyard::packet {

/// Each packet by itself.
template <bool kGoBackN>
struct Scoreboard {
  SequenceSet acknowledged;
  Outstanding outstanding;
  Fifo<std::uint32_t> repeats;  // to be sent again, in this order
  std::uint32_t packets = 0;
  std::uint32_t next = 0;   // never sent yet
  std::uint32_t count = 0;  // acknowledged
  std::uint32_t under_way = 0;

  bool has_data() const { return !repeats.empty() || next < packets; }
  bool all_arrived() const { return count == packets; }

  /// The packet that is sent now; there is one.
  std::uint32_t take_next(Picoseconds now) {
    std::uint32_t sequence = next;
    if (repeats.empty()) {
      ++next;
    } else {
      sequence = repeats.front();
      repeats.pop_front();
      forget_repeats(repeats, acknowledged);
    }
    outstanding.add(now, sequence);
    ++under_way;
    return sequence;
  }

  /// Books what an acknowledgement says, of its own packet, of all before the first that is missing, and of
  /// those that its bits name; returns how many packets it is the first to report, each of which is told to
  /// `first(sequence)`.
  template <class P, class First>
  std::uint32_t settle(const P& packet, const First& first) {
    if (Outstanding::Entry* entry = outstanding.find(packet.sent, packet.sequence); entry && entry->open) {
      entry->open = false;
      --under_way;
    }
    const std::uint32_t before = count;
    if (acknowledged.add(packet.sequence)) {
      ++count;
      first(packet.sequence);
    }
    for (std::uint32_t s = acknowledged.first_missing(); s < packet.cumulative; ++s) settle_other(s, first);
    if constexpr (requires { packet.received_bits; }) {
      std::uint64_t news = packet.received_bits & ~acknowledged.around(packet.sequence, P::kBefore);
      for (; news != 0; news &= news - 1)
        settle_other(packet.sequence + static_cast<std::uint32_t>(std::countr_zero(news)) - P::kBefore,
                     first);
    }
    if (count != before) forget_repeats(repeats, acknowledged);
    return count - before;
  }

  // Losses: they add to `repeated` how many packets have to be sent again.

  /// A switch cut this packet's payload off; whether that is news.
  bool cut(const AckedPacket& packet, std::uint64_t& repeated) {
    Outstanding::Entry* entry = outstanding.find(packet.sent, packet.sequence);
    if (!entry || !entry->open) return false;
    lose(*entry, repeated);
    outstanding.drop_settled();
    return true;
  }
  /// What was sent before `overtaken` and is not settled is lost; whether any of it was sent at `since` or
  /// later.
  bool lose_before(Picoseconds overtaken, Picoseconds since, std::uint64_t& repeated) {
    outstanding.drop_settled();
    bool later = false;
    for (std::uint32_t i = 0; i < outstanding.size(); ++i) {
      Outstanding::Entry& entry = outstanding.at(i);
      if (entry.sent >= overtaken) break;
      if (entry.open) later |= lose(entry, repeated) && entry.sent >= since;
    }
    outstanding.drop_settled();
    return later;
  }
  /// At most so many of the packets that were sent after the oldest one under way are no more.
  std::uint32_t settled_later() const { return outstanding.size() - under_way; }
  /// What so many others, sent later, have left behind and was sent before `silent` is lost; whether any of
  /// it was sent at `since` or later.
  bool lose_left_behind(double others, Picoseconds silent, Picoseconds since, std::uint64_t& repeated) {
    bool later = false;
    outstanding.drop_settled();
    while (under_way > 0 && settled_later() >= others && outstanding.front().sent < silent) {
      later |= lose(outstanding.front(), repeated) && outstanding.front().sent >= since;
      outstanding.drop_settled();
    }
    return later;
  }
  void lose_all(std::uint64_t& repeated) {
    for (std::uint32_t i = 0; i < outstanding.size(); ++i) {
      if (outstanding.at(i).open) lose(outstanding.at(i), repeated);
    }
    outstanding.clear();
  }

  /// When the oldest packet under way was sent; `now`: none is.
  Picoseconds oldest(Picoseconds now) {
    outstanding.drop_settled();
    return outstanding.empty() ? now : outstanding.front().sent;
  }

  std::size_t bytes() const { return acknowledged.bytes() + outstanding.bytes() + repeats.bytes(); }
  template <class Archive>
  void serialize(Archive& a) {
    a(acknowledged, outstanding, repeats, packets, next, count, under_way);
  }
  /// Whether a restored state adds up.
  bool in_bounds() const { return count <= packets && under_way == outstanding.open_below(packets); }

 private:
  template <class First>
  void settle_other(std::uint32_t sequence, const First& first) {
    if (!acknowledged.add(sequence)) return;
    if (Outstanding::Entry* entry = outstanding.find_open(sequence)) {
      entry->open = false;
      --under_way;
    }
    ++count;
    first(sequence);
  }
  /// Whether the packet is needed.
  bool lose(Outstanding::Entry& entry, std::uint64_t& repeated) {
    entry.open = false;
    --under_way;
    if (acknowledged.has(entry.sequence)) return false;
    repeats.push_back(entry.sequence);
    ++repeated;
    return true;
  }
};

/// With go-back-N, whose receivers take packets only in their order: counts alone.
template <>
struct Scoreboard<true> {
  std::uint32_t packets = 0;
  std::uint32_t next = 0;   // to be sent
  std::uint32_t count = 0;  // all before it are acknowledged
  std::uint32_t under_way = 0;

  bool has_data() const { return next < packets; }
  bool all_arrived() const { return count == packets; }

  std::uint32_t take_next(Picoseconds) {
    ++under_way;
    return next++;
  }
  template <class First>
  std::uint32_t settle(const AckedPacket& packet, const First& first) {
    if (packet.cumulative <= count) return 0;
    const std::uint32_t newly = packet.cumulative - count;
    for (std::uint32_t s = count; s < packet.cumulative; ++s) first(s);
    count = packet.cumulative;
    next = std::max(next, count);
    under_way = next - count;
    return newly;
  }
  void lose_all(std::uint64_t& repeated) {
    repeated += next - count;
    next = count;
    under_way = 0;
  }

  static std::size_t bytes() { return 0; }
  template <class Archive>
  void serialize(Archive& a) {
    a(packets, next, count, under_way);
  }
  bool in_bounds() const { return count <= packets && next >= count && under_way == next - count; }
};

/// When the packets were sent that are known to have arrived: what was sent clearly before has been
/// overtaken.
struct LatestArrivals {
  std::array<Picoseconds, 3> sent{};  // the latest first

  void add(Picoseconds time) {
    for (Picoseconds& latest : sent) {
      if (time <= latest) continue;
      for (Picoseconds* at = &latest; at != sent.data() + sent.size(); ++at) std::swap(*at, time);
      return;
    }
  }
  /// Three that were sent later have arrived (RFC 6675's threshold).
  Picoseconds by_three() const { return sent[2]; }
  /// One has that was sent so much later (RFC 8985).
  Picoseconds by(Picoseconds margin) const { return sent[0] - std::min(sent[0], margin); }

  template <class Archive>
  void serialize(Archive& a) {
    a(sent);
  }
};

}  // namespace trainyard::packet
