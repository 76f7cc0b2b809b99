// Measured collectives beside those of the library's model: medians by operation and size, in closed form and
// simulated on one NVLink domain.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/library_collectives.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// Errors of predicted over measured times.
struct LibraryErrors {
  std::size_t count = 0;
  double median_pct = 0;  // with its sign
  double median_absolute_pct = 0;
};

/// Rows that are judged together; `held_out` are those of shapes that took no part in the fit.
struct LibraryJudgement {
  std::string name;  // of a system; empty: all
  std::string operation;
  double bytes = 0;  // 0: all sizes
  LibraryErrors fitted, held_out, all;
  LibraryErrors simulated_fitted, simulated_held_out, simulated;
};

struct LibraryValidation {
  std::vector<LibraryJudgement> sizes;    // by operation and size
  std::vector<LibraryJudgement> systems;  // by system and operation
  /// Series that the catalog has no steps for: system and operation, with rows.
  struct Unknown {
    std::string system, operation;
    std::size_t rows = 0;
  };
  std::vector<Unknown> unknown;
};

/// The time of a run by flows that wait for each other on one switch with links of the system's rate: each
/// step is a transfer and a delay, what of the step's time is not the transfer. By the flow engine. Throws
/// InputError where the catalog has no scale-up rate of the system.
Seconds simulated_library_time(const Catalog& catalog, const LibraryCall& call, const LibraryRun& run);

/// A way to run a call beside the library's choice.
struct WeighedLibraryRun {
  LibraryRun run;
  Seconds simulated;    // simulated_library_time()
  bool chosen = false;  // by the library's tuner, or by the wish
};

/// All ways that the library's tuner weighs, or the one of a wish. Throws InputError as library_run() and
/// simulated_library_time() do, and for a version that the catalog knows no installation of, for the argument
/// of that name behind `dashes` ("--" of a command line).
std::vector<WeighedLibraryRun> weigh_library_runs(const Catalog& catalog, const LibraryCall& call,
                                                  const LibraryWish& wish, const std::string& dashes);

/// Predicts every row of collectives in closed form and simulated; rows of a framework's own kernels are left
/// out. Throws InputError when the catalog has steps for none.
LibraryValidation validate_library(const OperatorTable& table, const Catalog& catalog);

}  // namespace trainyard
