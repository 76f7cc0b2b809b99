// No answer holds a number that is none.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

namespace trainyard {

/// The place of errors of finite(), until it is known which setting is the cause (ScenarioText::placed).
inline constexpr const char* kTheAnswer = "the answer";

/// The value. Throws InputError, naming what it is of, where it is infinite or not a number: then settings
/// were so far from those of any system that arithmetic ended. What may be without bound is checked before,
/// and has a name.
double finite(double value, std::string_view what);

/// The value, or nothing: of records in which NaN says that there is none.
inline std::optional<double> if_any(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace trainyard
