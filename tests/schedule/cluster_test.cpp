// Groups of HB domains against the graph of the network.
#include "schedule/cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule_cases.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

using namespace schedule;

/// Switches that hosts below them reach without passing a tier above `tier`.
void expect_groups_of_graph(const Scenario& scenario) {
  const NetworkDesign design = scheduled_design(scenario);
  const Cluster cluster = cluster_of(design, {});
  ASSERT_FALSE(cluster.levels.empty());
  const Graph graph = build_graph(design);
  const Adjacency links(graph);
  // The leaf of each domain's first device, in the graph of the network and plane 0 that holds it.
  std::map<std::int64_t, std::set<std::int32_t>> groups_of_leaf;
  std::uint32_t host = 0;
  for (const NodeRun& run : graph.node_runs)
    if (run.kind == NodeKind::host) host = run.begin;
  for (std::int64_t domain = 0; domain < design.domains; ++domain) {
    const std::uint32_t leaf =
        links.of(host + static_cast<std::uint32_t>(domain * design.domain)).front().node;
    groups_of_leaf[leaf].insert(cluster.leaf_of(static_cast<std::int32_t>(domain)));
  }
  EXPECT_EQ(groups_of_leaf.size(), cluster.levels.front().rate_up.size());
  for (const auto& [leaf, groups] : groups_of_leaf) EXPECT_EQ(groups.size(), 1U) << "leaf " << leaf;
}

TEST(ScheduleCluster, GroupsAreTheLeavesOfTheGraph) {
  expect_groups_of_graph(shared_cluster(32));
  expect_groups_of_graph(shared_cluster(96, {}, "topology = \"rail_optimized\"\nradix = 64"));
  expect_groups_of_graph(shared_cluster(128, {}, "topology = \"rail_only\"\nradix = 64"));
}

TEST(ScheduleCluster, LinksUpCarryWhatOversubscriptionLeaves) {
  const Cluster cluster = cluster_of(scheduled_design(shared_cluster(32)), {});
  ASSERT_EQ(cluster.levels.size(), 1U);
  EXPECT_EQ(cluster.facts.levels.front().domains, 4);
  EXPECT_DOUBLE_EQ(cluster.facts.levels.front().oversubscription, 2);
  for (const double rate : cluster.levels.front().rate_up) EXPECT_DOUBLE_EQ(rate, 16);
}

TEST(ScheduleCluster, RailsReachFurtherThanTreesOfTheSameSwitches) {
  const Cluster tree =
      cluster_of(scheduled_design(shared_cluster(256, {}, "topology = \"fat_tree\"\nradix = 64")), {});
  const Cluster rails =
      cluster_of(scheduled_design(shared_cluster(256, {}, "topology = \"rail_optimized\"\nradix = 64")), {});
  EXPECT_EQ(tree.facts.levels.front().domains, 4);
  EXPECT_EQ(rails.facts.levels.front().domains, 32);
}

TEST(ScheduleCluster, RefusesWhatIsNoTreeAndWhatLeavesNoDomain) {
  EXPECT_THROW(schedule_cluster(shared_cluster(64, {}, "topology = \"torus\"\ndimensions = [8, 8, 8]")),
               InputError);
  EXPECT_THROW(schedule_cluster(shared_cluster(8, {"spares=8"})), InputError);
}

}  // namespace
}  // namespace trainyard
