// How room is made for a job that does not fit: by stopping others, or by moving them together.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schedule/machines.h"
#include "trainyard/jobs.h"

namespace trainyard::schedule {

class ActiveJobs;

/// Jobs of lower priority that must stop so that `job` fits: the lowest and latest first, none without need.
/// None: it would not fit even so.
std::vector<std::size_t> victims_for(std::size_t job, const Machines& machines, const ActiveJobs& active,
                                     std::span<const Job> jobs);

struct Move {
  std::size_t job = 0;
  Placement from;
  Placement to;
};

/// Jobs within one HB domain that move to others in use, so that whole domains come free and `devices` fit:
/// from the domains with the least to move. None: that does not make it fit.
std::vector<Move> moves_for(std::int64_t devices, const Machines& machines, const ActiveJobs& active);

}  // namespace trainyard::schedule
