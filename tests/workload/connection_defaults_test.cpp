// Sizes of packets beside a connection matrix: htsim's, unless somebody says otherwise.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "trainyard/connections.h"
#include "trainyard/errors.h"
#include "trainyard/scenario_text.h"

namespace trainyard::workload {
namespace {

/// header and control_packet of a scenario with these lines in [simulation], and these changes.
std::pair<double, double> sizes_of(const std::string& lines, const std::vector<std::string>& sets = {}) {
  auto text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "my.toml", "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n" +
                     std::string(lines.empty() ? "" : "[simulation]\n") + lines}));
  for (const std::string& set : sets) text.set(set);
  const SimulationInput input = resolve_with_connections(text).simulation;
  return {input.header.si(), input.control_packet.si()};
}

using Sizes = std::pair<double, double>;

TEST(ConnectionDefaults, AreHtsimsForTheTransportInForce) {
  EXPECT_EQ(sizes_of(""), Sizes(64, 64));
  EXPECT_EQ(sizes_of("transport = \"eqds\"\n"), Sizes(64, 64));
  for (const std::string plain : {"swift", "dctcp", "cubic"}) {
    EXPECT_EQ(sizes_of("transport = \"" + plain + "\"\n"), Sizes(0, 40)) << plain;
    EXPECT_EQ(sizes_of("", {"simulation.transport=" + plain}), Sizes(0, 40)) << plain;
  }
  EXPECT_EQ(sizes_of("transport = \"swift\"\n", {"simulation.transport=ndp"}), Sizes(64, 64));
  EXPECT_EQ(sizes_of("transport = \"ndp\"\n", {"simulation.transport=swift"}), Sizes(0, 40));
}

TEST(ConnectionDefaults, WhatTheFileOrASettingSaysHolds) {
  EXPECT_EQ(sizes_of("transport = \"swift\"\nheader = \"10 B\"\ncontrol_packet = \"100 B\"\n"),
            Sizes(10, 100));
  EXPECT_EQ(sizes_of("transport = \"swift\"\nheader = \"10 B\"\n"), Sizes(10, 40));
  EXPECT_EQ(sizes_of("control_packet = \"100 B\"\n"), Sizes(64, 100));
  EXPECT_EQ(sizes_of("transport = \"swift\"\n", {"simulation.header=10 B"}), Sizes(10, 40));
  EXPECT_EQ(sizes_of("header = \"10 B\"\n", {"simulation.transport=swift", "simulation.header=20 B",
                                             "simulation.control_packet=30 B"}),
            Sizes(20, 30));
  EXPECT_EQ(sizes_of("", {"simulation={header = \"12 B\"}"}), Sizes(12, 64));
}

}  // namespace
}  // namespace trainyard::workload
