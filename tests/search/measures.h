// Measures by their names.
#pragma once

#include <string>

#include "trainyard/search.h"

namespace trainyard {

inline SearchMeasure measure(const std::string& name) { return *find_measure(name); }

}  // namespace trainyard
