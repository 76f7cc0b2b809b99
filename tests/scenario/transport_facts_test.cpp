// What the records of transports say of them, and what scenarios refuse by it.
#include "scenario/transport_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "trainyard/errors.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// What a scenario with this change is refused for; empty: it is accepted.
std::string refusal(const std::string& change) {
  auto text = ScenarioText::parse(std::make_shared<const SourceText>(SourceText{
      "test.toml", "[facility]\ndevices = 64\nhb_domain = \"dgx-h100\"\n[model]\nname = \"llama3-8b\"\n"}));
  text.set(change);
  try {
    text.resolve();
  } catch (const InputError& error) {
    const Finding& first = error.findings().front();
    return first.message + "; " + first.help;
  }
  return {};
}

TEST(TransportFacts, AreThoseOfTheRecord) {
  EXPECT_TRUE(facts_of(Transport::roce).lossless);
  EXPECT_TRUE(facts_of(Transport::hpcc).lossless);
  EXPECT_FALSE(facts_of(Transport::irn).lossless);  // it takes DCQCN's settings too, but bears losses
  EXPECT_TRUE(facts_of(Transport::dctcp).tcp_packets);
  EXPECT_FALSE(facts_of(Transport::ndp).tcp_packets);
  EXPECT_FALSE(facts_of(Transport::ideal).between_sites);
  EXPECT_THAT(transports_between_sites(),
              ElementsAre(Transport::cubic, Transport::bbr, Transport::scheduled, Transport::fec));
}

TEST(TransportFacts, LosslessOnesAreRefusedBetweenSites) {
  for (const std::string lossless : {"roce", "hpcc"})
    EXPECT_THAT(refusal("long_haul.transports=[\"" + lossless + "\"]"), HasSubstr("bear losses")) << lossless;
  EXPECT_THAT(refusal("long_haul.transports=[\"ideal\"]"), HasSubstr("send packets"));
  EXPECT_EQ(refusal("long_haul.transports=[\"swift\"]"), "");
}

TEST(TransportFacts, ARecordRefusesSettingsThatDoNotGoTogether) {
  EXPECT_EQ(refusal("fec={data = 250, parity = 6}"),
            "blocks of 256 packets; data and parity together are at most 255");
  EXPECT_EQ(refusal("fec={data = 250, parity = 5}"), "");
}

}  // namespace
}  // namespace trainyard
