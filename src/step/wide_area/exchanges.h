// Ways to sum over sites: what each sends, and how its delays follow each other.
#pragma once

#include <vector>

#include "trainyard/sites_point.h"
#include "trainyard/units.h"
#include "trainyard/wide_area_input.h"

namespace trainyard::between_sites {

/// One way, between all sites.
using Delays = std::vector<std::vector<Seconds>>;

Seconds longest(const Delays& delays);

/// Everything to all others at once.
SiteExchange all_pairs(const Delays& delays);

/// A reduce-scatter and an all-gather, each to all others at once.
SiteExchange scatter(const Delays& delays);

/// The best of all orders: at most 5,040 of 8 sites.
SiteExchange ring(const Delays& delays);

/// In small segments, so that links carry sums up and results down at the same time. The busiest site sends
/// its own sum up and the result to its children.
SiteExchange tree(const Delays& delays);

/// The exchanges that a setting allows.
std::vector<SiteExchange> allowed(WideAreaExchange kind, const Delays& delays, std::int64_t region_sites);

}  // namespace trainyard::between_sites
