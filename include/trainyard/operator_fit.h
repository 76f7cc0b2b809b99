// Fits the constants of measured operators on a table and writes them as a catalog file.
//
// First the closed form by least squares of ln(predicted / measured) on at most 3,000 rows, with the soft-l1
// loss and its priors; then, on all rows, the correction at the tables' knots by ridge regression that keeps
// second differences small, with the same loss; last, for experts, cells that lie aside as a whole. Every fit
// is done twice: without a fifth of the shapes, to report the error on that fifth, and on all rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/catalog_records.h"
#include "trainyard/operator_validation.h"

namespace trainyard {

struct Catalog;

/// The entry that a fit makes, with its errors.
struct OperatorFit {
  std::string key;
  OperatorConstants entry;
  std::string version;
  OperatorErrors fitted_large, fitted_small;      // on the shapes that took part
  OperatorErrors held_out_large, held_out_small;  // on a fifth, by constants that never saw it
};

/// Extra time of sustained loads, found on one system.
struct SustainedFit {
  std::string system;
  double slowdown = 0;
  std::size_t rows = 0;
};

struct OperatorFits {
  std::vector<OperatorFit> operators;
  std::vector<SustainedFit> sustained;
  /// What was left out.
  struct Few {
    OperatorKey key;
    std::size_t rows = 0;
    std::size_t needed = 0;
  };
  std::vector<Few> too_few;
};

/// Fits of every operator of the tables, bursts and balanced experts alone: the backend and version with most
/// rows, and kernels of other backends by their names. Throws InputError when a system lacks its rates.
OperatorFits fit_operators(const OperatorTable& table, const Catalog& catalog);

/// The fits as a catalog file; `source` says where the times come from.
std::string operator_tables(const OperatorFits& fits, const std::string& source);

/// For the systems whose accelerators have no constants, a set under the accelerator's key that takes the
/// fitted operators, so that plans of it do.
std::string own_calibrations(const OperatorFits& fits, const Catalog& catalog, const std::string& source);

}  // namespace trainyard
