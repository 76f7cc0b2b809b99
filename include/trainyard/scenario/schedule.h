// [schedule]: many jobs that share a cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

/// Who waits first in the queue.
enum class QueueOrder { arrival, shortest, priority };

/// What may pass the first of the queue.
enum class Backfill { none, easy };

/// Which free HB domains a job takes.
enum class JobPlacement { first, best, leaf, anywhere };

/// What a job sends between its HB domains.
enum class JobTraffic { none, ring, all_to_all };

/// Whether jobs communicate at the same moments.
enum class JobOverlap { together, apart };

/// [schedule]
struct ScheduleInput {
  std::string design;  // name of a [[design]]; empty: the first that can be scheduled
  QueueOrder order = QueueOrder::arrival;
  Backfill backfill = Backfill::easy;
  JobPlacement placement = JobPlacement::leaf;
  bool preempt = false;      // jobs of higher priority stop those of lower
  bool migrate = false;      // running jobs are moved together where one waits for whole domains
  Seconds suspend_time{60};  // of a job that is preempted or moved: checkpoint, stop
  Seconds resume_time{120};  // until it trains again
  bool contention = true;    // jobs share links
  JobTraffic traffic = JobTraffic::ring;
  double communication = 0.2;  // share of a job's time that waits for an idle network between domains
  JobOverlap overlap = JobOverlap::together;
  double failures_per_1000_days = 0;  // of an HB domain
  Seconds repair_time{6 * 3600.0};
  Seconds checkpoint_interval{3600};  // work lost by a failure is half of it
  std::string part_failures;          // key of the catalog; empty: what HB domains share does not fail
  std::int64_t spares = 0;            // HB domains kept free for jobs that lose one
  double checked = 0;                 // share of the hours whose contention is checked by packets
  std::int64_t seed = 1;
};

}  // namespace trainyard
