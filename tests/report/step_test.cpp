#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/step_text.h"
#include "scenario/scenario.h"
#include "search/sweep.h"
#include "trainyard/errors.h"

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

/// Events of one phase: slices, arrows, counters or names.
Json events(const Json& trace, const std::string& phase) {
  Json out = Json::array();
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == phase) out.push_back(event);
  }
  return out;
}

const Json& small_trace() {
  static const Json trace = Json::parse(step_trace(small().step).json);
  return trace;
}

/// Nanoseconds as Perfetto reads a number of microseconds: cut off (json_utils.cc, CoerceToTs).
std::int64_t nanoseconds(const Json& microseconds) {
  return static_cast<std::int64_t>(microseconds.get<double>() * 1000.0);
}

std::int64_t pid_of(const Json& event) { return event.at("pid").get<std::int64_t>(); }
std::int64_t tid_of(const Json& event) { return event.at("tid").get<std::int64_t>(); }

using Track = std::pair<std::int64_t, std::int64_t>;
Track track(const Json& event) { return {pid_of(event), tid_of(event)}; }

/// Every process and thread has a name, and no id stands for both.
void expect_named(const Json& trace) {
  std::set<std::int64_t> processes;
  std::set<Track> threads;
  std::set<std::int64_t> tids;
  for (const Json& event : events(trace, "M")) {
    EXPECT_TRUE(event.at("args").is_object());
    if (event.at("name") == "process_name") {
      EXPECT_TRUE(processes.insert(pid_of(event)).second) << event;
      EXPECT_FALSE(event.at("args").at("name").get<std::string>().empty());
    }
    if (event.at("name") == "thread_name") {
      EXPECT_TRUE(threads.insert(track(event)).second) << event;
      EXPECT_TRUE(tids.insert(tid_of(event)).second) << "Perfetto knows threads by tid alone: " << event;
    }
  }
  for (const std::int64_t tid : tids) {
    EXPECT_GT(tid, 0);
    EXPECT_FALSE(processes.contains(tid)) << tid;
  }
  EXPECT_FALSE(processes.contains(0));
  for (const Json& event : trace.at("traceEvents")) {
    EXPECT_TRUE(processes.contains(pid_of(event))) << event;
    if (event.at("ph") == "X") {
      EXPECT_TRUE(threads.contains(track(event))) << event;
    }
  }
}

/// Slices of a track are one inside the other or apart: Perfetto drops what overlaps (SliceTracker).
void expect_nested(const Json& trace) {
  std::map<Track, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
  for (const Json& slice : events(trace, "X")) {
    const std::int64_t start = nanoseconds(slice.at("ts"));
    EXPECT_GE(slice.at("ts").get<double>(), 0);
    EXPECT_GE(slice.at("dur").get<double>(), 0);
    slices[track(slice)].emplace_back(start, start + nanoseconds(slice.at("dur")));
  }
  for (auto& [of, all] : slices) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::int64_t> open;
    for (const auto& [start, end] : all) {
      while (!open.empty() && open.back() <= start) open.pop_back();
      ASSERT_TRUE(open.empty() || end <= open.back()) << "thread " << of.second << " at " << start << " ns";
      open.push_back(end);
    }
  }
}

/// An arrow has two ends with an id of its own, forward in time, each at a slice that is under way.
void expect_bound(const Json& trace) {
  std::map<Track, std::vector<std::pair<double, double>>> slices;
  for (const Json& slice : events(trace, "X")) {
    const double start = slice.at("ts").get<double>();
    slices[track(slice)].emplace_back(start, start + slice.at("dur").get<double>());
  }
  const auto enclosed = [&](const Json& event) {
    const auto& all = slices[track(event)];
    const double time = event.at("ts").get<double>();
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& slice) { return slice.first <= time && time <= slice.second; });
  };
  std::map<std::int64_t, Json> begun;
  for (const Json& from : events(trace, "s")) {
    EXPECT_TRUE(begun.emplace(from.at("id").get<std::int64_t>(), from).second) << from;
    EXPECT_TRUE(enclosed(from)) << from;
  }
  for (const Json& to : events(trace, "f")) {
    const auto from = begun.extract(to.at("id").get<std::int64_t>());
    ASSERT_FALSE(from.empty()) << to;
    EXPECT_EQ(from.mapped().at("cat"), to.at("cat"));
    EXPECT_EQ(from.mapped().at("name"), to.at("name"));
    EXPECT_LE(from.mapped().at("ts").get<double>(), to.at("ts").get<double>());
    EXPECT_EQ(to.at("bp"), "e");
    EXPECT_TRUE(enclosed(to)) << to;
  }
  EXPECT_TRUE(begun.empty());
}

