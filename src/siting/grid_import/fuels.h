// Fuels from the codes and words of the originals.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/power_grid.h"

namespace trainyard::grid_import {

/// The fuel of EIA-860's `Energy Source 1` with its `Prime Mover` (EIA-860 instructions, tables 2 and 28):
/// water behind a PS turbine is pumped storage. Empty for a code that EIA-860 does not have.
std::optional<Fuel> fuel_of_eia(std::string_view energy_source, std::string_view prime_mover);

/// EIA-860's codes of energy sources, for messages.
std::vector<std::string> eia_energy_sources();

/// A fuel of the Global Power Plant Database.
struct GppdFuel {
  std::string_view name;  // as the database has it
  Fuel fuel;
  double co2_kg_per_mwh;  // of generation; see fuels.cpp
};

/// Empty for a word that the database does not have.
std::optional<GppdFuel> fuel_of_gppd(std::string_view name);
std::vector<std::string> gppd_fuels();

/// Power of a plant by fuel.
struct Capacity {
  std::array<double, kFuelCount> by_fuel_mw{};  // in the order of Fuel
  double nameplate_mw = 0;
  std::optional<double> largest_unit_mw;

  double total_mw() const;
  double firm_mw() const;  // less solar, wind and batteries
  double coal_mw() const;
  /// The fuel of the largest sum; of equal ones the first in the alphabet.
  Fuel primary_fuel() const;
  double& of(Fuel fuel) { return by_fuel_mw[static_cast<std::size_t>(fuel)]; }
  double of(Fuel fuel) const { return by_fuel_mw[static_cast<std::size_t>(fuel)]; }
};

}  // namespace trainyard::grid_import
