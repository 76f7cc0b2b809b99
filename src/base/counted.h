// A count with its noun, as people write it: the one place that knows plurals.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace trainyard {

/// "stages" of "stage", "switches" of "switch", "copies" of "copy", "ways" of "way".
std::string plural_of(std::string_view noun);

/// "1 stage", "12,288 devices", "1.5 replicas": of a number as it is shown.
std::string counted(std::string_view shown, std::string_view noun);

template <std::integral T>
std::string counted(T count, std::string_view noun) {
  return counted(std::to_string(count), noun);
}

/// The verb that goes with a count: `one` of "holds", `many` of "hold".
template <std::integral T>
std::string_view agreeing(T count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

}  // namespace trainyard
