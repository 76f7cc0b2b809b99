// Lists of values as texts: written out, or from one number to another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/units.h"

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

/// The unit of a setting's values ("network.scale_out_rate"), of each element of a list; Unit::number where
/// there is none.
Unit unit_of_setting(const std::string& key);

/// What a value is worth, to tell two of one setting apart: "4" as "4.0", "0.4 Tbps" as "400 Gbps". What is
/// no number or quantity stands as it is written. Numbers that differ by rounding alone are the same.
std::string worth_of(const Value& value, Unit unit);
/// The same of a text as `--set` takes it.
std::string worth_of(const std::string& text, Unit unit);

/// Two texts of a list that are worth the same, by their places in it.
struct Repeated {
  std::size_t first = 0;
  std::size_t second = 0;

  explicit operator bool() const { return second > 0; }
  /// "400 Gbps stands twice", "0.4 Tbps is 400 Gbps again".
  std::string complaint(const std::vector<std::string>& texts) const;
};

/// The first text that is worth as much as one before it, as values of the setting `key`; neither if none is.
Repeated first_repeated(const std::vector<std::string>& texts, const std::string& key);

}  // namespace trainyard
