#include "trainyard/report/simulation.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "../small_simulation.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

TEST(SimulationText, SaysWhatHappened) {
  const std::string text = simulation_text(small_result(), {Seconds(1), Seconds(1), 0});
  for (const char* part :
       {"2 flows on two-tiers: 4 hosts at 8.000 Gbps\n", "(1 of 2 flows finished)",
        "slowdown   each flow over its own least", "     1.250\n", "not finished: flow 1\n",
        "40 packet-hops, 42 events", "marks      7\n", "pauses     3: ports paused for 5.000 us",
        "waiting for 2.000 us", "at most 8.192 kB of data", "hosts up", "leaf down", "50.00%"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("planes"), std::string::npos);
}

TEST(SimulationText, ShowsPlanesWhereThereAreSeveral) {
  SimulationResult r = small_result();
  r.planes = 4;
  EXPECT_NE(simulation_text(r, {}).find("4 hosts in 4 planes, at 8.000 Gbps in each"), std::string::npos);
}

TEST(SimulationText, NamesOnlyTheFirstOfManyFlowsThatDidNotFinish) {
  SimulationResult r = small_result();
  r.flows.resize(1 + 25);
  r.slowdowns.resize(r.flows.size(), std::numeric_limits<double>::quiet_NaN());
  const std::string text = simulation_text(r, {});
  EXPECT_NE(text.find("not finished: flow 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 15 more\n"), std::string::npos)
      << text;
}

TEST(SimulationText, HasNoTimesWhenNoFlowFinished) {
  SimulationResult r = small_result();
  r.flows.erase(r.flows.begin());
  r.slowdowns.erase(r.slowdowns.begin());
  r.counters = {};
  const std::string text = simulation_text(r, {});
  EXPECT_EQ(text.find("median"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  const auto json = nlohmann::json::parse(simulation_json(r, {}, small_scenario()));
  EXPECT_TRUE(json.at("fct_s").at("mean").is_null());
  EXPECT_TRUE(json.at("slowdown").at("p99").is_null());
  EXPECT_NE(simulation_page(r, {}, small_scenario()).find("1 of 1 flow did not finish"), std::string::npos);
}

TEST(ProgressText, EstimatesTheRestByBytes) {
  SimulationProgress p;
  p.flows = 1024;
  p.delivered = Bytes(25e6);
  p.bytes = Bytes(100e6);
  p.now = Seconds(50e-6);
  p.events = 3'000'000;
  EXPECT_EQ(progress_text(p, Seconds(2)),
            "0 of 1,024 flows, 50.00 us simulated, 25% of the bytes, 1.500M events/s, 6.000 s left");
}

TEST(ProgressText, EstimatesNothingBeforeItKnowsAnything) {
  SimulationProgress p;
  p.flows = 3;
  const std::string text = progress_text(p, Seconds(1));
  EXPECT_EQ(text.find("left"), std::string::npos) << text;
  EXPECT_EQ(progress_text({}, Seconds(0)).find("nan"), std::string::npos);
}

}  // namespace
}  // namespace trainyard
