// What of a folded Clos network's loads does not depend on how the traffic was followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/whole_numbers.h"
#include "trainyard/network_load.h"

namespace trainyard {

struct ClosShape;
struct LinkCount;
struct NetworkDesign;

/// Bytes out of and into each part of something.
struct InOut {
  std::vector<double> out;
  std::vector<double> in;

  explicit InOut(std::int64_t parts) : out(index(parts), 0), in(index(parts), 0) {}
};

/// What leaves and enters the blocks of each tier of a network, below the top one.
using TierLoads = std::vector<InOut>;
TierLoads no_tier_loads(const ClosShape& shape);

/// Links of a kind that carry nothing yet.
LinkLoad idle_load(const LinkCount& count);

/// Of links up from the blocks of a tier, all networks of a design.
LinkLoad tier_load(const NetworkDesign& design, const LinkCount& count, std::size_t tier,
                   const std::vector<const TierLoads*>& networks);

/// What its links' loads, in the order of the design's counts, mean for a network.
NetworkLoad bound_by(const NetworkDesign& design, std::vector<LinkLoad> links);

}  // namespace trainyard
