// Genetic algorithms on the points of a space, of the library pagmo.
#pragma once

#include <cstdint>
#include <vector>

#include "search/space/point_sample.h"

namespace trainyard {

/// Lets a population of random points evolve until the sample has so many points, or nothing better comes for
/// many generations: with one objective the simple genetic algorithm, with more NSGA-II (Deb et al. 2002).
/// The population that is left.
std::vector<std::vector<std::uint32_t>> evolve(PointSample& sample, std::uint64_t seed, std::uint64_t until);

}  // namespace trainyard