/// Counters of a process go forward in time and have numbers alone.
void expect_counted(const Json& trace) {
  std::map<std::pair<std::int64_t, std::string>, double> last;
  for (const Json& event : events(trace, "C")) {
    double& before = last[{pid_of(event), event.at("name").get<std::string>()}];
    EXPECT_GE(event.at("ts").get<double>(), before) << event;
    before = event.at("ts").get<double>();
    EXPECT_FALSE(event.at("args").empty());
    for (const Json& value : event.at("args")) EXPECT_TRUE(value.is_number()) << event;
  }
}

void expect_well_formed(const Json& trace) {
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  EXPECT_TRUE(trace.at("otherData").at("shown").is_string());
  const std::set<std::string> phases = {"X", "s", "f", "C", "M"};
  for (const Json& event : trace.at("traceEvents")) {
    ASSERT_TRUE(phases.contains(event.at("ph").get<std::string>())) << event;
    ASSERT_TRUE(event.at("name").is_string() && event.at("pid").is_number_integer() &&
                event.at("tid").is_number_integer())
        << event;
    ASSERT_TRUE(event.at("ph") == "M" || event.at("ts").is_number()) << event;
  }
  expect_named(trace);
  expect_nested(trace);
  expect_bound(trace);
  expect_counted(trace);
}

TEST(StepTrace, IsWellFormed) { expect_well_formed(small_trace()); }

// Times that are no whole numbers of anything, classes of replicas, schedules that split passes.
TEST(StepTrace, IsWellFormedForOtherSteps) {
  for (const std::vector<std::string>& changes :
       {std::vector<std::string>{"step.jitter=0.2", "step.replicas=2", "step.steps=2"},
        {"step.schedule=zb_h1", "straggler=[{ stage = 2, slowdown = 1.5 }]"},
        {"step.schedule=dualpipe", "mapping.zero_stage=1"}}) {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "training.batch_tokens=auto", "mapping.microbatches=12"})
      text.set(change);
    for (const std::string& change : changes) text.set(change);
    const StepSimulation step = simulate_step(make_plan(text.resolve()));
    expect_well_formed(Json::parse(step_trace(step).json));
  }
}

TEST(StepTrace, HasEveryOperation) {
  const StepGraph& graph = small().step.model.graph;
  EXPECT_EQ(events(small_trace(), "X").size(), graph.size());
  EXPECT_TRUE(step_trace(small().step).whole);
}

TEST(StepTrace, ArrowsGoFromStageToStage) {
  const Json from = events(small_trace(), "s");
  const Json to = events(small_trace(), "f");
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

TEST(StepTrace, CountsTheMemoryOfEachStage) {
  const StepTimeline& t = small().step.timeline;
  std::map<std::int64_t, std::pair<std::size_t, double>> counted;  // points, most
  for (const Json& event : events(small_trace(), "C")) {
    if (event.at("name") != "memory") continue;
    auto& [points, most] = counted[pid_of(event)];
    ++points;
    most = std::max(most, event.at("args").at("bytes").get<double>());
  }
  ASSERT_EQ(counted.size(), t.stages.size());
  for (const auto& [pid, points] : counted) {
    const StageTimeline& stage = t.stages[static_cast<std::size_t>(pid - 1)];
    EXPECT_EQ(points.first, stage.memory.size());
    EXPECT_NEAR(points.second / stage.peak_memory.si(), 1, 1e-9);
  }
}

TEST(StepTrace, AWindowHoldsWhatRunsInIt) {
  const StepSimulation& step = small().step;
  const Seconds from = step.timeline.total * 0.3;
  const Seconds length = step.timeline.total * 0.2;
  const StepTrace part = step_trace(step, {from, length});
  EXPECT_FALSE(part.whole);
  const Json trace = Json::parse(part.json);
  expect_well_formed(trace);
  EXPECT_EQ(trace.at("otherData").at("shown"), part.shown);
  std::size_t expected = 0;
  for (OperationId id = 0; id < step.model.graph.size(); ++id)
    expected += seconds_of(step.execution.finish[id]) >= from &&
                seconds_of(step.execution.start[id]) <= from + length;
  EXPECT_EQ(events(trace, "X").size(), expected);
  EXPECT_LT(expected, step.model.graph.size() / 3);
  EXPECT_EQ(Json::parse(step_trace(step, {from, kWholeStep}).json).at("traceEvents").back().at("ph"), "C");
}

TEST(StepTrace, LeavesOutWhatABrowserDoesNotOpenWell) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const char* change :
       {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
        "training.batch_tokens=auto", "mapping.microbatches=300"})
    text.set(change);
  const StepSimulation step = simulate_step(make_plan(text.resolve()));
  ASSERT_GT(step.model.graph.size(), kUsualTraceOperations);
  const StepTrace trace = step_trace(step);
  std::size_t slices = 0;
  for (std::size_t at = 0; (at = trace.json.find("\"ph\":\"X\"", at)) != std::string::npos; ++at) ++slices;
  EXPECT_LE(slices, kUsualTraceOperations);
  EXPECT_GT(slices, kUsualTraceOperations * 0.98);  // fewer where many start at once
  EXPECT_FALSE(trace.whole);
  EXPECT_NE(trace.shown.find(" of "), std::string::npos) << trace.shown;
}

