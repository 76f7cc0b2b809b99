#include "report/validation.h"

#include <cstdio>

#include "base/files.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "step/calibration_fit.h"

namespace trainyard {
namespace {

Catalog catalog_of(const ValidateOptions& options) {
  Catalog catalog = *shipped_catalog();
  for (const std::string& folder : options.catalog_folders) extend_from_folder(catalog, folder);
  return catalog;
}

void warn_of_assumptions(const std::vector<MeasuredRun>& runs) {
  for (const MeasuredRun& run : runs) {
    for (const std::string& fact : run.assumed)
      std::fprintf(stderr, "warning: row '%s': assumed %s\n", run.id.c_str(), fact.c_str());
  }
}

}  // namespace

std::string run_validation(const ValidateOptions& options) {
  const Catalog catalog = catalog_of(options);
  const auto runs = options.runs.empty() ? shipped_runs(catalog)
                                         : read_measured_runs(read_file(options.runs), options.runs, catalog);
  if (options.fit) return calibration_tables(fitted_catalog(catalog, runs, ""));
  if (!options.svg.empty()) check_writable(options.svg);
  const Validation validation = validate_runs(runs, catalog);
  warn_of_assumptions(runs);
  if (!options.svg.empty()) write_announced("chart", options.svg, chart_svg(validation_chart(validation)));
  if (options.format == Format::csv) return validation_csv(validation);
  if (options.format == Format::text) return validation_text(validation);
  return validation_json(validation, {program_version(), "", "", catalog.version});
}

}  // namespace trainyard
