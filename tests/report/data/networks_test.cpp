#include "trainyard/report/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "../shown_networks.h"
#include "topology/fabric.h"
#include "topology/topologies.h"
#include "topology/topology.h"
#include "trainyard/networks.h"
#include "trainyard/networks_compared.h"
#include "trainyard/provenance.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

TEST(Networks, EveryTopologyOfTheRegistryIsShown) {
  for (const RegisteredTopology& topology : topologies()) {
    const bool shown = std::any_of(answers().begin(), answers().end(), [&](const NetworkAnswer& a) {
      return a.design.input.topology == topology.kind;
    });
    EXPECT_TRUE(shown) << static_cast<int>(topology.kind);
  }
}

TEST(Networks, JsonAndCsvHoldTheSameNumbers) {
  const Json json = Json::parse(networks_json(answers(), provenance_of(all_topologies())));
  ASSERT_EQ(json["designs"].size(), answers().size());
  for (std::size_t i = 0; i < answers().size(); ++i) {
    const Json& design = json["designs"][i];
    EXPECT_EQ(design["name"], answers()[i].design.input.name);
    EXPECT_EQ(design["switches"], answers()[i].counts.chips);
    EXPECT_NEAR(design["price_usd"].get<double>(), answers()[i].bill.price.si(), 1);
    double sum = 0;
    for (const Json& line : design["bill"]) sum += line["price_usd"].get<double>();
    EXPECT_NEAR(sum, design["price_usd"].get<double>(), 1e-6 * sum + 1e-6);
  }
  const std::string csv = networks_csv(answers());
  EXPECT_NE(csv.find("fat_tree,switches,320\n"), std::string::npos);
}

TEST(Networks, AFullyProvisionedNetworkDoesNotSlowTraining) {
  const double least = answers().front().effect->exposed_share;
  for (const NetworkAnswer& a : answers()) {
    if (!a.effect) continue;
    EXPECT_GE(a.effect->exposed_share, least - 1e-12) << a.design.input.name;
    const bool full_tree = a.design.fabric->clos() && a.counts.bisection_share > 0.999;
    if (full_tree) {
      EXPECT_NEAR(a.effect->exposed_share, least, 1e-12) << a.design.input.name;
    }
  }
}

}  // namespace
}  // namespace trainyard
