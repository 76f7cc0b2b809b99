// Public originals of a grid, by the names under which their publishers offer them.
#pragma once

#include <string>

#include "trainyard/grid_import.h"

namespace trainyard {

/// Fills what `in` leaves open with files of the folder and of folders in it: of several editions the newest,
/// and hours of the year of the plants. Returns what was found, of which edition, and for each original that
/// is missing what it would add and where it is. Throws InputError for what is no folder.
std::string find_originals(const std::string& folder, GridImportInput& in);

/// Throws InputError where no plants can be made of what is named and was found.
void check_plants(const std::string& folder, const GridImportInput& in);

}  // namespace trainyard
