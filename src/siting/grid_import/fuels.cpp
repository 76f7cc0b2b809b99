#include "siting/grid_import/fuels.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "facility/fuels.h"

namespace trainyard::grid_import {
namespace {

const std::map<std::string_view, Fuel>& eia_codes() {
  static const std::map<std::string_view, Fuel> codes = {
      {"ANT", Fuel::coal},    {"BIT", Fuel::coal},    {"LIG", Fuel::coal},    {"RC", Fuel::coal},
      {"SGC", Fuel::coal},    {"SUB", Fuel::coal},    {"WC", Fuel::coal},     {"DFO", Fuel::oil},
      {"JF", Fuel::oil},      {"KER", Fuel::oil},     {"PC", Fuel::oil},      {"RFO", Fuel::oil},
      {"SGP", Fuel::oil},     {"WO", Fuel::oil},      {"NG", Fuel::gas},      {"BFG", Fuel::other},
      {"OG", Fuel::other},    {"PG", Fuel::other},    {"SG", Fuel::other},    {"NUC", Fuel::nuclear},
      {"WAT", Fuel::hydro},   {"WND", Fuel::wind},    {"SUN", Fuel::solar},   {"GEO", Fuel::geothermal},
      {"AB", Fuel::biomass},  {"BLQ", Fuel::biomass}, {"LFG", Fuel::biomass}, {"MSB", Fuel::biomass},
      {"MSW", Fuel::biomass}, {"OBG", Fuel::biomass}, {"OBL", Fuel::biomass}, {"OBS", Fuel::biomass},
      {"SLW", Fuel::biomass}, {"WDL", Fuel::biomass}, {"WDS", Fuel::biomass}, {"MWH", Fuel::battery},
      {"H2", Fuel::other},    {"MSN", Fuel::other},   {"OTH", Fuel::other},   {"PUR", Fuel::other},
      {"TDF", Fuel::other},   {"WH", Fuel::other}};
  return codes;
}

// Emissions of generation: EIA, "How much carbon dioxide is produced per kilowatthour of U.S. electricity
// generation?" (FAQ 74): coal 2.31 and gas 0.96 lb/kWh (2023), petroleum 2.38 lb/kWh (2022).
constexpr double kKgPerMwh_of_LbPerKwh = 453.59237;
constexpr double kCoal = 2.31 * kKgPerMwh_of_LbPerKwh;
constexpr double kGas = 0.96 * kKgPerMwh_of_LbPerKwh;
constexpr double kOil = 2.38 * kKgPerMwh_of_LbPerKwh;

// Petroleum coke counts as petroleum and cogeneration as gas, which most of it burns in the U.S.; waste and
// biomass count as 0, as EIA counts them.
constexpr std::array<GppdFuel, 15> kGppd = {{{"Biomass", Fuel::biomass, 0},
                                             {"Coal", Fuel::coal, kCoal},
                                             {"Cogeneration", Fuel::gas, kGas},
                                             {"Gas", Fuel::gas, kGas},
                                             {"Geothermal", Fuel::geothermal, 0},
                                             {"Hydro", Fuel::hydro, 0},
                                             {"Nuclear", Fuel::nuclear, 0},
                                             {"Oil", Fuel::oil, kOil},
                                             {"Other", Fuel::other, 0},
                                             {"Petcoke", Fuel::oil, kOil},
                                             {"Solar", Fuel::solar, 0},
                                             {"Storage", Fuel::battery, 0},
                                             {"Waste", Fuel::biomass, 0},
                                             {"Wave and Tidal", Fuel::hydro, 0},
                                             {"Wind", Fuel::wind, 0}}};

}  // namespace

std::optional<Fuel> fuel_of_eia(std::string_view energy_source, std::string_view prime_mover) {
  if (energy_source == "WAT" && prime_mover == "PS") return Fuel::pumped;
  const auto found = eia_codes().find(energy_source);
  if (found == eia_codes().end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> eia_energy_sources() {
  std::vector<std::string> names;
  for (const auto& [code, fuel] : eia_codes()) names.emplace_back(code);
  return names;
}

std::optional<GppdFuel> fuel_of_gppd(std::string_view name) {
  const auto* found =
      std::find_if(kGppd.begin(), kGppd.end(), [&](const GppdFuel& fuel) { return fuel.name == name; });
  if (found == kGppd.end()) return std::nullopt;
  return *found;
}

std::vector<std::string> gppd_fuels() {
  std::vector<std::string> names;
  for (const GppdFuel& fuel : kGppd) names.emplace_back(fuel.name);
  return names;
}

double Capacity::total_mw() const { return std::accumulate(by_fuel_mw.begin(), by_fuel_mw.end(), 0.0); }

double Capacity::firm_mw() const {
  double firm = 0;
  for (std::size_t i = 0; i < kFuelCount; ++i) firm += is_firm(static_cast<Fuel>(i)) ? by_fuel_mw[i] : 0;
  return firm;
}

double Capacity::coal_mw() const { return of(Fuel::coal); }

Fuel Capacity::primary_fuel() const {
  return static_cast<Fuel>(std::max_element(by_fuel_mw.begin(), by_fuel_mw.end()) - by_fuel_mw.begin());
}

}  // namespace trainyard::grid_import
