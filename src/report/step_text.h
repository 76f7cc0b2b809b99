// A simulated step: as text, JSON, CSV, a trace for Perfetto and a page.
#pragma once

#include <string>

#include "report/output.h"
#include "step/timeline.h"

namespace trainyard {

/// `processor` is what building and executing took; 0: not shown.
std::string step_text(const StepSimulation& step, const Plan& plan, Seconds processor);
std::string step_json(const StepSimulation& step, const Plan& plan);
/// One line a stage and class of replicas.
std::string step_csv(const StepSimulation& step);

/// Trace events of Chrome's format, which Perfetto opens: a process for each stage and class of replicas, a
/// thread for each stream, an arrow for each transfer from stage to stage.
std::string step_trace(const StepSimulation& step);

/// The self-contained HTML report.
std::string step_page(const StepSimulation& step, const Plan& plan);

/// "stage 2 of 1 replica without 25.0% of scale_out from 3.000 s to 20.00 s".
std::string step_failure_sentence(const StepFailureFacts& failure);

/// Name of an operation for readers: "forward 3" is the forward pass of microbatch 3.
std::string step_operation_name(const StepGraph& graph, OperationId id);

}  // namespace trainyard
