// Settings of a scenario by the columns of rows that say them.
#pragma once

#include <string>

namespace trainyard {

/// A message about a run's scenario for who wrote a row: "mapping.tensor" is "tp". Settings that no column
/// says stay as they are.
std::string in_columns(const std::string& message);

}  // namespace trainyard
