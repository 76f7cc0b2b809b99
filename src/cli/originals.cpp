#include "cli/originals.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <system_error>
#include <vector>

#include "trainyard/errors.h"

namespace trainyard {
namespace {

constexpr int kDeepest = 2;  // folders within the folder
constexpr std::size_t kMostFiles = 100'000;
constexpr const char* kNoYear = "";

struct Original {
  const char* name;     // for people
  const char* pattern;  // of file names in small letters; its first group is the year of the edition
  const char* adds;
  const char* where;
  std::string GridImportInput::*file;
};

const Original kOriginals[] = {
    {"EIA-860 plants", R"(2___plant_y(\d{4}).*\.(?:xlsx|csv))", "plants, authorities, voltages",
     "eia.gov/electricity/data/eia860, 2___Plant_YYYY.xlsx of the year's ZIP",
     &GridImportInput::eia860_plants},
    {"EIA-860 generators", R"(3_1_generator_y(\d{4}).*\.(?:xlsx|csv))", "capacity, fuels, units",
     "the same ZIP, 3_1_Generator_YYYY.xlsx", &GridImportInput::eia860_generators},
    {"EIA Energy Atlas", R"(power_plants()[^/]*\.csv)", "plants in place of EIA-860's generators",
     "atlas.eia.gov, layer Power Plants, as CSV", &GridImportInput::energy_atlas},
    {"GPPD", R"(global_power_plant_database()[^/]*\.csv)", "carbon intensities; alone, plants of a country",
     "repository wri/global-power-plant-database", &GridImportInput::gppd},
    {"ReEDS AC interfaces", R"(transmission_capacity_init_ac_county[^/]*?(\d{4})?\.csv)",
     "lines between counties", "repository NREL/ReEDS-2.0, inputs/transmission",
     &GridImportInput::interfaces},
    {"ReEDS DC interfaces", R"(transmission_capacity_init_nonac_county()[^/]*\.csv)",
     "lines of direct current", "repository NREL/ReEDS-2.0, inputs/transmission",
     &GridImportInput::dc_interfaces},
    {"counties", R"((\d{4})_gaz_counties_national\.txt)", "where counties lie: needed by interfaces",
     "census.gov, Gazetteer Files, Counties", &GridImportInput::counties},
    {"population", R"(co-est(\d{4})-alldata\.csv)", "load at nodes", "census.gov, county population totals",
     &GridImportInput::population},
    {"prices", R"(avgprice_annual()\.(?:xlsx|csv))", "prices of energy by state",
     "eia.gov/electricity/data/state", &GridImportInput::prices},
    {"cities", R"(cities15000()\.txt)", "names of places", "download.geonames.org",
     &GridImportInput::cities}};
constexpr const char* kHours = R"(eia930_balance_(\d{4})_(?:jan_jun|jul_dec)[^/]*\.csv)";

/// Paths by year, the newest last.
using Editions = std::map<std::string, std::vector<std::string>>;

std::vector<std::filesystem::path> files_below(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> files;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  if (error) fail_input(whole(folder), "cannot be read as a folder: " + error.message());
  for (; at != fs::recursive_directory_iterator() && files.size() < kMostFiles; at.increment(error)) {
    if (error) break;
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (at->is_regular_file(error)) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Editions editions_of(const std::vector<std::filesystem::path>& files, const char* pattern) {
  const std::regex wanted(pattern);
  Editions editions;
  for (const auto& file : files) {
    std::string name = file.filename().string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    std::smatch found;
    if (name.size() < 256 && std::regex_match(name, found, wanted))
      editions[found[1]].push_back(file.string());
  }
  return editions;
}

/// A line of what was found. Other editions are named.
std::string found_line(const char* name, const Editions& editions, const std::string& year) {
  std::string others;
  for (const auto& [other, files] : editions) {
    if (other != year) others += (others.empty() ? "" : ", ") + other;
  }
  std::string out = fmt::format("  {:<20} {}", name, editions.at(year).front());
  for (std::size_t i = 1; i < editions.at(year).size(); ++i) out += ", " + editions.at(year)[i];
  if (year != kNoYear)
    out += fmt::format(" (edition {}{})", year, others.empty() ? "" : "; also there: " + others);
  return out + "\n";
}

std::string missing_line(const char* name, const char* adds, const char* where) {
  return fmt::format("  {:<20} missing: {} ({})\n", name, adds, where);
}

/// The newest edition that both have; else the newest of the first.
std::string year_of_plants(const Editions& plants, const Editions& generators) {
  for (auto at = plants.rbegin(); at != plants.rend(); ++at) {
    if (generators.contains(at->first)) return at->first;
  }
  return plants.empty() ? "" : plants.rbegin()->first;
}

/// Hours of the plants' year, else the newest.
std::string take_hours(const std::vector<std::filesystem::path>& files, const std::string& plants_year,
                       GridImportInput& in) {
  if (!in.eia930.empty()) return {};
  const Editions editions = editions_of(files, kHours);
  if (editions.empty())
    return missing_line("EIA-930 hours", "power to spare of authorities", "eia.gov/electricity/gridmonitor");
  const std::string year = editions.contains(plants_year) ? plants_year : editions.rbegin()->first;
  in.eia930 = editions.at(year);
  std::string out = found_line("EIA-930 hours", editions, year);
  if (in.eia930.size() < 2) out += fmt::format("  {:<20} of {} one half alone\n", "", year);
  if (!plants_year.empty() && year != plants_year)
    out += fmt::format("  {:<20} of another year than the plants ({})\n", "", plants_year);
  return out;
}

}  // namespace

std::string find_originals(const std::string& folder, GridImportInput& in) {
  const auto files = files_below(folder);
  const std::string plants_year =
      year_of_plants(editions_of(files, kOriginals[0].pattern), editions_of(files, kOriginals[1].pattern));
  std::string out = folder + ":\n";
  for (const Original& original : kOriginals) {
    std::string& file = in.*original.file;
    if (!file.empty()) continue;  // named by its flag
    const bool has_generators = !in.eia860_generators.empty();
    if (original.file == &GridImportInput::energy_atlas && has_generators) continue;
    const Editions editions = editions_of(files, original.pattern);
    if (editions.empty()) {
      out += missing_line(original.name, original.adds, original.where);
      continue;
    }
    const std::string year = editions.contains(plants_year) ? plants_year : editions.rbegin()->first;
    file = editions.at(year).front();
    out += found_line(original.name, editions, year);
  }
  out += take_hours(files, plants_year, in);
  return out;
}

void check_plants(const std::string& folder, const GridImportInput& in) {
  const bool has_plants = (!in.eia860_plants.empty() && !in.eia860_generators.empty()) ||
                          !in.energy_atlas.empty() || !in.gppd.empty();
  if (!has_plants)
    fail_input(whole(folder), "holds no plants",
               "EIA-860's two tables, the Energy Atlas or the GPPD: docs/grid-data.md");
}

}  // namespace trainyard
