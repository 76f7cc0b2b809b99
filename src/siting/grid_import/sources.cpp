#include "siting/grid_import/sources.h"

#include <fmt/core.h>

#include <filesystem>

#include "siting/grid_import/tables.h"
#include "trainyard/grid_import.h"

namespace trainyard::grid_import {
namespace {

constexpr const char* kReedsLicence = R"(BSD 3-Clause License
Copyright (c) 2023, Alliance for Sustainable Energy, LLC
Redistribution and use in source and binary forms, with or without
modification, are permitted provided that the following conditions are met:
1. Redistributions of source code must retain the above copyright notice, this
   list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice,
   this list of conditions and the following disclaimer in the documentation
   and/or other materials provided with the distribution.
3. Neither the name of the copyright holder nor the names of its
   contributors may be used to endorse or promote products derived from
   this software without specific prior written permission.
THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE
FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER
CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY,
OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
)";

/// What EIA asks for: its name and the date.
std::string eia(const std::string& what, const std::string& date) {
  return fmt::format("Source: U.S. Energy Information Administration ({}; {}). Public domain.\n", what, date);
}

const ReadFile* file_of(const Journal& journal, const std::string& path) {
  for (const ReadFile& file : journal.files())
    if (!path.empty() && file.path == path) return &file;
  return nullptr;
}

/// The year that stands in the file, else its date.
std::string dated(const Journal& journal, const std::string& path) {
  const ReadFile* file = file_of(journal, path);
  if (!file) return {};
  return file->title.empty() ? "file of " + file->date : file->title;
}

std::string eia_notices(const GridTables& grid, const GridImportInput& in, const Journal& journal) {
  std::string text;
  if (!in.eia860_plants.empty()) text += eia("Form EIA-860, schedule 2", dated(journal, in.eia860_plants));
  if (!in.eia860_generators.empty())
    text += eia("Form EIA-860, schedule 3_1", dated(journal, in.eia860_generators));
  if (!in.energy_atlas.empty())
    text += eia("US Energy Atlas, Power Plants", "period " + grid.capacity_period);
  if (!in.eia930.empty()) text += eia("Form EIA-930", "hours of " + grid.demand_window);
  if (!in.prices.empty()) text += eia("Form EIA-861, average price by state", dated(journal, in.prices));
  return text;
}

std::string other_notices(const GridImportInput& in) {
  std::string text;
  if (!in.gppd.empty())
    text +=
        "Global Energy Observatory, Google, KTH Royal Institute of Technology in Stockholm, Enipedia, World "
        "Resources Institute: Global Power Plant Database. Creative Commons Attribution 4.0 International "
        "(CC BY 4.0). Changed: a country's plants, or their generation summed into carbon intensities.\n";
  if (!in.counties.empty()) text += "U.S. Census Bureau, Gazetteer Files. Public domain.\n";
  if (!in.population.empty()) text += "U.S. Census Bureau, Population Estimates. Public domain.\n";
  if (!in.cities.empty())
    text +=
        "GeoNames (www.geonames.org), Creative Commons Attribution 4.0 International (CC BY 4.0). Changed: "
        "only large places are kept.\n";
  if (!in.interfaces.empty() || !in.dc_interfaces.empty())
    text +=
        "NREL Regional Energy Deployment System (ReEDS), interfaces of counties (lines.csv and the sums in "
        "substations.csv):\n\n" +
        std::string(kReedsLicence);
  return text;
}

std::string file_list(const Journal& journal) {
  std::string text;
  for (const ReadFile& file : journal.files()) {
    text += fmt::format("{}: {} bytes, file of {}, FNV-1a {}, {} rows\n",
                        std::filesystem::path(file.path).filename().string(), file.bytes, file.date,
                        file.hash, file.rows);
    if (!file.title.empty()) text += "  " + file.title + "\n";
    std::string ignored;
    for (const std::string& column : file.ignored) ignored += (ignored.empty() ? "" : "; ") + column;
    if (!ignored.empty()) text += "  columns not used: " + ignored + "\n";
  }
  return text;
}

std::string what_was_computed(const GridTables& grid, const GridImportInput& in) {
  std::string text;
  if (!in.eia860_generators.empty()) {
    text += "plants.csv counts generators of status";
    for (const std::string& status : in.statuses) text += " " + status;
    text += " (net summer capacity)\n";
  }
  if (!grid.demand_source.empty())
    text += "paper_available_mw is max NG - max D, not below 0, computed from " + grid.demand_source +
            " after cleaning; available_power.csv has it with the two other figures\n";
  if (grid.co2_year)
    text += fmt::format(
        "co2_kg_per_mwh is of generation in {}: coal 2.31, gas 0.96, petroleum 2.38 lb/kWh (EIA FAQ "
        "74), all else 0\n",
        *grid.co2_year);
  return text;
}

}  // namespace

std::string sources_text(const GridTables& grid, const GridImportInput& input, const Journal& journal) {
  return std::string(kSourcesTitle) + "\nKeep this notice beside the data.\n\nFiles read\n\n" +
         file_list(journal) +
         "\nWhat was computed (docs/grid-data.md; estimates and rows left out: IMPORT_LOG.txt)\n\n" +
         what_was_computed(grid, input) + "\nAttribution\n\n" + eia_notices(grid, input, journal) +
         other_notices(input);
}

}  // namespace trainyard::grid_import
