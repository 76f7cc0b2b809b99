// import-grid: public power-grid data into a grid folder.
#include <cstdio>
#include <stdexcept>

#include "cli/originals.h"
#include "cli/verb.h"
#include "trainyard/facility.h"
#include "trainyard/grid.h"
#include "trainyard/grid_import.h"
#include "trainyard/printable.h"
#include "trainyard/report/grid_import.h"
#include "trainyard/report/siting.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"
#include "trainyard/site.h"
#include "trainyard/siting.h"

namespace trainyard {
namespace {

struct GridImportOptions {
  std::string folder;
  std::string downloads;  // --from DIR
  GridImportInput originals;
  bool replace = false;
  Format format = Format::text;
};

void declare_generators(Flags& flags, GridImportInput& in) {
  flags.option("--eia860-plants", in.eia860_plants, "EIA-860 schedule 2, .xlsx or .csv");
  flags.option("--eia860-generators", in.eia860_generators,
               "EIA-860 schedule 3_1, sheet Operable, .xlsx or .csv");
  flags.option("--energy-atlas", in.energy_atlas,
               "EIA US Energy Atlas, Power Plants, .csv, in place of the generators");
  // What these three are about may be found by --from: join.cpp refuses them where it is missing.
  flags.option("--eia930", in.eia930, "EIA930_BALANCE_*.csv (repeatable)").repeatable();
  flags.option("--window", in.window, "days of EIA-930 to use, UTC, such as 2022-10-08/2024-10-07");
  flags.flag("--adjusted", in.adjusted, "EIA-930's adjusted columns in place of the reported ones");
  flags.option("--gppd", in.gppd,
               "Global Power Plant Database, .csv: carbon intensities; alone: plants of a country");
  flags.option("--country", in.country, "the country of --gppd, three letters (USA)");
}

void declare_places(Flags& flags, GridImportInput& in) {
  flags.option("--interfaces", in.interfaces, "ReEDS AC interfaces of counties, .csv");
  flags.option("--dc-interfaces", in.dc_interfaces, "ReEDS DC interfaces of counties, .csv");
  flags.option("--counties", in.counties, "Census Gazetteer of counties");
  flags.option("--population", in.population, "Census population estimates of counties, .csv");
  flags.option("--prices", in.prices, "EIA average price by state, .xlsx or .csv");
  flags.option("--cities", in.cities, "GeoNames cities15000.txt");
}

void declare_import_grid(Flags& flags, GridImportOptions& options) {
  GridImportInput& in = options.originals;
  flags.option("folder", options.folder, "folder to write").required().makes_folder();
  flags
      .option("--from", options.downloads,
              "folder of downloads: what no flag names is found in it by its publisher's name")
      .called("DIR");
  declare_generators(flags, in);
  declare_places(flags, in);
  flags.option("--status", in.statuses, "statuses of generators that count (OP,SB,OA)").list();
  flags.flag("--skip-bad-rows", in.skip_bad_rows, "leave out rows with errors, and list them");
  flags.flag("--replace", options.replace, "replace a folder that an import wrote");
  flags.formats(options.format);
}

/// What the grid says of the paper's datacenter, and how to ask the rest. The import is done whatever it
/// says.
std::string first_answer(const std::string& folder) {
  const std::string next = "\nWhat next:\n  trainyard site hotnets24-dense --grid " + folder + "\n";
  try {
    Scenario scenario = ScenarioText::load("hotnets24-dense").resolve();
    scenario.site.grid = folder;
    return siting_summary(plan_sites(scenario, plan_facility(scenario), grid_of(scenario.site))) + next;
  } catch (const std::runtime_error&) {
    return "This grid gives no first answer; `site` says why." + next;
  }
}

std::string run_grid_import(const GridImportOptions& options) {
  GridImportInput originals = options.originals;
  if (!options.downloads.empty()) {
    std::fputs(printable(find_originals(options.downloads, originals)).c_str(), stderr);
    check_plants(options.downloads, originals);
  }
  const GridImport grid = import_grid(originals);
  write_grid_folder(options.folder, grid, options.replace);
  if (options.format == Format::json) return grid_import_json(options.folder, grid);
  if (options.format == Format::csv) return grid_import_csv(grid);
  return grid_import_text(options.folder, grid) + "\n" + first_answer(options.folder);
}

}  // namespace

Verb import_grid_verb() {
  return make_verb("import-grid", "make a grid folder for `site` from public data that you downloaded",
                   declare_import_grid, run_grid_import);
}

}  // namespace trainyard
