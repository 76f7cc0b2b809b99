// Measured operators beside their predictions: errors by system, operation and format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "trainyard/operator_table.h"

namespace trainyard {

struct Catalog;

/// Shapes of so many rows and more are large ones; smaller ones are mostly launches.
constexpr double kLargeRows = 256;

/// Absolute errors of predicted over measured times, percent.
struct OperatorErrors {
  std::size_t count = 0;
  double median_pct = 0;
  double p90_pct = 0;
};
OperatorErrors operator_errors(std::vector<double> errors_pct);

/// Rows that are judged together.
struct JudgedOperators {
  OperatorKey key;
  std::string backend;
  std::string version;
  std::string distribution;
  bool sustained = false;
  OperatorErrors all;
  OperatorErrors large;
  OperatorErrors small;
};

struct OperatorValidation {
  /// One for each system, operation and format: bursts of the backend that the constants were fitted on,
  /// experts balanced; where a table has none of these, what it has.
  std::vector<JudgedOperators> headline;
  /// Every series of the tables, by backend, version, kernel, cache format and distribution.
  std::vector<JudgedOperators> series;
  /// Series without constants: key and rows.
  struct Unknown {
    OperatorKey key;
    std::size_t rows = 0;
  };
  std::vector<Unknown> unknown;
};

/// Predicts every row. Throws InputError when the catalog has constants for none of the series.
OperatorValidation validate_operators(const OperatorTable& table, const Catalog& catalog);

/// What a user writes for an operator that has no constants.
std::string how_to_fit(const OperatorKey& key, const Catalog& catalog);

}  // namespace trainyard
