// Sensitivity of a search's best as JSON.
#pragma once

#include "report/data/json.h"

namespace trainyard {

struct SearchSensitivity;

Json sensitivity_json(const SearchSensitivity& sensitivity);

}  // namespace trainyard
