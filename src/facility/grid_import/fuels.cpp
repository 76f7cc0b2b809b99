#include "facility/grid_import/fuels.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace trainyard::grid_import {
namespace {

const std::map<std::string_view, std::string_view>& eia_codes() {
  static const std::map<std::string_view, std::string_view> codes = {
      {"ANT", "coal"},    {"BIT", "coal"},    {"LIG", "coal"},    {"RC", "coal"},        {"SGC", "coal"},
      {"SUB", "coal"},    {"WC", "coal"},     {"DFO", "oil"},     {"JF", "oil"},         {"KER", "oil"},
      {"PC", "oil"},      {"RFO", "oil"},     {"SGP", "oil"},     {"WO", "oil"},         {"NG", "gas"},
      {"BFG", "other"},   {"OG", "other"},    {"PG", "other"},    {"SG", "other"},       {"NUC", "nuclear"},
      {"WAT", "hydro"},   {"WND", "wind"},    {"SUN", "solar"},   {"GEO", "geothermal"}, {"AB", "biomass"},
      {"BLQ", "biomass"}, {"LFG", "biomass"}, {"MSB", "biomass"}, {"MSW", "biomass"},    {"OBG", "biomass"},
      {"OBL", "biomass"}, {"OBS", "biomass"}, {"SLW", "biomass"}, {"WDL", "biomass"},    {"WDS", "biomass"},
      {"MWH", "battery"}, {"H2", "other"},    {"MSN", "other"},   {"OTH", "other"},      {"PUR", "other"},
      {"TDF", "other"},   {"WH", "other"}};
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
constexpr std::array<GppdFuel, 15> kGppd = {{{"Biomass", "biomass", 0},
                                             {"Coal", "coal", kCoal},
                                             {"Cogeneration", "gas", kGas},
                                             {"Gas", "gas", kGas},
                                             {"Geothermal", "geothermal", 0},
                                             {"Hydro", "hydro", 0},
                                             {"Nuclear", "nuclear", 0},
                                             {"Oil", "oil", kOil},
                                             {"Other", "other", 0},
                                             {"Petcoke", "oil", kOil},
                                             {"Solar", "solar", 0},
                                             {"Storage", "battery", 0},
                                             {"Waste", "biomass", 0},
                                             {"Wave and Tidal", "hydro", 0},
                                             {"Wind", "wind", 0}}};

}  // namespace

std::size_t fuel_index(std::string_view name) {
  return static_cast<std::size_t>(std::find(kFuels.begin(), kFuels.end(), name) - kFuels.begin());
}

std::optional<std::string_view> fuel_of_eia(std::string_view energy_source, std::string_view prime_mover) {
  if (energy_source == "WAT" && prime_mover == "PS") return "pumped";
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
  for (std::size_t i = 0; i < kFuels.size(); ++i) {
    const bool variable = kFuels[i] == "solar" || kFuels[i] == "wind" || kFuels[i] == "battery";
    firm += variable ? 0 : by_fuel_mw[i];
  }
  return firm;
}

double Capacity::coal_mw() const { return by_fuel_mw[fuel_index("coal")]; }

std::string_view Capacity::primary_fuel() const {
  return kFuels[static_cast<std::size_t>(std::max_element(by_fuel_mw.begin(), by_fuel_mw.end()) -
                                         by_fuel_mw.begin())];
}

}  // namespace trainyard::grid_import
