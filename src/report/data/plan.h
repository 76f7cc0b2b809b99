// A plan for programs.
#pragma once

#include <string>

#include "trainyard/plan.h"

namespace trainyard {

/// Every quantity by section and name, with warnings, operators, gradient exchanges and provenance.
std::string plan_json(const Plan& plan);
std::string plan_csv(const Plan& plan);

}  // namespace trainyard
