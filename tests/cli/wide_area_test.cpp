#include <nlohmann/json.hpp>
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

// Light alone takes nearly as long as a backward pass: what hides the exchange of three sites cannot leave a
// device.
TEST_F(Cli, ACapacityAboveTheNicsHidesNothing) {
  const std::string far = "wide-area hotnets24-dense --set network.wide_area_rtt='530 ms'";
  const std::string text = run(far).out;
  EXPECT_NE(text.find("759.5 Gbps\n"), std::string::npos) << text;
  EXPECT_NE(text.find("2.278 Tbps, more than its NICs' 800.0 Gbps\n"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(run(far + " --json").out);
  EXPECT_EQ(json.at("nic_rate_bps"), 800e9);
}

// The stages inside sites take longer: what is between them adds nothing, at any rate that it is as quick
// with.
TEST_F(Cli, WhatTheStagesInsideHideIsHidden) {
  const auto json = nlohmann::json::parse(run("wide-area hotnets24-dense --set network.scale_out_rate='5 "
                                              "Gbps' --set network.wide_area_rate='4 Gbps' --json")
                                              .out);
  EXPECT_EQ(json.at("points").at(1).at("added_s"), 0);
  EXPECT_LT(json.at("points").at(1).at("hiding_rate_bps"), 4e9);
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
