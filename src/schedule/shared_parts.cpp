#include "schedule/shared_parts.h"

#include <algorithm>
#include <map>

#include "schedule/cluster.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/catalog_records.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario/resilience.h"

namespace trainyard::schedule {
namespace {

constexpr double kYear_s = 365 * 86400.0;
constexpr double kTransceiversOfCable = 2;
constexpr double kRounding = 1e-9;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The number of a level's first link, as Contention counts them.
std::uint32_t first_link(const Cluster& cluster, std::size_t level) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < level; ++i) out += static_cast<std::uint32_t>(cluster.levels[i].rate_up.size());
  return out;
}

double real(std::int64_t n) { return static_cast<double>(n); }

}  // namespace

SharedParts::SharedParts(const Cluster& cluster, const FailureSet& set, const ResilienceInput& racks)
    : cluster_(cluster) {
  const NetworkDesign& design = *cluster.design;
  const double link_s = set.link_repair.si();
  const double facility_s = set.facility_repair.si();
  const std::int64_t device_links = design.domains * design.domain * design.planes;
  add({{"link of a device", device_links, 0, link_s}, Reach::device_link},
      set.cable + kTransceiversOfCable * set.transceiver);
  add_switches(set);
  add({{"plane", design.planes, 0, link_s}, Reach::plane}, set.plane);
  const std::int64_t rack_devices =
      racks.rack_hosts.value_or(kUsualRackServers) * racks.host_devices.value_or(kUsualServerDevices);
  const std::int64_t of_rack = std::clamp<std::int64_t>(rack_devices / design.domain, 1, design.domains);
  const std::int64_t of_feed = std::min(design.domains, of_rack * racks.feed_racks);
  const auto domains = [&](const char* name, std::int64_t of_part, double per_year) {
    add({{name, ceil_div(design.domains, of_part), 0, facility_s}, Reach::domains, 0, 0, of_part}, per_year);
  };
  domains("rack's power", of_rack, set.rack_power);
  domains("power feed", of_feed, set.power_feed);
  domains("cooling loop", of_feed, set.cooling);
  domains("site", design.domains, set.site);
}

void SharedParts::add(Kind kind, double per_year) {
  kind.facts.rate_per_s = real(kind.facts.parts) * per_year / kYear_s;
  if (kind.facts.rate_per_s > 0) kinds_.push_back(std::move(kind));
}

/// Tiers and shares are those of the design's own blast radius.
void SharedParts::add_switches(const FailureSet& set) {
  const ClosShape& shape = *cluster_.design->fabric->clos();
  std::size_t tier = 0;
  for (const BlastRadius& blast : count(*cluster_.design).blast) {
    if (blast.part != FailedPart::chip || tier > shape.top()) continue;
    const std::int64_t parts = shape.switches(tier) * cluster_.design->fabrics();
    const std::string name = blast.what.substr(blast.what.find(' ') + 1);  // "one leaf"
    add({{name, parts, 0, set.link_repair.si()},
         tier == 0 ? Reach::leaf : Reach::upper_switch,
         tier,
         blast.share},
        set.switch_chip);
    ++tier;
  }
}

void SharedParts::lose(Damage& damage, std::int64_t domain, double share) const {
  if (share >= 1 - kRounding) {
    damage.gone.push_back(static_cast<std::int32_t>(domain));
  } else {
    damage.slower.emplace_back(static_cast<std::int32_t>(domain), share);
  }
}

Damage SharedParts::damage(std::size_t at, std::int64_t part) const {
  const Kind& kind = kinds_[at];
  switch (kind.reach) {
    case Reach::device_link:
      return of_device_link(part);
    case Reach::leaf:
      return of_leaf(part);
    case Reach::upper_switch:
      return of_upper_switch(kind, part);
    case Reach::plane:
      return of_plane();
    case Reach::domains:
      break;
  }
  Damage out;
  const std::int64_t end = std::min(cluster_.design->domains, (part + 1) * kind.domains);
  for (std::int64_t domain = part * kind.domains; domain < end; ++domain) lose(out, domain, 1);
  return out;
}

