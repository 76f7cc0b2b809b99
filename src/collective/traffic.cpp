#include "collective/traffic.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"

namespace trainyard {
namespace {

constexpr std::int64_t kLargestBlock = 4096;

std::int64_t size_of(const std::vector<Digit>& digits) {
  std::int64_t size = 1;
  for (const Digit& digit : digits) size *= digit.size;
  return size;
}

/// A device's place in its group, and the group: its number with the class's digits set to zero.
struct Place {
  std::int64_t group;
  std::int64_t index;
};

Place place(const TrafficClass& c, std::int64_t device) {
  Place out{device, 0};
  for (const Digit& digit : c.digits) {
    const std::int64_t value = (device / digit.stride) % digit.size;
    out.group -= value * digit.stride;
    out.index = out.index * digit.size + value;
  }
  return out;
}

/// The device at an index of group 0: the inverse of place().
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

/// Ordered pairs of one group that talk.
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

/// Ordered pairs, and those of them inside an HB domain.
struct PairCount {
  double all = 0;
  double inside = 0;
};

using Classes = std::vector<const TrafficClass*>;

/// Digits of all classes together. Digits that begin at the same stride are parts of one another (the experts
/// of a domain's replicas), and the largest holds them all.
std::vector<Digit> joint_digits(const Classes& classes) {
  std::vector<Digit> joint;
  for (const TrafficClass* c : classes) {
    for (const Digit& digit : c->digits) {
      const auto same = std::find_if(joint.begin(), joint.end(),
                                     [&](const Digit& other) { return other.stride == digit.stride; });
      if (same == joint.end()) {
        joint.push_back(digit);
      } else {
        same->size = std::max(same->size, digit.size);
      }
    }
  }
  return joint;
}

/// Whether domains end where the digits do, so that what holds for group 0 holds for every group.
bool aligned(const std::vector<Digit>& digits, std::int64_t domain) {
  return std::all_of(digits.begin(), digits.end(), [&](const Digit& digit) {
    return domain % (digit.stride * digit.size) == 0 || digit.stride % domain == 0;
  });
}

/// Appends the devices to which `from` sends.
void add_receivers(std::vector<std::int64_t>& out, const TrafficClass& c, std::int64_t from) {
  const Place at = place(c, from);
  const std::int64_t size = group_size(c);
  const auto add = [&](std::int64_t index) {
    if (talks(c.pattern, at.index, index, size)) out.push_back(at.group + device_at(c.digits, index));
  };
  if (c.pattern == TrafficPattern::all) {
    for (std::int64_t index = 0; index < size; ++index) add(index);
  } else if (c.pattern == TrafficPattern::incast) {
    add(0);
  } else if (c.pattern == TrafficPattern::ends) {
    add(size - 1 - at.index);
  } else {
    if (at.index > 0) add(at.index - 1);
    add((at.index + 1) % size);
  }
}

/// Counts a pair once, however many classes share it, by visiting every sender of one group, or of the whole
/// matrix where domains cut through groups.
PairCount visited_pairs(const TrafficMatrix& matrix, const Classes& classes) {
  std::vector<Digit> digits = joint_digits(classes);
  if (!aligned(digits, matrix.domain_devices)) digits = {{1, matrix.devices}};
  const std::int64_t senders = size_of(digits);
  PairCount out;
  std::vector<std::int64_t> receivers;
  for (std::int64_t i = 0; i < senders; ++i) {
    const std::int64_t from = device_at(digits, i);
    receivers.clear();
    for (const TrafficClass* c : classes) add_receivers(receivers, *c, from);
    std::sort(receivers.begin(), receivers.end());
    receivers.erase(std::unique(receivers.begin(), receivers.end()), receivers.end());
    out.all += static_cast<double>(receivers.size());
    out.inside += static_cast<double>(std::count_if(receivers.begin(), receivers.end(), [&](std::int64_t to) {
      return to / matrix.domain_devices == from / matrix.domain_devices;
    }));
  }
  const double groups = static_cast<double>(matrix.devices) / static_cast<double>(senders);
  return {out.all * groups, out.inside * groups};
}

/// Distinct pairs of classes that share digits: a closed form for one class inside or between domains.
PairCount count_pairs(const TrafficMatrix& matrix, const Classes& classes) {
  const TrafficClass& c = *classes.front();
  const std::int64_t domain = matrix.domain_devices;
  const auto fits = [&](const Digit& digit) { return domain % (digit.stride * digit.size) == 0; };
  const auto crosses = [&](const Digit& digit) { return digit.stride % domain == 0; };
  const bool inside = std::all_of(c.digits.begin(), c.digits.end(), fits);
  const bool across = std::all_of(c.digits.begin(), c.digits.end(), crosses);
  if (classes.size() > 1 || (!inside && !across)) return visited_pairs(matrix, classes);
  const double groups = static_cast<double>(matrix.devices) / static_cast<double>(group_size(c));
  const double pairs = groups * pairs_of_group(c.pattern, group_size(c));
  return {pairs, inside ? pairs : 0};
}

bool share_digits(const Classes& group, const TrafficClass& c) {
  return std::any_of(group.begin(), group.end(), [&](const TrafficClass* other) {
    return std::any_of(c.digits.begin(), c.digits.end(), [&](const Digit& a) {
      return std::any_of(other->digits.begin(), other->digits.end(),
                         [&](const Digit& b) { return a.stride == b.stride; });
    });
  });
}

/// Classes that may join the same pairs, together; a class with the pairs of another (the two halves of a
/// gradient exchange) is left out.
std::vector<Classes> overlapping(const TrafficMatrix& matrix) {
  std::vector<Classes> groups;
  for (const TrafficClass& c : matrix.classes) {
    Classes joined{&c};
    for (auto group = groups.begin(); group != groups.end();) {
      if (!share_digits(*group, c)) {
        ++group;
        continue;
      }
      for (const TrafficClass* other : *group) {
        if (other->digits == c.digits && other->pattern == c.pattern) joined.front() = nullptr;
      }
      joined.insert(joined.end(), group->begin(), group->end());
      group = groups.erase(group);
    }
    std::erase(joined, nullptr);
    groups.push_back(std::move(joined));
  }
  return groups;
}

}  // namespace

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

Bytes TrafficMatrix::between(std::int64_t from, std::int64_t to) const {
  Bytes sum{0};
  for (const TrafficClass& c : classes) {
    const Place a = place(c, from);
    const Place b = place(c, to);
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

TrafficSummary summarize(const TrafficMatrix& matrix) {
  TY_ASSERT(matrix.flows.empty(), "only classes are summarized");
  TrafficSummary out;
  out.devices = static_cast<double>(matrix.devices);
  out.pairs = out.devices * (out.devices - 1);
  Bytes in_domain{0};
  for (const TrafficClass& c : matrix.classes) {
    const PairCount count = count_pairs(matrix, {&c});
    TrafficShare share{c.name, count.inside == count.all, count.all, c.pair, c.pair * count.all, 0, 0};
    share.pair_share = out.pairs > 0 ? share.pairs / out.pairs : 0;
    in_domain += c.pair * count.inside;
    out.volume += share.volume;
    out.classes.push_back(std::move(share));
  }
  for (TrafficShare& share : out.classes) {
    share.volume_share = out.volume.si() > 0 ? share.volume / out.volume : 0;
  }
  PairCount busy;
  for (const Classes& classes : overlapping(matrix)) {
    const PairCount count = count_pairs(matrix, classes);
    busy.all += count.all;
    busy.inside += count.inside;
  }
  if (out.pairs > 0) {
    out.silent_pair_share = 1 - busy.all / out.pairs;
    out.domain_pair_share = busy.inside / out.pairs;
  }
  out.domain_volume_share = out.volume.si() > 0 ? in_domain / out.volume : 0;
  return out;
}

std::vector<double> traffic_block(const TrafficMatrix& matrix, std::int64_t first, std::int64_t count) {
  if (first < 0 || first >= matrix.devices) {
    fail_input(whole("--first"), fmt::format("first = {} of {} devices", first, matrix.devices),
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
