// The Global Power Plant Database, ReEDS interfaces, and the tables that only fill in places and prices.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "siting/grid_import/originals.h"
#include "siting/grid_import/table.h"
#include "siting/grid_import/us_states.h"
#include "trainyard/nearest.h"

namespace trainyard::grid_import {
namespace {

const Bounds kLatitude{-90, 90, "degrees"};
const Bounds kLongitude{-180, 180, "degrees"};
const Bounds kInterfacePower{0, kMostInterface_mw, "MW"};

enum GppdColumn : std::size_t {
  kCountry,
  kCountryName,
  kName,
  kId,
  kCapacity,
  kLat,
  kLon,
  kFuel,
  kFirstYear
};
constexpr int kGppdFirstYear = 2013;
constexpr int kGppdLastYear = 2030;

const TableFormat& gppd_format() {
  static const TableFormat format = [] {
    TableFormat f;
    f.what = "the Global Power Plant Database";
    f.columns = {{"country"},     {"country_long", false},
                 {"name"},        {"gppd_idnr"},
                 {"capacity_mw"}, {"latitude"},
                 {"longitude"},   {"primary_fuel", true, {"fuel1"}}};
    for (int year = kGppdFirstYear; year <= kGppdLastYear; ++year)
      f.columns.push_back({fmt::format("generation_gwh_{}", year), false});
    return f;
  }();
  return format;
}

GppdPlant gppd_plant(TableRow& row) {
  GppdPlant plant;
  plant.id = row.required_text(kId);
  plant.country = row.text(kCountry);
  plant.country_name = row.text(kCountryName);
  plant.name = row.text(kName);
  plant.place = row.place(kId);
  plant.capacity_mw = row.required_number(kCapacity, {0, kMostPlant_mw, "MW"});
  const auto lat = row.number(kLat, kLatitude);
  const auto lon = row.number(kLon, kLongitude);
  if (lat && lon) plant.at = GeoPoint{*lat, *lon};
  const auto fuel = row.text(kFuel);
  plant.fuel = fuel_of_gppd(fuel);
  if (!plant.fuel && !fuel.empty())
    row.complain(kFuel, fmt::format("'{}' is not a fuel of the database", fuel),
                 suggestion(std::string(fuel), gppd_fuels()));
  for (int year = kGppdFirstYear; year <= kGppdLastYear; ++year) {
    const auto column = kFirstYear + static_cast<std::size_t>(year - kGppdFirstYear);
    // Pumped storage and plants that stand still use more than they make.
    const auto gwh = row.number(column, {-kMostPlant_gwh, kMostPlant_gwh, "GWh"});
    if (gwh) plant.generation_gwh[year] = *gwh;
  }
  return plant;
}

/// ReEDS writes counties as p and their FIPS code.
std::string reeds_county(TableRow& row, std::size_t column) {
  constexpr std::size_t kLength = 6;
  const auto text = row.required_text(column);
  const bool county = text.size() == kLength && text.front() == 'p' &&
                      text.find_first_not_of("0123456789", 1) == std::string_view::npos;
  if (county) return std::string(text.substr(1));
  if (!text.empty())
    row.complain(
        column, fmt::format("'{}' is not a county", text),
        "p and five digits of FIPS, such as p53047; files with _ba_ or _state_ in their names hold zones");
  return {};
}

/// Of both tables of interfaces.
enum InterfaceColumn : std::size_t { kInterfaceFrom, kInterfaceTo };

void add_interface(std::vector<Interface>& interfaces, std::set<std::string>& seen, Interface interface,
                   TableRow& row) {
  if (row.bad()) return;
  const std::string ends =
      std::min(interface.from, interface.to) + " " + std::max(interface.from, interface.to);
  if (interface.from == interface.to)
    row.complain(kInterfaceTo, "interface of county " + interface.from + " with itself");
  else if (!seen.insert(ends + " " + interface.kind + " " + interface.name).second)
    row.complain(kInterfaceFrom, fmt::format("{} interface {} - {} stands twice", interface.kind,
                                             interface.from, interface.to));
  else
    interfaces.push_back(std::move(interface));
}

enum GazetteerColumn : std::size_t { kUsps, kGeoid, kCountyName, kCountyLat, kCountyLon };

bool all_digits(std::string_view text, std::size_t length) {
  return text.size() == length && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::vector<GppdPlant> read_gppd(const std::string& path, const std::string& country, Journal& journal) {
  std::vector<GppdPlant> plants;
  std::map<std::string, int> rows;
  std::set<std::string> countries;
  read_table(gppd_format(), path, journal, [&](TableRow& row) {
    const std::string of(row.required_text(kCountry));
    countries.insert(of);
    if (of != country) return;
    GppdPlant plant = gppd_plant(row);
    if (row.bad()) return;
    const auto [at, fresh] = rows.emplace(plant.id, row.place().row);
    if (fresh)
      plants.push_back(std::move(plant));
    else
      row.complain(kId, fmt::format("{} stands twice, first in row {}", plant.id, at->second));
  });
  if (plants.empty())
    journal.error({path}, fmt::format("has no plants of country '{}'", country),
                  suggestion(country, {countries.begin(), countries.end()}));
  return plants;
}

std::vector<Interface> read_reeds_ac(const std::string& path, Journal& journal) {
  enum : std::size_t { kFrom = kInterfaceFrom, kTo, kForward, kReverse };
  const TableFormat format{.what = "ReEDS AC interfaces of counties",
                           .columns = {{"r"}, {"rr"}, {"MW_f0"}, {"MW_r0"}},
                           .advice = "expected: transmission_capacity_init_AC_county_NARIS2024.csv"};
  std::vector<Interface> interfaces;
  std::set<std::string> seen;
  read_table(format, path, journal, [&](TableRow& row) {
    Interface interface {
      reeds_county(row, kFrom), reeds_county(row, kTo), "AC", 0, 0, "", row.place(kFrom)
    };
    interface.forward_mw = row.required_number(kForward, kInterfacePower);
    interface.reverse_mw = row.required_number(kReverse, kInterfacePower);
    add_interface(interfaces, seen, std::move(interface), row);
  });
  return interfaces;
}

std::vector<Interface> read_reeds_dc(const std::string& path, Journal& journal) {
  enum : std::size_t { kFrom = kInterfaceFrom, kTo, kKind, kPower, kProject };
  const TableFormat format{.what = "ReEDS DC interfaces of counties",
                           .columns = {{"r"}, {"rr"}, {"trtype"}, {"MW"}, {"Project(s)", false}},
                           .advice = "expected: transmission_capacity_init_nonAC_county.csv"};
  const std::vector<std::string> kinds = {"B2B", "LCC", "VSC"};
  std::vector<Interface> interfaces;
  std::set<std::string> seen;
  read_table(format, path, journal, [&](TableRow& row) {
    Interface interface {
      reeds_county(row, kFrom), reeds_county(row, kTo), std::string(row.required_text(kKind)), 0,
          0, std::string(row.text(kProject)), row.place(kFrom)
    };
    if (!interface.kind.empty() && std::find(kinds.begin(), kinds.end(), interface.kind) == kinds.end())
      row.complain(kKind, "'" + interface.kind + "' is not a kind of DC interface",
                   suggestion(interface.kind, kinds));
    interface.forward_mw = row.required_number(kPower, kInterfacePower);
    interface.reverse_mw = interface.forward_mw;
    add_interface(interfaces, seen, std::move(interface), row);
  });
  return interfaces;
}

std::vector<County> read_gazetteer(const std::string& path, Journal& journal) {
  const TableFormat format{.what = "Census Gazetteer of counties",
                           .columns = {{"USPS"}, {"GEOID"}, {"NAME"}, {"INTPTLAT"}, {"INTPTLONG"}},
                           .advice = "expected: YYYY_Gaz_counties_national.txt"};
  std::map<std::string, County> counties;
  read_table(format, path, journal, [&](TableRow& row) {
    const auto code = row.required_text(kUsps);
    const UsState* state = us_state(code);
    if (!state && !code.empty()) row.complain(kUsps, fmt::format("'{}' is not a state", code));
    County county;
    county.fips = row.required_text(kGeoid);
    constexpr std::size_t kFipsDigits = 5;
    if (!county.fips.empty() && !all_digits(county.fips, kFipsDigits))
      row.complain(kGeoid, "'" + county.fips + "' is not a county's FIPS code",
                   "five digits, leading zeros included: a spreadsheet program may have removed them");
    county.name = row.required_text(kCountyName);
    county.state = code;
    county.at.lat_deg = row.required_number(kCountyLat, kLatitude);
    county.at.lon_deg = row.required_number(kCountyLon, kLongitude);
    if (row.bad() || !state->contiguous) return;
    if (!counties.emplace(county.fips, county).second)
      row.complain(kGeoid, "county " + county.fips + " stands twice");
  });
  std::vector<County> in_order;
  for (auto& [fips, county] : counties) in_order.push_back(std::move(county));
  return in_order;
}

std::map<std::string, double> read_population(const std::string& path, Journal& journal) {
  enum : std::size_t { kLevel, kStateFips, kCountyFips, kFirst };
  constexpr int kFirstPopulation = 2010;
  constexpr int kLastPopulation = 2040;
  constexpr double kMostPeople = 2e8;
  TableFormat format{.what = "Census county population estimates",
                     .columns = {{"SUMLEV"}, {"STATE"}, {"COUNTY"}},
                     .advice = "expected: co-estYYYY-alldata.csv"};
  for (int year = kFirstPopulation; year <= kLastPopulation; ++year)
    format.columns.push_back({fmt::format("POPESTIMATE{}", year), false});
  std::map<std::string, double> people;
  int newest = 0;
  read_table(format, path, journal, [&](TableRow& row) {
    const double level = row.required_number(kLevel, {0, 999, "summary level"});
    const double state = row.required_number(kStateFips, {0, 99, "FIPS"});
    const double county = row.required_number(kCountyFips, {0, 999, "FIPS"});
    constexpr double kCountyLevel = 50;
    std::optional<double> latest;
    for (int year = kFirstPopulation; year <= kLastPopulation; ++year) {
      const auto count =
          row.number(kFirst + static_cast<std::size_t>(year - kFirstPopulation), {0, kMostPeople, "people"});
      if (count) newest = std::max(newest, year);
      latest = count ? count : latest;
    }
    if (!latest && !row.bad()) row.complain(kFirst, "no POPESTIMATEYYYY has a value");
    if (row.bad() || level != kCountyLevel) return;
    const std::string fips = fmt::format("{:02}{:03}", static_cast<int>(state), static_cast<int>(county));
    if (!people.emplace(fips, *latest).second) row.complain(kCountyFips, "county " + fips + " stands twice");
  });
  journal.note("year of the population", std::to_string(newest));
  return people;
}

std::map<std::string, StatePrice> read_prices(const std::string& path, Journal& journal) {
  enum : std::size_t { kYear, kState, kSector, kIndustrial };
  const TableFormat format{
      .what = "EIA average price by state",
      .columns = {{"Year"}, {"State"}, {"Industry Sector Category"}, {"Industrial"}},
      .advice = "expected: avgprice_annual.xlsx of EIA (state electricity profiles), or its sheet as CSV"};
  std::map<std::string, StatePrice> prices;
  read_table(format, path, journal, [&](TableRow& row) {
    if (row.text(kSector) != "Total Electric Industry") return;
    const auto code = row.required_text(kState);
    const int year = static_cast<int>(row.required_number(kYear, {1990, 2100, "year"}));
    const auto cents_per_kwh = row.number(kIndustrial, {0, 200, "cents/kWh"});
    if (row.bad() || code == "US" || !cents_per_kwh) return;
    if (!us_state(code)) return row.complain(kState, fmt::format("'{}' is not a state", code));
    constexpr double kUsdPerMwh_of_CentsPerKwh = 10;
    StatePrice& newest = prices[std::string(code)];
    if (year > newest.year) newest = {*cents_per_kwh * kUsdPerMwh_of_CentsPerKwh, year};
  });
  return prices;
}

std::vector<City> read_cities(const std::string& path, Journal& journal) {
  enum : std::size_t { kCity = 1, kCityLat = 4, kCityLon = 5, kCityCountry = 8, kAdmin = 10, kPeople = 14 };
  TableFormat format{.what = "GeoNames cities15000.txt", .has_header = false};
  for (const char* name : {"geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude",
                           "feature class", "feature code", "country code", "cc2", "admin1 code",
                           "admin2 code", "admin3 code", "admin4 code", "population"})
    format.columns.push_back({name});
  std::vector<City> cities;
  read_table(format, path, journal, [&](TableRow& row) {
    City city;
    city.name = row.required_text(kCity);
    city.country = row.required_text(kCityCountry);
    city.admin = row.text(kAdmin);
    city.at.lat_deg = row.required_number(kCityLat, kLatitude);
    city.at.lon_deg = row.required_number(kCityLon, kLongitude);
    constexpr double kMostPeople = 1e8;
    city.population = row.required_number(kPeople, {0, kMostPeople, "people"});
    constexpr double kUsPeople = 1e5;
    constexpr double kOtherPeople = 1e6;
    if (!row.bad() && city.population >= (city.country == "US" ? kUsPeople : kOtherPeople))
      cities.push_back(city);
  });
  std::stable_sort(cities.begin(), cities.end(),
                   [](const City& a, const City& b) { return a.population > b.population; });
  return cities;
}

}  // namespace trainyard::grid_import
