// Measured runs beside their predictions, as text, JSON, CSV and a picture.
#pragma once

#include <string>

#include "report/chart.h"
#include "report/output.h"
#include "validation/run_explanation.h"
#include "validation/run_validation.h"

namespace trainyard {

/// One line a run, then mean, median and worst error of each source and of all runs, then peak memory.
std::string validation_text(const Validation& validation);

/// `runs`, `mean_abs_error_pct`, `by_source` and what docs/validation.md lists.
std::string validation_json(const Validation& validation, const Provenance& provenance);
std::string validation_csv(const Validation& validation);

/// Terms of one run's prediction, and the settings that come nearer to its measurement.
std::string explanation_text(const RunExplanation& explanation);
std::string explanation_json(const RunExplanation& explanation, const Provenance& provenance);

/// Predicted against measured step times, a series for each source, and the line on which they are equal.
Chart validation_chart(const Validation& validation);

}  // namespace trainyard
