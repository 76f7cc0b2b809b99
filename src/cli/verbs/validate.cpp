// validate: measured runs and operators beside our predictions.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "cli/loading.h"
#include "cli/screen.h"
#include "cli/table_format.h"
#include "cli/verb.h"
#include "trainyard/calibration_fit.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/library_validation.h"
#include "trainyard/mapping_gap.h"
#include "trainyard/measured_runs.h"
#include "trainyard/nearest.h"
#include "trainyard/operator_fit.h"
#include "trainyard/provenance.h"
#include "trainyard/quantity_text.h"
#include "trainyard/report/chart.h"
#include "trainyard/report/library_collectives.h"
#include "trainyard/report/validation.h"
#include "trainyard/run_explanation.h"
#include "trainyard/validation.h"

namespace trainyard {
namespace {

struct ValidateOptions {
  std::vector<std::string> runs;         // --runs FILE.csv; none: the shipped ones
  std::vector<std::string> operators;    // --operators FILE; none: runs
  std::vector<std::string> collectives;  // --collectives FILE
  std::string svg;                       // --svg FILE
  std::string report;                    // --report FILE
  bool fit = false;                      // --fit
  bool from_operators = false;           // --from-operators: fits start from operators alone
  bool columns = false;                  // --columns
  bool mappings = false;                 // --mappings
  std::string scenario;                  // --scenario ID
  std::string explain;                   // --explain ID
  std::vector<std::string> catalog_folders;
  Format format = Format::text;
};

void declare_runs(Flags& flags, ValidateOptions& options) {
  const Flag runs =
      flags
          .option("--runs", options.runs,
                  "runs of your own, a CSV file (plain or gzip) as data/measured_runs.csv, a table of MLPerf "
                  "Training results or a scenario (.toml) with [measurement]; more than once: "
                  "all of them")
          .reads()
          .repeatable();
  const Flag columns =
      flags.flag("--columns", options.columns,
                 "print the columns of such a file, what blanks stand for, and the spellings of programs");
  const Flag fit = flags
                       .flag("--fit", options.fit,
                             "fit the constants of the compute model on these runs or operators and print "
                             "them as catalog tables")
                       .prints_file();
  const Flag from_operators =
      flags
          .flag("--from-operators", options.from_operators,
                "start the fit from what operators alone reach (<key>-operators) in place of <key>-prior")
          .needs(fit);
  const Flag operators = flags
                             .option("--operators", options.operators,
                                     "measured times of operators in place of runs: a table (CSV, plain or "
                                     "gzip) of matrix products, "
                                     "attention, experts or collectives, or the text of nccl-tests")
                             .reads()
                             .repeatable()
                             .excludes(runs)
                             .excludes(from_operators);
  const Flag collectives =
      flags
          .option(
              "--collectives", options.collectives,
              "measured collectives in place of runs, such a table or text: medians by operation and size of "
              "the steps that NCCL makes in an NVLink domain, in closed form and simulated")
          .reads()
          .repeatable()
          .excludes(runs)
          .excludes(operators)
          .excludes(from_operators);
  const Flag one =
      flags.option("--scenario", options.scenario, "print the run of this id as a scenario").prints_file();
  const Flag explained =
      flags.option("--explain", options.explain,
                   "what the prediction of this run is made of, and which settings come nearer to it");
  const Flag chart =
      flags.option("--svg", options.svg, "draw predicted against measured step times").writes();
  const Flag report =
      flags.option("--report", options.report, "write a self-contained HTML report of the runs").writes();
  const Flag mappings = flags.flag(
      "--mappings", options.mappings,
      "beside each run's mapping the fastest of all that keep its batch, devices, precision and program");
  // Each is an answer of its own kind.
  columns.excludes({runs, fit, operators, collectives, one, explained, chart, report, mappings});
  mappings.excludes({fit, operators, collectives, one, explained, chart, report});
  one.excludes({fit, operators, collectives, explained, chart, report});
  explained.excludes({fit, operators, collectives, chart, report});
  chart.excludes({fit, operators, collectives});
  report.excludes({fit, operators, collectives});
}

void declare_validate(Flags& flags, ValidateOptions& options) {
  declare_runs(flags, options);
  flags.catalog_folders(options.catalog_folders, "folder of catalog files of your own");
  flags.formats(options.format);
}

/// Facts and the rows that share them, in the order of the rows.
class RowFacts {
 public:
  void add(const std::string& fact, const std::string& id) {
    std::vector<std::string>& ids = rows_[fact];
    if (ids.empty()) facts_.push_back(fact);
    ids.push_back(id);
  }

