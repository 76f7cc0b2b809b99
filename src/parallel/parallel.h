// A model and a cluster into a mapping: groups, replicas, placement, memory of a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/plan/mapping.h"
#include "trainyard/scenario/mapping.h"

namespace trainyard {

struct FacilityPlan;
struct ModelPlan;
struct Scenario;

/// The two counts that the program may choose.
struct Cut {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
};

constexpr Placement other_placement(Placement placement) {
  return placement == Placement::same_layer ? Placement::consecutive_layers : Placement::same_layer;
}

/// Cuts the model over the devices. Returns nothing when the devices do not hold one replica, with the reason
/// in `why`. The mapping may need more memory than a device has: see fits().
std::optional<MappingPlan> cut_model(const Scenario& scenario, const FacilityPlan& facility,
                                     const ModelPlan& model, Cut cut, Placement placement,
                                     std::string* why = nullptr);

/// Parameters of a layer that one device holds.
struct DeviceParameters {
  double common = 0;   // everything but experts, divided by the tensor-parallel group
  double experts = 0;  // divided by expert parallelism too
};
DeviceParameters layer_parameters(const ModelPlan& model, const MappingPlan& mapping);

}  // namespace trainyard
