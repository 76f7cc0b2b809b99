// Line charts as data for the page, which draws them.
#pragma once

#include <string>
#include <vector>

#include "trainyard/report/chart.h"

namespace trainyard::serving {

/// A JSON array: title, axes with their base units, lines of [x, y]; gaps are null.
std::string charts_document(const std::vector<Chart>& charts);

}  // namespace trainyard::serving
