#include <gtest/gtest.h>

#include <algorithm>

#include "../shown_networks.h"
#include "topology/graph.h"
#include "topology/topology.h"
#include "trainyard/networks.h"
#include "trainyard/networks_compared.h"
#include "trainyard/report/networks.h"

namespace trainyard {
namespace {

TEST(Networks, DrawingsShowEveryDesign) {
  std::vector<NetworkDesign> designs;
  for (const NetworkAnswer& a : answers()) designs.push_back(a.design);
  const std::string svg = networks_svg(designs);
  for (const NetworkDesign& d : designs)
    EXPECT_NE(svg.find(d.input.title), std::string::npos) << d.input.title;
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Networks, DotHasALineForEachNodeAndLink) {
  const NetworkDesign& design = answers().back().design;  // a rack
  const Graph graph = build_graph(design, {.planes = 1, .networks = 1});
  const std::string dot = network_dot(design);
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (auto at = dot.find(what); at != std::string::npos; at = dot.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count(" -- "), graph.links.size());
  EXPECT_EQ(count("[label="), graph.nodes);
}

}  // namespace
}  // namespace trainyard
