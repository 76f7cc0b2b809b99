// A model and a cluster into a mapping: groups, replicas, placement, memory of a device.
#pragma once

#include <optional>
#include <string>

#include "trainyard/plan.h"
#include "trainyard/scenario.h"

namespace trainyard {

/// The two counts that the program may choose.
struct Cut {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
};

/// Cuts the model over the devices. Returns nothing when the devices do not hold one replica, with the reason
/// in `why`. The mapping may need more memory than a device has: see fits().
std::optional<MappingPlan> cut_model(const Scenario& scenario, const FacilityPlan& facility,
                                     const ModelPlan& model, Cut cut, Placement placement,
                                     std::string* why = nullptr);

/// Whether the fullest device holds its part.
inline bool fits(const MappingPlan& mapping) { return mapping.device.total() <= mapping.device_memory; }

/// The copies of one stage over which gradients are summed.
struct ReplicaGroups {
  std::int64_t local = 1;  // inside an HB domain
  std::int64_t peers = 1;  // HB domains of one datacenter
  std::int64_t datacenters = 1;

  std::int64_t total() const { return local * peers * datacenters; }
};

/// The copies of one stage, and so of its gradients.
ReplicaGroups replica_groups(const MappingPlan& mapping);

/// Bytes that one device keeps of one layer for one microbatch between forward and backward pass.
///
/// Korthikanti et al. 2023, section 4: with r bytes an activation and dropout, a dense GeLU layer keeps
/// sbh(16 r + 2)/t under sequence parallelism and selective recomputation: 34 sbh/t at 2 bytes, 10 sbh/t at
/// half a byte (HotNets '24 section 4). Counted here term by term, so that it holds for other shapes too.
Bytes activation_bytes(const ModelShape& shape, const Scenario& scenario, std::int64_t tensor,
                       Recompute recompute);

/// Memory of the fullest device under a mapping, term by term; also fills the mapping's activation fields.
void plan_memory(MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model);

/// Memory of a device of a stage; weights, gradients and optimizer states are what it always holds.
MemoryTerms stage_memory(const MappingPlan& mapping, const Scenario& scenario, const ModelPlan& model,
                         std::int64_t stage);

/// The copies of one set of experts: expert parallelism spreads a set over replicas, first inside an HB
/// domain.
ReplicaGroups expert_groups(const MappingPlan& mapping);

/// Parameters of a layer that one device holds.
struct DeviceParameters {
  double common = 0;   // everything but experts, divided by the tensor-parallel group
  double experts = 0;  // divided by expert parallelism too
};
DeviceParameters layer_parameters(const ModelPlan& model, const MappingPlan& mapping);

}  // namespace trainyard
