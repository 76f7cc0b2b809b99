// Sensitivity of a search's best in words.
#pragma once

#include <string>

namespace trainyard {

struct SearchMeasure;
struct SearchSensitivity;

std::string sensitivity_text(const SearchMeasure& objective, const SearchSensitivity& sensitivity);

}  // namespace trainyard
