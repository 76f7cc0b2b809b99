// Prices, cable lengths and power against hand counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "designs.h"
#include "trainyard/catalog.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/topology_kind.h"

namespace trainyard {
namespace {

TEST(Bill, ThePapersPricesAreTransceiversAndPorts) {
  // Rail-only '23 Table 2: $374 a transceiver, $748 a port; 32,768 GPUs, 64 ports.
  const Scenario scenario = small_scenario();
  DesignInput input = small_input(TopologyKind::fat_tree, 32768, 64);
  const NetworkDesign design = resolve_design(scenario, input);
  const Bill bill = price(design, scenario);
  EXPECT_NEAR(bill.price.si(), 2560.0 * 64 * 748 + 196608.0 * 374, 1);
  EXPECT_NEAR(bill.transceivers, 196608, 1e-6);
}

TEST(Bill, UnknownPowerIsSaidAndNotCountedAsNone) {
  // A switch by its ports alone is in no catalog: nobody knows what it draws.
  const Scenario scenario = small_scenario();
  const Bill bill = price(resolve_design(scenario, small_input(TopologyKind::fat_tree, 512, 64)), scenario);
  EXPECT_FALSE(bill.power().has_value());
  ASSERT_EQ(bill.power_unknown().size(), 1U);
  EXPECT_EQ(bill.power_unknown().front(), "switch of 64 ports");
  EXPECT_GT(bill.power_known.si(), 0);  // of the optics
  DesignInput known = small_input(TopologyKind::fat_tree, 512, 64);
  known.radix.reset();
  const Bill whole = price(resolve_design(scenario, known), scenario);
  ASSERT_TRUE(whole.power().has_value());
  EXPECT_EQ(whole.power()->si(), whole.power_known.si());
}

TEST(Bill, CablesAddUpAndShortOnesAreCopper) {
  const Scenario scenario = small_scenario();
  DesignInput input;
  input.name = "test";
  input.hosts = 512;
  input.switch_name = "quantum-2";
  const NetworkDesign design = resolve_design(scenario, input);
  const DesignCounts counts = count(design);
  const Bill bill = price(design, scenario);
  double cables = 0;
  double by_length = 0;
  for (const CableLine& line : bill.cables) cables += line.cables;
  for (const LengthClass& c : bill.lengths) by_length += c.cables;
  EXPECT_NEAR(cables, static_cast<double>(counts.host_cables + counts.switch_cables), 1e-6);
  EXPECT_NEAR(by_length, cables, 1e-6);
  Usd sum{0};
  for (const BillLine& line : bill.lines) sum += line.price;
  EXPECT_NEAR(sum.si(), bill.price.si(), 1e-6 * sum.si());
  for (const CableLine& line : bill.cables) {
    const LinkProduct& product = scenario.catalog->links.at(line.product);
    EXPECT_LE(line.longest.si(), product.reach.si()) << line.product;
  }
}

/// 64 hosts of 100 Gbps between sites over ports of 400 Gbps: 16 ends of the transceiver with the longest
/// reach, 400ZR at $5,000 and 20 W an end.
TEST(Bill, WideAreaLinksHaveOneEndHere) {
  const Scenario scenario = small_scenario("[network]\nwide_area_rate = \"100 Gbps\"\n", "datacenters = 2\n");
  DesignInput input = small_input(TopologyKind::fat_tree, 64, 16);
  input.gateways.reset();
  input.prices.clear();
  input.switch_name = "quantum-2";
  input.radix.reset();
  const Bill bill = price(resolve_design(scenario, input), scenario);
  const auto line = std::find_if(bill.lines.begin(), bill.lines.end(), [](const BillLine& l) {
    return l.item == "zr-400 transceivers, wide area";
  });
  ASSERT_NE(line, bill.lines.end());
  EXPECT_DOUBLE_EQ(line->count, 16);
  EXPECT_DOUBLE_EQ(line->each->si(), 5000);
  EXPECT_DOUBLE_EQ(line->price.si(), 80'000);
  EXPECT_DOUBLE_EQ(line->power->si(), 320);
}

TEST(Bill, EveryLineIsItsCountTimesItsPrice) {
  const Scenario scenario = small_scenario();
  for (const TopologyKind kind : {TopologyKind::fat_tree, TopologyKind::rail_only, TopologyKind::hyperx}) {
    for (const char* prices : {"", "railonly23"}) {
      DesignInput input = small_input(kind, 512, 64);
      input.prices = prices;
      input.switch_name = "quantum-2";
      input.radix.reset();
      for (const BillLine& line : price(resolve_design(scenario, input), scenario).lines) {
        ASSERT_TRUE(line.each) << line.item;
        EXPECT_NEAR(line.price.si(), line.count * line.each->si(), 1e-9 * line.price.si()) << line.item;
        EXPECT_GT(line.count, 0) << line.item;
      }
    }
  }
}

TEST(Bill, LongerFloorsCostMore) {
  const Scenario narrow = small_scenario();
  const Scenario wide = small_scenario("[floor]\nrack_pitch = \"6 m\"\nrow_pitch = \"30 m\"\n");
  DesignInput input;
  input.name = "test";
  input.hosts = 4096;
  const Bill near = price(resolve_design(narrow, input), narrow);
  const Bill far = price(resolve_design(wide, input), wide);
  EXPECT_LT(near.price.si(), far.price.si());
}

TEST(Bill, DomainsOfSeveralRacksSpanThem) {
  // DGX GH200: 256 GPUs in 16 racks. A leaf of 32 hosts stands amid two racks.
  const Scenario scenario =
      ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
                              "test.toml",
                              "[facility]\ndevices = 1024\nhb_domain = \"gh200-256\"\n[model]\nname = "
                              "\"llama3-8b\"\n"}))
          .resolve();
  DesignInput input;
  input.name = "test";
  input.switch_name = "quantum-2";
  const Bill bill = price(resolve_design(scenario, input), scenario);
  for (const CableLine& line : bill.cables) EXPECT_GT(line.longest.si(), 4) << line.product;
}

TEST(Bill, SampledLengthsKeepTheCounts) {
  const Scenario scenario = small_scenario();
  DesignInput input;
  input.name = "test";
  input.topology = TopologyKind::rail_only;
  input.hosts = 65536;
  input.switch_name = "quantum-2";
  const NetworkDesign design = resolve_design(scenario, input);
  const Bill all = price(design, scenario);
  const Bill some = price(design, scenario, 16);
  double all_cables = 0;
  double some_cables = 0;
  for (const CableLine& line : all.cables) all_cables += line.cables;
  for (const CableLine& line : some.cables) some_cables += line.cables;
  EXPECT_NEAR(some_cables, all_cables, 1e-6 * all_cables);
  EXPECT_NEAR(some.price.si(), all.price.si(), 0.05 * all.price.si());
}

TEST(Bill, OpticalRailsNeedNoPacketSwitchAndHalfOfTheTransceivers) {
  const Scenario scenario = small_scenario();
  DesignInput input = small_input(TopologyKind::optical_rails, 512, 320);
  input.prices = "railonly23";
  const NetworkDesign design = resolve_design(scenario, input);
  const Bill bill = price(design, scenario);
  EXPECT_NEAR(bill.transceivers, 2 * 512, 1e-6);  // one end of each circuit
}

}  // namespace
}  // namespace trainyard
