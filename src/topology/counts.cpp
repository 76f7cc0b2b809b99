// Counts of a design: those of one fabric, in closed form or from its graph, times planes and networks.
#include <algorithm>
#include <utility>

#include "topology/bisection.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

/// Small fabrics are divided in every way; the closed forms of larger ones are rules, or the least of some
/// cuts.
double least_bisection(const NetworkDesign& design, const FabricCounts& one) {
  constexpr std::int64_t kFewSwitches = 64;
  constexpr std::int64_t kFewHosts = 16'384;
  std::int64_t switches = 0;
  for (const TierCount& tier : one.tiers) switches += tier.switches;
  const std::int64_t hosts = design.fabric->endpoints();
  if (one.bisection_exact || switches > kFewSwitches || hosts > kFewHosts) return one.bisection_links;
  const auto exact = exact_bisection(build_graph(design, {.planes = 1, .networks = 1}));
  if (!exact) return one.bisection_links;
  // Of an odd number, half counts as N / 2 where the hosts' own links are the narrowest.
  const std::int64_t half = hosts / 2;
  return *exact < static_cast<double>(half) ? *exact : static_cast<double>(hosts) / 2;
}

DesignCounts scaled(const NetworkDesign& design, const FabricCounts& one) {
  DesignCounts out;
  const std::int64_t fabrics = design.fabrics();
  const std::int64_t bundle = design.input.bundle_planes ? design.planes : 1;
  for (const TierCount& tier : one.tiers) {
    out.tiers.push_back({tier.name, tier.switches * fabrics, tier.ports_used * fabrics});
    out.chips += tier.switches * fabrics;
    out.ports_used += tier.ports_used * fabrics;
  }
  out.boxes = out.chips / bundle;
  out.ports = out.chips * design.part.ports;
  for (const LinkCount& links : one.links) {
    out.links.push_back({links.name, links.of_hosts, links.links * fabrics});
    (links.of_hosts ? out.host_links : out.switch_links) += links.links * fabrics;
  }
  out.host_cables = out.host_links / bundle;
  out.switch_cables = out.switch_links / bundle;
  out.bisection = design.link_rate * (least_bisection(design, one) * static_cast<double>(fabrics));
  const BitRate all = design.host_rate * static_cast<double>(design.fabric->endpoints() * design.networks);
  out.bisection_share = out.bisection / (all * 0.5);
  out.diameter = one.diameter;
  out.paths = one.paths * static_cast<double>(design.planes);
  const std::int64_t largest = design.fabric->largest() - design.gateways;
  out.largest_hosts = largest * design.networks;
  for (BlastRadius blast : one.blast) {
    // Gateways are endpoints, the last ones, and no hosts.
    blast.hosts = std::min(blast.hosts, static_cast<double>(design.fabric->endpoints() - design.gateways));
    blast.share /= static_cast<double>(design.planes);
    blast.parts *= static_cast<double>(fabrics);
    out.blast.push_back(std::move(blast));
  }
  if (design.planes > 1) {
    out.blast.push_back({"one plane", static_cast<double>(design.hosts),
                         1 / static_cast<double>(design.planes), false, FailedPart::plane,
                         static_cast<double>(design.planes)});
  }
  if (design.by_rank() && design.networks > 1) {
    out.blast.push_back({"one rail's network",
                         static_cast<double>(design.fabric->endpoints() - design.gateways), 1, false,
                         FailedPart::network, static_cast<double>(design.networks)});
  }
  const NearestFailure failure = design.fabric->nearest_failure();
  const double lost = 1 / static_cast<double>(design.planes * failure.ways);
  const double hit = design.dealing().most_of_domain(design, static_cast<double>(failure.endpoints));
  out.host_kept = 1 - lost;
  out.domain_kept = 1 - lost * hit / static_cast<double>(design.domain);
  return out;
}

}  // namespace

DesignCounts count(const NetworkDesign& design) { return scaled(design, design.fabric->counts()); }

DesignCounts count_graph(const NetworkDesign& design) { return scaled(design, counts_of_graph(design)); }

}  // namespace trainyard
