#include "report/validation.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/files.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/loading.h"
#include "step/calibration_fit.h"
#include "step/run_columns.h"
#include "step/run_names.h"

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

/// The rows of a published table that are no runs: how many, and the first of them.
void warn_of_skipped(const std::vector<Finding>& skipped) {
  constexpr std::size_t kShown = 10;
  if (skipped.empty()) return;
  std::set<int> rows;
  for (const Finding& finding : skipped) rows.insert(finding.where.line);
  std::fprintf(stderr, "warning: rows that cannot be read are skipped: %zu; findings:\n", rows.size());
  for (std::size_t i = 0; i < std::min(kShown, skipped.size()); ++i) {
    const Finding& finding = skipped[i];
    std::fprintf(stderr, "  line %d: %s%s%s\n", finding.where.line, finding.message.c_str(),
                 finding.help.empty() ? "" : "; ", finding.help.c_str());
  }
}

RunFile runs_of(const ValidateOptions& options, const Catalog& catalog) {
  if (options.runs.empty()) return {shipped_runs(catalog), {}};
  return read_run_file(read_file(options.runs), options.runs, catalog);
}

}  // namespace

std::string run_validation(const ValidateOptions& options) {
  if (options.columns) return run_columns_text() + "\n" + framework_spellings_text();
  const Catalog catalog = catalog_of(options);
  const RunFile file = runs_of(options, catalog);
  warn_of_skipped(file.skipped);
  if (options.fit) return calibration_tables(fitted_catalog(catalog, file.runs, ""));
  if (!options.svg.empty()) check_writable(options.svg);
  const Validation validation = validate_runs(file.runs, catalog);
  warn_of_assumptions(file.runs);
  if (!options.svg.empty()) write_announced("chart", options.svg, chart_svg(validation_chart(validation)));
  if (options.format == Format::csv) return validation_csv(validation);
  if (options.format == Format::text) return validation_text(validation);
  return validation_json(validation, {program_version(), "", "", catalog.version});
}

}  // namespace trainyard
