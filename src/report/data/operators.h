// Measured operators beside their predictions, for programs.
#pragma once

#include <string>

#include "cost/operator_validation.h"
#include "report/data/provenance.h"

namespace trainyard {

/// `operators`: one for each system, operation and format; `series`: every series; docs/validation.md.
std::string operators_json(const OperatorValidation& validation, const Provenance& provenance);
std::string operators_csv(const OperatorValidation& validation);

}  // namespace trainyard