/// Other devices of the HB domain send for the one without.
Damage SharedParts::of_device_link(std::int64_t part) const {
  Damage out;
  const std::int64_t of_domain = cluster_.design->domain * cluster_.design->planes;
  lose(out, part / of_domain, 1 / real(of_domain));
  return out;
}

/// Its devices lose a plane's share of their rate, their HB domains that of as many ranks.
Damage SharedParts::of_leaf(std::int64_t part) const {
  const NetworkDesign& design = *cluster_.design;
  const ClosShape& shape = *design.fabric->clos();
  const std::int64_t network = part / design.planes / shape.leaves();
  const std::int64_t leaf = part / design.planes % shape.leaves();
  const bool has_level = !cluster_.levels.empty() && cluster_.levels.front().tier == 0;
  Damage out;
  std::map<std::uint32_t, double> links;
  for (std::int64_t domain = 0; domain < design.domains; ++domain) {
    std::int64_t ranks = 0;
    for (std::int64_t rank = 0; rank < design.domain; ++rank) {
      const EndpointPlace place = design.place_of(domain * design.domain + rank);
      if (place.network != network) continue;
      if (share_of(shape.endpoints, shape.leaves(), place.endpoint) != leaf) continue;
      ++ranks;
      if (!has_level) continue;
      const Level& level = cluster_.levels.front();
      const bool apart = level.classes.size() > 1;
      const RankClass& of_rank = level.classes[apart ? static_cast<std::size_t>(rank) : 0];
      links[static_cast<std::uint32_t>(of_rank.link_of_domain[static_cast<std::size_t>(domain)])] =
          apart ? 1 : real(ranks) / real(design.domain);
    }
    if (ranks > 0) lose(out, domain, real(ranks) / real(design.domain * design.planes));
  }
  for (const auto& [link, share] : links) out.links.emplace_back(link, share / real(design.planes));
  return out;
}

/// Of the links up from the tier below, to a switch at the top from all of the network, else from one block.
Damage SharedParts::of_upper_switch(const Kind& kind, std::int64_t part) const {
  const NetworkDesign& design = *cluster_.design;
  const ClosShape& shape = *design.fabric->clos();
  const std::int64_t in_fabric = part / design.planes % shape.switches(kind.tier);
  const std::int64_t block = in_fabric / shape.width(kind.tier);
  const auto same_block = [&](const Level& level, std::int32_t link) {
    if (kind.tier == shape.top()) return true;
    for (std::size_t rank = 0; rank < level.classes.size(); ++rank) {
      const std::vector<std::int32_t>& links = level.classes[rank].link_of_domain;
      const auto found = std::find(links.begin(), links.end(), link);
      if (found == links.end()) continue;
      const std::int64_t device = (found - links.begin()) * design.domain + static_cast<std::int64_t>(rank);
      const std::int64_t leaf = share_of(shape.endpoints, shape.leaves(), design.place_of(device).endpoint);
      return shape.block_of_leaf(kind.tier, leaf) == block;
    }
    return false;
  };
  Damage out;
  for (std::size_t i = 0; i < cluster_.levels.size(); ++i) {
    const Level& level = cluster_.levels[i];
    if (level.tier + 1 != kind.tier) continue;
    // Of ranks that count together, one network's are a part.
    const double share = level.classes.size() > 1 ? kind.share : kind.share / real(design.networks);
    for (std::size_t link = 0; link < level.rate_up.size(); ++link)
      if (same_block(level, static_cast<std::int32_t>(link)))
        out.links.emplace_back(first_link(cluster_, i) + static_cast<std::uint32_t>(link), share);
  }
  return out;
}

Damage SharedParts::of_plane() const {
  Damage out;
  const double share = 1 / real(cluster_.design->planes);
  for (std::int64_t domain = 0; domain < cluster_.design->domains; ++domain) lose(out, domain, share);
  if (cluster_.design->planes == 1) return out;
  std::uint32_t links = 0;
  for (const Level& level : cluster_.levels) links += static_cast<std::uint32_t>(level.rate_up.size());
  for (std::uint32_t link = 0; link < links; ++link) out.links.emplace_back(link, share);
  return out;
}

}  // namespace trainyard::schedule
