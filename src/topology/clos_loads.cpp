#include "topology/clos_loads.h"

#include <algorithm>
#include <utility>

#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {

TierLoads no_tier_loads(const ClosShape& shape) {
  TierLoads out;
  for (std::size_t t = 0; t < shape.top(); ++t) out.emplace_back(shape.blocks(t));
  return out;
}

LinkLoad idle_load(const LinkCount& count) {
  return {count.name, static_cast<double>(count.links), 0, Bytes(0), Bytes(0)};
}

LinkLoad tier_load(const NetworkDesign& design, const LinkCount& count, std::size_t tier,
                   const std::vector<const TierLoads*>& networks) {
  const ClosShape& shape = *design.fabric->clos();
  const double planes = static_cast<double>(design.planes);
  const double up = static_cast<double>(shape.width(tier) * shape.tiers[tier].uplinks) * planes;
  LinkLoad load = idle_load(count);
  double sum = 0;
  double worst = 0;
  for (const TierLoads* network : networks) {
    const InOut& blocks = (*network)[tier];
    for (std::size_t b = 0; b < blocks.out.size(); ++b) {
      const double bytes = std::max(blocks.out[b], blocks.in[b]);
      sum += bytes;
      worst = std::max(worst, bytes / up);
      if (bytes == 0) load.idle += up;
    }
  }
  load.worst = Bytes(worst);
  load.mean = Bytes(sum / load.links);
  return load;
}

NetworkLoad bound_by(const NetworkDesign& design, std::vector<LinkLoad> links) {
  NetworkLoad out;
  const BytesPerSecond rate = byte_rate(design.link_rate);
  double all = 0;
  double idle = 0;
  for (const LinkLoad& load : links) {
    const Seconds time = load.worst / rate;
    if (time > out.bound) {
      out.bound = time;
      out.worst_link = load.name;
    }
    all += load.links;
    idle += load.idle;
  }
  out.links = std::move(links);
  out.idle_share = all > 0 ? idle / all : 0;
  return out;
}

}  // namespace trainyard
