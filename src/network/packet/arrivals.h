// What reaches a node in a window, and in which order: by time, then by input port.
#pragma once

#include <algorithm>
#include <cstdint>
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
    std::uint32_t begin;
    std::uint32_t end;
  };

  std::vector<P> packets;  // as they were collected

  bool empty() const { return packets.empty(); }
  P& at(std::uint32_t number) { return packets[keys_[number].index]; }

  /// Numbers arrivals by group, `group_of(packet)` < groups, those of a group in no order.
  template <class GroupOf>
  [[gnu::always_inline]] void group(std::uint32_t groups, const Windows& windows, const GroupOf& group_of) {
    make_room(groups);
    const auto count = static_cast<std::uint32_t>(packets.size());
    group_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t group = group_of(packets[i]);
      group_[i] = static_cast<std::uint16_t>(group);
      ++first_[group + 1];
    }
    for (std::uint32_t g = 0; g < groups; ++g) first_[g + 1] += first_[g];
    place_.assign(first_.begin(), first_.begin() + groups);
    keys_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) keys_[place_[group_[i]]++] = key_of(i, windows);
  }
  /// Puts those of one time and port in the order of their content.
  void settle_ties(Range range) {
    const auto before = [this](const Key& a, const Key& b) {
      if (a.order != b.order) return a.order < b.order;
      return order_of_content(packets[a.index]) < order_of_content(packets[b.index]);
    };
    std::sort(keys_.begin() + range.begin, keys_.begin() + range.end, before);
  }
  bool has(std::uint32_t group) const { return first_[group] < first_[group + 1]; }
  /// Those of a group, put in order.
  Range in_order(std::uint32_t group) {
    const Range out{first_[group], first_[group + 1]};
    order(out);
    return out;
  }

  /// Numbers all arrivals in order: buckets of equal time, about one for each packet, then insertion.
  Range in_order(const Windows& windows) {
    const auto count = static_cast<std::uint32_t>(packets.size());
    keys_.resize(count);
    if (count == 0) return {0, 0};
    std::uint32_t bits = 1;
    while ((1U << bits) < count && bits < kMostBucketBits) ++bits;
    const std::uint32_t buckets = 1U << bits;
    make_room(buckets);
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

  struct Key {
    std::uint64_t order;
    std::uint32_t index;
  };

  void make_room(std::uint32_t groups) {
    if (first_.size() <= groups) first_.resize(groups + 1U);
    std::fill(first_.begin(), first_.begin() + groups + 1, 0);
  }
  Key key_of(std::uint32_t index, const Windows& windows) const {
    const P& packet = packets[index];
    return {((packet.arrival - windows.begin()) << 16U) | packet.in_port, index};
  }
  /// Insertion sort: few, or nearly in order.
  [[gnu::always_inline]] void order(Range range) {
    for (std::uint32_t i = range.begin + 1; i < range.end; ++i) {
      const Key key = keys_[i];
      std::uint32_t at = i;
      for (; at > range.begin && keys_[at - 1].order > key.order; --at) keys_[at] = keys_[at - 1];
      keys_[at] = key;
    }
  }

  std::vector<Key> keys_;
  std::vector<std::uint32_t> first_;  // number of each group
  std::vector<std::uint16_t> group_;  // of each packet
  std::vector<std::uint32_t> place_;
};

}  // namespace trainyard::packet
