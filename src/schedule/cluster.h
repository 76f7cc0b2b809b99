// What jobs share: HB domains, and the tiers of switches above them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/schedule.h"

namespace trainyard {
struct NetworkDesign;
struct Scenario;
}  // namespace trainyard

namespace trainyard::schedule {

/// Devices of the same ranks, which stand below alike switches.
struct RankClass {
  double ranks = 1;
  std::vector<std::int32_t> link_of_domain;  // index into Level::rate_up
};

/// The switches of one tier. Where leaves begin at the same HB domains for all ranks, their links up count as
/// one for all ranks; else each leaf by itself, whichever ranks stand below it.
struct Level {
  std::string name;
  std::size_t tier = 0;                       // of the design
  std::size_t groups = 0;                     // of HB domains
  std::vector<std::int32_t> group_of_domain;  // by its first device
  std::vector<RankClass> classes;
  std::vector<double> rate_up;  // of links up, in rates of a device
};

struct Cluster {
  std::shared_ptr<const NetworkDesign> design;
  ScheduleCluster facts;
  std::vector<Level> levels;  // from the leaf up, without the top

  /// The leaf of a domain; all are below one switch where there is no level.
  std::int32_t leaf_of(std::int32_t domain) const {
    return levels.empty() ? 0 : levels.front().group_of_domain[static_cast<std::size_t>(domain)];
  }
};

/// Throws InputError for a network that is no tree between HB domains, and for more spares than domains.
Cluster cluster_of(const NetworkDesign& design, const ScheduleInput& settings);

/// The design of [schedule], or the scenario's first that is such a tree. Throws InputError.
NetworkDesign scheduled_design(const Scenario& scenario);

/// Whether jobs can be replayed on it: a tree of packet switches between HB domains.
bool is_schedulable(const NetworkDesign& design);

}  // namespace trainyard::schedule
