// What every layout keeps to, however it was made.
#pragma once

#include <gtest/gtest.h>

#include "network/wiring/layout.h"

namespace trainyard::wiring {

/// Every port's wire ends at a port whose wire ends here, over the same kind of link.
inline void expect_wired_back(const Layout& layout) {
  for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
    const Node& node = layout.nodes[n];
    for (std::uint32_t p = 0; p < node.ports; ++p) {
      const Wire& there = layout.wires[node.first_port + p];
      const Node& other = layout.nodes[there.node];
      ASSERT_LT(there.in_port, other.ports);
      const Wire& back = layout.wires[other.first_port + there.in_port];
      ASSERT_EQ(back.node, n);
      ASSERT_EQ(back.in_port, p);
      if (layout.devices.empty()) {
        ASSERT_EQ(back.link, there.link);
      }
    }
  }
}

}  // namespace trainyard::wiring
