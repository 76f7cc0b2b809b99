// Measured runs beside their predictions, as text, JSON, CSV and a picture.
#pragma once

#include <string>

#include "report/chart.h"
#include "report/output.h"
#include "step/run_validation.h"

namespace trainyard {

/// One line a run, then mean, median and worst error of each source and of all runs, then peak memory.
std::string validation_text(const Validation& validation);

/// `runs`, `mean_abs_error_pct`, `by_source` and what docs/validation.md lists.
std::string validation_json(const Validation& validation, const Provenance& provenance);
std::string validation_csv(const Validation& validation);

/// Predicted against measured step times, a series for each source, and the line on which they are equal.
Chart validation_chart(const Validation& validation);

}  // namespace trainyard
