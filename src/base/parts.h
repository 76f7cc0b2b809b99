// What is written beside its place before it is renamed: NAME.partPID.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {

/// The name that this process writes to.
std::string part_beside(const std::string& place);

/// Those of processes that have ended.
std::vector<std::filesystem::path> parts_left_of(const std::filesystem::path& place);

}  // namespace trainyard
