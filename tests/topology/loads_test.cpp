// Loads by symmetry against the full computation, and against hand counts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <vector>

#include "designs.h"
#include "topology/clos_shape.h"
#include "topology/endpoints.h"
#include "topology/fabric.h"
#include "topology/loads_by_domain.h"
#include "topology/topology.h"
#include "trainyard/errors.h"
#include "trainyard/network_load.h"
#include "trainyard/range.h"
#include "trainyard/topology_kind.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

void check_close(double a, double b) { RC_ASSERT(std::abs(a - b) <= 1e-9 * (1 + std::abs(a) + std::abs(b))); }

/// A tree whose links spread evenly: powers of two all through.
DesignInput even_input() {
  DesignInput input = small_input(
      *rc::gen::element(TopologyKind::fat_tree, TopologyKind::rail_optimized, TopologyKind::rail_only),
      *rc::gen::element<std::int64_t>(32, 64, 128, 256), *rc::gen::element<std::int64_t>(4, 8, 16));
  input.planes = *rc::gen::element<std::int64_t>(1, 2);
  if (input.topology == TopologyKind::rail_only) input.rails = *rc::gen::element<std::int64_t>(2, 4, 8);
  return input;
}

RC_GTEST_PROP(Loads, BySymmetryAreThoseOfTheGraph, ()) {
  const NetworkDesign design = small_design(even_input());
  const std::string name = *rc::gen::elementOf(traffic_names());
  const TrafficMatrix matrix =
      named_traffic(design, name, Bytes(1e6), *rc::gen::inRange<std::uint64_t>(0, 100));
  const NetworkLoad quick = load_by_symmetry(design, matrix);
  const NetworkLoad full = load_on_graph(design, matrix);
  RC_ASSERT(quick.links.size() == full.links.size());
  check_close(quick.offered.si(), full.offered.si());
  check_close(quick.forwarded.si(), full.forwarded.si());
  check_close(quick.host_bound.si(), full.host_bound.si());
  for (std::size_t i = 0; i < quick.links.size(); ++i) {
    RC_ASSERT(quick.links[i].name == full.links[i].name);
    check_close(quick.links[i].worst.si(), full.links[i].worst.si());
    check_close(quick.links[i].mean.si(), full.links[i].mean.si());
    check_close(quick.links[i].idle, full.links[i].idle);
  }
  check_close(quick.bound.si(), full.bound.si());
}

RC_GTEST_PROP(Loads, OnUnevenTreesSymmetryIsALowerBound, ()) {
  DesignInput input = small_input(TopologyKind::fat_tree, *rc::gen::inRange<std::int64_t>(20, 300),
                                  *rc::gen::inRange<std::int64_t>(5, 20));
  const NetworkDesign design = small_design(input);
  const TrafficMatrix matrix =
      named_traffic(design, "permutation", Bytes(1e6), *rc::gen::inRange<std::uint64_t>(0, 100));
  const NetworkLoad quick = load_by_symmetry(design, matrix);
  const NetworkLoad full = load_on_graph(design, matrix);
  for (std::size_t i = 0; i < quick.links.size(); ++i)
    RC_ASSERT(quick.links[i].worst.si() <= full.links[i].worst.si() * (1 + 1e-9));
}

/// A class over some of the places of an HB domain's number, whose sizes are `sizes`, slowest first.
TrafficClass class_of_domains(const std::vector<std::int64_t>& sizes, std::int64_t domain_devices) {
  TrafficClass out{"test",
                   *rc::gen::element(TrafficPattern::all, TrafficPattern::ring, TrafficPattern::line,
                                     TrafficPattern::ends, TrafficPattern::incast),
                   {},
                   Bytes(1e9 / 3 * *rc::gen::inRange(1, 50)),
                   *rc::gen::element(TrafficKind::pipeline, TrafficKind::gradient)};
  std::int64_t stride = domain_devices;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (*rc::gen::inRange(0, 2) == 0) out.digits.insert(out.digits.begin(), {stride, sizes[i]});
    stride *= sizes[i];
  }
  if (out.digits.empty()) out.digits.push_back({domain_devices, sizes.back()});
  return out;
}

