// The notice that goes with an imported grid: which files it was made from, and what their owners ask for.
#pragma once

#include <string>

namespace trainyard {
struct GridImportInput;
}

namespace trainyard::grid_import {

struct GridTables;
class Journal;

/// First words of the notice, by which write_grid_folder knows a folder of an import.
inline constexpr const char* kSourcesTitle = "Sources of this grid folder, imported by Trainyard";

std::string sources_text(const GridTables& grid, const GridImportInput& input, const Journal& journal);

}  // namespace trainyard::grid_import
