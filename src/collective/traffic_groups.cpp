#include "collective/traffic_groups.h"

#include <algorithm>
#include <numeric>

namespace trainyard {

std::int64_t size_of(const std::vector<Digit>& digits) {
  std::int64_t size = 1;
  for (const Digit& digit : digits) size *= digit.size;
  return size;
}

GroupPlace group_place(const TrafficClass& c, std::int64_t device) {
  GroupPlace out{device, 0};
  for (const Digit& digit : c.digits) {
    const std::int64_t value = (device / digit.stride) % digit.size;
    out.group -= value * digit.stride;
    out.index = out.index * digit.size + value;
  }
  return out;
}

std::int64_t device_at(const std::vector<Digit>& digits, std::int64_t index) {
  std::int64_t device = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    device += index % digit->size * digit->stride;
    index /= digit->size;
  }
  return device;
}

bool talks(TrafficPattern pattern, std::int64_t from, std::int64_t to, std::int64_t size) {
  if (from == to) return false;
  switch (pattern) {
    case TrafficPattern::all:
      return true;
    case TrafficPattern::ring:
      return to == (from + 1) % size;
    case TrafficPattern::line:
      return to == from + 1 || from == to + 1;
    case TrafficPattern::ends:
      return std::min(from, to) == 0 && std::max(from, to) == size - 1;
    case TrafficPattern::incast:
      return to == 0;
  }
  return false;
}

double pairs_of_group(TrafficPattern pattern, std::int64_t size) {
  const auto n = static_cast<double>(size);
  if (size < 2) return 0;
  switch (pattern) {
    case TrafficPattern::all:
      return n * (n - 1);
    case TrafficPattern::ring:
      return n;
    case TrafficPattern::line:
      return 2 * (n - 1);
    case TrafficPattern::ends:
      return 2;
    case TrafficPattern::incast:
      return n - 1;
  }
  return 0;
}

std::vector<std::int64_t> near_indices(TrafficPattern pattern, std::int64_t index, std::int64_t size) {
  std::vector<std::int64_t> out;
  switch (pattern) {
    case TrafficPattern::all:
      out.resize(static_cast<std::size_t>(size));
      std::iota(out.begin(), out.end(), 0);
      break;
    case TrafficPattern::incast:
      out = {0};
      break;
    case TrafficPattern::ends:
      out = {size - 1 - index};
      break;
    case TrafficPattern::ring:
    case TrafficPattern::line:
      if (index > 0) out.push_back(index - 1);
      out.push_back((index + 1) % size);
      break;
  }
  return out;
}

std::int64_t group_size(const TrafficClass& c) { return size_of(c.digits); }

void visit_groups(const TrafficMatrix& matrix, const TrafficClass& c,
                  const std::function<void(const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t i = 0; i < group_size(c); ++i) offsets.push_back(device_at(c.digits, i));
  std::vector<std::int64_t> members(offsets.size());
  for (std::int64_t device = 0; device < matrix.devices; ++device) {
    const bool first = std::all_of(c.digits.begin(), c.digits.end(), [&](const Digit& digit) {
      return device / digit.stride % digit.size == 0;
    });
    if (!first) continue;
    for (std::size_t i = 0; i < offsets.size(); ++i) members[i] = device + offsets[i];
    visit(members);
  }
}

void visit_pairs(TrafficPattern pattern, std::int64_t size,
                 const std::function<void(std::int64_t, std::int64_t)>& visit) {
  if (size < 2) return;
  switch (pattern) {
    case TrafficPattern::all:
      for (std::int64_t from = 0; from < size; ++from) {
        for (std::int64_t to = 0; to < size; ++to) {
          if (from != to) visit(from, to);
        }
      }
      return;
    case TrafficPattern::ring:
      for (std::int64_t from = 0; from < size; ++from) visit(from, (from + 1) % size);
      return;
    case TrafficPattern::line:
      for (std::int64_t from = 0; from + 1 < size; ++from) {
        visit(from, from + 1);
        visit(from + 1, from);
      }
      return;
    case TrafficPattern::ends:
      visit(0, size - 1);
      visit(size - 1, 0);
      return;
    case TrafficPattern::incast:
      for (std::int64_t from = 1; from < size; ++from) visit(from, 0);
      return;
  }
}

}  // namespace trainyard
