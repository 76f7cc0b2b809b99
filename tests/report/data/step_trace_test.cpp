#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "../simulated_step.h"
#include "step/timeline.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/step.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::json;

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
        {"step.schedule=dualpipe", "mapping.zero_stage=2"}}) {
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
  const StepGraph& graph = small().step.detail->model.graph;
  EXPECT_EQ(events(small_trace(), "X").size(), graph.size());
  EXPECT_TRUE(step_trace(small().step).whole);
}

TEST(StepTrace, ArrowsGoFromStageToStage) {
  const Json from = events(small_trace(), "s");
  const Json to = events(small_trace(), "f");
  const auto& shape = small().step.detail->model.shape;
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
  for (OperationId id = 0; id < step.detail->model.graph.size(); ++id)
    expected += seconds_of(step.detail->execution.finish[id]) >= from &&
                seconds_of(step.detail->execution.start[id]) <= from + length;
  EXPECT_EQ(events(trace, "X").size(), expected);
  EXPECT_LT(expected, step.detail->model.graph.size() / 3);
  EXPECT_EQ(Json::parse(step_trace(step, {from, kWholeStep}).json).at("traceEvents").back().at("ph"), "C");
}

TEST(StepTrace, LeavesOutWhatABrowserDoesNotOpenWell) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const char* change :
       {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "mapping.recompute=full",
        "training.batch_tokens=auto", "mapping.microbatches=300"})
    text.set(change);
  const StepSimulation step = simulate_step(make_plan(text.resolve()));
  ASSERT_GT(step.detail->model.graph.size(), kUsualTraceOperations);
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
