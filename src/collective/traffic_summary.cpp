// A traffic matrix in numbers: pairs and bytes of every class, each pair counted once.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/errors.h"
#include "collective/traffic_groups.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr std::int64_t kMostSenders = 200'000'000;  // counted in some 20 s

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
  const GroupPlace at = group_place(c, from);
  const std::int64_t size = group_size(c);
  for (const std::int64_t index : near_indices(c.pattern, at.index, size)) {
    if (talks(c.pattern, at.index, index, size)) out.push_back(at.group + device_at(c.digits, index));
  }
}

/// Counts a pair once, however many classes share it, by visiting every sender of one group, or of the whole
/// matrix where domains cut through groups.
PairCount visited_pairs(const TrafficMatrix& matrix, const Classes& classes) {
  std::vector<Digit> digits = joint_digits(classes);
  if (!aligned(digits, matrix.domain_devices)) digits = {{1, matrix.devices}};
  const std::int64_t senders = size_of(digits);
  if (senders > kMostSenders)
    fail_input(whole("facility.devices"),
               fmt::format("the pairs of {} devices would be counted one by one", senders),
               fmt::format("allowed for this mapping: {}", kMostSenders));
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

}  // namespace trainyard
