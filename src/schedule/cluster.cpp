#include "schedule/cluster.h"

#include <fmt/core.h>

#include <algorithm>

#include "topology/clos_shape.h"
#include "topology/fabric.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"

namespace trainyard::schedule {
namespace {

constexpr std::int64_t kMostDomains = 4'000'000;

/// By the place of each domain's first device in its network; the others stand below the switches beside.
Level level_of(const NetworkDesign& design, const ClosShape& shape, std::size_t tier, std::string name) {
  Level level;
  level.name = std::move(name);
  level.group_of_domain.resize(static_cast<std::size_t>(design.domains));
  std::int64_t last_block = -1;
  std::int32_t groups = 0;
  for (std::int64_t domain = 0; domain < design.domains; ++domain) {
    const std::int64_t endpoint = design.place_of(domain * design.domain).endpoint;
    const std::int64_t leaf = share_of(shape.endpoints, shape.leaves(), endpoint);
    const std::int64_t block = shape.block_of_leaf(tier, leaf);
    if (block != last_block) ++groups;
    last_block = block;
    level.group_of_domain[static_cast<std::size_t>(domain)] = groups - 1;
  }
  level.rate_up.assign(static_cast<std::size_t>(groups), 0);
  const double up_per_device =
      static_cast<double>(shape.links_up(tier)) / static_cast<double>(shape.endpoints);
  for (const std::int32_t group : level.group_of_domain)
    level.rate_up[static_cast<std::size_t>(group)] += static_cast<double>(design.domain) * up_per_device;
  return level;
}

ScheduleLevel facts_of(const Level& level, const ClosShape& shape, std::size_t tier) {
  std::vector<std::int64_t> domains(level.rate_up.size(), 0);
  for (const std::int32_t group : level.group_of_domain) ++domains[static_cast<std::size_t>(group)];
  return {
      .name = level.name,
      .groups = static_cast<std::int64_t>(level.rate_up.size()),
      .domains = *std::max_element(domains.begin(), domains.end()),
      .oversubscription = static_cast<double>(shape.endpoints) / static_cast<double>(shape.links_up(tier))};
}

void add_levels(Cluster& cluster) {
  const ClosShape& shape = *cluster.design.fabric->clos();
  const std::vector<TierCount> tiers = cluster.design.fabric->counts().tiers;
  for (std::size_t tier = 0; tier < shape.top(); ++tier) {
    Level level = level_of(cluster.design, shape, tier, tiers.at(tier).name);
    if (level.rate_up.size() < 2) continue;
    cluster.facts.levels.push_back(facts_of(level, shape, tier));
    cluster.levels.push_back(std::move(level));
  }
}

void check_design(const NetworkDesign& design) {
  if (!is_schedulable(design))
    fail_design(design.input, "topology", "jobs are scheduled on trees of packet switches between HB domains",
                "fat_tree, rail_optimized or rail_only");
  if (design.domains > kMostDomains)
    fail_design(design.input, "hosts",
                fmt::format("{} HB domains; jobs are scheduled on {} at most", design.domains, kMostDomains));
}

}  // namespace

bool is_schedulable(const NetworkDesign& design) {
  return design.fabric->clos() != nullptr && !design.inside_domains() && !design.by_circuits();
}

NetworkDesign scheduled_design(const Scenario& scenario) {
  const std::string wanted = scenario.schedule.value_or(ScheduleInput{}).design;
  const std::vector<NetworkDesign> designs = designs_of(scenario, wanted);
  const auto found = std::find_if(designs.begin(), designs.end(), is_schedulable);
  if (found == designs.end()) check_design(designs.front());
  return *found;
}

Cluster cluster_of(const NetworkDesign& design, const ScheduleInput& settings) {
  check_design(design);
  if (settings.spares >= design.domains)
    fail_input(whole("schedule.spares"),
               fmt::format("{} spares of {} HB domains leave none for jobs", settings.spares, design.domains),
               fmt::format("less than {}", design.domains));
  Cluster cluster;
  cluster.design = design;
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
