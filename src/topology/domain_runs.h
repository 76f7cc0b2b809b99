// Traffic in which all devices of an HB domain do the same: which domains talk to which, in runs.
#pragma once

#include <cstdint>
#include <functional>

namespace trainyard {

struct TrafficClass;
struct TrafficMatrix;

/// HB domain from + i sends to domain to + i, for i below count: every device to the one of its own rank.
struct DomainRun {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t count = 0;
};

/// Whether a class joins devices of equal rank alone, in whole groups that are small or have few pairs.
bool joins_equal_ranks(const TrafficMatrix& matrix, const TrafficClass& c);

/// Calls for every ordered pair of domains that such a class joins, in runs.
void visit_domain_runs(const TrafficMatrix& matrix, const TrafficClass& c,
                       const std::function<void(const DomainRun&)>& visit);

}  // namespace trainyard
