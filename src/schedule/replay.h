// A list of jobs, event by event, on one cluster.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <vector>

#include "schedule/active_jobs.h"
#include "schedule/breakdowns.h"
#include "schedule/cluster.h"
#include "schedule/dispatcher.h"
#include "schedule/machines.h"
#include "schedule/observer.h"
#include "schedule/outages.h"
#include "trainyard/schedule.h"

namespace trainyard::schedule {

/// What a replay finds.
struct Played {
  std::vector<ScheduledJob> jobs;
  ScheduleUse use;
  std::vector<ScheduleMoment> moments;
  std::vector<Snapshot> snapshots;
  double fragmented = 0;
  double span_s = 0;
  bool all_snapshots = true;
  std::vector<ScheduleOutages> outages;
};

/// Called now and then: jobs that ended, of how many.
using ReplayProgress = std::function<void(std::size_t, std::size_t)>;

class Replay {
 public:
  /// Jobs fit the empty cluster (feasibility.h); all of it outlives this.
  Replay(const Cluster& cluster, const ScheduleInput& settings, const SharedParts& parts,
         const std::vector<Job>& jobs, const std::vector<Traffic>& traffic);

  /// Throws Infeasible when events are more than any list should need.
  Played run(const ReplayProgress& progress);

 private:
  double next_s() const;
  void watch(double to_s);
  void take_snapshots(double from_s, double to_s);
  void happen();
  void end_jobs();
  void repair_domains();
  void submit_jobs();
  void fail_domain();
  void fail_part();
  void repair_parts();
  /// Out of service until then; jobs on it are added to `hit`.
  void take_down(std::int32_t domain, double until_s, std::set<std::size_t>& hit);
  void lose_jobs(std::int32_t domain, std::set<std::size_t>& hit);

  const Cluster& cluster_;
  const ScheduleInput& settings_;
  const std::vector<Job>& jobs_;
  const std::vector<Traffic>& traffic_;
  Machines machines_;
  ActiveJobs active_;
  Breakdowns breakdowns_;
  const SharedParts& parts_;
  Outages outages_;
  Dispatcher dispatcher_;
  Observer observer_;
  Played played_;
  double now_s_ = 0;
  std::size_t next_job_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace trainyard::schedule
