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

/// `columns` of a file of measured runs (name, required, blank, meaning), and `frameworks`: how the column
/// `framework` is read (holds, software, why).
std::string run_columns_json();

std::string explanation_json(const RunExplanation& explanation, const Provenance& provenance);

}  // namespace trainyard
