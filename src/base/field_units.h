// The unit of a field, from what its documents say of it.
#pragma once

#include <string_view>

#include "trainyard/units.h"

namespace trainyard {

/// The unit of a field by FieldInfo::type, of each element of a list or table too; Unit::number for what has
/// none.
Unit unit_of_type(std::string_view type);

}  // namespace trainyard
