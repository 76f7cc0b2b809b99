// The tables of a grid folder before they are text, and how the originals are joined into them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "siting/grid_import/fuels.h"
#include "siting/grid_import/hourly.h"
#include "siting/grid_import/originals.h"
#include "trainyard/power_grid.h"

namespace trainyard {
struct GridImport;
struct GridImportInput;
}  // namespace trainyard

namespace trainyard::grid_import {

struct ImportedPlant {
  std::string id;
  std::string name;
  std::string state;  // code
  GeoPoint at;
  Capacity capacity;
  std::string authority;
  std::string authority_source;
  std::optional<double> grid_kv;
  std::string nerc_region;
  std::string county_fips;
  std::string source;
};

struct ImportedNode {
  std::string id;
  std::string name;
  std::string state;
  GeoPoint at;
  std::optional<double> max_kv;
  double import_mw = 0;
  double largest_import_mw = 0;
  double export_mw = 0;
  double generation_mw = 0;
  std::optional<double> peak_load_mw;
  std::string authority;
  std::string region;
  std::string interconnection;
};

struct ImportedAuthority {
  std::string name;
  std::string interconnection;
  double installed_mw = 0;
  double firm_mw = 0;
  double coal_mw = 0;
  std::optional<HourlyFigures> hourly;
  std::optional<double> co2_kg_per_mwh;
};

struct ImportedState {
  std::optional<StatePrice> price;
  std::optional<double> co2_kg_per_mwh;
};

struct GridTables {
  std::vector<ImportedPlant> plants;  // largest first
  std::vector<ImportedNode> nodes;
  std::vector<Interface> lines;
  std::map<std::string, ImportedAuthority> authorities;  // by code
  std::map<std::string, ImportedState> states;           // by code
  std::vector<City> cities;
  std::string capacity_period;
  std::string demand_window;
  std::string demand_source;  // of authorities' rows
  std::optional<int> co2_year;
};

/// Reads all originals of the input and joins them.
GridTables read_and_join(const GridImportInput& input, Journal& journal);

/// Counties of plants, by name within the state, else the nearest; with what their plants say of them.
void join_counties(GridTables& grid, const std::vector<County>& counties,
                   const std::map<std::string, std::string>& county_names, Journal& journal);

/// Interfaces onto the nodes. One whose county is not a node is a bad row.
void join_interfaces(GridTables& grid, std::vector<Interface> interfaces, Journal& journal);

/// Shares each authority's peak demand among its counties by population.
void share_demand(GridTables& grid, const std::map<std::string, double>& population, Journal& journal);

/// Net generation and its emissions, summed.
struct Emissions {
  double gwh = 0;
  double kg_per_mwh_gwh = 0;
  std::optional<double> kg_per_mwh() const;
};

/// The texts of the folder's files.
GridImport folder_of(const GridTables& grid, const GridImportInput& input, const Journal& journal);

}  // namespace trainyard::grid_import
