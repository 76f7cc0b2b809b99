// The answer of `trainyard schedule`, and the same under other rules.
#include "schedule/study.h"

#include <fmt/core.h>

#include "base/choices.h"
#include "scenario/choices/schedule.h"
#include "schedule/cluster.h"
#include "schedule/feasibility.h"
#include "schedule/packet_checks.h"
#include "schedule/replay.h"
#include "schedule/summary.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"
#include "trainyard/schedule.h"

namespace trainyard {
namespace schedule {
namespace {

Traffic traffic_of(const Job& job, const ScheduleInput& settings, const std::string& source) {
  Traffic out{settings.traffic, settings.communication};
  if (job.pattern.empty()) return out;
  for (const Choice<JobTraffic>& choice : Choices<JobTraffic>::kAll) {
    if (choice.name != job.pattern) continue;
    out.pattern = choice.value;
    return out;
  }
  fail_input(whole(fmt::format("{}, row {}", source, job.row)),
             fmt::format("there is no traffic '{}'", job.pattern),
             suggestion(job.pattern, choice_names<JobTraffic>()));
}

std::vector<Traffic> traffic_of(const JobList& list, const ScheduleInput& settings) {
  std::vector<Traffic> out;
  out.reserve(list.jobs.size());
  for (const Job& job : list.jobs) out.push_back(traffic_of(job, settings, list.source));
  return out;
}

}  // namespace

Played play(const Cluster& cluster, const ScheduleInput& settings, const JobList& list) {
  check_jobs(cluster, settings, list);
  const std::vector<Traffic> traffic = traffic_of(list, settings);
  return Replay(cluster, settings, list.jobs, traffic).run();
}

}  // namespace schedule

ScheduleAnswer study_schedule(const Scenario& scenario, const JobList& jobs) {
  ScheduleAnswer answer;
  answer.settings = scenario.schedule.value_or(ScheduleInput{});
  const schedule::Cluster cluster =
      schedule::cluster_of(schedule::scheduled_design(scenario), answer.settings);
  answer.cluster = cluster.facts;
  schedule::Played played = schedule::play(cluster, answer.settings, jobs);
  answer.totals = schedule::totals_of(cluster, jobs, played);
  answer.use = played.use;
  answer.classes = schedule::classes_of(jobs, played);
  answer.moments = std::move(played.moments);
  answer.checks = schedule::check_by_packets(scenario, cluster, played.snapshots);
  if (!played.all_snapshots)
    answer.notes.push_back(fmt::format("only the first {} hours of those asked are checked by packets",
                                       played.snapshots.size()));
  answer.jobs = std::move(played.jobs);
  return answer;
}

}  // namespace trainyard
