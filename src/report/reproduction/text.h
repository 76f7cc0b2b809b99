// The reproduction of the papers on the terminal.
#pragma once

#include <string>
#include <vector>

#include "report/reproduction/reproduction.h"

namespace trainyard {

std::string reproduction_text(const std::vector<ReproducedRow>& rows, const std::vector<Erratum>& errata);

}  // namespace trainyard
