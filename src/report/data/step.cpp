#include "trainyard/report/step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "report/data/step_words.h"
#include "scenario/choices/step.h"
#include "trainyard/exposed_errors.h"
#include "trainyard/plan.h"
#include "trainyard/provenance.h"
#include "trainyard/range.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

Json json_of(const ExposedTimes& e) {
  Json out;
  for (const auto& [name, time] : named_times(e)) out[name + "_s"] = time.si();
  out["total_s"] = e.total().si();
  return out;
}

Json json_of(const StageTimeline& s) {
  Json memory = Json::array();
  for (const MemoryPoint& p : s.memory) memory.push_back({p.time.si(), p.bytes.si()});
  return {{"stage", s.stage},
          {"class", s.replica_class},
          {"replicas", s.replicas},
          {"fails", s.fails},
          {"compute_s", s.compute.si()},
          {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},
          {"stopped_s", s.stopped.si()},
          {"compute_share", s.compute_share},
          {"scale_up_share", s.scale_up_share},
          {"scale_out_share", s.scale_out_share},
          {"wide_area_share", s.wide_area_share},
          {"host_share", s.host_share},
          {"states_bytes", s.states.si()},
          {"peak_memory_bytes", s.peak_memory.si()},
          {"memory_s_bytes", std::move(memory)}};
}

Json json_of(const BusyShares& shares) {
  return {{"compute", shares.compute},
          {"scale_up", shares.scale_up},
          {"scale_out", shares.scale_out},
          {"wide_area", shares.wide_area},
          {"host", shares.host}};
}

Json json_of(const std::vector<BusyShares>& spans, Seconds total) {
  Json out = {{"span_s", total.si() / static_cast<double>(spans.size())}};
  for (const BusyShares& span : spans) {
    const Json shares = json_of(span);
    for (const auto& [name, share] : shares.items()) out[name].push_back(share);
  }
  return out;
}

Json json_of(const SteadyPace& s) {
  return {{"microbatches", s.microbatches}, {"microbatch_s", s.time.si()},
          {"compute_s", s.compute.si()},    {"exposed", json_of(s.exposed)},
          {"idle_s", s.idle.si()},          {"exposed_share", s.exposed_share}};
}

Json json_of(const StepFailureFacts& f) {
  return {{"what", choice_name(f.what)},
          {"lost", f.lost},
          {"stage", f.stage},
          {"stages", f.stages},
          {"replicas", f.replicas},
          {"from_s", f.from.si()},
          {"until_s", f.until ? Json(f.until->si()) : Json(nullptr)}};
}

/// Of two sums of the same times in another order, nothing where they differ by rounding.
double beyond(Seconds time, Seconds other) {
  constexpr double kRounding = 1e-12;
  const double more = (time - other).si();
  return std::abs(more) > kRounding * std::max(time, other).si() ? more : 0;
}

/// null where nothing fails.
Json failure_cost_json(const StepTimeline& t) {
  if (!t.failure_cost) return nullptr;
  const StepFailureCost& cost = *t.failure_cost;
  Json failures = Json::array();
  for (const StepFailureFacts& f : cost.failures) failures.push_back(json_of(f));
  Json exposed;
  const auto without = named_times(cost.exposed);
  for (std::size_t i = 0; const auto& [name, time] : named_times(t.exposed))
    exposed[name + "_s"] = beyond(time, without[i++].second);
  exposed["total_s"] = beyond(t.exposed.total(), cost.exposed.total());
  return {{"failures", std::move(failures)},
          {"without",
           {{"step_s", cost.step.si()},
            {"compute_s", cost.compute.si()},
            {"exposed", json_of(cost.exposed)},
            {"idle_s", cost.idle.si()}}},
          {"step_s", beyond(t.step, cost.step)},
          {"exposed", std::move(exposed)},
          {"idle_s", beyond(t.idle, cost.idle)},
          {"stopped_s", t.stopped.si()}};
}

}  // namespace

std::string step_json(const StepSimulation& step, const Plan& plan) {
  const StepTimeline& t = step.timeline;
  Json stages = Json::array();
  for (const StageTimeline& s : t.stages) stages.push_back(json_of(s));
  const ExposedInterval exposed = exposed_interval(plan.step.step_interval, t.exposed_share);
  const Json json = {{"network", t.network},
                     {"note", t.note},
                     {"warnings", t.warnings},
                     {"schedule", t.schedule},
                     {"steps", t.steps},
                     {"step_s", t.step.si()},
                     {"step_low_s", (t.step * plan.step.step_interval.low).si()},
                     {"step_high_s", (t.step * plan.step.step_interval.high).si()},
                     {"interval_basis", plan.step.step_interval.basis},
                     {"compute_s", t.compute.si()},
                     {"exposed", json_of(t.exposed)},
                     {"idle_s", t.idle.si()},
                     {"stopped_s", t.stopped.si()},
                     {"compute_share", t.compute_share},
                     {"exposed_share", t.exposed_share},
                     {"exposed_low_s", (t.step * t.exposed_share * exposed.time.low).si()},
                     {"exposed_high_s", (t.step * t.exposed_share * exposed.time.high).si()},
                     {"exposed_share_low", exposed.share_low},
                     {"exposed_share_high", exposed.share_high},
                     {"idle_share", t.idle_share},
                     {"busy", json_of(t.busy)},
                     {"busy_in_time", json_of(t.busy_in_time, t.total)},
                     {"mfu", t.mfu},
                     {"tokens_per_second", t.tokens_per_second},
                     {"peak_memory_bytes", t.peak_memory.si()},
                     {"steady", t.steady ? json_of(*t.steady) : Json(nullptr)},
                     {"failure_cost", failure_cost_json(t)},
                     {"stages", std::move(stages)},
                     {"operations", t.operations},
                     {"dependencies", t.dependencies},
                     {"streams", t.streams},
                     {"layers_per_operation", t.layers_per_operation},
                     {"gradient_pieces", t.gradient_pieces},
                     {"classes", t.classes},
                     {"devices", t.devices},
                     {"provenance", provenance_json(provenance_of(plan.scenario))}};
  return dumped(json);
}

std::string step_csv(const StepSimulation& step) {
  std::string columns = "stage,replicas,compute_s";
  for (const auto& [name, time] : named_times({})) columns += ",exposed_" + name + "_s";
  CsvTable table(columns +
                 ",idle_s,compute_share,scale_up_share,scale_out_share,wide_area_share,host_share,"
                 "states_bytes,peak_memory_bytes,stopped_s,class,fails");
  for (const StageTimeline& s : step.timeline.stages) {
    table.add(s.stage).add(s.replicas).add(s.compute);
    for (const auto& [name, time] : named_times(s.exposed)) table.add(time);
    table.row(s.idle, s.compute_share, s.scale_up_share, s.scale_out_share, s.wide_area_share, s.host_share,
              s.states, s.peak_memory, s.stopped, s.replica_class, s.fails ? 1 : 0);
  }
  return std::move(table).text();
}

}  // namespace trainyard
