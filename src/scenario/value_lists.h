// Lists of values as texts: written out, or from one number to another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

class Value;

/// A string, number or truth value as the text that `--set` would take; false for anything else.
bool scalar_text(std::string& out, const Value& value);

/// A number with what follows it: "100 Gbps" as 100 and " Gbps".
struct NumberWithUnit {
  double number = 0;
  std::string unit;
};
/// False for a text that does not begin with a finite number.
bool split_number(std::string_view text, NumberWithUnit& out);

}  // namespace trainyard
