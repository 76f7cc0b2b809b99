// What text, JSON, trace and page of a simulated step call its parts.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "step/graph.h"
#include "trainyard/units.h"

namespace trainyard {

struct StepSimulation;

/// The shares of what is busy with their names.
std::vector<std::pair<std::string, double>> named_shares(const BusyShares& shares);

/// Each kind of exposed time with its name.
std::vector<std::pair<std::string, Seconds>> named_times(const ExposedTimes& exposed);

/// "stage 2 of 1 replica without 25.0% of scale_out from 3.000 s to 20.00 s".
std::string step_failure_sentence(const StepFailureFacts& failure);

/// Name of an operation for readers: "forward 3" is the forward pass of microbatch 3.
std::string step_operation_name(const StepGraph& graph, OperationId id);

/// "3", or "3 x127" where classes of replicas are told apart.
std::string stage_label(const StepSimulation& step, const StageTimeline& stage);

/// At most so many of them (at least one), evenly spaced, the first and the last among them.
std::vector<std::size_t> evenly_chosen(std::size_t all, std::size_t most);

}  // namespace trainyard