  /// One line a fact, however many rows share it: a published table has the same gaps in most of them.
  void warn(std::string_view of, std::size_t rows) const {
    constexpr std::size_t kShown = 3;
    for (const std::string& fact : facts_) {
      const std::vector<std::string>& ids = rows_.at(fact);
      std::string named;
      for (std::size_t i = 0; i < std::min(kShown, ids.size()); ++i)
        named += (i == 0 ? "'" : ", '") + ids[i] + "'";
      if (ids.size() > kShown) named += fmt::format(", ... ({} of {} rows)", ids.size(), rows);
      remark(fmt::format("warning: {}{}: {}\n", of, fact, named));
    }
  }

 private:
  std::vector<std::string> facts_;
  std::map<std::string, std::vector<std::string>> rows_;
};

void warn_of_assumptions(const std::vector<MeasuredRun>& runs) {
  RowFacts facts;
  for (const MeasuredRun& run : runs) {
    for (const std::string& fact : run.assumed) facts.add(fact, run.id);
  }
  facts.warn("assumed ", runs.size());
}

/// What rows say and no prediction depends on, and steps that no timeline takes.
void warn_of_predictions(const Validation& validation) {
  RowFacts facts;
  for (const ValidatedRun& v : validation.runs) {
    for (const std::string& warning : v.warnings) facts.add(warning, v.run.id);
    if (!v.why_no_step.empty()) facts.add("no timeline: " + v.why_no_step, v.run.id);
  }
  facts.warn("", validation.runs.size());
}

/// The rows of a published table that are no runs: how many, and the first of them.
void warn_of_skipped(const std::vector<Finding>& skipped) {
  constexpr std::size_t kShown = 10;
  if (skipped.empty()) return;
  std::set<int> rows;
  for (const Finding& finding : skipped) rows.insert(finding.where.line);
  remark(fmt::format("warning: rows that cannot be read are skipped: {}; findings:\n", rows.size()));
  for (std::size_t i = 0; i < std::min(kShown, skipped.size()); ++i) {
    const Finding& finding = skipped[i];
    remark(fmt::format("  line {}, column {}: {}{}{}\n", finding.where.line, finding.where.column,
                       finding.message, finding.help.empty() ? "" : "; ", finding.help));
  }
}

/// Nobody is told to leave out what he measured besides.
void warn_of_unread(const OperatorTable& table) {
  for (const Finding& column : table.unread) {
    const std::string& name = column.where.source->name;
    remark(fmt::format("warning: {}:{}:{}: {}: passed over\n", name, column.where.line, column.where.column,
                       column.message));
  }
}

/// What is a file of its own kind in every format.
void check_text(const ValidateOptions& options, const char* flag, const char* what) {
  if (options.format != Format::text)
    fail_input(whole(flag), std::string("prints ") + what + ", not JSON or CSV", "without --json and --csv");
}

std::string columns_of_runs(Format format) {
  if (format == Format::csv) fail_input(whole("--columns"), "has no CSV", "the text, or --json");
  if (format == Format::json) return run_columns_json();
  return run_columns_text();
}

std::string explanation(const MeasuredRun& run, const Catalog& catalog, Format format) {
  if (format == Format::csv) fail_input(whole("--explain"), "has no CSV", "the text, or --json");
  const RunExplanation e = explain_run(run, catalog);
  return format == Format::text ? explanation_text(e)
                                : explanation_json(e, {program_version(), "", "", catalog.version()});
}

std::string mappings_of(const std::vector<MeasuredRun>& runs, const Catalog& catalog, Format format) {
  warn_of_assumptions(runs);
  const MappingGaps gaps = mapping_gaps(runs, catalog);
  if (format == Format::csv) return mapping_gaps_csv(gaps);
  if (format == Format::text) return mapping_gaps_text(gaps);
  return mapping_gaps_json(gaps, {program_version(), "", "", catalog.version()});
}

/// The files' names, without folders.
std::string names_of(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths)
    out += (out.empty() ? "" : ", ") + std::filesystem::path(path).filename().string();
  return out;
}

std::string operators_source(const std::vector<std::string>& paths) { return "fitted on " + names_of(paths); }

/// Where fitted constants come from.
std::string runs_source(const std::vector<std::string>& paths) {
  return paths.empty() ? "the runs of data/measured_runs.csv" : names_of(paths);
}

/// Of runs that happened what is probable, of others what may be.
void warn_of_memory(const Validation& validation) {
  for (const ValidatedRun& v : validation.runs) {
    if (!v.memory_doubt.empty() && (!v.fits.value_or(true) || !v.run.value))
      remark(fmt::format("warning: run '{}': {}\n", v.run.id, v.memory_doubt));
  }
}

std::string run_operators(const ValidateOptions& options, const Catalog& catalog) {
  const OperatorTable table = read_operator_tables(options.operators, catalog);
  warn_of_unread(table);
  if (options.fit) {
    const OperatorFits fits = fit_operators(table, catalog);
    for (const OperatorFits::Few& few : fits.too_few) {
      remark(fmt::format("warning: too few rows to fit of {} in {} on '{}': {} of {}\n", few.key.operation,
                         few.key.dtype, few.key.system, few.rows, few.needed));
    }
    const std::string source = operators_source(options.operators);
    return operator_tables(fits, source) + own_calibrations(fits, catalog, source);
  }
  const OperatorValidation validation = validate_operators(table, catalog);
  for (const OperatorValidation::Unknown& u : validation.unknown) {
    remark(fmt::format("warning: no constants of {} in {} on '{}': rows not judged: {}; {}\n",
                       u.key.operation, u.key.dtype, u.key.system, u.rows, how_to_fit(u.key, catalog)));
  }
  if (options.format == Format::csv) return operators_csv(validation);
  if (options.format == Format::text) return operators_text(validation);
  return operators_json(validation, {program_version(), "", "", catalog.version()});
}

std::string run_collectives(const ValidateOptions& options, const Catalog& catalog) {
  const OperatorTable table = read_operator_tables(options.collectives, catalog);
  warn_of_unread(table);
  if (options.fit) return fitted_library_tables(table, catalog, names_of(options.collectives));
  const LibraryValidation validation = validate_library(table, catalog);
  for (const LibraryValidation::Unknown& u : validation.unknown) {
    remark(
        fmt::format("warning: no steps of {} on '{}': rows not judged: {}\n", u.operation, u.system, u.rows));
  }
  return in_format(library_validation_table(validation), options.format);
}

std::string run_validation(const ValidateOptions& options) {
  if (options.columns) return columns_of_runs(options.format);
  if (options.fit) check_text(options, "--fit", "a catalog file (TOML)");
  if (!options.scenario.empty()) check_text(options, "--scenario", "a scenario (TOML)");
  const Catalog catalog = catalog_with(options.catalog_folders);
  if (!options.operators.empty()) return run_operators(options, catalog);
  if (!options.collectives.empty()) return run_collectives(options, catalog);
  const RunFile file = read_runs(options.runs, catalog);
  warn_of_skipped(file.skipped);
  if (options.fit) {
    const std::string start = options.from_operators ? kOperatorsSuffix : kPriorSuffix;
    if (!options.runs.empty()) return fitted_on_runs(catalog, file.runs, runs_source(options.runs), start);
    return calibration_tables(fitted_catalog(catalog, file.runs, {}, start), runs_source(options.runs),
                              start);
  }
  if (!options.scenario.empty())
    return scenario_text_of(run_of_id(file.runs, options.scenario, "--scenario"), catalog);
  if (!options.explain.empty())
    return explanation(run_of_id(file.runs, options.explain, "--explain"), catalog, options.format);
  if (options.mappings) return mappings_of(file.runs, catalog, options.format);
  for (const std::string& written : {options.svg, options.report})
    if (!written.empty()) check_writable(written);
  const Validation validation = validate_runs(file.runs, catalog);
  warn_of_assumptions(file.runs);
  warn_of_predictions(validation);
  warn_of_memory(validation);
  if (!options.svg.empty()) write_announced("chart", options.svg, chart_svg(validation_chart(validation)));
  const Provenance provenance = {program_version(), "", "", catalog.version()};
  if (!options.report.empty())
    write_announced("report", options.report, validation_page(validation, provenance));
  if (options.format == Format::csv) return validation_csv(validation);
  if (options.format == Format::text) return validation_text(validation);
  return validation_json(validation, provenance);
}

}  // namespace

Verb validate_verb() {
  return make_verb("validate", "measured training runs beside our predictions", declare_validate,
                   run_validation);
}

}  // namespace trainyard
