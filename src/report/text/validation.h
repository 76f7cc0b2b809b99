// Measured runs beside their predictions, on the terminal.
#pragma once

#include <string>

#include "validation/run_explanation.h"
#include "validation/run_validation.h"

namespace trainyard {

/// One line a run, then mean, median and worst error of each source and of all runs, then peak memory.
std::string validation_text(const Validation& validation);

/// Terms of one run's prediction, and the settings that come nearer to its measurement.
std::string explanation_text(const RunExplanation& explanation);

}  // namespace trainyard
