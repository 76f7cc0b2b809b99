// What failures beside the queue of repairs (racks, leaves, feeds, sites) leave of a job's servers over time.
#pragma once

#include <cstdint>
#include <vector>

#include "goodput/crew_queue.h"
#include "goodput/gone_counts.h"

namespace trainyard {

/// Failures that each take so many servers for an exponential time, however many others there are.
struct HostOutage {
  std::int64_t servers = 0;
  double rate_per_s = 0;
  double repair_s = 0;  // mean
};

/// Servers that lack with those of the outages, long after the beginning: the chance of 0, 1, ...
Chances with_outages(Chances gone, const std::vector<HostOutage>& outages);

/// Mean of a share by the number of servers that are gone, where so many more are.
std::vector<double> averaged(const std::vector<double>& served, const Chances& more);

/// Time that runs serve until a moment, beside its mean by the queue alone.
struct OutageSpread {
  double variance_s2 = 0;
  /// Of the time until then with what is served at its end: who lags behind is served less, so that the mean
  /// run reaches a target later than the mean of the runs does.
  double with_end_s = 0;
};

/// By what is there at two moments: outages that last from the one to the other, and on either side those
/// that do not, are independent Poisson counts. `served`: share by the number of servers that are gone, of
/// which a repair of the queue takes `servers`.
OutageSpread outage_spread(const std::vector<HostOutage>& outages, const CrewQueue& queue, double servers,
                           const std::vector<double>& served, double time_s);

}  // namespace trainyard
