// Collectives of a library as tables: for every format.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/tables.h"

namespace trainyard {

struct LibraryValidation;
struct WeighedLibraryRun;

/// A line for each operation and size, then one for each system and operation: count, median and median of
/// the absolute errors in percent, of closed form and simulation, rows of fitted and of held-out shapes
/// apart.
TextTable library_validation_table(const LibraryValidation& validation);

/// A line for each way to run a collective, with times in microseconds.
TextTable library_runs_table(const std::vector<WeighedLibraryRun>& runs);
/// The same with times in seconds, for CSV.
TextTable library_runs_data(const std::vector<WeighedLibraryRun>& runs);
/// The same keys, with numbers that are not rounded.
std::string library_runs_json(const std::vector<WeighedLibraryRun>& runs);

}  // namespace trainyard
