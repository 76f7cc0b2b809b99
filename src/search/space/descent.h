// Descents along the settings of a space.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace trainyard {

class PointSample;

/// Of the costs of a point, the number that a descent makes small.
using CostSum = std::function<double(std::span<const double>)>;

/// From a point: all values of one setting, the others held, then of two settings together, until none
/// improves or the sample is spent. Of settings with many values those nearby, more sparsely the farther. The
/// seed gives the order of the settings.
void descend(PointSample& sample, std::vector<std::uint32_t> from, const CostSum& cost, std::uint64_t seed);

}  // namespace trainyard
