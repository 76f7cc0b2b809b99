// EIA-860 and the plants of EIA's US Energy Atlas.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "siting/grid_import/originals.h"
#include "siting/grid_import/table.h"
#include "siting/grid_import/us_states.h"
#include "trainyard/nearest.h"

namespace trainyard::grid_import {
namespace {

const Bounds kLatitude{-90, 90, "degrees"};
const Bounds kLongitude{-180, 180, "degrees"};
const Bounds kPlantPower{0, kMostPlant_mw, "MW"};

/// A plant code as EIA writes it, a whole number; spreadsheets may save it as 3.0.
std::string plant_code(TableRow& row, std::size_t column) {
  const double code = row.required_number(column, {1, 9999999, "plant code"});
  if (!row.bad() && code != static_cast<int>(code)) row.complain(column, "is not a whole number");
  return fmt::format("{}", static_cast<int>(code));
}

/// Code of the state in a column that holds codes or names.
std::string state_code(TableRow& row, std::size_t column) {
  const auto text = row.required_text(column);
  const UsState* state = us_state(text);
  if (state) return std::string(state->code);
  if (!text.empty())
    row.complain(column, fmt::format("'{}' is not a state", text), "two letters, such as WA");
  return {};
}

std::optional<GeoPoint> coordinates(TableRow& row, std::size_t latitude, std::size_t longitude) {
  const auto lat = row.number(latitude, kLatitude);
  const auto lon = row.number(longitude, kLongitude);
  if (!lat || !lon) return std::nullopt;
  return GeoPoint{*lat, *lon};
}

bool add_site(PlantSites& sites, const std::string& code, PlantSite site, Journal& journal) {
  const auto [at, fresh] = sites.by_code.emplace(code, site);
  if (!fresh)
    journal.bad_row(site.place,
                    fmt::format("plant {} stands twice, first in row {}", code, at->second.place.row));
  return fresh;
}

/// EIA-860 asks for kV, and some reporters gave volts. The largest voltage of the U.S. is 765 kV; 480 V is
/// what three-phase plants have inside, and beside it stand 120 to 277 V of its phases.
double in_kilovolts(double reported, bool beside_480, const Place& place, Journal& journal) {
  constexpr double kLeastPhase_v = 100;
  constexpr double kThreePhase_v = 480;
  constexpr double kSurelyVolts = 2000;
  const bool low_voltage = beside_480 && reported >= kLeastPhase_v && reported <= kThreePhase_v;
  if (!low_voltage && reported < kSurelyVolts) return reported;
  journal.note("grid voltages taken as volts", fmt::format("{}: {}", text_of(place), reported));
  return reported / 1000;
}

std::optional<double> highest_voltage(TableRow& row, std::initializer_list<std::size_t> columns,
                                      Journal& journal) {
  std::vector<double> reported;
  for (const std::size_t column : columns) reported.push_back(row.number(column, {0, 1e6, "kV"}).value_or(0));
  const bool beside_480 = std::count(reported.begin(), reported.end(), 480.0) > 0;
  double highest = 0;
  for (const double voltage : reported)
    highest = std::max(highest, in_kilovolts(voltage, beside_480, row.place(), journal));
  return highest > 0 ? std::optional(highest) : std::nullopt;
}

enum PlantColumn : std::size_t {
  kCode,
  kName,
  kState,
  kCounty,
  kLat,
  kLon,
  kNerc,
  kBa,
  kBaName,
  kKv1,
  kKv2,
  kKv3
};

const TableFormat& plant_format() {
  static const TableFormat format{
      .what = "EIA-860 schedule 2 (Plant)",
      .columns = {{"Plant Code"},
                  {"Plant Name"},
                  {"State"},
                  {"County"},
                  {"Latitude"},
                  {"Longitude"},
                  {"NERC Region", true, {"NERC Region Code"}},
                  {"Balancing Authority Code"},
                  {"Balancing Authority Name", false},
                  {"Grid Voltage (kV)", false},
                  {"Grid Voltage 2 (kV)", false},
                  {"Grid Voltage 3 (kV)", false}},
      .advice = "expected: the workbook 2___Plant_YYYY.xlsx of EIA-860, or its sheet Plant as CSV"};
  return format;
}

enum GeneratorColumn : std::size_t { kGenPlant, kGenId, kMover, kNameplate, kSummer, kStatus, kSource };

const TableFormat& generator_format() {
  static const TableFormat format{
      .what = "EIA-860 schedule 3_1 (Generator)",
      .columns = {{"Plant Code"},
                  {"Generator ID"},
                  {"Prime Mover"},
                  {"Nameplate Capacity (MW)"},
                  {"Summer Capacity (MW)"},
                  {"Status"},
                  {"Energy Source 1"}},
      .advice = "expected: the workbook 3_1_Generator_YYYY.xlsx of EIA-860, or its sheet Operable as CSV"};
  return format;
}

Fuel generator_fuel(TableRow& row) {
  const auto source = row.required_text(kSource);
  const auto fuel = fuel_of_eia(source, row.text(kMover));
  if (!fuel && !source.empty())
    row.complain(kSource, fmt::format("'{}' is not an energy source", source),
                 suggestion(std::string(source), eia_energy_sources()));
  return fuel.value_or(Fuel::other);
}

bool known_status(TableRow& row, const std::string& status) {
  if (eia_statuses().count(status)) return true;
  std::vector<std::string> names;
  for (const auto& [name, sentence] : eia_statuses()) names.push_back(name);
  if (!status.empty()) row.complain(kStatus, "'" + status + "' is not a status", suggestion(status, names));
  return false;
}

/// Generators, one by one.
class GeneratorSums {
 public:
  GeneratorSums(const std::vector<std::string>& statuses, PlantCapacities& sums, Journal& journal)
      : statuses_(statuses), sums_(sums), journal_(journal) {}

