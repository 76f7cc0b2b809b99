// Values of free settings as lists show them to people.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct FreeSetting;

/// Of every value of a setting, in its order: texts without quotes, large numbers as "505.0B" where that
/// tells them apart, else with their digits in groups.
std::vector<std::string> shown_values(const FreeSetting& setting);

}  // namespace trainyard
