// What a user may get wrong in [[design]], and what the message says.
#include "designs.h"

#include <gtest/gtest.h>

#include "base/errors.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario.h"
#include "trainyard/topology_kind.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {
namespace {

/// The complaint about a [[design]] with these keys.
std::string complaint(const std::string& keys) {
  try {
    const Scenario scenario = small_scenario("[[design]]\nname = \"own\"\n" + keys);
    for (const NetworkDesign& design : designs_of(scenario)) price(design, scenario);
  } catch (const InputError& error) {
    return describe(error.findings());
  }
  return "nothing";
}

struct Wrong {
  const char* keys;
  const char* says;
  const char* helps;
};

class WrongDesign : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDesign, IsRefusedWithTheKeyAndWhatWouldDo) {
  const std::string text = complaint(GetParam().keys);
  EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
  EXPECT_NE(text.find(GetParam().helps), std::string::npos) << text;
  EXPECT_NE(text.find("test.toml:"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, WrongDesign,
    testing::Values(
        Wrong{"topology = \"rail_only\"\nrails = 16\n", "16 rails, and an HB domain has 8 devices",
              "1, 2, 4, 8"},
        Wrong{"topology = \"rail_only\"\nrails = 3\n", "do not divide by 3 rails", "1, 2, 4, 8"},
        Wrong{"planes = 3\n", "has no such ports", "128 x 400.0 Gbps"},
        Wrong{"hosts = 100000\nradix = 4\ntiers = 3\nprices = \"railonly23\"\n", "at most 16",
              "more than 12 tiers"},
        Wrong{"radix = 64\n", "no price in the catalog", "railonly23"}, Wrong{"radix = 1\n", "radix", "2"},
        Wrong{"radix = 64\nswitch = \"tomahawk5\"\n", "both switch and radix", "one of them"},
        Wrong{"switch = \"tomahawk55\"\n", "no switch 'tomahawk55'", "tomahawk5"},
        Wrong{"switch = \"nvswitch3\"\nrate = \"200 Gbps\"\n", "has no price", "railonly23"},
        Wrong{"prices = \"rail-only\"\n", "'rail-only' is not in the catalog", "railonly23"},
        Wrong{"prices = \"us-industrial\"\n", "has no price of a transceiver", "catalog"},
        Wrong{"topology = \"fat-tree\"\n", "'fat-tree' is not a value", "fat_tree"},
        Wrong{"topology = \"torus\"\ndimensions = [3, 3]\n", "hold 9 hosts", "product"},
        Wrong{"topology = \"torus\"\n", "needs its sides", "dimensions"},
        Wrong{"topology = \"hyperx\"\ntiers = 2\n", "a hyperx has no 'tiers'", "dimensions"},
        Wrong{"topology = \"fat_tree\"\nrails = 2\n", "a fat_tree has no 'rails'", "planes"},
        Wrong{"hosts = 4000\noversubscription = [2, 2, 2, 2]\ntiers = 2\n", "4 values for 2 tiers",
              "at most 1"},
        Wrong{"topology = \"dragonfly\"\nhosts_per_switch = 40\ngroup_switches = "
              "40\nglobal_ports = 1\nradix = 32\nprices = \"railonly23\"\n",
              "needs 79 ports", "larger radix"},
        Wrong{"topology = \"optical_rails\"\n", "radix", "320"},
        Wrong{"topology = \"optical_rails\"\nradix = 320\ncircuits = 3\n", "odd", "even"},
        Wrong{"topology = \"rail_only\"\nrails_per_switch = 3\n", "do not divide by 3", "1, 2, 4, 8"},
        Wrong{"topology = \"torus\"\nradix = 7\n", "a torus has no 'radix'", "dimensions"},
        Wrong{"topology = \"scale_up\"\ngateways = 5\n", "a scale_up has no 'gateways'", "planes"},
        Wrong{"gateways = 100\n", "100 gateways for 64 hosts", "0 to 64"},
        Wrong{"topology = \"dragonfly\"\nradix = 8\nhosts = 225\nprices = \"railonly23\"\n",
              "ports to others", "larger groups"},
        Wrong{"topology = \"hyperx\"\nhosts = 4\ndimensions = [5, 5]\nhosts_per_switch = 1\n", "no host",
              "shorter sides"},
        Wrong{"[[design]]\nname = \"o wn\"\n", "'o wn' is not a name", "letters, digits"},
        Wrong{"[[design]]\nname = \"own\"\n", "two designs are named 'own'", "count alike"},
        Wrong{"baseline = \"owm\"\n", "no design 'owm'", "own"}));

TEST(Designs, WithoutAnyTheUsualOnesAreCompared) {
  const auto designs = designs_of(small_scenario());
  ASSERT_GE(designs.size(), 3U);
  EXPECT_EQ(designs[0].hosts, 64);
  EXPECT_EQ(designs[2].networks * designs[2].rails_per_network, 8);
}

TEST(Designs, NeedAnHbDomainInEveryDatacenter) {
  Scenario scenario = small_scenario();  // of 8 HB domains
  for (const TopologyKind kind : {TopologyKind::rail_only, TopologyKind::dragonfly, TopologyKind::torus}) {
    DesignInput input;
    input.topology = kind;
    scenario.facility.datacenters = 9;
    try {
      resolve_design(scenario, input);
      ADD_FAILURE() << "accepted";
    } catch (const UnbuildableNetwork& error) {
      EXPECT_EQ(error.findings().front().where.source->name, "facility.datacenters");
      EXPECT_EQ(error.findings().front().help,
                "at most 8; networks of [[design]] may have their own 'hosts'");
    }
  }
}

TEST(Designs, NetworksThatCannotBeBuiltAreToldFromOtherErrors) {
  Scenario scenario = small_scenario();
  try {
    designs_of(scenario, "no-such-design");
    ADD_FAILURE() << "accepted";
  } catch (const UnbuildableNetwork&) {
    ADD_FAILURE() << "a name that is wrong is no network that cannot be built";
  } catch (const InputError&) {
  }
  scenario.network.scale_out_rate = BitRate(123e9);
  EXPECT_THROW(designs_of(scenario), UnbuildableNetwork);
}

TEST(Designs, GraphsThatAreTooLargeAreRefused) {
  DesignInput input = small_input(TopologyKind::fat_tree, 50'000'000, 128);
  EXPECT_THROW(build_graph(small_design(input)), InputError);
}

}  // namespace
}  // namespace trainyard
