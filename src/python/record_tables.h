// Records of long results as columns.
#pragma once

#include <vector>

#include "python/columns.h"

namespace trainyard {
struct SimulationResult;
struct StepSimulation;
struct Chart;
}  // namespace trainyard

namespace trainyard::python {

/// flows, moments, series and trace, as far as there are any. Times that never came are NaN.
std::vector<Table> tables_of(const SimulationResult& result);

/// operations, and the memory of stages over time.
std::vector<Table> tables_of(const StepSimulation& step);

/// The points of all lines.
Table table_of(const Chart& chart);

}  // namespace trainyard::python