TEST(StepTrace, RefusesAWindowOutsideTheStep) {
  EXPECT_THROW(step_trace(small().step, {small().step.timeline.total, {}}), InputError);
  EXPECT_THROW(step_trace(small().step, {Seconds(-1), {}}), InputError);
}

TEST(StepJson, SumsUp) {
  const Json json = Json::parse(step_json(small().step, small().plan));
  EXPECT_NEAR(json["compute_s"].get<double>() + json["exposed"]["total_s"].get<double>() +
                  json["idle_s"].get<double>(),
              json["step_s"].get<double>(), 1e-9);
  EXPECT_EQ(json["stages"].size(), 6u);
  EXPECT_EQ(json["stages"][0]["memory_s_bytes"][0][0], 0.0);
  EXPECT_NEAR(json["busy"]["compute"].get<double>(), json["compute_share"].get<double>(), 1e-9);
  const Json& busy = json["busy_in_time"]["compute"];
  double sum = 0;
  for (const Json& share : busy) sum += share.get<double>();
  EXPECT_NEAR(sum / static_cast<double>(busy.size()), json["busy"]["compute"].get<double>(), 1e-9);
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
  const auto plots = std::count_if(data["rows"].begin(), data["rows"].end(),
                                   [](const Json& row) { return row.contains("points"); });
  EXPECT_EQ(plots, 6 + 3);  // memory of each stage; compute and two networks in use
  EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

TEST(StepText, EndsWithWarningsAsJsonAndPageHaveThem) {
  ScenarioText text = ScenarioText::load("deepseek-v3");
  text.set("assumptions.compute_model=calibrated");
  text.set("facility.hb_domain=nvl576");
  const Plan plan = make_plan(text.resolve());
  const StepSimulation step = simulate_step(plan);
  const std::string words = "nothing was measured on the";
  EXPECT_NE(step_text(step, plan, Seconds(0)).find("\nwarning: " + words), std::string::npos);
  EXPECT_NE(step_json(step, plan).find(words), std::string::npos);
  EXPECT_NE(step_page(step, plan).find("<p class=\"warning\">" + words), std::string::npos);
}

TEST(StepText, ShowsEachStage) {
  const std::string text = step_text(small().step, small().plan, Seconds(0));
  EXPECT_NE(text.find("schedule 1f1b, 6 stages, 18 microbatches, analytic network"), std::string::npos);
  EXPECT_NE(text.find("   5     .."), std::string::npos);  // the last stage begins late
  EXPECT_NE(text.find("   busy          compute "), std::string::npos);
  EXPECT_NE(text.find("   memory of a device, in tenths of "), std::string::npos);
  EXPECT_NE(text.find("   stage 0   "), std::string::npos);
}

/// The same with a device that is gone for a while, in the middle of it.
const Simulated& failing() {
  static const Simulated result = [] {
    ScenarioText text = ScenarioText::load("llama3-405b");
    for (const char* change :
         {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
          "assumptions.compute_model=roofline", "training.software=none", "training.batch_tokens=auto",
          "mapping.microbatches=18", "step.replicas=2",
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
  const Json trace = Json::parse(step_trace(failing().step, {}).json);
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
