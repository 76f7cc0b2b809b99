// Fuels of a grid folder, from the codes and words of the originals.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::grid_import {

/// Primary fuels in alphabetical order, which settles ties.
inline constexpr std::array<std::string_view, 12> kFuels = {"battery",    "biomass", "coal",    "gas",
                                                            "geothermal", "hydro",   "nuclear", "oil",
                                                            "other",      "pumped",  "solar",   "wind"};

/// Place in kFuels. The name must be one of them.
std::size_t fuel_index(std::string_view name);

/// The fuel of EIA-860's `Energy Source 1` with its `Prime Mover` (EIA-860 instructions, tables 2 and 28):
/// water behind a PS turbine is pumped storage. Empty for a code that EIA-860 does not have.
std::optional<std::string_view> fuel_of_eia(std::string_view energy_source, std::string_view prime_mover);

/// EIA-860's codes of energy sources, for messages.
std::vector<std::string> eia_energy_sources();

/// A fuel of the Global Power Plant Database.
struct GppdFuel {
  std::string_view name;  // as the database has it
  std::string_view fuel;  // of kFuels
  double co2_kg_per_mwh;  // of generation; see fuels.cpp
};

/// Empty for a word that the database does not have.
std::optional<GppdFuel> fuel_of_gppd(std::string_view name);
std::vector<std::string> gppd_fuels();

/// Power of a plant by fuel.
struct Capacity {
  std::array<double, kFuels.size()> by_fuel_mw{};
  double nameplate_mw = 0;
  std::optional<double> largest_unit_mw;

  double total_mw() const;
  double firm_mw() const;  // less solar, wind and batteries
  double coal_mw() const;
  /// The fuel of the largest sum.
  std::string_view primary_fuel() const;
};

}  // namespace trainyard::grid_import
