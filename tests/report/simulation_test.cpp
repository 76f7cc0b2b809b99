#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "report/simulation_charts.h"
#include "report/simulation_figures.h"
#include "report/simulation_text.h"
#include "scenario/scenario.h"

namespace trainyard {
namespace {

constexpr Picoseconds kMicrosecond = 1'000'000;

Scenario small_scenario() { return ScenarioText::load("ndp-permutation").resolve(); }

/// Two flows of 4 hosts at 8 Gbps, that is 1 byte a nanosecond, for 10 us; the second never finishes.
SimulationResult small_result() {
  SimulationResult r;
  r.design = "two-tiers";
  r.hosts = 4;
  r.link_rate = BitRate(8e9);
  workload::Flow done{.from = 0, .to = 2, .bytes = 5000};
  done.began = kMicrosecond;
  done.received = 8 * kMicrosecond;
  done.finished = 9 * kMicrosecond;
  workload::Flow stuck{.from = 1, .to = 3, .bytes = 9000};
  stuck.began = 0;
  r.flows = {done, stuck};
  r.slowdowns = {1.25, std::numeric_limits<double>::quiet_NaN()};
  r.counters.finished = 1;
  r.counters.hops = 40;
  r.counters.events = 2;
  r.counters.marks = 7;
  r.counters.pauses = 3;
  r.counters.paused = 5 * kMicrosecond;
  r.counters.blocked = 2 * kMicrosecond;
  r.counters.longest_queue = 8192;
  r.end = Seconds(10e-6);
  r.up = {{.bytes = 20'000, .ports = 4, .most_bytes = 9000, .picoseconds_per_byte = 1000},
          {.bytes = 8000, .ports = 2, .most_bytes = 8000, .picoseconds_per_byte = 1000}};
  r.down = r.up;
  r.moments = {{Seconds(0), Bytes(100), Bytes(1000)},
               {Seconds(2e-6), Bytes(8192), Bytes(3000)},
               {Seconds(6e-6), Bytes(50), Bytes(5000)}};
  r.mean = r.median = r.p99 = r.longest = Seconds(8e-6);
  r.ideal = Seconds(4e-6);
  r.mean_slowdown = r.p99_slowdown = 1.25;
  return r;
}

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

TEST(SimulationText, SaysWhatHappened) {
  const std::string text = simulation_text(small_result(), {Seconds(1), Seconds(1), 0});
  for (const char* part :
       {"2 flows on two-tiers: 4 hosts at 8.000 Gbps\n", "(1 of 2 flows finished)", "2.000 x the least",
        "slowdown   mean 1.250, p99 1.250", "not finished: flow 1\n", "40 packet-hops, 42 events",
        "marks      7\n", "pauses     3: ports paused for 5.000 us", "waiting for 2.000 us",
        "at most 8.192 kB of data", "hosts up", "leaf down", "50.00%"}) {
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
  EXPECT_NE(simulation_page(r, {}, small_scenario()).find("1 of 1 flows did not finish"), std::string::npos);
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
  for (const char* key : {"corrupted", "repeats", "overflows", "timeouts", "drops", "trims", "packet_hops"})
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

TEST(SimulationCharts, ShowSlowdownOverSizeOnlyWhereSizesDiffer) {
  SimulationResult r = small_result();
  EXPECT_EQ(simulation_charts(r).size(), 3u);
  r.flows[1].finished = 10 * kMicrosecond;
  r.slowdowns[1] = 1.1;
  ASSERT_EQ(simulation_charts(r).size(), 4u);
  const Chart chart = slowdown_chart(r);
  ASSERT_EQ(chart.lines[0].points.size(), 2u);
  EXPECT_EQ(chart.lines[0].points[0].x, 5000);
  EXPECT_EQ(chart.lines[0].points[1].y, 1.1);
}

TEST(SimulationCharts, CompletionTimesEndAtTheLongestFlow) {
  SimulationResult r = small_result();
  r.flows.clear();
  for (Picoseconds i = 1; i <= 5000; ++i) {
    workload::Flow flow;
    flow.began = 0;
    flow.finished = i * kMicrosecond;
    r.flows.push_back(flow);
  }
  const std::vector<ChartPoint> points = completion_chart(r).lines.front().points;
  EXPECT_LE(points.size(), 1000u);
  EXPECT_EQ(points.front().y, 0);
  EXPECT_DOUBLE_EQ(points.back().x, 5e-3);
  EXPECT_EQ(points.back().y, 1);
}

TEST(SimulationCharts, ThroughputIsTheRiseOfWhatWasDelivered) {
  const std::vector<ChartPoint> points = throughput_chart(small_result()).lines.front().points;
  ASSERT_EQ(points.size(), 3u);
  EXPECT_DOUBLE_EQ(points[1].x, 2e-6);
  EXPECT_DOUBLE_EQ(points[1].y, 2000 * 8 / 4e-6);
}

TEST(SimulationPage, HoldsItsChartsAndNothingFromOutside) {
  const std::string html = simulation_page(small_result(), {}, small_scenario());
  for (const char* part : {"Completion times of flows", "Longest queue of data at one port",
                           "Data that reaches its hosts", "hosts up: mean 50.00%, busiest 90.00%",
                           "simulation.transport", "design.two-tiers.radix", "ndp.", "new Chart("}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  for (const char* part :
       {"model.layers", "dctcp.", "src=\"http", "href=\"http", "url(http", "@import", "{{"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

TEST(SimulationPage, CannotBeBrokenOutOf) {
  SimulationResult r = small_result();
  r.design = "</script><b title=\"x\">&";
  Scenario scenario = small_scenario();
  scenario.title = r.design;
  const std::string html = simulation_page(r, {}, scenario);
  EXPECT_EQ(html.find("<b title"), std::string::npos);
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
