// traffic: what the matrix covers.
#include <string>

#include "cli.h"

namespace trainyard {
namespace {

TEST_F(Cli, TrafficSaysWhenItCoversOtherDevicesThanThePlanUses) {
  // 197 domains hold each stage of the MoE model: they do not divide over two datacenters.
  EXPECT_NE(run("traffic hotnets24-moe").err.find("the matrix covers 1665216 of the "), std::string::npos);
  EXPECT_EQ(run("traffic hotnets24-dense").err, "");
}

}  // namespace
}  // namespace trainyard
