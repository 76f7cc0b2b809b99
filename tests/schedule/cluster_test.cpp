// Groups of HB domains against the graph of the network.
#include "schedule/cluster.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule_cases.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_design.h"

namespace trainyard {
namespace {

using namespace schedule;

/// Which leaf each device of the first network and plane stands below, in the graph.
std::map<std::int64_t, std::uint32_t> leaves_of_graph(const NetworkDesign& design) {
  const Graph graph = build_graph(design);
  const Adjacency links(graph);
  std::uint32_t host = 0;
  for (const NodeRun& run : graph.node_runs)
    if (run.kind == NodeKind::host) host = run.begin;
  std::map<std::int64_t, std::uint32_t> out;
  for (std::int64_t device = 0; device < design.hosts; ++device)
    out[device] = links.of(host + static_cast<std::uint32_t>(device)).front().node;
  return out;
}

void expect_leaves_of_graph(const Scenario& scenario, bool alike) {
  const NetworkDesign design = scheduled_design(scenario);
  const Cluster cluster = cluster_of(design, {});
  ASSERT_FALSE(cluster.levels.empty());
  const Level& level = cluster.levels.front();
  ASSERT_EQ(level.classes.size() == 1, alike);
  std::map<std::uint32_t, std::set<std::int32_t>> links_of_leaf;
  std::map<std::int32_t, std::set<std::uint32_t>> leaves_of_link;
  std::map<std::uint32_t, std::int64_t> devices_of_leaf;
  for (const auto& [device, leaf] : leaves_of_graph(design)) {
    const auto rank = static_cast<std::size_t>(device % design.domain);
    const auto domain = static_cast<std::size_t>(device / design.domain);
    const std::int32_t link = level.classes[alike ? 0 : rank].link_of_domain[domain];
    links_of_leaf[leaf].insert(link);
    leaves_of_link[link].insert(leaf);
  }
  EXPECT_EQ(leaves_of_link.size(), level.rate_up.size());
  for (const auto& [leaf, links] : links_of_leaf) EXPECT_EQ(links.size(), 1U) << "leaf " << leaf;
  if (alike) return;
  for (const auto& [link, leaves] : leaves_of_link) EXPECT_EQ(leaves.size(), 1U) << "link " << link;
}

TEST(ScheduleCluster, LinksAreTheLeavesOfTheGraph) {
  expect_leaves_of_graph(shared_cluster(32), true);
  expect_leaves_of_graph(shared_cluster(96, {}, "topology = \"rail_optimized\"\nradix = 64"), true);
  expect_leaves_of_graph(shared_cluster(128, {}, "topology = \"rail_only\"\nradix = 64"), true);
  // Leaves of 32 that begin within a rank, and within an HB domain.
  expect_leaves_of_graph(shared_cluster(100, {}, "topology = \"rail_optimized\"\nradix = 64"), false);
  expect_leaves_of_graph(shared_cluster(32, {}, "topology = \"fat_tree\"\nradix = 40"), false);
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
