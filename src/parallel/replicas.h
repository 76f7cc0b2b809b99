// Groups of devices that hold the same parameters.
#pragma once

#include <cstdint>
#include <optional>

namespace trainyard {

struct MappingPlan;

/// The copies of one stage over which gradients are summed.
struct ReplicaGroups {
  std::int64_t local = 1;  // inside an HB domain
  std::int64_t peers = 1;  // HB domains of one datacenter
  std::int64_t datacenters = 1;

  std::int64_t total() const { return local * peers * datacenters; }
};

/// The copies of one stage, and so of its gradients.
ReplicaGroups replica_groups(const MappingPlan& mapping);

/// As many of them as ZeRO divides states over, the nearest first; all with an empty group.
ReplicaGroups sharing_groups(const ReplicaGroups& all, std::optional<std::int64_t> group);

/// The copies of one set of experts: expert parallelism spreads a set over tensor ranks, where experts are
/// not cut over all of them, and replicas, first inside an HB domain.
ReplicaGroups expert_groups(const MappingPlan& mapping);

/// Of expert_groups, as many as ZeRO divides their states over where it divides others over `group` replicas.
ReplicaGroups sharing_expert_groups(const MappingPlan& mapping, std::optional<std::int64_t> group);

}  // namespace trainyard
