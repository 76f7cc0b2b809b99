// The faults of [[step_failure]] by name.
#pragma once

namespace trainyard {

/// What of a device a failure takes.
enum class StepFault {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes, whose) fault,
#include "trainyard/registries/step_faults.def"
};

}  // namespace trainyard
