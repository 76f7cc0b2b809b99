// Imports of public power-grid data: originals that users download become a grid folder (docs/grid-data.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Which originals to read; paths, empty where there is none. Tables may be .csv or .xlsx.
struct GridImportInput {
  std::string eia860_plants;      // schedule 2
  std::string eia860_generators;  // schedule 3_1, sheet Operable
  std::string energy_atlas;       // EIA's "Power Plants", in place of the generators
  std::vector<std::string> eia930;
  std::string gppd;
  std::string country = "USA";                             // of the GPPD, ISO 3166-1 alpha-3
  std::string interfaces;                                  // ReEDS, AC
  std::string dc_interfaces;                               // ReEDS, other
  std::string counties;                                    // Census Gazetteer
  std::string population;                                  // Census estimates
  std::string prices;                                      // EIA-861
  std::string cities;                                      // GeoNames
  std::vector<std::string> statuses = {"OP", "SB", "OA"};  // of generators that count
  std::string window;     // YYYY-MM-DD/YYYY-MM-DD (UTC, both included); empty: all hours
  bool adjusted = false;  // EIA-930's corrected columns
  bool skip_bad_rows = false;
};

/// Power to spare in an authority's area by the three measures of docs/grid-data.md. Empty: not known.
struct AuthoritySurplus {
  std::string authority;
  std::size_t hours = 0;
  std::size_t hours_dropped = 0;  // values of demand and of generation
  std::optional<double> peak_demand_mw;
  std::optional<double> peak_generation_mw;
  std::optional<double> peaks_apart_mw;
  std::optional<double> same_hour_mw;
  std::optional<double> firm_surplus_mw;
  bool figures_differ = false;  // by more than 2x
};

/// The folder as it will be written, and what to say of it.
struct GridImport {
  std::map<std::string, std::string> files;  // text by name
  std::map<std::string, std::size_t> rows;   // of data, by file
  double capacity_mw = 0;
  double firm_mw = 0;
  double coal_mw = 0;
  std::vector<AuthoritySurplus> surpluses;
  std::map<std::string, std::vector<std::string>> notes;  // by topic
};

/// Reads, checks and joins the originals. Throws InputError, which names file, row and column, for what is
/// not as the originals are, for a combination that cannot be joined and for a grid without plants.
GridImport import_grid(const GridImportInput& input);

/// Writes the folder beside its place and renames it. An existing folder is replaced only with `replace`, and
/// only when an import wrote it. Throws InputError when it cannot; then nothing has changed.
void write_grid_folder(const std::string& folder, const GridImport& grid, bool replace);

}  // namespace trainyard
