// Records of the files of data/ that are part of the program: a mistake in them is the program's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The file of that name (its path's end), without the line that names its columns.
std::vector<std::vector<std::string>> shipped_records(std::string_view name);

/// A number that stands in such a file.
double shipped_number(std::string_view file, const std::string& text);

}  // namespace trainyard
