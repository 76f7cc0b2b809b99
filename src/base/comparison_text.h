// "power <= 30 MW" as limits of searches and filters of results write it.
#pragma once

#include <string>
#include <string_view>

#include "trainyard/units.h"

namespace trainyard {

/// A name beside a value.
struct ComparisonText {
  enum class Sign { equal, at_most, at_least };
  std::string name;
  Sign sign = Sign::equal;
  std::string value;  // may be empty
};

/// Reads a name, a sign (<=, >= and, where it may be, =) and a value. Without a sign everything is empty.
/// A bare number of "days" is one of days.
ComparisonText comparison_text(std::string_view text, bool may_be_equal);

/// The value in base units. Throws InputError for what is no number with one of the unit's spellings; `text`
/// is the whole comparison, `where` the setting or flag that has it.
double compared_value(const std::string& value, Unit unit, const std::string& text, const std::string& where);

}  // namespace trainyard
