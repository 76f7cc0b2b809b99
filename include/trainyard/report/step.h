// A simulated step as text, JSON, CSV, a trace and a page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct Plan;
struct StepSimulation;

/// `processor` is what building and executing took; 0: not shown.
std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor);

std::string step_json(const StepSimulation& step, const Plan& plan);

/// One line a stage and class of replicas.
std::string step_csv(const StepSimulation& step);

/// The part of a step that a trace shows: operations that run between two moments.
struct TraceWindow {
  Seconds from{0};
  std::optional<Seconds> length;  // absent: as far as kUsualTraceOperations reach
};

/// Some 40 MB, which a browser opens in seconds.
constexpr std::size_t kUsualTraceOperations = 150000;

/// To the end of any step.
constexpr Seconds kWholeStep{1e300};

struct StepTrace {
  std::string json;
  std::string shown;  // "150,000 of 719,213 operations: those that run between 0 s and 12.3 s of 98.2 s"
  bool whole = true;
};

/// Trace events of Chrome's format, which Perfetto opens: a process for each stage and class of replicas, a
/// thread for each stream, an arrow for each transfer from stage to stage, counters of memory and of what is
/// busy. Throws InputError for a window outside the step.
StepTrace step_trace(const StepSimulation& step, const TraceWindow& window = {});

/// The self-contained HTML report.
std::string step_page(const StepSimulation& step, const Plan& plan);

}  // namespace trainyard