RC_GTEST_PROP(Loads, OfWholeDomainsAreThoseOfTheirDevicesToTheLastBit, ()) {
  static const Scenario scenario = small_scenario({}, "datacenters = 2\n");
  const std::vector<std::int64_t> sizes = {2, *rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6),
                                           *rc::gen::inRange(1, 6)};
  const std::int64_t domains = sizes[1] * sizes[2] * sizes[3];
  const auto domain = *rc::gen::element<std::int64_t>(4, 6, 8);
  DesignInput input = small_input(
      *rc::gen::element(TopologyKind::fat_tree, TopologyKind::rail_optimized, TopologyKind::rail_only),
      (domains + *rc::gen::inRange(0, 2)) * domain, *rc::gen::inRange<std::int64_t>(4, 20));
  input.domain = domain;
  input.planes = *rc::gen::element<std::int64_t>(1, 2, 3);
  input.gateways = *rc::gen::inRange(0, 5);
  if (input.topology == TopologyKind::rail_only) input.rails = *rc::gen::element<std::int64_t>(1, 2, domain);
  const NetworkDesign design = resolve_design(scenario, input);
  TrafficMatrix matrix;
  matrix.domain_devices = *rc::gen::inRange<std::int64_t>(domain / 2 + 1, domain + 1);
  matrix.devices = 2 * domains * matrix.domain_devices;
  RC_PRE(matrix.devices > design.hosts);  // else both datacenters are taken for one
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
    matrix.classes.push_back(class_of_domains(sizes, matrix.domain_devices));
  const TrafficPart part =
      *rc::gen::element<TrafficPart>(std::nullopt, TrafficKind::pipeline, TrafficKind::gradient);
  const std::vector<NetworkLoad> loads = loads_by_domain(design, matrix, {TrafficKind::gradient, part});
  RC_PRE(!loads.empty());
  const NetworkLoad* quick = &loads.back();
  const NetworkLoad full = load_by_device(design, part ? only_kind(matrix, *part) : matrix);
  RC_ASSERT(quick->offered == full.offered);
  RC_ASSERT(full.forwarded == Bytes(0));
  RC_ASSERT(quick->bound == full.bound);
  RC_ASSERT(quick->worst_link == full.worst_link);
  RC_ASSERT(quick->host_bound == full.host_bound);
  RC_ASSERT(quick->idle_share == full.idle_share);
  for (std::size_t i = 0; i < full.links.size(); ++i) {
    RC_ASSERT(quick->links[i].name == full.links[i].name);
    RC_ASSERT(quick->links[i].worst == full.links[i].worst);
    RC_ASSERT(quick->links[i].mean == full.links[i].mean);
    RC_ASSERT(quick->links[i].idle == full.links[i].idle);
  }
}

TEST(Loads, OfTrafficInsideDomainsOrOfSingleFlowsFollowDevices) {
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, 64, 8));
  const auto loads = [&](const char* traffic) {
    return loads_by_domain(design, named_traffic(design, traffic, Bytes(1e6), 0), {std::nullopt});
  };
  EXPECT_FALSE(loads("pipeline").empty());
  EXPECT_FALSE(loads("hierarchical_all_reduce").empty());
  EXPECT_TRUE(loads("permutation").empty());
  EXPECT_TRUE(loads("ring").empty());
}

// Hosts that are less than an HB domain have nobody to pass anything to.
TEST(Loads, OfAPartOfADomainAreNone) {
  DesignInput input = small_input(TopologyKind::rail_optimized, 64, 8);
  input.domain = 1024;
  const NetworkDesign design = small_design(input);
  for (const char* traffic : {"pipeline", "hierarchical_all_reduce"}) {
    const TrafficMatrix matrix = named_traffic(design, traffic, Bytes(1e6), 0);
    EXPECT_EQ(load_by_symmetry(design, matrix).offered, Bytes(0)) << traffic;
    EXPECT_EQ(load_on_graph(design, matrix).offered, Bytes(0)) << traffic;
  }
}

