// Measured runs beside their predictions, for programs.
#pragma once

#include <string>

#include "report/data/provenance.h"
#include "validation/run_explanation.h"
#include "validation/run_validation.h"

namespace trainyard {

/// `runs`, `mean_abs_error_pct`, `by_source` and what docs/validation.md lists.
std::string validation_json(const Validation& validation, const Provenance& provenance);
std::string validation_csv(const Validation& validation);

std::string explanation_json(const RunExplanation& explanation, const Provenance& provenance);

}  // namespace trainyard
