// How many servers are gone: distributions of counts.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/goodput.h"

namespace trainyard {

/// The chance of 0, 1, ...
using Chances = std::vector<double>;

Chances none_gone(std::int64_t most);
/// Servers that so many repairs take.
Chances servers_of(const Chances& repairs, double servers);
/// Adds counts of a Poisson distribution of this mean, of so many servers each.
Chances with_failures(const Chances& gone, double mean, std::int64_t size);

double mean_repair_s(const GoodputCase& c, const FailureMode& mode);

/// More servers than these that lack are not served at all.
std::int64_t most_gone(const GoodputCase& c);

/// With more, none ever lacks.
constexpr std::int64_t kFewSpares = 20000;

}  // namespace trainyard
