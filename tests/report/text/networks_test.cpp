#include "trainyard/report/networks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../shown_networks.h"
#include "trainyard/networks.h"
#include "trainyard/networks_compared.h"
#include "trainyard/provenance.h"
#include "trainyard/traffic.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

TEST(Networks, TextHasAColumnForEachDesign) {
  const std::string text = networks_text(answers());
  for (const NetworkAnswer& a : answers()) EXPECT_NE(text.find(a.design.input.name), std::string::npos);
}

TEST(Networks, LoadsAreWrittenAlike) {
  const NetworkDesign& design = answers().front().design;
  const std::vector<TrafficAnswer> loads = {
      {design.input.name, "ring", "", load_of(design, named_traffic(design, "ring", Bytes(1e6), 1))}};
  const Json json = Json::parse(loads_json(loads, provenance_of(all_topologies())));
  EXPECT_EQ(json["loads"][0]["links"].size(), loads[0].load.links.size());
  EXPECT_NE(loads_text(loads).find("takes at least"), std::string::npos);
  EXPECT_NE(loads_csv(loads).find("fat-tree,ring,host to leaf"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
