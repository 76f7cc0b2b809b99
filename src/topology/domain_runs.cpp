#include "topology/domain_runs.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "collective/traffic_groups.h"
#include "topology/endpoints.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

/// Digits of a domain's number.
std::vector<Digit> of_domains(const TrafficMatrix& matrix, const TrafficClass& c) {
  std::vector<Digit> out = c.digits;
  for (Digit& digit : out) digit.stride /= matrix.domain_devices;
  return out;
}

/// The pairs of the first group, with those beside each other in one run; `width` groups stand side by side.
std::vector<DomainRun> runs_of_group(const TrafficClass& c, const std::vector<Digit>& digits,
                                     std::int64_t width) {
  std::vector<DomainRun> pairs;
  visit_pairs(c.pattern, size_of(digits), [&](std::int64_t from, std::int64_t to) {
    pairs.push_back({device_at(digits, from), device_at(digits, to), width});
  });
  std::sort(pairs.begin(), pairs.end(), [](const DomainRun& a, const DomainRun& b) {
    return std::tuple(a.to - a.from, a.from) < std::tuple(b.to - b.from, b.from);
  });
  std::vector<DomainRun> out;
  for (const DomainRun& pair : pairs) {
    const bool goes_on = !out.empty() && out.back().to - out.back().from == pair.to - pair.from &&
                         out.back().from + out.back().count == pair.from;
    if (goes_on) {
      out.back().count += pair.count;
    } else {
      out.push_back(pair);
    }
  }
  return out;
}

}  // namespace

bool joins_equal_ranks(const TrafficMatrix& matrix, const TrafficClass& c) {
  if (c.digits.empty() || is_bundled(c)) return false;
  return matrix.devices % matrix.domain_devices == 0 &&
         std::all_of(c.digits.begin(), c.digits.end(), [&](const Digit& digit) {
           return digit.stride % matrix.domain_devices == 0 &&
                  matrix.devices % (digit.stride * digit.size) == 0;
         });
}

void visit_domain_runs(const TrafficMatrix& matrix, const TrafficClass& c,
                       const std::function<void(const DomainRun&)>& visit) {
  const std::int64_t domains = matrix.devices / matrix.domain_devices;
  const std::vector<Digit> digits = of_domains(matrix, c);
  std::int64_t width = std::numeric_limits<std::int64_t>::max();
  for (const Digit& digit : digits) width = std::min(width, digit.stride);
  const std::vector<DomainRun> runs = runs_of_group(c, digits, width);
  for (std::int64_t first = 0; first < domains; first += width) {
    const bool begins = std::all_of(digits.begin(), digits.end(), [&](const Digit& digit) {
      return first / digit.stride % digit.size == 0;
    });
    if (!begins) continue;
    for (const DomainRun& run : runs) visit({first + run.from, first + run.to, run.count});
  }
}

}  // namespace trainyard
