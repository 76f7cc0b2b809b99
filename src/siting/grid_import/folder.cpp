// The files of a grid folder as text.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/csv.h"
#include "facility/fuels.h"
#include "facility/geo.h"
#include "siting/grid_import/sources.h"
#include "siting/grid_import/tables.h"
#include "siting/grid_import/us_states.h"
#include "trainyard/grid_import.h"
#include "trainyard/printable.h"

namespace trainyard::grid_import {
namespace {

/// Fixed point without trailing zeros; "" where not known.
std::string decimal(std::optional<double> value, int digits) {
  if (!value) return {};
  std::string text = fmt::format("{:.{}f}", *value, digits);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string mw(std::optional<double> value) { return decimal(value, 3); }
std::string degrees(double value) { return decimal(value, 6); }
std::string whole_text(std::optional<int> value) { return value ? std::to_string(*value) : ""; }

/// A CSV file in the making.
class Table {
 public:
  Table(GridImport& folder, std::string file, std::string header) : folder_(folder), file_(std::move(file)) {
    text_ = std::move(header) + "\n";
  }
  ~Table() {
    folder_.files[file_] = text_;
    folder_.rows[file_] = rows_;
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void row(std::initializer_list<std::string> fields) {
    const char* separator = "";
    for (const std::string& field : fields) {
      text_ += separator + csv_field(one_line(field));
      separator = ",";
    }
    text_ += '\n';
    ++rows_;
  }

 private:
  /// Names in originals may hold line breaks, control characters and bytes that are no UTF-8, and be of any
  /// length, all of which readers of the folder refuse.
  static std::string one_line(std::string text) {
    constexpr std::size_t kLongest = 900;
    std::replace_if(
        text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
    return printable(elided(printable(text), kLongest));  // what is cut may be a character
  }

  GridImport& folder_;
  std::string file_;
  std::string text_;
  std::size_t rows_ = 0;
};

void add_plants(GridImport& folder, const GridTables& grid) {
  Table table(folder, "plants.csv",
              "plant_id,name,state,lat_deg,lon_deg,capacity_mw,nameplate_mw,firm_mw,coal_mw,largest_unit_mw,"
              "primary_fuel,ba_code,ba_source,grid_kv,county_fips,source");
  for (const ImportedPlant& p : grid.plants) {
    const UsState* state = us_state(p.state);
    table.row({p.id, p.name, state ? std::string(state->name) : p.state, degrees(p.at.lat_deg),
               degrees(p.at.lon_deg), mw(p.capacity.total_mw()), mw(p.capacity.nameplate_mw),
               mw(p.capacity.firm_mw()), mw(p.capacity.coal_mw()), mw(p.capacity.largest_unit_mw),
               fuel_name(p.capacity.primary_fuel()), p.authority, p.authority_source, mw(p.grid_kv),
               p.county_fips, p.source});
    folder.capacity_mw += p.capacity.total_mw();
    folder.firm_mw += p.capacity.firm_mw();
    folder.coal_mw += p.capacity.coal_mw();
  }
}

void add_network(GridImport& folder, const GridTables& grid) {
  std::map<std::string, GeoPoint> places;
  {
    Table table(folder, "substations.csv",
                "node_id,name,state,lat_deg,lon_deg,max_kv,import_mw,import_n1_mw,export_mw,generation_mw,"
                "peak_load_est_mw,ba_group,eia_region,interconnection");
    for (const ImportedNode& n : grid.nodes) {
      places[n.id] = n.at;
      table.row({n.id, n.name, n.state, degrees(n.at.lat_deg), degrees(n.at.lon_deg), mw(n.max_kv),
                 mw(n.import_mw), mw(n.import_mw - n.largest_import_mw), mw(n.export_mw), mw(n.generation_mw),
                 mw(n.peak_load_mw), n.authority, n.region, n.interconnection});
    }
  }
  Table table(folder, "lines.csv", "from_node,to_node,kind,kv,capacity_fwd_mw,capacity_rev_mw,km,name");
  for (const Interface& line : grid.lines)
    table.row({line.from, line.to, line.kind, "", mw(line.forward_mw), mw(line.reverse_mw),
               decimal(distance_km(places[line.from], places[line.to]), 1), line.name});
}

/// What the hours say, as columns of balancing_authorities.csv.
struct DemandColumns {
  std::string peak_mw;
  std::string peak_utc;
  std::string peak_source;
  std::string mean_mw;
  std::string raw_peak_mw;
  std::string available_mw;
  std::string available_from;
  std::string most_generation_mw;
};

DemandColumns demand_columns(const ImportedAuthority& a) {
  if (!a.hourly || !a.hourly->peak_demand_mw) return {};
  const HourlyFigures& f = *a.hourly;
  DemandColumns c;
  c.peak_mw = mw(f.peak_demand_mw);
  c.peak_utc = text_of_hour(f.peak_utc_hour);
  c.peak_source = f.peak_demand_mw == f.raw_peak_demand_mw ? "raw" : "cleaned";
  c.mean_mw = decimal(f.mean_demand_mw, 1);
  c.raw_peak_mw = mw(f.raw_peak_demand_mw);
  if (f.peaks_apart_mw) {
    c.available_mw = mw(std::max(0.0, *f.peaks_apart_mw));
    c.available_from = "hours";
  }
  c.most_generation_mw = mw(f.peak_generation_mw);
  return c;
}

void add_authorities(GridImport& folder, const GridTables& grid) {
  Table table(
      folder, "balancing_authorities.csv",
      "code,name,interconnection,peak_demand_mw,peak_demand_utc,peak_source,mean_demand_mw,"
      "raw_peak_demand_mw,installed_mw,firm_mw,coal_mw,installed_minus_peak_mw,firm_minus_peak_mw,"
      "paper_available_mw,paper_available_from,implied_max_generation_mw,co2_kg_per_mwh,demand_window,"
      "capacity_period,source");
  for (const auto& [code, a] : grid.authorities) {
    const DemandColumns demand = demand_columns(a);
    const auto less_peak = [&demand, &authority = a](double power_mw) {
      return demand.peak_mw.empty() ? "" : mw(power_mw - *authority.hourly->peak_demand_mw);
    };
    table.row({code,
               a.name,
               a.interconnection,
               demand.peak_mw,
               demand.peak_utc,
               demand.peak_source,
               demand.mean_mw,
               demand.raw_peak_mw,
               mw(a.installed_mw),
               mw(a.firm_mw),
               mw(a.coal_mw),
               less_peak(a.installed_mw),
               less_peak(a.firm_mw),
               demand.available_mw,
               demand.available_from,
               demand.most_generation_mw,
               decimal(a.co2_kg_per_mwh, 1),
               demand.peak_mw.empty() ? "" : grid.demand_window,
               grid.capacity_period,
               demand.available_mw.empty() ? "" : "paper_available_mw computed from " + grid.demand_source});
  }
}

void add_surpluses(GridImport& folder, const GridTables& grid) {
  if (grid.demand_window.empty()) return;
  Table table(
      folder, "available_power.csv",
      "ba_code,demand_window,hours,demand_hours_dropped,generation_hours_dropped,raw_peak_demand_mw,"
      "peak_demand_mw,peak_demand_utc,peak_generation_mw,peaks_apart_mw,same_hour_mw,firm_less_peak_mw,"
      "figures_differ,source");
  for (const auto& [code, a] : grid.authorities) {
    if (!a.hourly) continue;
    const HourlyFigures& f = *a.hourly;
    table.row({code, grid.demand_window, std::to_string(f.hours), std::to_string(f.demand_dropped),
               std::to_string(f.generation_dropped), mw(f.raw_peak_demand_mw), mw(f.peak_demand_mw),
               f.peak_demand_mw ? text_of_hour(f.peak_utc_hour) : "", mw(f.peak_generation_mw),
               mw(f.peaks_apart_mw), mw(f.same_hour_mw), mw(f.firm_surplus_mw), figures_differ(f) ? "1" : "0",
               grid.demand_source});
    folder.surpluses.push_back({code, f.hours, f.demand_dropped + f.generation_dropped, f.peak_demand_mw,
                                f.peak_generation_mw, f.peaks_apart_mw, f.same_hour_mw, f.firm_surplus_mw,
                                figures_differ(f)});
  }
}

void add_states(GridImport& folder, const GridTables& grid) {
  Table table(folder, "states.csv",
              "state,name,industrial_price_usd_per_mwh,price_year,co2_kg_per_mwh,co2_year");
  for (const auto& [code, state] : grid.states) {
    const auto price = state.price ? std::optional(state.price->usd_per_mwh) : std::nullopt;
    table.row({code, std::string(us_state(code)->name), decimal(price, 2),
               state.price ? std::to_string(state.price->year) : "", decimal(state.co2_kg_per_mwh, 1),
               state.co2_kg_per_mwh ? whole_text(grid.co2_year) : ""});
  }
}

void add_cities(GridImport& folder, const GridTables& grid) {
  Table table(folder, "cities.csv", "name,country,admin,lat_deg,lon_deg,population");
  for (const City& city : grid.cities)
    table.row({city.name, city.country, city.admin, degrees(city.at.lat_deg), degrees(city.at.lon_deg),
               decimal(city.population, 0)});
}

std::string import_log(const Journal& journal) {
  std::string text;
  for (const auto& [topic, notes] : journal.notes()) {
    text += topic + "\n";
    for (const std::string& note : notes)
      if (!note.empty()) text += "  " + note + "\n";
  }
  return text;
}

}  // namespace

GridImport folder_of(const GridTables& grid, const GridImportInput& input, const Journal& journal) {
  GridImport folder;
  add_plants(folder, grid);
  add_network(folder, grid);
  add_authorities(folder, grid);
  add_surpluses(folder, grid);
  add_states(folder, grid);
  add_cities(folder, grid);
  folder.files["SOURCES.txt"] = sources_text(grid, input, journal);
  folder.files["IMPORT_LOG.txt"] = import_log(journal);
  folder.notes = journal.notes();
  return folder;
}

}  // namespace trainyard::grid_import

namespace trainyard {

GridImport import_grid(const GridImportInput& input) {
  grid_import::Journal journal(input.skip_bad_rows);
  const grid_import::GridTables grid = grid_import::read_and_join(input, journal);
  return grid_import::folder_of(grid, input, journal);
}

}  // namespace trainyard
