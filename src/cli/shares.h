// Runs that do a share of a search each, and the stores that they leave.
#pragma once

#include <string>
#include <vector>

#include "trainyard/search.h"

namespace trainyard {

/// The share that `--share K/N` says, or a task of a Slurm job array has; the whole where neither says
/// anything. Throws InputError for what is no share, and for an array whose numbers do not rise by one step.
SearchShare share_of(const std::string& flag);

/// The store of a share: "my.db.3-of-8".
std::string store_of(const std::string& store, const SearchShare& share);

/// The stores of shares that lie beside a store, by name.
std::vector<std::string> stores_beside(const std::string& store);

/// Whether a path is that of a share's store beside this one, or of one of SQLite's files beside that.
bool is_share_of(const std::string& store, const std::string& path);

}  // namespace trainyard
