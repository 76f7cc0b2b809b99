// The mappings of measured runs beside the best that the program finds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/measured_runs.h"
#include "trainyard/plan/step.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// One run: its own mapping and the best one with batch, devices, precision and training program held; of
/// runs whose reported rate counts recomputed work, recomputation too.
struct MappingGap {
  MeasuredRun run;
  std::string refused;  // why nothing is predicted; "" as a rule
  MappingInput own;     // the run's mapping
  Seconds submitted;    // its predicted step, closed form
  bool submitted_fits = true;
  Interval interval;  // of predicted steps
  Seconds best;       // of the best mapping, the run's among them
  MappingInput mapping;
  std::uint64_t tried = 0;
  std::uint64_t fitting = 0;

  /// By how much the run's mapping is slower, in percent.
  double gap_pct() const { return (submitted / best - 1) * 100; }
  /// Whether that is more than the prediction can tell: both steps by the same program on the same devices.
  bool beyond_error_bar() const { return submitted * interval.low > best; }
};

struct MappingGaps {
  std::vector<MappingGap> runs;
  std::size_t compared = 0;
  double median_gap_pct = 0;
  std::size_t within_5_pct = 0;
};

/// Searches every mapping of each run (search/batch_mappings.h) and compares.
MappingGaps mapping_gaps(const std::vector<MeasuredRun>& runs, const Catalog& catalog);

}  // namespace trainyard
