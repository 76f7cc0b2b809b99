// What reaches a node in a window, and in which order: by time, then by input port.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <vector>

#include "network/packet/packet.h"
#include "network/packet/windows.h"
#include "trainyard/picoseconds.h"

namespace trainyard::packet {

/// Arrivals of one node at a time; its memory serves the next one.
template <class P>
class Arrivals {
 public:
  /// Numbers [begin, end) of arrivals: at(number).
  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  std::vector<P> packets;  // as they were collected

  bool empty() const { return packets.empty(); }
  P& at(std::uint32_t number) { return packets[keys_[number] & index_mask_]; }

  /// Numbers arrivals by group, `group_of(packet)` < groups, those of a group in no order. Calls
  /// `begins(group)` for each that has any.
  template <class GroupOf, class Begins>
  [[gnu::always_inline]] void group(std::uint32_t groups, const Windows& windows, const GroupOf& group_of,
                                    const Begins& begins) {
    begin_groups(groups);
    const auto count = static_cast<std::uint32_t>(packets.size());
    group_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t group = group_of(packets[i]);
      group_[i] = static_cast<std::uint16_t>(group);
      if (ranges_[group].end++ != 0) continue;
      used_.push_back(static_cast<std::uint16_t>(group));
      begins(group);
    }
    std::uint32_t at = 0;
    for (const std::uint16_t group : used_) {
      const std::uint32_t of_group = ranges_[group].end;
      ranges_[group] = {at, at};
      at += of_group;
    }
    begin_keys(count, windows);
    for (std::uint32_t i = 0; i < count; ++i) keys_[ranges_[group_[i]].end++] = key_of(i, windows);
  }
  /// Groups that have any, in no order.
  const std::vector<std::uint16_t>& used() const { return used_; }
  Range of(std::uint32_t group) const { return ranges_[group]; }
  bool has(std::uint32_t group) const { return ranges_[group].end != 0; }
  /// Those of a group, put in order.
  Range in_order(std::uint32_t group) {
    const Range out = ranges_[group];
    order(out);
    return out;
  }
  /// Puts those of one time and port in the order of their content.
  void settle_ties(Range range) {
    const auto before = [this](std::uint64_t a, std::uint64_t b) {
      const P& left = packets[a & index_mask_];
      const P& right = packets[b & index_mask_];
      const auto place = std::tie(left.arrival, left.in_port);
      const auto other = std::tie(right.arrival, right.in_port);
      return place != other ? place < other : order_of_content(left) < order_of_content(right);
    };
    std::sort(keys_.begin() + range.begin, keys_.begin() + range.end, before);
  }

  /// Numbers all arrivals in order: buckets of equal time, about one for each packet, then insertion.
  Range in_order(const Windows& windows) {
    const auto count = static_cast<std::uint32_t>(packets.size());
    begin_keys(count, windows);
    if (count == 0) return {0, 0};
    std::uint32_t bits = 1;
    while ((1U << bits) < count && bits < kMostBucketBits) ++bits;
    const std::uint32_t buckets = 1U << bits;
    first_.assign(buckets + 1U, 0);
    place_.resize(count);
    // A window is at most 2^shift long: the bucket is the time's highest bits below.
    std::uint32_t shift = 0;
    while ((windows.length() >> shift) >= buckets) ++shift;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto bucket = static_cast<std::uint32_t>((packets[i].arrival - windows.begin()) >> shift);
      place_[i] = bucket;
      ++first_[bucket + 1];
    }
    for (std::uint32_t b = 0; b < buckets; ++b) first_[b + 1] += first_[b];
    for (std::uint32_t i = 0; i < count; ++i) keys_[first_[place_[i]]++] = key_of(i, windows);
    order({0, count});
    return {0, count};
  }

 private:
  static constexpr std::uint32_t kMostBucketBits = 14;
  static constexpr std::uint32_t kPortBits = 16;

  void begin_groups(std::uint32_t groups) {
    for (const std::uint16_t group : used_) ranges_[group] = {};
    used_.clear();
    if (ranges_.size() < groups) ranges_.resize(groups);
  }

  // A key is time, input port and index in one word, which a processor compares and moves as fast as it can.
  // Where they are too long for that, it is the index alone.

  void begin_keys(std::uint32_t count, const Windows& windows) {
    keys_.resize(count);
    const auto time_bits = static_cast<std::uint32_t>(std::bit_width(windows.length() - 1));
    const std::uint32_t order_bits = time_bits + kPortBits;
    index_bits_ = order_bits < 64 ? 64 - order_bits : 0;
    has_order_ = index_bits_ >= static_cast<std::uint32_t>(std::bit_width(count));
    index_mask_ = has_order_ ? (std::uint64_t{1} << index_bits_) - 1 : ~std::uint64_t{0};
  }
  [[gnu::always_inline]] std::uint64_t key_of(std::uint32_t index, const Windows& windows) const {
    if (!has_order_) [[unlikely]]
      return index;
    const P& packet = packets[index];
    const std::uint64_t order = ((packet.arrival - windows.begin()) << kPortBits) | packet.in_port;
    return order << index_bits_ | index;
  }
  /// Insertion sort: few, or nearly in order.
  [[gnu::always_inline]] void order(Range range) {
    if (!has_order_) [[unlikely]]
      return order_long(range);
    std::uint64_t* const keys = keys_.data();
    for (std::uint32_t i = range.begin + 1; i < range.end; ++i) {
      const std::uint64_t key = keys[i];
      std::uint32_t at = i;
      for (; at > range.begin && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
      keys[at] = key;
    }
  }
  [[gnu::noinline]] void order_long(Range range) {
    std::sort(keys_.begin() + range.begin, keys_.begin() + range.end,
              [this](std::uint64_t a, std::uint64_t b) {
                const auto place = std::tie(packets[a].arrival, packets[a].in_port, a);
                return place < std::tie(packets[b].arrival, packets[b].in_port, b);
              });
  }

  std::vector<std::uint64_t> keys_;
  std::uint32_t index_bits_ = 0;
  bool has_order_ = true;
  std::uint64_t index_mask_ = 0;

  std::vector<Range> ranges_;         // of each group; else empty
  std::vector<std::uint16_t> used_;   // groups that have any
  std::vector<std::uint16_t> group_;  // of each packet

  std::vector<std::uint32_t> first_;  // number of each bucket
  std::vector<std::uint32_t> place_;
};

}  // namespace trainyard::packet
