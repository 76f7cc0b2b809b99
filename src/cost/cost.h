// What a step says about itself.
#pragma once

#include <string>
#include <vector>

#include "trainyard/plan/communication.h"
#include "trainyard/plan/step.h"
#include "trainyard/units.h"

namespace trainyard {

struct MappingPlan;
struct ModelPlan;
struct Scenario;
struct Software;

/// Bus bandwidth of tensor parallelism's all-reduces, as nccl-tests count it: 2 (n-1)/n of the bytes over the
/// time; 0 without it.
BitRate tensor_bus_rate(const MappingPlan& mapping, const CommunicationPlan& communication);

/// Says that launches on the host set the pace of the layers; empty where they do not.
std::string bound_by_host(const StepTimes& step);

/// What the closed form of a step leaves out of this mapping and a timeline has, in words.
std::vector<std::string> uncounted_effects(const Scenario& scenario, const ModelPlan& model,
                                           const MappingPlan& mapping);

/// Whether transfers between stages run beside compute.
bool hides_sends(const Software& software, const MappingPlan& mapping);

/// What is left of a need where so much of it is hidden.
inline Seconds beyond(Seconds needed, Seconds hidden) {
  return needed > hidden ? needed - hidden : Seconds(0);
}

}  // namespace trainyard
