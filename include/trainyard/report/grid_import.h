// What an import of grid data brought, as text, JSON and CSV.
#pragma once

#include <string>

namespace trainyard {

struct GridImport;

/// Rows of each file, power in all, the figures of every authority with hours, and the notes by topic, of
/// each the first three.
std::string grid_import_text(const std::string& folder, const GridImport& grid);

/// Rows, power, the figures of every authority, and every note.
std::string grid_import_json(const std::string& folder, const GridImport& grid);

/// name,quantity,value: a line for each figure of a file, of the grid and of an authority that is known.
std::string grid_import_csv(const GridImport& grid);

}  // namespace trainyard
