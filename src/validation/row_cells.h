// The parts of a row of measured runs: each reads some columns into the run.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/measured_runs.h"
#include "validation/run_columns.h"

namespace trainyard {

class RunReader;
struct Catalog;

/// A row, and the run that it becomes.
class RowCells {
 public:
  RowCells(RunReader& reader, const Catalog& catalog, RunRow& row, MeasuredRun& run)
      : reader_(reader), row_(row), catalog_(catalog), run_(run) {}

 protected:
  /// A cell, or what a blank stands for.
  std::int64_t whole_or(std::string_view column, WholeRange range, std::int64_t blank) {
    return row_.whole(column, range).value_or(blank);
  }

  void assume(std::string fact) { run_.assumed.push_back(std::move(fact)); }

  RunReader& reader_;
  RunRow& row_;
  const Catalog& catalog_;
  MeasuredRun& run_;
};

/// The model's shape: the catalog's or the usual one, with what the row says of it.
void read_model_cells(const RowCells& cells);
/// Accelerator, precision, HB domain and NIC, and whose constants time it.
void read_device_cells(const RowCells& cells);
/// Groups of devices, batch and pipeline schedule. After the model and the devices.
void read_layout_cells(const RowCells& cells);
/// Kernels, software and adapter. After the model and the devices.
void read_software_cells(const RowCells& cells);
/// What was measured, and what that counts.
void read_measurement_cells(const RowCells& cells);

inline constexpr WholeRange kRunDevices{1, 100'000'000};
inline constexpr WholeRange kRunLayers{1, 100'000};
inline constexpr WholeRange kRunSequences{1, 1'000'000'000};  // of a batch, and tokens of one

}  // namespace trainyard