TEST(Loads, AllToAllIsForwardedInARailOnlyNetwork) {
  // Rail-only '23 section 3.1: what goes to another rank crosses the sender's HB domain first. With R ranks,
  // of the bytes between domains (R-1)/R.
  const NetworkDesign rails = small_design(small_input(TopologyKind::rail_only, 64, 8));
  const NetworkDesign any = small_design(small_input(TopologyKind::rail_optimized, 64, 8));
  const TrafficMatrix matrix = named_traffic(rails, "all_to_all", Bytes(63e6), 0);
  const NetworkLoad forwarded = load_by_symmetry(rails, matrix);
  const NetworkLoad direct = load_by_symmetry(any, matrix);
  EXPECT_NEAR(forwarded.offered.si(), 64.0 * 56 * 1e6, 1);
  EXPECT_NEAR(forwarded.forwarded / forwarded.offered, 7.0 / 8, 1e-12);
  EXPECT_EQ(direct.forwarded.si(), 0);
  // Forwarding spreads evenly: the host links carry the same, and no spine is needed.
  EXPECT_NEAR(forwarded.bound.si(), direct.bound.si(), 1e-12);
}

RC_GTEST_PROP(Loads, AClassOfAllPairsIsItsFlows, ()) {
  DesignInput input = small_input(*rc::gen::element(TopologyKind::fat_tree, TopologyKind::rail_only,
                                                    TopologyKind::dragonfly, TopologyKind::torus),
                                  8 * *rc::gen::inRange<std::int64_t>(9, 16), 16);
  if (input.topology == TopologyKind::torus) {
    input.radix.reset();
    input.dimensions = {*input.hosts / 8, 2, 4};
  }
  const NetworkDesign design = small_design(input);
  const TrafficMatrix classes = named_traffic(design, "all_to_all", Bytes(1e6), 0);
  TrafficMatrix flows = classes;
  flows.classes.clear();
  for (std::int64_t from = 0; from < design.hosts; ++from) {
    for (std::int64_t to = 0; to < design.hosts; ++to)
      if (from != to) flows.flows.push_back({from, to, classes.classes[0].pair});
  }
  const NetworkLoad a = load_on_graph(design, classes);
  const NetworkLoad b = load_on_graph(design, flows);
  check_close(a.offered.si(), b.offered.si());
  check_close(a.forwarded.si(), b.forwarded.si());
  check_close(a.bound.si(), b.bound.si());
  for (std::size_t i = 0; i < a.links.size(); ++i) check_close(a.links[i].mean.si(), b.links[i].mean.si());
}

TEST(Loads, ATorusOfTwoHostsCarriesTraffic) {
  DesignInput input = small_input(TopologyKind::torus, 2, 2);
  input.radix.reset();
  input.domain = 1;
  input.dimensions = {2};
  const NetworkDesign design = small_design(input);
  EXPECT_NEAR(load_of(design, named_traffic(design, "ring", Bytes(1e6), 0)).bound.si(), 1e6 * 8 / 400e9,
              1e-12);
}

TEST(Loads, TrafficOfMoreDevicesThanHostsIsRefused) {
  // 60 hosts fill seven HB domains of eight and half of another; the traffic is of eight whole ones.
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, 60, 8));
  const TrafficMatrix matrix =
      named_traffic(small_design(small_input(TopologyKind::fat_tree, 64, 8)), "ring", Bytes(1e6), 0);
  EXPECT_THROW(load_by_symmetry(design, matrix), InputError);
  EXPECT_THROW(load_on_graph(design, matrix), InputError);
}

TEST(Loads, IncastIsBoundByTheReceiver) {
  const NetworkDesign design = small_design(small_input(TopologyKind::fat_tree, 64, 8));
  const NetworkLoad load = load_of(design, named_traffic(design, "incast", Bytes(1e6), 0));
  EXPECT_EQ(load.worst_link, "host to leaf");
  EXPECT_NEAR(load.bound.si(), 56e6 * 8 / 400e9, 1e-12);  // the other seven domains
  EXPECT_NEAR(load.share(), 1, 1e-12);
}

