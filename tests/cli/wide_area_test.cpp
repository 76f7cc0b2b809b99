#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

// What hides the exchange of five sites, 9.101 Gbps a device, cannot leave a device of 5 Gbps.
TEST_F(Cli, ACapacityAboveTheNicsHidesNothing) {
  const std::string rates =
      "wide-area hotnets24-dense --set network.scale_out_rate='5 Gbps' --set network.wide_area_rate=";
  const std::string text = run(rates + "'4 Gbps'").out;
  EXPECT_NE(text.find("4.446 Gbps\n"), std::string::npos) << text;
  EXPECT_NE(text.find("9.101 Gbps, more than its NICs' 5.000 Gbps\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(run(rates + "'4 Gbps' --json").out);
  EXPECT_EQ(json.at("nic_rate_bps"), 5e9);
}

TEST_F(Cli, RatesBetweenSitesPassTheNics) {
  for (const char* verb : {"plan", "wide-area", "step"})
    expect_refused(std::string(verb) + " hotnets24-dense --set network.wide_area_rate='2 Tbps'",
                   {"network.wide_area_rate", "2.000 Tbps a device is more than the 800.0 Gbps of its NICs",
                    "network.scale_out_rate"});
}

TEST_F(Cli, WideAreaWritesItsPage) {
  ASSERT_EQ(run("wide-area hotnets24-moe --report " + path("sites.html")).status, 0);
  const std::string page = read_all(path("sites.html"));
  EXPECT_NE(page.find("Capacity that hides the exchange, against distance"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  expect_refused("wide-area hotnets24-moe --report " + path("none/sites.html"), {"cannot be written"});
}

}  // namespace
}  // namespace trainyard
