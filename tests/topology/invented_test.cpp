// Topologies that the program does not know, by their records alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/errors.h"
#include "base/fields.h"
#include "designs.h"
#include "scenario/choices/designs.h"
#include "scenario/sections.h"
#include "topology/dealing.h"
#include "topology/fabric.h"
#include "topology/routing.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/design_counts.h"
#include "trainyard/network_load.h"
#include "trainyard/report/networks.h"
#include "trainyard/scenario.h"
#include "trainyard/topology_kind.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

/// One switch for all hosts.
class Star : public Fabric {
 public:
  explicit Star(const FabricCase& wanted) : hosts_(wanted.endpoints), ports_(wanted.ports) {}

  FabricCounts counts() const override {
    FabricCounts out;
    out.tiers = {{"hub", 1, hosts_}};
    out.links = {{"host to hub", true, hosts_}};
    out.bisection_links = static_cast<double>(hosts_ / 2);
    out.diameter = 2;
    out.paths = 1;
    return out;
  }
  std::int64_t endpoints() const override { return hosts_; }
  std::int64_t largest() const override { return ports_; }
  std::int64_t host_links() const override { return 1; }
  std::int64_t tiers() const override { return 1; }
  NearestFailure nearest_failure() const override { return {hosts_, 1}; }
  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    const std::uint32_t hub = graph.add_nodes({NodeKind::electrical_switch, "hub", 1, place.network,
                                               place.plane, place.datacenter, 0, 0, place.ports},
                                              1);
    graph.begin_links("host to hub", place.rate);
    for (const std::uint32_t host : place.hosts) graph.link(host, hub);
  }
  void visit_cables(std::int64_t per_rack, std::int64_t most, const CableVisitor& visit) const override {
    visit_host_cables(hosts_, 1, per_rack, most, visit);
  }

 private:
  std::int64_t hosts_;
  std::int64_t ports_;
};

/// Every host joined to the next, without switches.
class Ring : public Fabric {
 public:
  explicit Ring(std::int64_t hosts) : hosts_(hosts) {}

  FabricCounts counts() const override {
    FabricCounts out;
    out.links = {{"around", true, hosts_}};
    out.bisection_links = 2;
    out.diameter = hosts_ / 2;
    out.paths = hosts_ % 2 == 0 ? 2 : 1;
    return out;
  }
  std::int64_t endpoints() const override { return hosts_; }
  std::int64_t largest() const override { return hosts_; }
  std::int64_t host_links() const override { return 2; }
  std::int64_t tiers() const override { return 0; }
  NearestFailure nearest_failure() const override { return {1, 2}; }
  void build(GraphBuilder& graph, const FabricPlace& place) const override {
    graph.begin_links("around", place.rate);
    for (std::size_t h = 0; h < place.hosts.size(); ++h)
      graph.link(place.hosts[h], place.hosts[(h + 1) % place.hosts.size()]);
  }
  void visit_cables(std::int64_t, std::int64_t, const CableVisitor& visit) const override {
    for (std::int64_t h = 0; h < hosts_; ++h) {
      const std::int64_t next = (h + 1) % hosts_;
      visit({0, {h, h + 1}, {next, next + 1}, 1});
    }
  }

 private:
  std::int64_t hosts_;
};

const Topology& star() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::packet,
      .joins_gateways = true,
      .counts_forwarding = false,
      .make = [](const FabricCase& wanted) -> std::unique_ptr<Fabric> {
        return std::make_unique<Star>(wanted);
      },
      .outline = Outline::tree,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

const Topology& ring() {
  static const Topology topology = {
      .dealing = dealings::in_order(),
      .switches = SwitchType::none,
      .joins_gateways = false,
      .counts_forwarding = false,
      .make = [](const FabricCase& wanted) -> std::unique_ptr<Fabric> {
        return std::make_unique<Ring>(wanted.endpoints);
      },
      .outline = Outline::host_grid,
      .usual_title = "",
      .mix = std::nullopt,
  };
  return topology;
}

DesignInput sixty_four_hosts() {
  DesignInput input;
  input.name = "invented";
  input.hosts = 64;
  input.prices = "railonly23";
  return input;
}

void expect_counts_of_graph(const NetworkDesign& design) {
  const DesignCounts closed = count(design);
  const DesignCounts graph = count_graph(design);
  EXPECT_EQ(closed.chips, graph.chips);
  EXPECT_EQ(closed.ports_used, graph.ports_used);
  EXPECT_EQ(closed.host_links, graph.host_links);
  EXPECT_EQ(closed.switch_links, graph.switch_links);
}

