// Whether a row is reproduced.
#pragma once

#include "trainyard/reproduction.h"

namespace trainyard {

/// Whether a simulated step is its closed form, to kStepAgreement_pct.
bool agrees(const StepCheck& step);

/// Of a row that is computed.
Verdict judge(const ReproducedRow& row);

}  // namespace trainyard
