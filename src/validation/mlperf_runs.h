// A table of MLPerf Training results, one row for each system and benchmark, as rows of measured runs.
//
// Its columns are those of the table that docs/validation.md describes; what a benchmark trains follows from
// its name alone.
#pragma once

#include <string>
#include <vector>

#include "trainyard/errors.h"
#include "validation/run_columns.h"

namespace trainyard {

struct Catalog;

/// What a benchmark trains.
struct MlperfBenchmark {
  std::string_view name;
  std::string_view base_model;  // of the catalog
  std::string_view gated_ffn;   // as cells of measured runs
  std::string_view adapter;
  std::string_view dropout;           // blank: as the base model
  std::string_view etp;               // blank: as tp
  std::string_view context_exchange;  // of NVIDIA's images since autumn 2024; blank: as the software does
};
const std::vector<MlperfBenchmark>& mlperf_benchmarks();

/// The header has the columns that only such a table has.
bool is_mlperf_table(const std::vector<std::string>& header);

/// A cell that names nothing known, for which no other stands.
struct UnknownWord {
  std::string column;  // of measured runs
  std::string cell;
  std::vector<std::string> allowed;
};

struct MlperfRow {
  std::vector<std::string> cells;  // under MlperfTable::header
  std::vector<Location> places;    // of the cells that they are from; line 0: from none
  std::vector<std::string> names;  // of these cells' columns
  Location where;
  std::vector<std::string> assumed;
  std::vector<UnknownWord> unknown;
};
struct MlperfTable {
  std::vector<std::string> header;  // columns of measured runs
  std::vector<MlperfRow> rows;
};

/// Every row in the columns of measured runs. The id is round/submitter/system/benchmark; rows whose time
/// includes evaluation (step_quality C) are left out of errors.
MlperfTable from_mlperf(RunTable table, const Catalog& catalog);

}  // namespace trainyard
