// Which free devices a job takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/cluster.h"
#include "schedule/machines.h"

namespace trainyard::schedule {

class Placer {
 public:
  Placer(const Cluster& cluster, const ScheduleInput& settings);

  /// Nothing where it does not fit now. Devices are in the order of domains.
  std::optional<Placement> place(const Machines& machines, std::int64_t devices);

 private:
  std::vector<std::int32_t> whole_free(const Machines& machines) const;
  void prefer_leaves(std::vector<std::int32_t>& free, std::size_t wanted, std::size_t rank_class) const;
  void prefer_near(std::vector<std::int32_t>& free, std::size_t wanted) const;
  void shuffle(std::vector<std::int32_t>& free);
  void choose_whole(std::vector<std::int32_t>& free, std::size_t wanted);
  std::int32_t domain_for_part(const Machines& machines, std::int32_t devices, const Placement& taken);

  const Cluster& cluster_;
  JobPlacement rule_;
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

}  // namespace trainyard::schedule
