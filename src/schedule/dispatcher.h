// Which of the waiting jobs starts, when and where: the policy of a replay.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/active_jobs.h"
#include "schedule/backlog.h"
#include "schedule/breakdowns.h"
#include "schedule/cluster.h"
#include "schedule/machines.h"
#include "schedule/placer.h"
#include "schedule/queue.h"
#include "schedule/reservation.h"
#include "trainyard/schedule.h"

namespace trainyard::schedule {

/// What jobs start on, and what stands in their way.
struct Floor {
  Machines& machines;
  ActiveJobs& active;
  const Breakdowns& breakdowns;
};

class Dispatcher {
 public:
  /// All of it outlives this.
  Dispatcher(const Cluster& cluster, const ScheduleInput& settings, const std::vector<Job>& jobs,
             Floor floor);

  void submit(std::size_t job);
  /// What was stopped waits again, with so much of its work left.
  void requeue(std::size_t job, double left_s, Overhead because, double now_s);
  /// Something came free: the whole queue is looked at again.
  void freed() { reservation_.reset(); }
  void dispatch(double now_s);

  const Queue& queue() const { return queue_; }
  ScheduledJob& job(std::size_t job) { return out_[job]; }
  std::vector<ScheduledJob> take_jobs() { return std::move(out_); }

 private:
  void enqueue(std::size_t job);
  /// For how long a job that waits would hold its devices.
  Seconds hold_of(std::size_t job) const;
  bool start_first();
  bool try_start(std::size_t job, double wait_s);
  bool preempt_for(std::size_t job);
  bool migrate_for(std::size_t job);
  void backfill();
  void reserve();
  /// Whether it started.
  bool backfill_job(std::size_t job);
  void start(std::size_t job, const Placement& placement, double wait_s);

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
  Machines& machines_;
  ActiveJobs& active_;
  const Breakdowns& breakdowns_;
  Placer placer_;
  Queue queue_;
  Backlog backlog_;
  std::optional<Reservation> reservation_;  // for the first of the queue, while nothing comes free
  std::size_t reserved_for_ = 0;
  std::vector<std::size_t> arrivals_;  // since the last look at the queue
  std::vector<Story> stories_;
  std::vector<ScheduledJob> out_;
  double now_s_ = 0;
};

}  // namespace trainyard::schedule
