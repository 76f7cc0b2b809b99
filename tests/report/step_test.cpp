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

TEST(StepText, ShowsEachStage) {
  const std::string text = step_text(small().step, small().plan, Seconds(0));
  EXPECT_NE(text.find("schedule 1f1b, 6 stages, 18 microbatches, analytic network"), std::string::npos);
  EXPECT_NE(text.find("   5     .."), std::string::npos);  // the last stage begins late
}

/// The same with a device that is gone for a while, in the middle of it.
const Simulated& failing() {
  static const Simulated result = [] {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "training.batch_tokens=auto", "mapping.microbatches=18", "step.replicas=2",
          "step_failure=[{ stage = 2, what = \"device\", from = \"2 s\", until = \"5 s\" }]"})
      text.set(change);
    Simulated out;
    out.plan = make_plan(text.resolve());
    out.step = simulate_step(out.plan);
    return out;
  }();
  return result;
}

TEST(FailingStepJson, CostIsTheDifferenceByKind) {
  const Json json = Json::parse(step_json(failing().step, failing().plan));
  const Json& cost = json["failure_cost"];
  EXPECT_NEAR(cost["exposed"]["total_s"].get<double>() + cost["idle_s"].get<double>() +
                  cost["stopped_s"].get<double>(),
              cost["step_s"].get<double>(), 1e-9);
  EXPECT_NEAR(json["step_s"].get<double>() - cost["without"]["step_s"].get<double>(),
              cost["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(cost["failures"][0]["until_s"], 5.0);
  EXPECT_GT(cost["step_s"], 1.0);  // a part of the three seconds falls into the fill of the pipeline
  EXPECT_LT(cost["step_s"], 3.0);
  EXPECT_TRUE(Json::parse(step_json(small().step, small().plan))["failure_cost"].is_null());
}

TEST(FailingStepText, SaysWhatFailsAndWhatItCosts) {
  const std::string text = step_text(failing().step, failing().plan, Seconds(0));
  EXPECT_NE(text.find("stage 2 of 1 replica, device gone from 2.000 s to 5.000 s"), std::string::npos)
      << text;
  EXPECT_NE(text.find("stopped +"), std::string::npos) << text;
  EXPECT_NE(text.find("2 x1 "), std::string::npos) << text;
  EXPECT_NE(text.find("warning: step.replicas has no effect"), std::string::npos) << text;
}

TEST(FailingStepTrace, HasASliceForTheFailure) {
  const Json trace = Json::parse(step_trace(failing().step));
  int slices = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "failure") continue;
    ++slices;
    EXPECT_DOUBLE_EQ(event["ts"], 2e6);
    EXPECT_DOUBLE_EQ(event["dur"], 3e6);
    EXPECT_GT(event["args"]["step_s"], event["args"]["step_without_failures_s"]);
  }
  EXPECT_EQ(slices, 1);
}

}  // namespace
}  // namespace trainyard
