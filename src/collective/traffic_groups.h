// Groups of devices that a class of traffic joins, and who talks to whom in one.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/traffic.h"

namespace trainyard {

/// Devices whose numbers differ in these digits only.
std::int64_t size_of(const std::vector<Digit>& digits);

/// A device's place in its group, and the group: its number with the class's digits set to zero.
struct GroupPlace {
  std::int64_t group;
  std::int64_t index;
};
GroupPlace group_place(const TrafficClass& c, std::int64_t device);

/// The device at an index of group 0: the inverse of group_place().
std::int64_t device_at(const std::vector<Digit>& digits, std::int64_t index);

/// Whether one index of a group of this size sends to another.
bool talks(TrafficPattern pattern, std::int64_t from, std::int64_t to, std::int64_t size);

/// Ordered pairs of one group that talk.
double pairs_of_group(TrafficPattern pattern, std::int64_t size);

/// Indices to which an index may send: all others, or a few of which talks() says more.
std::vector<std::int64_t> near_indices(TrafficPattern pattern, std::int64_t index, std::int64_t size);

}  // namespace trainyard
