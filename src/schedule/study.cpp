// The answer of `trainyard schedule`, and the same under other rules.
#include "schedule/study.h"

#include <fmt/core.h>

#include "base/choices.h"
#include "base/counted.h"
#include "scenario/choices/schedule.h"
#include "schedule/cluster.h"
#include "schedule/feasibility.h"
#include "schedule/packet_checks.h"
#include "schedule/replay.h"
#include "schedule/summary.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/network_design.h"
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

/// What was asked for and changes nothing.
std::vector<std::string> without_effect(const ScheduleInput& s) {
  std::vector<std::string> out;
  const auto check = [&](bool asked, const char* key, const char* why) {
    if (asked) out.push_back(fmt::format("schedule.{} has no effect: {}", key, why));
  };
  check(s.checked > 0 && !s.contention, "checked", "jobs share no links (schedule.contention)");
  check(s.spares > 0 && s.failures_per_1000_days <= 0 && s.part_failures.empty(), "spares",
        "nothing fails (schedule.failures_per_1000_days, schedule.part_failures)");
  check(!s.part_failures.empty() && !s.contention, "part_failures",
        "on rates: jobs share no links (schedule.contention), and lose whole HB domains alone");
  return out;
}

}  // namespace

Played play(const Scenario& scenario, const Cluster& cluster, const ScheduleInput& settings,
            const JobList& list, const ReplayProgress& progress) {
  check_jobs(cluster, settings, list);
  const std::vector<Traffic> traffic = traffic_of(list, settings);
  const FailureSet none;
  const FailureSet& rates =
      settings.part_failures.empty() ? none : scenario.catalog->failures.at(settings.part_failures);
  const SharedParts parts(cluster, rates, resilience_of(scenario));
  return Replay(cluster, settings, parts, list.jobs, traffic).run(progress);
}

}  // namespace schedule

ScheduleAnswer study_schedule(const Scenario& scenario, const JobList& jobs,
                              const ScheduleProgress& progress) {
  ScheduleAnswer answer;
  answer.settings = scenario.schedule.value_or(ScheduleInput{});
  const schedule::Cluster cluster =
      schedule::cluster_of(schedule::scheduled_design(scenario), answer.settings);
  answer.cluster = cluster.facts;
  const auto telling = [&](const char* what) -> schedule::ReplayProgress {
    if (!progress) return {};
    return [&progress, what](std::size_t done, std::size_t total) { progress(what, done, total); };
  };
  schedule::Played played = schedule::play(scenario, cluster, answer.settings, jobs, telling("jobs"));
  answer.totals = schedule::totals_of(cluster, jobs, played);
  answer.use = played.use;
  answer.classes = schedule::classes_of(jobs, played);
  answer.moments = std::move(played.moments);
  answer.checks =
      schedule::check_by_packets(scenario, cluster, played.snapshots, telling("checks by packets"));
  answer.notes = schedule::without_effect(answer.settings);
  if (!played.all_snapshots)
    answer.notes.push_back(fmt::format("only the first {} of those asked {} checked by packets",
                                       counted(played.snapshots.size(), "hour"),
                                       agreeing(played.snapshots.size(), "is", "are")));
  answer.outages = std::move(played.outages);
  answer.jobs = std::move(played.jobs);
  return answer;
}

}  // namespace trainyard
