#include "trainyard/report/grid_import.h"

#include <optional>
#include <utility>
#include <vector>

#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/grid_import.h"

namespace trainyard {
namespace {

/// The figures of an authority, by the names that JSON and CSV share.
std::vector<std::pair<const char*, std::optional<double>>> figures_of(const AuthoritySurplus& s) {
  return {{"peak_demand_mw", s.peak_demand_mw},
          {"peak_generation_mw", s.peak_generation_mw},
          {"peaks_apart_mw", s.peaks_apart_mw},
          {"same_hour_mw", s.same_hour_mw},
          {"firm_surplus_mw", s.firm_surplus_mw}};
}

Json surplus_json(const AuthoritySurplus& s) {
  Json json = {{"authority", s.authority}, {"hours", s.hours}, {"hours_dropped", s.hours_dropped}};
  for (const auto& [name, value] : figures_of(s)) json[name] = or_null(value);
  json["figures_differ"] = s.figures_differ;
  return json;
}

}  // namespace

std::string grid_import_json(const std::string& folder, const GridImport& grid) {
  Json json = {{"folder", folder},
               {"rows", grid.rows},
               {"capacity_mw", grid.capacity_mw},
               {"firm_mw", grid.firm_mw},
               {"coal_mw", grid.coal_mw}};
  json["authorities"] = Json::array();
  for (const AuthoritySurplus& s : grid.surpluses) json["authorities"].push_back(surplus_json(s));
  json["notes"] = grid.notes;
  return dumped(json);
}

std::string grid_import_csv(const GridImport& grid) {
  CsvTable table("name,quantity,value");
  for (const auto& [file, rows] : grid.rows) table.row(file, "rows", rows);
  table.row("grid", "capacity_mw", grid.capacity_mw);
  table.row("grid", "firm_mw", grid.firm_mw);
  table.row("grid", "coal_mw", grid.coal_mw);
  for (const AuthoritySurplus& s : grid.surpluses) {
    table.row(s.authority, "hours", s.hours);
    table.row(s.authority, "hours_dropped", s.hours_dropped);
    for (const auto& [name, value] : figures_of(s)) {
      if (value) table.row(s.authority, name, *value);
    }
  }
  return std::move(table).text();
}

}  // namespace trainyard
