// Where the tree of a group goes up whose hosts' buffers switches sum.
#pragma once

#include <cstdint>

#include "base/mixing.h"
#include "network/wiring/layout.h"
#include "network/wiring/way.h"

namespace trainyard::wiring {

/// The uplinks of all hosts of a group, in every plane, by a hash of seed and group.
inline Way sum_way(const Layout& layout, std::uint64_t seed, std::uint32_t group) {
  const auto uplink = [](std::uint64_t random, std::uint32_t uplinks) {
    return static_cast<std::uint16_t>(uplinks == 0 ? 0 : random % uplinks);
  };
  const std::uint64_t random = mixed(seed, group);
  Way out;
  out.up_leaf = uplink(random & 0xFFFFFFFFU, layout.uplinks_leaf);
  out.up_aggregation = uplink(random >> 32U, layout.uplinks_aggregation);
  return out;
}

}  // namespace trainyard::wiring
