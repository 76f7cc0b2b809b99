// The U.S. states.
#pragma once

#include <string_view>

namespace trainyard::grid_import {

struct UsState {
  std::string_view code;
  std::string_view name;
  bool contiguous;  // one of the 48, or the District of Columbia
};

/// By two-letter code, case as in "WA", or by name; nullptr for neither a state nor a territory.
const UsState* us_state(std::string_view code_or_name);

}  // namespace trainyard::grid_import
