// What an import of grid data brought, for programs.
#pragma once

#include <string>

#include "siting/grid_import/grid_import.h"

namespace trainyard {

/// Rows, power, the figures of every authority, and every note.
std::string grid_import_json(const std::string& folder, const GridImport& grid);

/// name,quantity,value: a line for each figure of a file, of the grid and of an authority that is known.
std::string grid_import_csv(const GridImport& grid);

}  // namespace trainyard
