// What an import of grid data brought, for the terminal.
#pragma once

#include <string>

#include "siting/grid_import/grid_import.h"

namespace trainyard {

/// Rows of each file, power in all, the figures of every authority with hours, and the notes by topic, of
/// each the first three.
std::string grid_import_text(const std::string& folder, const GridImport& grid);

}  // namespace trainyard