  void add(TableRow& row) {
    if (is_footnote(row)) return;
    const std::string code = plant_code(row, kGenPlant);
    const std::string id(row.required_text(kGenId));
    const std::string status(row.required_text(kStatus));
    const double nameplate_mw = row.required_number(kNameplate, kPlantPower);
    const auto summer_mw = row.number(kSummer, kPlantPower);
    const Fuel fuel = generator_fuel(row);
    if (!known_status(row, status) || row.bad() || !once(row, code, id)) return;
    if (std::find(statuses_.begin(), statuses_.end(), status) == statuses_.end()) {
      journal_.note("generators whose status does not count",
                    fmt::format("{}: {}", text_of(row.place()), status));
      return;
    }
    if (!summer_mw) journal_.note("nameplate in place of a blank summer capacity", text_of(row.place()));
    Capacity& plant = sums_.by_code[code];
    const double capacity_mw = summer_mw.value_or(nameplate_mw);
    plant.of(fuel) += capacity_mw;
    plant.nameplate_mw += nameplate_mw;
    plant.largest_unit_mw = std::max(plant.largest_unit_mw.value_or(0), capacity_mw);
  }

 private:
  /// Under EIA's tables stand notes, in the first column.
  static bool is_footnote(const TableRow& row) {
    return row.text(kGenId).empty() && row.text(kNameplate).empty() && row.text(kStatus).empty();
  }

  bool once(TableRow& row, const std::string& code, const std::string& id) {
    const auto [at, fresh] = rows_.emplace(code + " " + id, row.place().row);
    if (!fresh)
      row.complain(kGenId, fmt::format("generator {} of plant {} stands twice, first in row {}", id, code,
                                       at->second));
    return fresh;
  }

