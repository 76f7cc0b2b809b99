// The reproduction of the papers as text, JSON and CSV, and the papers' figures.
#pragma once

#include <string>
#include <vector>

#include "trainyard/reproduction.h"

namespace trainyard {

std::string reproduction_text(const std::vector<ReproducedRow>& rows, const std::vector<Erratum>& errata);

std::string reproduction_json(const std::vector<ReproducedRow>& rows);
std::string reproduction_csv(const std::vector<ReproducedRow>& rows);

}  // namespace trainyard
