// One of the samples of a search by evolution.
#pragma once

#include <cstdint>
#include <functional>

#include "search/space/point_sample.h"

namespace trainyard {

/// Populations evolve, and descents begin at their best, until the sample is spent or has nothing new. What
/// is found depends on the seed alone. `tick` is called now and then.
void settle_island(PointSample& sample, std::uint64_t seed, std::uint64_t evaluations,
                   const std::function<void()>& tick);

}  // namespace trainyard
