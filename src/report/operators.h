// Measured operators beside their predictions, as text, JSON and CSV.
#pragma once

#include <string>

#include "cost/operator_validation.h"
#include "report/output.h"

namespace trainyard {

/// One line for each system, operation and format, large and small shapes apart; then other series.
std::string operators_text(const OperatorValidation& validation);

/// `operators`: one for each system, operation and format; `series`: every series; docs/validation.md.
std::string operators_json(const OperatorValidation& validation, const Provenance& provenance);
std::string operators_csv(const OperatorValidation& validation);

}  // namespace trainyard
