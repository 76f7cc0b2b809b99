// Readers of the public originals (docs/grid-data.md says where each is to be had).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "siting/grid_import/fuels.h"
#include "siting/grid_import/hourly.h"
#include "siting/grid_import/journal.h"
#include "trainyard/power_grid.h"

namespace trainyard::grid_import {

/// Largest values that a file is believed: more is a wrong unit or a shifted column.
inline constexpr double kMostPlant_mw = 50e3;  // the largest plant of the world has 22.5 GW
inline constexpr double kMostInterface_mw = 200e3;
inline constexpr double kMostHour_mw = 1e9;      // EIA-930 holds errors of 1e7 MW, which cleaning removes
inline constexpr double kMostPlant_gwh = 500e3;  // 50 GW all year

/// A plant as a place on the grid.
struct PlantSite {
  std::string name;
  std::string state;   // code
  std::string county;  // name
  std::optional<GeoPoint> at;
  std::string nerc_region;
  std::string authority;
  std::string authority_name;
  std::optional<double> grid_kv;
  Place place;
};

/// Plants by EIA plant code.
struct PlantSites {
  std::optional<int> year;
  std::map<std::string, PlantSite> by_code;
};

/// EIA-860 schedule 2 (`2___Plant_YYYY`).
PlantSites read_eia860_plants(const std::string& path, Journal& journal);

/// What a plant's generators add up to.
struct PlantCapacities {
  std::string period;  // "2023"
  std::map<std::string, Capacity> by_code;
};

/// EIA-860 schedule 3_1, sheet Operable (`3_1_Generator_YYYY`). Only generators whose status is one of
/// `statuses` count. Summer capacity; where it is blank, nameplate.
PlantCapacities read_eia860_generators(const std::string& path, const std::vector<std::string>& statuses,
                                       Journal& journal);

/// Statuses of EIA-860's generators with their meaning.
const std::map<std::string, std::string>& eia_statuses();

/// EIA US Energy Atlas "Power Plants": sites (without authority, voltage, NERC region) and capacities in one
/// table.
struct AtlasPlants {
  PlantSites sites;
  PlantCapacities capacities;
};
AtlasPlants read_energy_atlas(const std::string& path, Journal& journal);

/// EIA-930 hours by authority.
struct HourlyOperations {
  std::map<std::string, std::vector<Hour>> by_authority;  // in order of time
  std::map<std::string, std::string> region;              // of an authority, such as "MIDA"
};

/// `adjusted`: EIA's own corrected columns in place of the reported ones. Only hours of [from, to].
HourlyOperations read_eia930(const std::vector<std::string>& paths, bool adjusted,
                             std::optional<std::int64_t> from, std::optional<std::int64_t> to,
                             Journal& journal);

/// A plant of the Global Power Plant Database.
struct GppdPlant {
  std::string id;
  std::string country;
  std::string country_name;
  std::string name;
  double capacity_mw = 0;
  std::optional<GeoPoint> at;
  std::optional<GppdFuel> fuel;
  std::map<int, double> generation_gwh;  // by year
  Place place;
};

/// `country`: ISO 3166-1 alpha-3; others are passed over.
std::vector<GppdPlant> read_gppd(const std::string& path, const std::string& country, Journal& journal);

/// An interface of two counties.
struct Interface {
  std::string from;  // county FIPS
  std::string to;
  std::string kind;  // AC, LCC, VSC, B2B
  double forward_mw = 0;
  double reverse_mw = 0;
  std::string name;
  Place place;
};

/// ReEDS `transmission_capacity_init_AC_county_*.csv`.
std::vector<Interface> read_reeds_ac(const std::string& path, Journal& journal);
/// ReEDS `transmission_capacity_init_nonAC_county.csv`.
std::vector<Interface> read_reeds_dc(const std::string& path, Journal& journal);

/// A county of the Census Gazetteer.
struct County {
  std::string fips;
  std::string name;
  std::string state;  // code
  GeoPoint at;
};

/// Census Gazetteer `YYYY_Gaz_counties_national.txt`, the contiguous states, in order of FIPS.
std::vector<County> read_gazetteer(const std::string& path, Journal& journal);

/// Census county population estimates `co-estYYYY-alldata.csv`: people by county FIPS, of the newest year in
/// it.
std::map<std::string, double> read_population(const std::string& path, Journal& journal);

/// A state's price of electricity for industry.
struct StatePrice {
  double usd_per_mwh = 0;
  int year = 0;
};

/// EIA-861 average price by state (`avgprice_annual`): all providers, the newest year, by state code.
std::map<std::string, StatePrice> read_prices(const std::string& path, Journal& journal);

/// A place of GeoNames.
struct City {
  std::string name;
  std::string country;
  std::string admin;
  GeoPoint at;
  double population = 0;
};

/// GeoNames `cities15000.txt`: U.S. places from 100,000 people, others from 1,000,000, largest first.
std::vector<City> read_cities(const std::string& path, Journal& journal);

}  // namespace trainyard::grid_import
