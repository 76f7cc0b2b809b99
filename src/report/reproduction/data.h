// The reproduction of the papers for programs.
#pragma once

#include <string>
#include <vector>

#include "report/reproduction/reproduction.h"

namespace trainyard {

std::string reproduction_json(const std::vector<ReproducedRow>& rows);
std::string reproduction_csv(const std::vector<ReproducedRow>& rows);

}  // namespace trainyard
