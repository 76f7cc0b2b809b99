// Comma-separated values (RFC 4180): fields may be quoted, quotes inside are doubled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Records of a text, blank lines left out. `lines` receives the line on which each record begins, from 1.
std::vector<std::vector<std::string>> parse_csv(std::string_view text, std::vector<int>* lines = nullptr);

}  // namespace trainyard
