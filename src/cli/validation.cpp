#include "report/validation.h"

#include <cstdio>
#include <filesystem>

#include "base/files.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "cost/operator_fit.h"
#include "report/operators.h"
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

/// Where fitted constants come from: the files' names, without folders.
std::string operators_source(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths)
    out += (out.empty() ? "fitted on " : ", ") + std::filesystem::path(path).filename().string();
  return out;
}

OperatorTable operators_of(const ValidateOptions& options, const Catalog& catalog) {
  OperatorTable out;
  for (const std::string& path : options.operators) {
    OperatorTable table = read_operator_table(read_file(path), path, catalog);
    for (OperatorSeries& series : table.series) out.series.push_back(std::move(series));
  }
  return out;
}

std::string run_operators(const ValidateOptions& options, const Catalog& catalog) {
  const OperatorTable table = operators_of(options, catalog);
  if (options.fit) return operator_tables(fit_operators(table, catalog), operators_source(options.operators));
  const OperatorValidation validation = validate_operators(table, catalog);
  for (const OperatorValidation::Unknown& u : validation.unknown) {
    std::fprintf(stderr, "warning: no constants of %s in %s on '%s': %zu rows are not judged; %s\n",
                 u.key.operation.c_str(), u.key.dtype.c_str(), u.key.system.c_str(), u.rows,
                 how_to_fit(u.key, catalog).c_str());
  }
  if (options.format == Format::csv) return operators_csv(validation);
  if (options.format == Format::text) return operators_text(validation);
  return operators_json(validation, {program_version(), "", "", catalog.version});
}

}  // namespace

std::string run_validation(const ValidateOptions& options) {
  const Catalog catalog = catalog_of(options);
  if (!options.operators.empty()) return run_operators(options, catalog);
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
