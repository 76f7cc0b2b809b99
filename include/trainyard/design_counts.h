// Counts of a network design: switches, links, what a failure touches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// Switches of one tier.
struct TierCount {
  std::string name;
  std::int64_t switches = 0;
  std::int64_t ports_used = 0;
};

/// Links between two kinds of nodes.
struct LinkCount {
  std::string name;
  bool of_hosts = false;  // one end is a host
  std::int64_t links = 0;
};

/// What of a network fails at once. `host`: a host that passes on the traffic of others.
enum class FailedPart { chip, switch_link, host_link, host, plane, network };

/// What one failure touches.
struct BlastRadius {
  std::string what;           // "a leaf", "a link to a spine"
  double hosts = 0;           // that lose something
  double share = 0;           // of their bandwidth that the worst hit of them lose
  bool out_of_reach = false;  // they lose it towards hosts elsewhere only
  FailedPart part = FailedPart::chip;
  double parts = 1;  // of which one fails: of a fabric, in DesignCounts of a datacenter
};

/// Counts of one fabric.
struct FabricCounts {
  std::vector<TierCount> tiers;
  std::vector<LinkCount> links;
  double bisection_links = 0;    // from one half of the hosts to the other
  bool bisection_exact = false;  // the least of all halves; else a rule, or the least of some
  std::int64_t diameter = 0;     // links from a host to the farthest one
  double paths = 0;              // shortest paths between those two, by the nodes they pass
  std::vector<BlastRadius> blast;
};

/// Counts of one datacenter.
struct DesignCounts {
  std::vector<TierCount> tiers;
  std::vector<LinkCount> links;
  std::int64_t chips = 0;
  std::int64_t boxes = 0;  // a chip of each plane, when planes are bundled
  std::int64_t host_links = 0;
  std::int64_t switch_links = 0;
  std::int64_t host_cables = 0;
  std::int64_t switch_cables = 0;
  std::int64_t ports = 0;  // of all chips
  std::int64_t ports_used = 0;
  std::int64_t ports_idle() const { return ports - ports_used; }
  BitRate bisection;
  double bisection_share = 0;  // of half of the hosts' rate
  std::int64_t diameter = 0;
  double paths = 0;
  std::int64_t largest_hosts = 0;
  double host_kept = 0;    // share of the worst hit host's rate after one chip fails
  double domain_kept = 0;  // share of the worst hit HB domain's rate after one chip fails
  std::vector<BlastRadius> blast;
};

}  // namespace trainyard
