#include "step/step_failures.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/errors.h"
#include "base/whole_numbers.h"
#include "scenario/step_faults.h"
#include "step/replica_classes.h"
#include "trainyard/errors.h"
#include "trainyard/networks.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// What is left of a share after rounding of a sum of losses.
double rest_of(double lost) {
  constexpr double kRounding = 1e-12;
  return lost > 1 - kRounding ? 0 : 1 - lost;
}

std::vector<double> least(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::min(a[i], b[i]);
  return a;
}

std::vector<StepResource> resources_of(StepFault fault) {
  switch (taken_by(fault)) {
    case FaultTakes::scale_up:
      return {StepResource::scale_up};
    case FaultTakes::scale_out:
      return {StepResource::scale_out};
    case FaultTakes::wide_area:
      return {StepResource::wide_area};
    case FaultTakes::everything:
      break;
  }
  return {StepResource::compute, StepResource::scale_up, StepResource::scale_out, StepResource::wide_area,
          StepResource::host};
}

StepResource resource_of(const StepGraph& graph, OperationId id) {
  return is_transfer(graph.operation(id).work) ? graph.class_of(id).network : StepResource::compute;
}

/// Whether an operation needs what an outage takes.
bool needs(const StepGraph& graph, OperationId id, const StepOutage& o) {
  const StepResource resource = resource_of(graph, id);
  const bool through_nic = resource == StepResource::wide_area && o.resource == StepResource::scale_out;
  return (o.resource == resource || through_nic) &&
         (o.stage == graph.stream_of(id).stage || o.stage == graph.receiving_stage(id));
}

}  // namespace

StepFailures::StepFailures(std::vector<StepOutage> outages, std::int32_t stages,
                           const std::vector<ReplicaClass>& classes, double wide_area_headroom)
    : outages_(std::move(outages)),
      stages_(stages),
      replicas_(static_cast<std::int32_t>(classes.size())),
      headroom_(std::max(1.0, wide_area_headroom)) {
  if (none()) return;
  std::set<StepTime> moments = {0};
  for (const StepOutage& o : outages_) {
    TY_ASSERT(o.from >= 0 && o.until > o.from && o.lost > 0 && o.lost <= 1, "an outage takes something");
    TY_ASSERT(o.stage < stages_ && o.replica < replicas_, "outages are of classes");
    moments.insert(o.from);
    if (o.until < kNeverInStep) moments.insert(o.until);
  }
  intervals_.assign(moments.begin(), moments.end());
  row_.assign(key(Who::stage, stages_ - 1, 0, StepResource::host) + 1, -1);
  add_devices();
  add_groups(classes);
  add_stages();
}

std::size_t StepFailures::key(Who who, std::int32_t stage, std::int32_t replica,
                              StepResource resource) const {
  const std::size_t devices = index(std::int64_t{stages_} * replicas_);
  const std::size_t device = index(std::int64_t{replica} * stages_ + stage);
  std::size_t place = 0;
  if (who == Who::device) place = device;
  if (who == Who::expert_group) place = devices + device;
  if (who == Who::stage) place = 2 * devices + index(stage);
  return place * kStepResources + static_cast<std::size_t>(resource);
}

void StepFailures::set_row(std::size_t key, std::vector<double> left) {
  if (row_[key] < 0) {
    row_[key] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back(std::move(left));
    return;
  }
  auto& row = rows_[index(row_[key])];
  row = least(std::move(row), left);
}

void StepFailures::add_devices() {
  std::map<std::size_t, std::vector<double>> lost;  // by key
  std::set<std::size_t> nics;
  for (const StepOutage& o : outages_) {
    auto& sum = lost.try_emplace(key(Who::device, o.stage, o.replica, o.resource), intervals_.size(), 0.0)
                    .first->second;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      if (intervals_[i] >= o.from && intervals_[i] < o.until) sum[i] += o.lost;
    }
    if (o.resource == StepResource::scale_out) nics.insert(key(Who::device, o.stage, o.replica, o.resource));
  }
  for (auto& [key, sum] : lost) {
    for (double& share : sum) share = rest_of(share);
    set_row(key, std::move(sum));
  }
  for (const std::size_t nic : nics) {
    std::vector<double> left = rows_[index(row_[nic])];
    for (double& share : left) share = std::min(1.0, share * headroom_);
    set_row(nic - static_cast<std::size_t>(StepResource::scale_out) +
                static_cast<std::size_t>(StepResource::wide_area),
            std::move(left));
  }
}

