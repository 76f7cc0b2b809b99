// A plan on one sheet, for the scripts of pages that hold many. Includes the JSON library: for .cpp files
// only.
#pragma once

#include "report/data/json.h"

namespace trainyard {

struct Plan;

/// Groups of labels with texts, the parts of step and memory, the error bar and the warnings of a plan.
Json plan_sheet(const Plan& plan);

/// "5.12 s, 80% of runs between 4.71 s and 5.57 s"; without an error bar the time alone.
std::string step_with_interval(const Plan& plan);

}  // namespace trainyard