TEST(Loads, StagesOfAPipelineInsideAnHbDomainAreItsDevices) {
  const NetworkDesign design = small_design(nvl72_input());
  const NetworkLoad load = load_of(design, named_traffic(design, "pipeline", Bytes(1e6), 0));
  EXPECT_NEAR(load.offered.si(), 142e6, 1);  // there and back between 71 pairs
  EXPECT_NEAR(load.bound.si(), 2e6 * 8 / 7.2e12, 1e-15);
}

TEST(Loads, OversubscriptionSlowsWhatCrossesIt) {
  DesignInput input = small_input(TopologyKind::fat_tree, 64, 16);
  input.domain = 1;
  input.oversubscription = {3};
  const NetworkDesign design = small_design(input);
  TrafficMatrix matrix = named_traffic(design, "pipeline", Bytes(1e6), 0);
  matrix.classes.clear();
  for (std::int64_t h = 0; h < 32; ++h)
    matrix.flows.push_back({h, h + 32, Bytes(1e6)});  // all cross the spines
  const NetworkLoad load = load_of(design, matrix);
  const ClosShape& shape = *design.fabric->clos();
  const double ratio =
      static_cast<double>(shape.tiers[0].children) / static_cast<double>(shape.tiers[0].uplinks);
  EXPECT_NEAR(load.share(), 1 / ratio, 0.15);
  EXPECT_LT(load.share(), 0.6);
}

TEST(Loads, ValiantRoutingDoublesAnEvenLoadAndEvensOutABadOne) {
  DesignInput input = small_input(TopologyKind::dragonfly, 72, 7);
  input.domain = 1;
  const NetworkDesign design = small_design(input);
  TrafficMatrix matrix = named_traffic(design, "ring", Bytes(1e6), 0);
  matrix.classes.clear();
  // Every host of a group sends to the next group: one link carries all on the shortest path.
  for (std::int64_t h = 0; h < 72; ++h) matrix.flows.push_back({h, (h + 8) % 72, Bytes(1e6)});
  const NetworkLoad minimal = load_on_graph(design, matrix, RoutingRule::minimal);
  const NetworkLoad valiant = load_on_graph(design, matrix, RoutingRule::valiant);
  EXPECT_GT(minimal.bound.si(), 1.5 * valiant.bound.si());
}

/// All to all by the counts behind switches, where hosts are the switches (torus) and where some share one.
TEST(Loads, AllToAllIsThatOfItsPairs) {
  for (const TopologyKind kind : {TopologyKind::torus, TopologyKind::dragonfly, TopologyKind::rail_only}) {
    DesignInput input = small_input(kind, 72, 7);
    input.domain = 4;
    if (kind == TopologyKind::torus) input.dimensions = {3, 4, 6};
    if (kind == TopologyKind::rail_only) input.radix = 32;
    const NetworkDesign design = small_design(input);
    const TrafficMatrix matrix = named_traffic(design, "all_to_all", Bytes(71e6), 0);
    TrafficMatrix pairs = matrix;
    pairs.classes.clear();
    for (std::int64_t a = 0; a < 72; ++a) {
      for (std::int64_t b = 0; b < 72; ++b) {
        if (a != b) pairs.flows.push_back({a, b, Bytes(1e6)});
      }
    }
    for (const RoutingRule rule : {RoutingRule::minimal, RoutingRule::valiant}) {
      const NetworkLoad whole = load_on_graph(design, matrix, rule);
      const NetworkLoad one_by_one = load_on_graph(design, pairs, rule);
      EXPECT_NEAR(whole.bound / one_by_one.bound, 1, 1e-9);
      for (std::size_t i = 0; i < whole.links.size(); ++i) {
        EXPECT_NEAR(whole.links[i].mean / one_by_one.links[i].mean, 1, 1e-9) << whole.links[i].name;
        EXPECT_EQ(whole.links[i].idle, one_by_one.links[i].idle) << whole.links[i].name;
      }
    }
  }
}