void StepFailures::add_groups(const std::vector<ReplicaClass>& classes) {
  for (std::int32_t r = 0; r < replicas_; ++r) {
    std::vector<std::int32_t> members = classes[index(r)].expert_peers;
    members.push_back(r);
    for (const std::int32_t member : members) {
      for (std::size_t at = 0; at < index(stages_) * kStepResources; ++at) {
        const auto stage = static_cast<std::int32_t>(at / kStepResources);
        const auto resource = static_cast<StepResource>(at % kStepResources);
        const std::int32_t row = row_[key(Who::device, stage, member, resource)];
        if (row >= 0) set_row(key(Who::expert_group, stage, r, resource), rows_[index(row)]);
      }
    }
  }
}

void StepFailures::add_stages() {
  for (std::int32_t r = 0; r < replicas_; ++r) {
    for (std::size_t at = 0; at < index(stages_) * kStepResources; ++at) {
      const auto stage = static_cast<std::int32_t>(at / kStepResources);
      const auto resource = static_cast<StepResource>(at % kStepResources);
      const std::int32_t row = row_[key(Who::device, stage, r, resource)];
      if (row >= 0) set_row(key(Who::stage, stage, 0, resource), rows_[index(row)]);
    }
  }
}

double StepFailures::left_of(std::int32_t stage, std::int32_t replica, StepResource resource,
                             std::size_t interval) const {
  return none() ? 1 : at(row_[key(Who::device, stage, replica, resource)], interval);
}

StepFailures::Rows StepFailures::rows(const StepGraph& graph, OperationId id, StepResource resource) const {
  if (none()) return {};
  const StepStream& stream = graph.stream_of(id);
  const StepWork work = graph.operation(id).work;
  if (stream.replica == kSharedReplica || work == StepWork::weights)
    return {row_[key(Who::stage, stream.stage, 0, resource)]};
  const Who who = work == StepWork::expert ? Who::expert_group : Who::device;
  Rows out{row_[key(who, stream.stage, stream.replica, resource)]};
  if (work == StepWork::pipeline)
    out.second = row_[key(Who::device, graph.receiving_stage(id), stream.replica, resource)];
  return out;
}

double StepFailures::left(const StepGraph& graph, OperationId id, std::size_t interval) const {
  const Rows r = rows(graph, id, resource_of(graph, id));
  return std::min(at(r.first, interval), at(r.second, interval));
}

StepTime StepFailures::end(StepTime start, StepTime alone, const Pace& pace) const {
  if (alone == 0) return start;
  const auto next = std::upper_bound(intervals_.begin(), intervals_.end(), start);
  auto i = index(next - intervals_.begin() - 1);
  auto rest = static_cast<double>(alone);
  for (StepTime now = start;; ++i) {
    const StepTime until = i + 1 < intervals_.size() ? intervals_[i + 1] : kNeverInStep;
    const double share = pace(i);
    const double takes = share > 0 ? std::round(rest / share) : std::numeric_limits<double>::infinity();
    if (takes <= static_cast<double>(until - now)) {
      if (takes > static_cast<double>(kLongestStep)) return kLongestStep + 1;
      return now + static_cast<StepTime>(takes);
    }
    if (until == kNeverInStep) return kNeverInStep;
    rest = std::max(0.0, rest - share * static_cast<double>(until - now));
    now = until;
  }
}

StepTime StepFailures::end(const StepGraph& graph, OperationId id, StepTime start, StepTime alone) const {
  const Rows r = rows(graph, id, resource_of(graph, id));
  if (r.first < 0 && r.second < 0) return start + alone;
  return end(start, alone, [&](std::size_t i) { return std::min(at(r.first, i), at(r.second, i)); });
}

