#include "schedule/cluster.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"
#include "trainyard/scenario.h"

namespace trainyard::schedule {
namespace {

constexpr std::int64_t kMostDevices = 20'000'000;

/// Blocks of a tier above each device of a rank, numbered over all networks of a plane.
std::vector<std::int64_t> blocks_above(const NetworkDesign& design, const ClosShape& shape, std::size_t tier,
                                       std::int64_t rank) {
  std::vector<std::int64_t> out;
  out.reserve(static_cast<std::size_t>(design.domains));
  for (std::int64_t domain = 0; domain < design.domains; ++domain) {
    const EndpointPlace place = design.place_of(domain * design.domain + rank);
    const std::int64_t leaf = share_of(shape.endpoints, shape.leaves(), place.endpoint);
    out.push_back(place.network * shape.blocks(tier) + shape.block_of_leaf(tier, leaf));
  }
  return out;
}

/// The same, numbered from 0 in the order in which they come.
std::vector<std::int32_t> numbered(const std::vector<std::int64_t>& blocks) {
  std::map<std::int64_t, std::int32_t> number;
  std::vector<std::int32_t> out;
  for (const std::int64_t block : blocks)
    out.push_back(number.emplace(block, static_cast<std::int32_t>(number.size())).first->second);
  return out;
}

/// Ranks divided alike, by switches that are all of one rank, or all of every rank.
bool alike(const std::vector<std::vector<std::int64_t>>& of_rank) {
  std::set<std::int64_t> seen(of_rank.front().begin(), of_rank.front().end());
  const std::vector<std::int32_t> first = numbered(of_rank.front());
  for (std::size_t rank = 1; rank < of_rank.size(); ++rank) {
    if (of_rank[rank] == of_rank.front()) continue;
    if (numbered(of_rank[rank]) != first) return false;
    const std::set<std::int64_t> here(of_rank[rank].begin(), of_rank[rank].end());
    for (const std::int64_t block : here)
      if (!seen.insert(block).second) return false;
  }
  return true;
}

Level level_of(const NetworkDesign& design, const ClosShape& shape, std::size_t tier, std::string name) {
  Level level;
  level.name = std::move(name);
  level.tier = tier;
  std::vector<std::vector<std::int64_t>> of_rank;
  for (std::int64_t rank = 0; rank < design.domain; ++rank)
    of_rank.push_back(blocks_above(design, shape, tier, rank));
  level.group_of_domain = numbered(of_rank.front());
  level.groups = std::set<std::int64_t>(of_rank.front().begin(), of_rank.front().end()).size();
  const double rate_up = static_cast<double>(shape.links_up(tier)) / static_cast<double>(shape.blocks(tier));
  std::set<std::int64_t> blocks;
  for (const auto& rank : of_rank) blocks.insert(rank.begin(), rank.end());
  if (alike(of_rank)) {
    const double together = static_cast<double>(blocks.size()) / static_cast<double>(level.groups);
    level.classes.push_back({static_cast<double>(design.domain), level.group_of_domain});
    level.rate_up.assign(level.groups, rate_up * together);
    return level;
  }
  std::map<std::int64_t, std::int32_t> number;
  for (const std::int64_t block : blocks) number.emplace(block, static_cast<std::int32_t>(number.size()));
  for (const auto& rank : of_rank) {
    RankClass& one = level.classes.emplace_back();
    for (const std::int64_t block : rank) one.link_of_domain.push_back(number.at(block));
  }
  level.rate_up.assign(blocks.size(), rate_up);
  return level;
}

ScheduleLevel facts_of(const Level& level, const ClosShape& shape, std::size_t tier) {
  std::vector<std::int64_t> domains(level.groups, 0);
  for (const std::int32_t group : level.group_of_domain) ++domains[static_cast<std::size_t>(group)];
  return {
      .name = level.name,
      .groups = static_cast<std::int64_t>(level.groups),
      .domains = *std::max_element(domains.begin(), domains.end()),
      .oversubscription = static_cast<double>(shape.endpoints) / static_cast<double>(shape.links_up(tier))};
}

void add_levels(Cluster& cluster) {
  const ClosShape& shape = *cluster.design->fabric->clos();
  const std::vector<TierCount> tiers = cluster.design->fabric->counts().tiers;
  for (std::size_t tier = 0; tier < shape.top(); ++tier) {
    Level level = level_of(*cluster.design, shape, tier, tiers.at(tier).name);
    if (level.rate_up.size() < 2) continue;
    cluster.facts.levels.push_back(facts_of(level, shape, tier));
    cluster.levels.push_back(std::move(level));
  }
}

void check_design(const NetworkDesign& design) {
  if (!is_schedulable(design))
    fail_design(design.input, "topology", "jobs are scheduled on trees of packet switches between HB domains",
                "fat_tree, rail_optimized or rail_only");
  if (design.domains > kMostDevices / design.domain)
    fail_design(design.input, "hosts",
                fmt::format("{} devices; jobs are scheduled on {} at most", design.domains * design.domain,
                            kMostDevices));
}

}  // namespace

bool is_schedulable(const NetworkDesign& design) {
  return design.fabric->clos() != nullptr && !design.inside_domains() && !design.by_circuits();
}

NetworkDesign scheduled_design(const Scenario& scenario) {
  const std::string wanted = scenario.schedule.value_or(ScheduleInput{}).design;
  const std::vector<NetworkDesign> designs = designs_of(scenario, wanted, "schedule.design");
  const auto found = std::find_if(designs.begin(), designs.end(), is_schedulable);
  if (found == designs.end()) check_design(designs.front());
  return *found;
}

Cluster cluster_of(const NetworkDesign& design, const ScheduleInput& settings) {
  check_design(design);
  if (settings.spares >= design.domains)
    fail_input(
        whole("schedule.spares"),
        fmt::format("{} of {} {} none for jobs", counted(settings.spares, "spare"),
                    counted(design.domains, "HB domain"), agreeing(settings.spares, "leaves", "leave")),
        fmt::format("less than {}", design.domains));
  Cluster cluster;
  cluster.design = std::make_shared<const NetworkDesign>(design);
  cluster.facts = {.design = design.input.name,
                   .devices = design.domains * design.domain,
                   .domain_devices = design.domain,
                   .domains = design.domains,
                   .spares = settings.spares,
                   .rails = design.rails,
                   .planes = design.planes,
                   .device_rate = design.host_rate,
                   .levels = {}};
  add_levels(cluster);
  return cluster;
}

}  // namespace trainyard::schedule

namespace trainyard {

ScheduleCluster schedule_cluster(const Scenario& scenario) {
  return schedule::cluster_of(schedule::scheduled_design(scenario),
                              scenario.schedule.value_or(ScheduleInput{}))
      .facts;
}

}  // namespace trainyard
