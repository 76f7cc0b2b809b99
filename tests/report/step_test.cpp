#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "report/step_text.h"
#include "scenario/scenario.h"
#include "search/sweep.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

struct Simulated {
  Plan plan;
  StepSimulation step;
};

/// A pipeline of six stages, few microbatches.
const Simulated& small() {
  static const Simulated result = [] {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "training.batch_tokens=auto", "mapping.microbatches=18"})
      text.set(change);
    Simulated out;
    out.plan = make_plan(text.resolve());
    out.step = simulate_step(out.plan);
    out.step.timeline.network = "analytic";
    return out;
  }();
  return result;
}

/// Slices, arrows and names of the trace.
Json events(const char* phase) {
  Json out = Json::array();
  const Json trace = Json::parse(step_trace(small().step));
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) out.push_back(event);
  }
  return out;
}

TEST(StepTrace, HasEveryOperationOnItsTrack) {
  EXPECT_EQ(events("X").size(), small().step.model.graph.size());
  std::map<std::pair<int, int>, double> ends;  // slices of a track do not overlap
  Json slices = events("X");
  std::sort(slices.begin(), slices.end(), [](const Json& a, const Json& b) { return a["ts"] < b["ts"]; });
  for (const Json& slice : slices) {
    double& end = ends[{slice["pid"], slice["tid"]}];
    EXPECT_GE(slice["ts"].get<double>(), end - 1e-3);
    end = slice["ts"].get<double>() + slice["dur"].get<double>();
  }
}

TEST(StepTrace, ArrowsGoFromStageToStage) {
  const Json from = events("s");
  const Json to = events("f");
  const auto& shape = small().step.model.shape;
  const std::size_t sent = 2 * static_cast<std::size_t>((shape.stages - 1) * shape.microbatches);
  ASSERT_EQ(from.size(), sent);
  ASSERT_EQ(to.size(), sent);
  for (std::size_t i = 0; i < sent; ++i) {
    EXPECT_EQ(from[i]["id"], to[i]["id"]);
    EXPECT_EQ(std::abs(from[i]["pid"].get<int>() - to[i]["pid"].get<int>()), 1);
    EXPECT_LT(from[i]["ts"], to[i]["ts"]);
  }
}

TEST(StepJson, SumsUp) {
  const Json json = Json::parse(step_json(small().step, small().plan));
  EXPECT_NEAR(json["compute_s"].get<double>() + json["exposed"]["total_s"].get<double>() +
                  json["idle_s"].get<double>(),
              json["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(json["stages"].size(), 6u);
  EXPECT_EQ(json["stages"][0]["memory_s_bytes"][0][0], 0.0);
  EXPECT_FALSE(json["provenance"]["scenario_hash"].get<std::string>().empty());
}

TEST(StepCsv, HasALineForEachStage) {
  const std::string csv = step_csv(small().step);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  const auto columns = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  EXPECT_EQ(columns(csv.substr(0, csv.find('\n'))), columns(csv.substr(csv.rfind('\n', csv.size() - 2))));
}

TEST(StepPage, HoldsTheTimeline) {
  const std::string page = step_page(small().step, small().plan);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  const std::string opening = "id=\"timeline-data\">";
  const auto begin = page.find(opening) + opening.size();
  const Json data = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["operations"].size(), 5 * small().step.model.graph.size());
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

TEST(StepText, EndsWithWarningsAsJsonAndPageHaveThem) {
  ScenarioText text = ScenarioText::load("deepseek-v3");
  text.set("assumptions.compute_model=calibrated");
  const Plan plan = make_plan(text.resolve());
  const StepSimulation step = simulate_step(plan);
  const std::string words = "the catalog has no calibration of the GB300";
  EXPECT_NE(step_text(step, plan, Seconds(0)).find("\nwarning: " + words), std::string::npos);
  EXPECT_NE(step_json(step, plan).find(words), std::string::npos);
  EXPECT_NE(step_page(step, plan).find("<p class=\"warning\">" + words), std::string::npos);
}

TEST(StepText, ShowsEachStage) {
  const std::string text = step_text(small().step, small().plan, Seconds(0));
  EXPECT_NE(text.find("schedule 1f1b, 6 stages, 18 microbatches, analytic network"), std::string::npos);
  EXPECT_NE(text.find("   5     .."), std::string::npos);  // the last stage begins late
}

}  // namespace
}  // namespace trainyard