  const std::vector<std::string>& statuses_;
  PlantCapacities& sums_;
  Journal& journal_;
  std::map<std::string, int> rows_;
};

enum AtlasColumn : std::size_t {
  kAtlasCode,
  kAtlasName,
  kAtlasState,
  kAtlasCounty,
  kAtlasLat,
  kAtlasLon,
  kInstall,
  kTotal,
  kPeriod,
  kFirstFuel
};

struct AtlasFuel {
  const char* column;
  Fuel fuel;
};
constexpr AtlasFuel kAtlasFuels[] = {
    {"Coal_MW", Fuel::coal},      {"NG_MW", Fuel::gas},         {"Crude_MW", Fuel::oil},
    {"Hydro_MW", Fuel::hydro},    {"HydroPS_MW", Fuel::pumped}, {"Nuclear_MW", Fuel::nuclear},
    {"Solar_MW", Fuel::solar},    {"Wind_MW", Fuel::wind},      {"Bio_MW", Fuel::biomass},
    {"Geo_MW", Fuel::geothermal}, {"Bat_MW", Fuel::battery},    {"Other_MW", Fuel::other}};

const TableFormat& atlas_format() {
  static const TableFormat format = [] {
    TableFormat f;
    f.what = "the table Power Plants of EIA's US Energy Atlas";
    f.columns = {{"Plant_Code"},    {"Plant_Name"}, {"StateName", true, {"State"}},
                 {"County", false}, {"Latitude"},   {"Longitude"},
                 {"Install_MW"},    {"Total_MW"},   {"Period"}};
    for (const AtlasFuel& fuel : kAtlasFuels) f.columns.push_back({fuel.column});
    return f;
  }();
  return format;
}

Capacity atlas_capacity(TableRow& row) {
  Capacity capacity;
  capacity.nameplate_mw = row.number(kInstall, kPlantPower).value_or(0);
  for (std::size_t i = 0; i < std::size(kAtlasFuels); ++i)
    capacity.of(kAtlasFuels[i].fuel) = row.number(kFirstFuel + i, kPlantPower).value_or(0);
  const double total_mw = row.required_number(kTotal, kPlantPower);
  // The parts are rounded to 0.1 MW each.
  const double rounding_mw = 0.05 * static_cast<double>(std::size(kAtlasFuels)) + 0.001 * total_mw;
  if (!row.bad() && std::abs(capacity.total_mw() - total_mw) > rounding_mw)
    row.complain(kTotal,
                 fmt::format("{} MW is not the sum of the fuels, {:.1f} MW", total_mw, capacity.total_mw()));
  return capacity;
}

}  // namespace

const std::map<std::string, std::string>& eia_statuses() {
  static const std::map<std::string, std::string> statuses = {
      {"OP", "operating"},
      {"SB", "standby, available"},
      {"OA", "out of service, expected back in the next calendar year"},
      {"OS", "out of service, not expected back in the next calendar year"},
      {"RE", "retired"},
      {"CN", "cancelled"},
      {"IP", "indefinitely postponed"},
      {"P", "planned"},
      {"L", "approvals pending"},
      {"T", "approvals received, not under construction"},
      {"U", "under construction, up to half"},
      {"V", "under construction, over half"},
      {"TS", "built, not yet operating"},
      {"OT", "other"}};
  return statuses;
}

PlantSites read_eia860_plants(const std::string& path, Journal& journal) {
  PlantSites sites;
  const std::string title = read_table(plant_format(), path, journal, [&](TableRow& row) {
    if (row.text(kName).empty() && row.text(kState).empty()) return;  // a note under the table
    PlantSite site;
    const std::string code = plant_code(row, kCode);
    site.name = row.required_text(kName);
    site.state = state_code(row, kState);
    site.county = row.text(kCounty);
    site.at = coordinates(row, kLat, kLon);
    site.nerc_region = row.text(kNerc);
    site.authority = row.text(kBa) == "NA" ? "" : row.text(kBa);
    site.authority_name = row.text(kBaName);
    site.grid_kv = highest_voltage(row, {kKv1, kKv2, kKv3}, journal);
    site.place = row.place(kCode);
    if (!row.bad()) add_site(sites, code, std::move(site), journal);
  });
  sites.year = year_in(title);
  return sites;
}

PlantCapacities read_eia860_generators(const std::string& path, const std::vector<std::string>& statuses,
                                       Journal& journal) {
  PlantCapacities capacities;
  GeneratorSums sums(statuses, capacities, journal);
  const std::string title =
      read_table(generator_format(), path, journal, [&](TableRow& row) { sums.add(row); });
  const auto year = year_in(title);
  capacities.period = year ? std::to_string(*year) : "";
  return capacities;
}

AtlasPlants read_energy_atlas(const std::string& path, Journal& journal) {
  AtlasPlants plants;
  read_table(atlas_format(), path, journal, [&](TableRow& row) {
    PlantSite site;
    const std::string code = plant_code(row, kAtlasCode);
    site.name = row.required_text(kAtlasName);
    site.state = state_code(row, kAtlasState);
    site.county = row.text(kAtlasCounty);
    site.at = coordinates(row, kAtlasLat, kAtlasLon);
    site.place = row.place(kAtlasCode);
    const Capacity capacity = atlas_capacity(row);
    const std::string period(row.required_text(kPeriod));
    if (row.bad() || !add_site(plants.sites, code, std::move(site), journal)) return;
    plants.capacities.by_code[code] = capacity;
    constexpr std::size_t kYearAndMonth = 6;  // 202108
    plants.capacities.period =
        period.size() == kYearAndMonth ? period.substr(0, 4) + "-" + period.substr(4) : period;
  });
  plants.sites.year = year_in(plants.capacities.period);
  return plants;
}

}  // namespace trainyard::grid_import
