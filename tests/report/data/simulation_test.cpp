#include "trainyard/report/simulation.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "../small_simulation.h"
#include "base/csv.h"
#include "report/data/simulation_figures.h"
#include "trainyard/scenario.h"
#include "trainyard/simulation.h"

namespace trainyard {
namespace {

TEST(LinkShares, AreBytesOverWhatAllPortsCouldCarry) {
  const auto links = link_shares(small_result());
  ASSERT_EQ(links.size(), 4u);
  EXPECT_EQ(links[0].name(), "hosts up");
  EXPECT_EQ(links[1].name(), "leaf up");
  EXPECT_EQ(links[2].name(), "leaf down");
  EXPECT_EQ(links[3].name(), "hosts down");
  // 8 Gbps for 10 us are 10,000 bytes a port.
  EXPECT_DOUBLE_EQ(links[0].mean, 0.5);
  EXPECT_DOUBLE_EQ(links[0].busiest, 0.9);
  EXPECT_DOUBLE_EQ(links[1].mean, 0.4);
  EXPECT_DOUBLE_EQ(links[1].busiest, 0.8);
}

TEST(LinkShares, HaveANameForEveryTier) {
  SimulationResult r = small_result();
  r.up.resize(5);
  r.down.resize(5);
  const auto links = link_shares(r);
  ASSERT_EQ(links.size(), 10u);
  EXPECT_EQ(links[2].name(), "aggregation up");
  EXPECT_EQ(links[4].name(), "tier 4 up");
  EXPECT_EQ(links[5].name(), "tier 4 down");
}

TEST(LinkShares, AreZeroWhenNoTimePassed) {
  SimulationResult r = small_result();
  r.end = Seconds(0);
  EXPECT_EQ(link_shares(r).front().mean, 0);
}

TEST(SeriesOverTime, KeepTheLongestQueueAndEveryByteWhenMerged) {
  const SimulationResult r = small_result();
  EXPECT_EQ(queue_over_time(r, 100).size(), 3u);
  const auto queue = queue_over_time(r, 2);
  ASSERT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue[0].bytes.si(), 8192);
  EXPECT_EQ(queue[1].time.si(), 6e-6);
  const auto delivered = delivered_over_time(r, 2);
  ASSERT_EQ(delivered.size(), 3u);
  EXPECT_EQ(delivered[0].bytes.si(), 0);
  EXPECT_EQ(delivered[1].bytes.si(), 3000);
  EXPECT_EQ(delivered[1].time.si(), 6e-6);
  EXPECT_EQ(delivered[2].bytes.si(), 5000);
  EXPECT_EQ(delivered[2].time.si(), 10e-6);
}

TEST(SimulationJson, HoldsEveryFigure) {
  const auto json = nlohmann::json::parse(simulation_json(small_result(), {}, small_scenario()));
  EXPECT_EQ(json.at("flows"), 2);
  EXPECT_EQ(json.at("flows_finished"), 1);
  EXPECT_EQ(json.at("planes"), 1);
  EXPECT_EQ(json.at("slowdown").at("mean"), 1.25);
  EXPECT_EQ(json.at("events"), 42);
  EXPECT_EQ(json.at("marks"), 7);
  EXPECT_EQ(json.at("pauses"), 3);
  EXPECT_EQ(json.at("paused_s"), 5e-6);
  EXPECT_EQ(json.at("blocked_s"), 2e-6);
  EXPECT_EQ(json.at("longest_queue_bytes"), 8192);
  EXPECT_FALSE(json.contains("longest_queue"));
  for (const char* key :
       {"corrupted", "repeats", "replays", "overflows", "timeouts", "drops", "trims", "packet_hops"})
    EXPECT_TRUE(json.at(key).is_number_unsigned()) << key;
  EXPECT_EQ(json.at("link_use").size(), 4u);
  EXPECT_EQ(json.at("link_use")[0].at("tier"), "hosts");
  EXPECT_EQ(json.at("link_use")[0].at("direction"), "up");
  EXPECT_EQ(json.at("link_use")[0].at("bytes"), 20'000);
  EXPECT_EQ(json.at("link_use")[0].at("utilization_max"), 0.9);
  EXPECT_EQ(json.at("queue_over_time")[1].at("bytes"), 8192);
  EXPECT_EQ(json.at("delivered_over_time").back().at("time_s"), 10e-6);
}

TEST(SimulationCsv, LeavesOutWhatNeverCame) {
  const auto records = parse_csv(simulation_csv(small_result()));
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0], (std::vector<std::string>{"flow", "from", "to", "bytes", "start_s", "began_s",
                                                  "received_s", "finished_s", "slowdown"}));
  EXPECT_EQ(records[1][5], "1e-06");
  EXPECT_EQ(records[1][8], "1.25");
  EXPECT_EQ(records[2][7], "");
  EXPECT_EQ(records[2][8], "");
}

TEST(TraceCsv, NamesNodesEventsAndKinds) {
  SimulationResult r = small_result();
  r.trace_nodes = {"leaf 0", "node, with a comma"};
  r.trace = {{.time = kMicrosecond,
              .node = 1,
              .port = 3,
              .flow = 5,
              .sequence = 9,
              .bytes = 64,
              .kind = packet::PacketKind::nack,
              .event = packet::TraceEvent::queued}};
  EXPECT_EQ(trace_csv(r),
            "time_s,node,port,event,flow,sequence,kind,bytes\n"
            "1e-06,\"node, with a comma\",3,queued,5,9,nack,64\n");
}

}  // namespace
}  // namespace trainyard
