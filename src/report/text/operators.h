// Measured operators beside their predictions, on the terminal.
#pragma once

#include <string>

#include "cost/operator_validation.h"

namespace trainyard {

/// One line for each system, operation and format, large and small shapes apart; then other series.
std::string operators_text(const OperatorValidation& validation);

}  // namespace trainyard
