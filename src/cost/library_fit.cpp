// Fits the constants of a library's collectives: least squares of ln(predicted / measured), soft-l1 loss, on
// four fifths of the shapes, every version and format of a system and operation together.
#include <fmt/core.h>

#include <cmath>
#include <map>
#include <set>

#include "cost/least_squares.h"
#include "cost/library_steps.h"
#include "cost/operator_series_fit.h"
#include "trainyard/errors.h"
#include "trainyard/operator_validation.h"

namespace trainyard {
namespace {

constexpr double kRowSpread = 0.03;      // of ln(time), within which rows agree
constexpr double kConstantSpread = 1.5;  // of the logarithm of a constant
constexpr double kPercent = 100;
constexpr std::size_t kLeastFittedRows = 12;
constexpr LeastSquaresLimits kFitLimits = {.most_steps = 200, .enough = 1e-7};

struct TimedCall {
  LibraryCall call;
  LibraryRun run;  // as chosen, without times
  double measured_us;
};

struct CollectiveRows {
  LibraryFacts facts;  // of the last version: what times depend on is of the system
  std::vector<TimedCall> fitted, held_out;
};

double predicted_us(const TimedCall& row, const LibraryFacts& facts, const std::vector<double>& constants) {
  LibraryRun run = row.run;
  time_run(run, facts, row.call, constants);
  return run.time_us();
}

CollectiveRows rows_of(const OperatorTable& table, const Catalog& catalog, const std::string& system,
                       const std::string& operation) {
  CollectiveRows out;
  for (const OperatorSeries& s : table.series) {
    if (s.key.system != system || s.key.operation != operation || !s.key.kernel.empty()) continue;
    out.facts = library_facts(catalog, system, s.version);
    for (const OperatorRow& row : s.rows) {
      const LibraryCall call = library_call(s, row);
      check_call(catalog, call);
      auto& part = is_library_held_out(operation, row.shape) ? out.held_out : out.fitted;
      part.push_back({call, tuned_run(out.facts, call), row.time_us});
    }
  }
  return out;
}

std::vector<double> fitted_constants(const CollectiveRows& rows, const std::string& operation) {
  const std::vector<StepConstant>& table = step_constants(operation);
  const auto at = [&](const std::vector<double>& moves) {
    std::vector<double> out;
    for (std::size_t i = 0; i < table.size(); ++i) out.push_back(table[i].prior * std::exp(moves[i]));
    return out;
  };
  const auto residuals = [&](const std::vector<double>& moves, std::vector<double>& out) {
    const std::vector<double> constants = at(moves);
    out.clear();
    for (const TimedCall& row : rows.fitted)
      out.push_back(std::log(predicted_us(row, rows.facts, constants) / row.measured_us) / kRowSpread);
    for (const double move : moves) out.push_back(move / kConstantSpread);
  };
  return at(least_squares(residuals, std::vector<double>(table.size(), 0), kFitLimits).parameters);
}

OperatorErrors errors_of_rows(const std::vector<TimedCall>& part, const LibraryFacts& facts,
                              const std::vector<double>& constants) {
  std::vector<double> errors;
  for (const TimedCall& row : part)
    errors.push_back(std::abs(predicted_us(row, facts, constants) / row.measured_us - 1) * kPercent);
  return operator_errors(std::move(errors));
}

/// Of the constants that a row depends on.
std::set<std::size_t> seen_constants(const CollectiveRows& rows, const std::string& operation) {
  std::set<std::size_t> out;
  for (const TimedCall& row : rows.fitted) {
    for (const std::size_t i : constants_needed(operation, row.run.algorithm, row.run.protocol)) {
      const std::string_view name = step_constants(operation)[i].name;
      if (name.ends_with("narrow") && !(row.call.element_bytes < 2)) continue;
      out.insert(i);
    }
  }
  return out;
}

std::string fitted_entry(const CollectiveRows& rows, const std::string& system, const std::string& operation,
                         const std::string& source) {
  const std::vector<double> constants = fitted_constants(rows, operation);
  const OperatorErrors fitted = errors_of_rows(rows.fitted, rows.facts, constants);
  const OperatorErrors held = errors_of_rows(rows.held_out, rows.facts, constants);
  std::string numbers;
  for (const std::size_t i : seen_constants(rows, operation))
    numbers += fmt::format("{}{} = {:.4g}", numbers.empty() ? "" : ", ", step_constants(operation)[i].name,
                           constants[i]);
  return fmt::format(
      "# median / 90th percentile: fitted {:.1f}% / {:.1f}% of {}; held out {:.1f}% / {:.1f}% of {}\n"
      "[operators.{}]\nsystem = {}\noperation = \"{}\"\nkernel = \"steps\"\n"
      "source = {}\nconstants = {{ {} }}\n\n",
      fitted.median_pct, fitted.p90_pct, fitted.count, held.median_pct, held.p90_pct, held.count,
      toml_key(system + "-" + operation + "-steps"), toml_text(system), operation, toml_text(source),
      numbers);
}

}  // namespace

bool is_library_held_out(const std::string& operation, const ShapeValues& shape) {
  ShapeValues salted = shape;
  for (const char c : operation) salted[2] = salted[2] * 31 + c;  // another fifth for each operation
  return is_held_out(salted);
}

std::string fitted_library_tables(const OperatorTable& table, const Catalog& catalog,
                                  const std::string& source) {
  std::set<std::pair<std::string, std::string>> wanted;
  for (const OperatorSeries& s : table.series) {
    if (s.key.kernel.empty() && has_library_facts(catalog, s.key.system))
      wanted.insert({s.key.system, s.key.operation});
  }
  std::string out;
  for (const auto& [system, operation] : wanted) {
    const CollectiveRows rows = rows_of(table, catalog, system, operation);
    if (rows.fitted.size() >= kLeastFittedRows) out += fitted_entry(rows, system, operation, source);
  }
  if (out.empty())
    fail_input(
        whole("--collectives"),
        fmt::format("no collective of a system with facts has {} rows", kLeastFittedRows),
        "more sizes; facts are entries of operation \"tuner\" of the catalog's operators, kernel \"steps\"");
  return out;
}

}  // namespace trainyard
