// A plan into the graph of one training step.
#pragma once

#include <vector>

#include "parallel/schedules.h"
#include "step/graph.h"
#include "step/replica_classes.h"
#include "step/step_failures.h"
#include "trainyard/units.h"

namespace trainyard {

struct LayerPass;
struct Plan;

/// The graph, and what its operations mean.
struct StepModel {
  StepGraph graph;
  PipelineSchedule schedule{};
  ScheduleShape shape;
  ScheduleOrder order;
  std::vector<ReplicaClass> replicas;
  StepFailures failures;
  std::vector<Bytes> states;  // weights, gradients and optimizer states of a device, by stage
  std::int64_t layers_per_operation = 1;
  std::int64_t gradient_pieces = 0;  // of a layer, or of the layers of one exchange
  std::int32_t steps = 1;

  /// Streams of compute: by replica class, then by stage.
  std::uint32_t compute_stream(std::int32_t replica, std::int32_t stage) const {
    return compute_streams[static_cast<std::size_t>(replica) * static_cast<std::size_t>(shape.stages) +
                           static_cast<std::size_t>(stage)];
  }
  std::vector<std::uint32_t> compute_streams;
};

/// The work of one step as a graph of layers, or of several layers an operation where the graph would have
/// more than some millions of operations. Throws InputError, at the key of the scenario, for schedules that
/// the mapping does not allow, stragglers and failures outside the mapping, failures of networks that nothing
/// crosses, and steps that are too large to simulate.
StepModel build_step(const Plan& plan);

/// The same with other costs of a layer's passes.
StepModel build_step(const Plan& plan, const LayerPass& costs);

}  // namespace trainyard
