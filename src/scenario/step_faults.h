// What a failure in a step takes: the last columns of trainyard/registries/step_faults.def.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trainyard/scenario/step.h"

namespace trainyard {

/// What a device loses.
enum class FaultTakes : std::uint8_t { scale_up, scale_out, wide_area, everything };

constexpr FaultTakes taken_by(StepFault fault) {
  constexpr FaultTakes kTaken[] = {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes, whose) FaultTakes::takes,
#include "trainyard/registries/step_faults.def"
  };
  return kTaken[static_cast<std::size_t>(fault)];
}

/// Whether the devices that are named lose it, or all of their HB domains.
enum class FaultOf : std::uint8_t { device, domain };

constexpr FaultOf whose(StepFault fault) {
  constexpr FaultOf kWhose[] = {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes, whose) FaultOf::whose,
#include "trainyard/registries/step_faults.def"
  };
  return kWhose[static_cast<std::size_t>(fault)];
}

}  // namespace trainyard