TEST(InventedTopology, WithASwitchIsCountedPricedAndLoaded) {
  const Scenario scenario = small_scenario();
  const NetworkDesign design = resolve_design(scenario, sixty_four_hosts(), star());
  expect_counts_of_graph(design);
  const DesignCounts counts = count(design);
  EXPECT_EQ(counts.chips, 1);
  EXPECT_EQ(counts.ports, design.part.ports);
  EXPECT_EQ(counts.domain_kept, 0);  // of one switch for all nothing is left
  EXPECT_EQ(counts.largest_hosts, design.part.ports);
  const Bill bill = price(design, scenario);
  EXPECT_GT(bill.price_switches.si(), 0);
  EXPECT_DOUBLE_EQ(bill.transceivers, 2 * 64);
  EXPECT_EQ(Routing(build_graph(design)).distances(0)[63], 2U);
  const NetworkLoad load = load_of(design, named_traffic(design, "all_to_all", Bytes(1e9), 0));
  EXPECT_DOUBLE_EQ(load.share(), 1);
}

TEST(InventedTopology, WithoutSwitchesHasNoneInAnyAnswer) {
  const Scenario scenario = small_scenario();
  const NetworkDesign design = resolve_design(scenario, sixty_four_hosts(), ring());
  expect_counts_of_graph(design);
  const DesignCounts counts = count(design);
  EXPECT_EQ(counts.chips, 0);
  EXPECT_EQ(counts.ports, 0);
  EXPECT_EQ(design.part.ports, 0);
  EXPECT_DOUBLE_EQ(counts.host_kept, 0.5);            // one of two links
  EXPECT_DOUBLE_EQ(counts.domain_kept, 1 - 0.5 / 8);  // of one of eight devices
  EXPECT_EQ(design.link_rate, design.host_rate * 0.5);
  const Bill bill = price(design, scenario);
  EXPECT_EQ(bill.price_switches.si(), 0);
  EXPECT_DOUBLE_EQ(bill.transceivers, 2 * 64);
  EXPECT_EQ(Routing(build_graph(design)).distances(0)[32], 32U);
}

TEST(InventedTopology, WithoutPlaceForAGatewayRefusesOne) {
  DesignInput input = sixty_four_hosts();
  input.gateways = 1;
  EXPECT_THROW(resolve_design(small_scenario(), input, ring()), InputError);
  EXPECT_EQ(resolve_design(small_scenario(), input, star()).gateways, 1);
}

TEST(InventedTopology, IsDrawnAsItsRecordSays) {
  const Scenario scenario = small_scenario();
  const auto drawn = [&](const Topology& topology) {
    return networks_svg({resolve_design(scenario, sixty_four_hosts(), topology)});
  };
  EXPECT_THAT(drawn(star()), testing::HasSubstr("leaf 1"));
  EXPECT_THAT(drawn(ring()), testing::HasSubstr("some of its hosts"));
  EXPECT_THAT(drawn(ring()), testing::Not(testing::HasSubstr("chips of")));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ' ') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// The keys that a line of the registry gives are those that its record has a use for.
TEST(Topologies, KeysFitTheRecords) {
  const auto known = field_names(design_fields());
  const std::pair<TopologyKind, std::string> lines[] = {
#define TRAINYARD_TOPOLOGY(name, text, sentence, keys) {TopologyKind::name, keys},
#include "trainyard/registries/topologies.def"
  };
  for (const auto& [kind, keys] : lines) {
    const Topology& topology = topology_of(kind);
    const auto words = words_of(keys);
    const auto has = [&](const char* key) {
      return std::find(words.begin(), words.end(), key) != words.end();
    };
    SCOPED_TRACE(choice_name(kind));
    for (const std::string& word : words)
      EXPECT_NE(std::find(known.begin(), known.end(), word), known.end()) << word;
    EXPECT_EQ(has("gateways"), topology.joins_gateways);
    EXPECT_EQ(has("switch"), topology.switches == SwitchType::packet);
    EXPECT_EQ(has("radix"), topology.switches != SwitchType::none);
    EXPECT_EQ(has("circuits"), topology.switches == SwitchType::circuit);
    EXPECT_EQ(has("rails"), topology.dealing.over_rails());
    EXPECT_EQ(has("rails_per_switch"), topology.dealing.rails_share_switches());
  }
}

}  // namespace
}  // namespace trainyard
