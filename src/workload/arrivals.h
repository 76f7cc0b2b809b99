// Open-loop arrivals: flows begin at random times, whether or not the network keeps up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/units.h"
#include "workload/size_distributions.h"
#include "workload/workload.h"

namespace trainyard::workload {

struct PoissonArrivals {
  std::vector<std::uint32_t> hosts;  // that take part, at least two
  BitRate host_rate;                 // all planes together
  double load = 0.5;                 // payload that a host sends on average, as a share of its rate
  SizeDistribution sizes;
  std::uint64_t seed = 1;
  // Arrivals end after so many flows or at this time, whichever is first; one is given.
  std::optional<std::uint64_t> flows = std::nullopt;
  std::optional<Seconds> duration = std::nullopt;
};

/// Flows of one Poisson process over all hosts, in the order of their start, each from a random host to
/// another one; both uniform. Flow i depends on the seed and i alone, so a longer run begins as a shorter
/// one. Throws InputError for more flows than fit.
Workload poisson_flows(const PoissonArrivals& arrivals);

/// An exponentially distributed number with mean 1, in units of 2^-32, by comparing hashes (von Neumann
/// 1951): no logarithm, whose last digit differs between libraries.
std::uint64_t exponential(std::uint64_t key);

}  // namespace trainyard::workload
