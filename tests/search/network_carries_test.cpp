// What networks carry, in closed form, against loads flow by flow and against max-min fair flows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "network/flow/flow_simulation.h"
#include "network/flow/networks.h"
#include "search/network_mixes.h"
#include "search/network_scores.h"
#include "small_clusters.h"
#include "topology/clos_shape.h"
#include "topology/endpoints.h"
#include "topology/fabric.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/network_load.h"
#include "trainyard/network_search.h"

namespace trainyard {
namespace {

constexpr const char* kWideSpace =
    "switches = [\"tomahawk3\"]\nplanes = [1, 2, 4]\noversubscription = [1, 2, 3]\nmost_tiers = 3\n";

/// Every network of every family that can be built.
std::vector<NetworkChoice> all_buildable(const Scenario& scenario) {
  NetworkScores scores(scenario);
  std::vector<NetworkChoice> out;
  for (const DesignInput& mix : network_mixes(scenario.optimize, scores.domain())) scores.add(mix, out);
  return out;
}

/// Of the first network's hosts, by flows that all begin together and each get their max-min fair rate.
double share_by_flows(const NetworkDesign& design, const TrafficMatrix& matrix) {
  const auto network = flow::network_of(design, {});
  flow::FlowSimulation simulation(*network);
  const TrafficTotals totals = visit_traffic(design, matrix, [&](const EndpointFlow& f) {
    if (f.network != 0) return;
    simulation.add({.from = static_cast<std::uint32_t>(f.from),
                    .to = static_cast<std::uint32_t>(f.to),
                    .bytes = Bytes(f.bytes),
                    .latency = Seconds(0)});
  });
  simulation.run();
  return Bytes(totals.busiest()) / byte_rate(design.host_rate) / simulation.now();
}

TEST(NetworkCarries, ClosedFormsAreTheLoadsOfEveryFlow) {
  for (const char* devices : {"64", "200", "1000"}) {
    const Scenario scenario = cluster(devices, kWideSpace);
    for (const NetworkChoice& c : all_buildable(scenario)) {
      const NetworkDesign design = resolve_design(scenario, c.input);
      const NetworkLoad all = load_of(design, named_traffic(design, "all_to_all", Bytes(1), 1));
      ASSERT_NEAR(all.share(), c.carries.all_to_all, 1e-9) << devices << ": " << c.input.name;
      ASSERT_NEAR(load_of(design, half_way_round(design)).share(), c.carries.shifted, 1e-9)
          << devices << ": " << c.input.name;
    }
  }
}

TEST(NetworkCarries, FairFlowsFinishWhenTheClosedFormsSay) {
  const Scenario scenario = cluster("64", kWideSpace);
  std::set<std::pair<TopologyKind, std::int64_t>> families;
  for (const NetworkChoice& c : all_buildable(scenario)) {
    const NetworkDesign design = resolve_design(scenario, c.input);
    if (!design.fabric->clos()->even()) continue;  // spraying fills links of a block alike only then
    families.emplace(c.input.topology, design.networks);
    ASSERT_NEAR(share_by_flows(design, half_way_round(design)), c.carries.shifted, 1e-6) << c.input.name;
    ASSERT_NEAR(share_by_flows(design, named_traffic(design, "all_to_all", Bytes(1), 1)),
                c.carries.all_to_all, 1e-6)
        << c.input.name;
  }
  EXPECT_EQ(families.size(), 6U);  // racks in order, leaves by rank, and rails in 1, 2, 4 and 8 networks
}

TEST(NetworkCarries, APermutationIsThatOfTheNetworkVerb) {
  const Scenario scenario = cluster("200", kWideSpace);
  NetworkScores scores(scenario);
  for (const NetworkChoice& c : all_buildable(scenario)) {
    const NetworkDesign design = resolve_design(scenario, c.input);
    const double share = load_of(design, named_traffic(design, "permutation", Bytes(1), 1)).share();
    ASSERT_DOUBLE_EQ(scores.permutation_share(c), share) << c.input.name;
  }
}

/// The least share of its links that an HB domain keeps when any one switch next to hosts fails.
double kept_on_graph(const NetworkDesign& design) {
  const Graph graph = build_graph(design);
  std::vector<std::vector<std::int64_t>> lost(static_cast<std::size_t>(design.domains),
                                              std::vector<std::int64_t>(graph.nodes, 0));
  std::int64_t most = 0;
  for (const Link& link : graph.links) {
    const auto host = static_cast<std::int64_t>(std::min(link.a, link.b));
    if (host >= design.hosts) continue;
    auto& count = lost[static_cast<std::size_t>(host / design.domain)][std::max(link.a, link.b)];
    most = std::max(most, ++count);
  }
  return 1 - static_cast<double>(most) / static_cast<double>(design.domain * design.planes);
}

TEST(NetworkCarries, OneFailedSwitchTakesFromAnHbDomainWhatTheGraphSays) {
  for (const char* devices : {"64", "200"}) {
    const Scenario scenario = cluster(devices, kWideSpace);
    for (const NetworkChoice& c : all_buildable(scenario)) {
      const NetworkDesign design = resolve_design(scenario, c.input);
      ASSERT_NEAR(kept_on_graph(design), c.score.kept, 1e-12) << devices << ": " << c.input.name;
    }
  }
}

TEST(NetworkCarries, AStepIsSlowerOnLessAndStopsOnNothing) {
  const Scenario scenario = cluster("512", kWideSpace);
  for (const NetworkChoice& c : all_buildable(scenario)) {
    if (c.score.kept == 0) {
      EXPECT_EQ(c.carries.failed, 0) << c.input.name;
    } else {
      EXPECT_GE(c.carries.failed, c.score.kept - 1e-9) << c.input.name;
      EXPECT_LE(c.carries.failed, 1) << c.input.name;
    }
  }
}

}  // namespace
}  // namespace trainyard
