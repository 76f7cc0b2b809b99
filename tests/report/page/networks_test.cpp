// Pages of network designs, of a search for them, of several sites and of measured runs.
#include "trainyard/report/networks.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "../markup.h"
#include "../shown_networks.h"
#include "trainyard/catalog.h"
#include "trainyard/long_haul.h"
#include "trainyard/network_search.h"
#include "trainyard/networks_compared.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/provenance.h"
#include "trainyard/report/validation.h"
#include "trainyard/report/wide_area.h"
#include "trainyard/scenario_text.h"
#include "trainyard/validation.h"
#include "trainyard/wide_area.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

constexpr const char* kHostilePageName = "</script><b title=\"x\">&";

/// Complete, in one file, and nothing of a text became markup.
void expect_whole(const std::string& page) {
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("<b title"), std::string::npos);
  for (const char* reference :
       {"src=\"http", "href=\"http", "url(http", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_EQ(page.find(reference), std::string::npos) << reference;
}

Json charts_of(const std::string& page) {
  const std::string opening = "id=\"data\">";
  const auto begin = page.find(opening) + opening.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin)).at("charts");
}

TEST(NetworkPage, HoldsEveryDesignWithItsBill) {
  std::vector<NetworkAnswer> shown = answers();
  shown.front().design.input.name = kHostilePageName;
  const std::string page = network_page(all_topologies(), shown);
  expect_whole(page);
  for (std::size_t i = 1; i < shown.size(); ++i)
    EXPECT_GE(occurrences(page, "<td>" + shown[i].design.input.name + "</td>"), shown[i].bill.lines.size());
  const Json charts = charts_of(page);
  ASSERT_GE(charts.size(), 1u);
  const Json& kept = charts.back();
  ASSERT_EQ(kept["lines"].size(), shown.size());
  EXPECT_EQ(kept["lines"][1]["points"][0]["x"], shown[1].bill.price.si());
  EXPECT_EQ(kept["lines"][1]["points"][0]["y"], shown[1].counts.domain_kept);
}

TEST(NetworkPage, NamesTheCheapestOfThoseThatJoinAllHosts) {
  // The inside of an HB domain costs least of all, and joins 72 hosts of 4,096.
  const std::string page = network_page(all_topologies(), answers());
  EXPECT_NE(page.find("<dt>hosts</dt><dd>4,096</dd>"), std::string::npos);
  EXPECT_NE(page.find("<dt>cheapest</dt><dd>torus</dd>"), std::string::npos);
}

TEST(NetworkSearchPage, HoldsTheFrontAndWhatIsBesideTheBest) {
  ScenarioText text = ScenarioText::load("llama3-405b-network");
  for (const char* smaller :
       {"facility.devices=1024", "optimize.planes=[1, 2]", "optimize.oversubscription=[1, 2]",
        "mapping.tensor=8", "mapping.pipeline=16", "mapping.recompute=full"})
    text.set(smaller);
  const Scenario scenario = text.resolve();
  const NetworkSearch search = search_networks(scenario);
  const std::string page = network_search_page(scenario, search);
  expect_whole(page);
  std::size_t points = 0;
  const Json charts = charts_of(page);
  for (const Json& line : charts[0]["lines"]) points += line["points"].size();
  EXPECT_EQ(points, search.front.size());
  EXPECT_EQ(occurrences(page, "<td>chosen</td>"), 1u);
  EXPECT_LE(search.possible, search.tried);  // mixes, not mappings of mixes
}

TEST(WideAreaPage, HoldsCapacityAndDistance) {
  ScenarioText text = ScenarioText::load("hotnets24-moe");
  text.set("wide_area.most_sites=3");
  const Scenario scenario = text.resolve();
  const WideAreaAnswer answer = plan_wide_area(scenario);
  ASSERT_EQ(answer.distances.size(), answer.curves.size());
  // A longer way costs time, and hiding it takes at least as much capacity.
  for (const auto& points : answer.distances) {
    ASSERT_EQ(points.size(), answer.rtts.size());
    for (std::size_t i = 1; i < points.size(); ++i) {
      EXPECT_EQ(points[i].longest_rtt, answer.rtts[i]);
      EXPECT_GT(points[i].time, points[i - 1].time);
      if (points[i].hiding_rate && points[i - 1].hiding_rate) {
        EXPECT_GE(*points[i].hiding_rate, *points[i - 1].hiding_rate);
      }
    }
  }
  const std::string page = wide_area_page(scenario, answer);
  expect_whole(page);
  EXPECT_EQ(charts_of(page).size(), 4u);
}

TEST(WideAreaPage, SaysOfEveryTransportHowLongTheExchangeTakes) {
  LongHaulResult run{};
  run.run = {.transport = {}, .bytes = Bytes(1e9), .bit_error_rate = 1e-9};
  run.ideal = Seconds(1);
  run.exchange = Seconds(2);
  const std::string page = long_haul_page(ScenarioText::load("hotnets24-moe").resolve(), {run, run});
  expect_whole(page);
  EXPECT_EQ(occurrences(page, "2.00 times the least"), 2u);
}

Validation measured_validation() {
  Validation out;
  ValidatedRun& run = out.runs.emplace_back();
  run.run.id = run.run.source = kHostilePageName;
  run.run.value = run.measured = 10;
  run.predicted = 11;
  run.measured_step = Seconds(10);
  run.plan = run.step = Seconds(11);
  run.interval = {0.9, 1.2, ""};
  run.memory_measured = Bytes(8e9);
  run.memory_predicted = Bytes(1e10);
  out.by_source.push_back({kHostilePageName, {}});
  out.all.runs = out.memory.runs = 1;
  return out;
}

TEST(ValidationPage, HoldsEveryRunWithItsInterval) {
  const std::string page = validation_page(measured_validation(), {});
  expect_whole(page);
  EXPECT_NE(page.find("+10.00%"), std::string::npos);
  EXPECT_NE(page.find("1 of 1"), std::string::npos);  // 10 s are inside 9.9 to 13.2 s
  const Json charts = charts_of(page);
  ASSERT_EQ(charts.size(), 3u);
  const Json& point = charts[0]["lines"][0]["points"][0];
  EXPECT_DOUBLE_EQ(point["low"].get<double>(), 9.9);
  EXPECT_DOUBLE_EQ(point["high"].get<double>(), 13.2);
  EXPECT_EQ(point["label"], kHostilePageName);
}

}  // namespace
}  // namespace trainyard
