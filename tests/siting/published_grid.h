// The grid of the United States that the test vectors are of. It is not part of this repository: tests that
// need it are skipped, and say so, where the folder beside it is absent.
#pragma once

#include <filesystem>
#include <string>

namespace trainyard {

inline std::string published_grid_folder() {
  return (std::filesystem::path(TRAINYARD_SOURCE_DIR).parent_path() / "shared" / "data" / "siting").string();
}

inline bool has_published_grid() { return std::filesystem::exists(published_grid_folder() + "/plants.csv"); }

}  // namespace trainyard

#define SKIP_WITHOUT_PUBLISHED_GRID() \
  if (!has_published_grid()) GTEST_SKIP() << "no grid in " << published_grid_folder()
