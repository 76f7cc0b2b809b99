#include "facility/networks.h"

#include <gtest/gtest.h>

#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

Networks networks(const std::string& name, const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load(name);
  for (const std::string& change : changes) text.set(change);
  return networks_of(text.resolve());
}

// NVLink 5: 1.8 TB/s both directions, so 900 GB/s each; HotNets '24 takes 1.8 TB/s each way (errata.md row
// 3).
TEST(Networks, CountOneDirectionUnlessThePaperIsFollowed) {
  EXPECT_DOUBLE_EQ(networks("100b-physical").scale_up.rate.si(), 900e9);
  EXPECT_DOUBLE_EQ(networks("hotnets24-dense").scale_up.rate.si(), 1.8e12);
  EXPECT_DOUBLE_EQ(networks("hotnets24-dense").scale_out.rate.si(), 100e9);
}

TEST(Networks, AScenariosOwnRateIsTakenAsItStands) {
  const Networks n =
      networks("hotnets24-dense", {"network.scale_up_rate=800 Gbps", "network.scale_out_rate=50 GB/s"});
  EXPECT_DOUBLE_EQ(n.scale_up.rate.si(),
                   100e9);  // not doubled: both_directions speaks of the catalog's figure
  EXPECT_DOUBLE_EQ(n.scale_out.rate.si(), 50e9);
}

TEST(Networks, ReachTheShareThatTheScenarioSays) {
  EXPECT_DOUBLE_EQ(networks("llama3-405b", {"network.scale_out_efficiency=0.8"}).scale_out.rate.si(), 40e9);
}

TEST(Networks, AddUpTheNicsOfADevice) {
  const std::vector<std::string> v100 = {"facility.hb_domain=dgx-v100", "precision.compute=fp16"};
  EXPECT_DOUBLE_EQ(networks("llama3-405b", v100).scale_out.rate.si(),
                   100e9 / 8 / 2);  // four NICs for eight GPUs
}

TEST(WideArea, DelayIsHalfARoundTripAndAWholeOneMoreWithTailLoss) {
  EXPECT_DOUBLE_EQ(networks("hotnets24-dense").wide_area.delay.si(), 0.030);
  EXPECT_DOUBLE_EQ(networks("hotnets24-dense", {"network.tail_loss_rtts=1"}).wide_area.delay.si(), 0.090);
}

TEST(Transfer, OfNothingTakesNoTime) {
  const NetworkRate far{BytesPerSecond(1e9), Seconds(0.030)};
  EXPECT_EQ(transfer_time(Bytes(0), far).si(), 0);
  EXPECT_DOUBLE_EQ(transfer_time(Bytes(1e9), far).si(), 1.030);
}

}  // namespace
}  // namespace trainyard
