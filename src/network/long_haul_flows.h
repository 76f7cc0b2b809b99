// The flows of [long_haul]: what hosts of different sites exchange, and what stays inside a site.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/flow.h"
#include "trainyard/units.h"

namespace trainyard {

struct LongHaulCase;
struct LongHaulInput;

/// Flows in the order of their start; those between sites are the first.
struct LongHaulFlows {
  std::vector<workload::Flow> flows;
  std::size_t wide = 0;
  std::vector<workload::Dependency> dependencies;
};

/// Between a host of each site and its counterparts in the others, then between hosts of a site.
LongHaulFlows long_haul_flows(const LongHaulInput& input, const LongHaulCase& run);

/// Whether every flow between sites starts at once.
bool all_at_once(const LongHaulInput& input);

/// What a host sends, of the bytes that it sums.
double sent_shares(const LongHaulInput& input);

/// Bytes of a flow; parts of one count as one.
std::uint64_t whole_bytes(Bytes bytes);

}  // namespace trainyard
