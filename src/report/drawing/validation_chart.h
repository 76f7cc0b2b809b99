// Measured runs beside their predictions, as a chart.
#pragma once

#include "report/drawing/chart.h"
#include "validation/run_validation.h"

namespace trainyard {

/// Predicted against measured step times, a series for each source, and the line on which they are equal.
Chart validation_chart(const Validation& validation);

}  // namespace trainyard
