// Fuels of plants as the files of a grid name them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/power_grid.h"

namespace trainyard {

/// Names in the order of Fuel, which is that of the alphabet.
const std::vector<std::string>& fuel_names();
const std::string& fuel_name(Fuel fuel);

/// Runs when it is asked to: not wind, solar or a battery.
constexpr bool is_firm(Fuel fuel) {
  return fuel != Fuel::wind && fuel != Fuel::solar && fuel != Fuel::battery;
}

}  // namespace trainyard
