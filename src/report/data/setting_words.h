// Values of free settings as lists show them to people.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

/// Of values of one setting, which may repeat, in their order: texts without quotes, large numbers as
/// "505.0B" where that tells them apart, else with their digits in groups.
std::vector<std::string> shown_values(const std::vector<std::string>& toml_values);

}  // namespace trainyard
