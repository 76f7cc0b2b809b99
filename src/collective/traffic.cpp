#include "trainyard/traffic.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/counted.h"
#include "collective/traffic_groups.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr std::int64_t kLargestBlock = 4096;

}  // namespace

Bytes TrafficMatrix::between(std::int64_t from, std::int64_t to) const {
  Bytes sum{0};
  for (const TrafficClass& c : classes) {
    const GroupPlace a = group_place(c, from);
    const GroupPlace b = group_place(c, to);
    if (a.group == b.group && talks(c.pattern, a.index, b.index, group_size(c))) sum += c.pair;
  }
  for (const TrafficFlow& flow : flows) {
    if (flow.from == from && flow.to == to) sum += flow.bytes;
  }
  return sum;
}

TrafficMatrix only_kind(const TrafficMatrix& matrix, TrafficKind kind) {
  TrafficMatrix out = matrix;
  std::erase_if(out.classes, [&](const TrafficClass& c) { return c.kind != kind; });
  return out;
}

std::vector<double> traffic_block(const TrafficMatrix& matrix, std::int64_t first, std::int64_t count) {
  if (first < 0 || first >= matrix.devices) {
    fail_input(whole("--first"), fmt::format("first = {} of {}", first, counted(matrix.devices, "device")),
               fmt::format("allowed: 0 to {}", matrix.devices - 1));
  }
  if (count < 1 || count > kLargestBlock) {
    fail_input(whole("--count"), fmt::format("count = {}", count),
               fmt::format("allowed: 1 to {}", kLargestBlock));
  }
  count = std::min(count, matrix.devices - first);
  std::vector<double> block;
  block.reserve(static_cast<std::size_t>(count * count));
  for (std::int64_t from = first; from < first + count; ++from) {
    for (std::int64_t to = first; to < first + count; ++to) block.push_back(matrix.between(from, to).si());
  }
  return block;
}

}  // namespace trainyard