StepTime StepFailures::gone(const Rows& rows, StepTime from, StepTime until) const {
  if (rows.first < 0 && rows.second < 0) return 0;
  StepTime sum = 0;
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (std::min(at(rows.first, i), at(rows.second, i)) > 0) continue;
    const StepTime end = i + 1 < intervals_.size() ? intervals_[i + 1] : kNeverInStep;
    sum += std::max<StepTime>(0, std::min(until, end) - std::max(from, intervals_[i]));
  }
  return sum;
}

StepTime StepFailures::gone(const StepGraph& graph, OperationId id, StepTime from, StepTime until) const {
  return none() ? 0 : gone(rows(graph, id, StepResource::compute), from, until);
}

StepTime StepFailures::gone(std::int32_t stage, std::int32_t replica, StepTime until) const {
  if (none()) return 0;
  return gone(Rows{row_[key(Who::device, stage, replica, StepResource::compute)]}, 0, until);
}

const StepOutage* StepFailures::for_good(const StepGraph& graph, OperationId id) const {
  if (left(graph, id, intervals_.size() - 1) > 0) return nullptr;
  const auto found = std::find_if(outages_.begin(), outages_.end(), [&](const StepOutage& o) {
    return o.until == kNeverInStep && needs(graph, id, o);
  });
  return found == outages_.end() ? nullptr : &*found;
}

const StepFailures& no_step_failures() {
  static const StepFailures none;
  return none;
}

StepFailures step_failures(const Scenario& scenario, const MappingPlan& mapping,
                           const std::vector<ReplicaClass>& classes, const Networks& networks) {
  std::vector<StepOutage> out;
  for (std::size_t r = 0; r < classes.size(); ++r) {
    for (const std::int32_t record : classes[r].failures) {
      const StepFailureInput& f = scenario.step_failures[index(record)];
      const FailedPlaces places = failed_places(f, mapping);
      for (std::int64_t stage = places.stage; stage < places.end_stage; ++stage) {
        for (const StepResource resource : resources_of(f.what)) {
          const StepTime from = step_time(f.from);
          out.push_back({.stage = static_cast<std::int32_t>(stage),
                         .replica = static_cast<std::int32_t>(r),
                         .resource = resource,
                         .lost = f.lost.value_or(1),
                         .from = from,
                         .until = f.until ? std::max(from + 1, step_time(*f.until)) : kNeverInStep,
                         .record = index(record),
                         .where = place_of(f.places)});
        }
      }
    }
  }
  const double headroom =
      networks.wide_area.rate.si() > 0 ? networks.scale_out.rate / networks.wide_area.rate : 1;
  return {std::move(out), static_cast<std::int32_t>(mapping.pipeline), classes, headroom};
}

void check_step_failures(const StepGraph& graph, const StepFailures& failures,
                         const std::vector<StepFailureInput>& records) {
  if (failures.none()) return;
  std::set<std::pair<std::int32_t, StepResource>> used;
  for (OperationId id = 0; id < graph.size(); ++id) {
    if (!is_transfer(graph.operation(id).work) || graph.operation(id).bytes == 0) continue;
    const StepResource network = graph.class_of(id).network;
    for (const std::int32_t stage : {graph.stream_of(id).stage, graph.receiving_stage(id)}) {
      used.emplace(stage, network);
      if (network == StepResource::wide_area) used.emplace(stage, StepResource::scale_out);
    }
  }
  for (const StepFailureInput& f : records) {
    const std::vector<StepResource> resources = resources_of(f.what);
    if (resources.size() > 1) continue;
    if (used.contains({static_cast<std::int32_t>(f.stage), resources.front()})) continue;
    fail_input(place_of(f.places, "what"),
               fmt::format("step_failure: no transfer of stage {} crosses the {} network", f.stage,
                           step_resource_name(resources.front())),
               "another 'step_failure.what', or leave it out");
  }
}

}  // namespace trainyard
