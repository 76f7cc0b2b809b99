// A list of jobs, event by event, on one cluster.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "schedule/active_jobs.h"
#include "schedule/breakdowns.h"
#include "schedule/cluster.h"
#include "schedule/machines.h"
#include "schedule/observer.h"
#include "schedule/outages.h"
#include "schedule/placer.h"
#include "schedule/queue.h"
#include "schedule/reservation.h"
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

  void schedule();
  bool start_first();
  bool try_start(std::size_t job, double wait_s);
  bool preempt_for(std::size_t job);
  bool migrate_for(std::size_t job);
  void backfill();
  void reserve();
  void backfill_job(std::size_t job);
  void start(std::size_t job, const Placement& placement, double wait_s);
  void requeue(std::size_t job, double left_s, Overhead because);
  void freed() { reservation_.reset(); }

  /// A job's way through the replay.
  struct Story {
    double left_s = 0;
    double queued_at_s = 0;
    bool started = false;
    Overhead stopped_by = Overhead::suspending;
  };

  const Cluster& cluster_;
  const ScheduleInput& settings_;
  const std::vector<Job>& jobs_;
  const std::vector<Traffic>& traffic_;
  Machines machines_;
  Placer placer_;
  Queue queue_;
  ActiveJobs active_;
  Breakdowns breakdowns_;
  const SharedParts& parts_;
  Outages outages_;
  Observer observer_;
  std::optional<Reservation> reservation_;  // for the first of the queue, while nothing comes free
  std::size_t reserved_for_ = 0;
  std::vector<std::size_t> arrivals_;  // since the last look at the queue
  std::vector<Story> stories_;
  Played played_;
  double now_s_ = 0;
  std::size_t next_job_ = 0;
  std::size_t finished_ = 0;
};

}  // namespace trainyard::schedule