TEST(Loads, OnlyARingOfAllRanksIsForwarded) {
  const NetworkDesign design = small_design(small_input(TopologyKind::rail_only, 256, 32));
  for (const char* name : {"ring", "hierarchical_all_reduce", "pipeline"}) {
    const NetworkLoad load = load_of(design, named_traffic(design, name, Bytes(1e6), 0));
    EXPECT_EQ(load.forwarded.si() > 0, std::string(name) == "ring") << name;
  }
}

class TrafficFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    path_ = testing::TempDir() + "/traffic.csv";
    std::ofstream(path_) << text;
    return path_;
  }
  NetworkDesign design_ = small_design(small_input(TopologyKind::fat_tree, 64, 8));
  std::string path_;
};

TEST_F(TrafficFile, IsReadFlowByFlow) {
  const TrafficMatrix matrix = read_traffic(write("from,to,bytes\n0,8,1e6\n8,0,5\n"), design_);
  EXPECT_EQ(matrix.between(0, 8).si(), 1e6);
  EXPECT_EQ(matrix.between(8, 0).si(), 5);
  EXPECT_EQ(load_of(design_, matrix).offered.si(), 1e6 + 5);
}

TEST_F(TrafficFile, BlankLinesCountAsLines) {
  try {
    read_traffic(write("from,to,bytes\n\n\n0,8,100\n0,99,1\n"), design_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.findings()[0].where.line, 5);
  }
}

TEST_F(TrafficFile, IsRefusedWithLineColumnAndWhatIsAllowed) {
  const auto refusal = [&](const std::string& text) {
    try {
      read_traffic(write(text), design_);
    } catch (const InputError& error) {
      const Finding& f = error.findings()[0];
      return std::to_string(f.where.line) + ":" + std::to_string(f.where.column) + ": " + f.message + " (" +
             f.help + ")";
    }
    return std::string("read");
  };
  const std::string quotes =
      " (a field with a comma or a quote in it stands in quotes, and quotes in it are doubled)";
  EXPECT_EQ(refusal("from,to,bytes\n1,2,3\n5,\"0\"1,9\n"), "3:6: text after a closing quote" + quotes);
  EXPECT_EQ(refusal("from,to,bytes\n1,2,3\n5,6,\"9\n"), "3:5: a quote that is never closed" + quotes);
  EXPECT_EQ(refusal("from,to,bytes\n\n7,7,9\n"), "3:3: a flow from device 7 to itself (name two devices)");
  EXPECT_EQ(refusal("from,to,bytes\n"), "1:1: no flows under the header (one flow a line)");
  EXPECT_EQ(refusal("from,to,bytes\n\"1\",99,9\n"),
            "2:5: '99' is not a device of design 'test' (allowed: 0 to 63)");
  EXPECT_EQ(refusal("from,to,bytes\n1,2,-4\n"), "2:5: '-4' is not a number of bytes (allowed: 0 or more)");
}

TEST_F(TrafficFile, IsRefusedWithItsLine) {
  for (const char* text :
       {"from,to\n", "from,to,bytes\n0,64,1\n", "from,to,bytes\n0,1\n", "from,to,bytes\n0,1,-1\n",
        "from,to,bytes\n0,x,1\n", "from,to,bytes\n0,1,nan\n", ""}) {
    EXPECT_THROW(read_traffic(write(text), design_), InputError) << text;
  }
}

/// The last sums that are taken and the first that are refused, of what is offered and of what is forwarded;
/// neither may be none.
TEST(Loads, OfSumsUpTo1e300AreTaken) {
  const NetworkDesign design;
  const double most = 1e300;
  const double more = std::nextafter(most, 2 * most);
  EXPECT_NO_THROW(check_sums(design, most, most));
  for (const double bad : {more, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_THROW(check_sums(design, bad, 0), InputError) << bad;
    EXPECT_THROW(check_sums(design, 0, bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace trainyard
