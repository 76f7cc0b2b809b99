// Many jobs on one cluster: when each starts, on which HB domains, how much they hinder each other.
//
//   const JobList jobs = read_jobs("jobs.csv");
//   const ScheduleAnswer answer = study_schedule(ScenarioText::load("shared-cluster").resolve(), jobs);
//   answer.totals.mean_wait;  // Seconds
//
// A job has all of its devices at once or none: whole HB domains and a part of one more, or a part of one.
// The network is a tree: the HB domains below a leaf, or below a switch of a higher tier, share the links up
// from there (docs/models.md, "Many jobs").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/scenario/schedule.h"
#include "trainyard/units.h"

namespace trainyard {

struct JobList;
struct Scenario;

/// A tier of switches below which HB domains stand together.
struct ScheduleLevel {
  std::string name;             // "leaf"
  std::int64_t groups = 0;      // of HB domains
  std::int64_t domains = 0;     // of the fullest group
  double oversubscription = 1;  // rate of its devices over the rate of its links up
};

/// The machines and the network that jobs share.
struct ScheduleCluster {
  std::string design;  // name of the network
  std::int64_t devices = 0;
  std::int64_t domain_devices = 1;
  std::int64_t domains = 0;
  std::int64_t spares = 0;  // domains of those, kept free
  std::int64_t rails = 1;   // networks of their own for devices of different ranks
  std::int64_t planes = 1;
  BitRate device_rate;                // into the network
  std::vector<ScheduleLevel> levels;  // from the leaf up; none: one switch joins all of them
};

/// What became of a job, in the list's order.
struct ScheduledJob {
  Seconds start;  // first time; of a job that never did: the end of the replay
  Seconds end;
  Seconds wait;              // until it first started
  Seconds queued_again;      // after preemptions and failures
  double slowdown = 1;       // of its work, by contention
  std::int64_t domains = 0;  // of its last placement
  std::int64_t leaves = 0;
  std::int32_t preemptions = 0;
  std::int32_t migrations = 0;
  std::int32_t failures = 0;
  bool finished = false;
};

/// Device-seconds of the whole replay by use; together they are devices times span.
struct ScheduleUse {
  double useful = 0;      // work as on an idle network
  double contention = 0;  // waiting for links that others use
  double suspending = 0;  // preemption and migration
  double failures = 0;    // work done again, and restarts
  double down = 0;        // domains under repair
  double spare = 0;       // domains kept free
  double idle = 0;
};

/// Waits and slow-downs of jobs of similar size.
struct ScheduleClass {
  std::int64_t least_devices = 0;
  std::int64_t most_devices = 0;
  std::int64_t jobs = 0;
  Seconds mean_wait;
  Seconds median_wait;
  Seconds p90_wait;
  std::optional<Seconds> mean_wait_recorded;  // in the trace
  Seconds median_run;
  double mean_slowdown = 1;
};

/// Means of the time from the moment before, or the beginning, to this one.
struct ScheduleMoment {
  Seconds time;
  double used = 0;  // devices
  double down = 0;
  double queued_jobs = 0;
  double queued_devices = 0;
  double fragmented = 0;  // free devices in domains that others use, over free devices
  double contended = 0;   // share of used devices whose jobs are slowed down
};

/// What failures of one kind of part did: a leaf, a power feed.
struct ScheduleOutages {
  std::string part;
  std::int64_t parts = 0;
  std::int64_t failures = 0;
  std::int64_t jobs_stopped = 0;
  std::int64_t domains_gone = 0;    // until repaired, of all failures together
  std::int64_t domains_slower = 0;  // that kept a part of their rate
};

/// Flow rates at one moment, held against packets.
struct ScheduleCheck {
  Seconds time;
  std::int64_t jobs = 0;  // that cross leaves
  std::int64_t connections = 0;
  double rate_by_flows = 1;  // mean share of the undisturbed rate over those jobs
  double rate_by_packets = 1;
  double worst_difference = 0;  // of one job
};

struct ScheduleTotals {
  std::int64_t jobs = 0;
  std::int64_t finished = 0;
  std::int64_t preemptions = 0;
  std::int64_t migrations = 0;
  std::int64_t failures = 0;
  Seconds span;
  Seconds mean_wait;
  Seconds median_wait;
  Seconds p90_wait;
  Seconds p99_wait;
  std::optional<Seconds> mean_wait_recorded;
  Seconds median_run;
  Seconds mean_completion;  // end less submission
  double used_share = 0;    // of all device-seconds
  double useful_share = 0;
  double mean_slowdown = 1;  // by device-seconds
  double fragmented = 0;     // mean over time
};

/// The answer of `trainyard schedule`.
struct ScheduleAnswer {
  ScheduleInput settings;
  ScheduleCluster cluster;
  ScheduleTotals totals;
  ScheduleUse use;
  std::vector<ScheduleClass> classes;
  std::vector<ScheduleMoment> moments;
  std::vector<ScheduledJob> jobs;
  std::vector<ScheduleCheck> checks;
  std::vector<ScheduleOutages> outages;  // of the parts of schedule.part_failures
  std::vector<std::string> notes;
};

/// Other rules, networks or loads beside the asked one.
struct ScheduleChoice {
  std::string question;  // "placement", "network", "oversubscription", "spares", "order"
  std::string name;
  std::optional<ScheduleTotals> totals;  // nothing: it cannot be built
  std::string why;                       // not
};

/// The cluster of a scenario, for [schedule] design. Throws InputError for a network that is not a tree.
ScheduleCluster schedule_cluster(const Scenario& scenario);

/// What is done, and how much of how much; from any thread, one at a time.
using ScheduleProgress = std::function<void(const char* what, std::size_t done, std::size_t total)>;

/// Replays the list. Throws InputError with file and row for a job that no empty cluster could hold.
ScheduleAnswer study_schedule(const Scenario& scenario, const JobList& jobs,
                              const ScheduleProgress& progress = {});

/// The same jobs under each of the other rules, networks and spares; `threads` work, the answer is the same.
std::vector<ScheduleChoice> compare_schedules(const Scenario& scenario, const JobList& jobs, unsigned threads,
                                              const ScheduleProgress& progress = {});

}  // namespace trainyard
