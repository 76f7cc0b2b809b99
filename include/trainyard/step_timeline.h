// What a simulated training step says: times, waiting by kind, utilization, memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

enum class StepFault;  // trainyard/step_fault.h

/// What a stream occupies.
enum class StepResource : std::uint8_t { compute, scale_up, scale_out, wide_area, host };
constexpr std::size_t kStepResources = 5;

/// What an operation is for.
enum class StepWork : std::uint8_t {
  forward,
  recompute,
  backward,         // both parts, or that of the inputs
  backward_weight,  // where a schedule keeps it apart
  head,
  optimizer,
  tensor,
  context,
  pipeline,
  expert,
  weights,
  gradient,
  offload
};
constexpr std::size_t kStepWorks = 13;

/// "backward_weight"
std::string_view step_work_name(StepWork work);
std::string_view step_resource_name(StepResource resource);

/// Kinds from here on are transfers.
constexpr bool is_transfer(StepWork work) { return work >= StepWork::tensor; }

/// Time that computing waits for transfers, and by which those beside it slow it, by what they are for.
struct ExposedTimes {
  Seconds tensor;
  Seconds context;
  Seconds pipeline;
  Seconds expert;
  Seconds weights;
  Seconds gradient;
  Seconds offload;
  Seconds total() const { return tensor + context + pipeline + expert + weights + gradient + offload; }
};

/// Bytes at a moment.
struct MemoryPoint {
  Seconds time;
  Bytes bytes;
};

/// One stage of a class of equal replicas. Its time is compute, waiting for transfers, idling and standing
/// still.
struct StageTimeline {
  std::int64_t stage = 0;
  std::int64_t replica_class = 0;  // replicas that are alike
  std::int64_t replicas = 1;       // of the class
  bool fails = false;              // something of it, at some time
  Seconds compute;
  ExposedTimes exposed;
  Seconds idle;               // fill, drain and waiting for slower stages
  Seconds stopped;            // its device was gone
  double compute_share = 0;   // of the step
  double scale_up_share = 0;  // bytes that a device sends over what its link carries in the step
  double scale_out_share = 0;
  double wide_area_share = 0;
  double host_share = 0;  // of the busier way
  Bytes states;           // weights, gradients, optimizer states
  Bytes peak_memory;      // with activations
  std::vector<MemoryPoint> memory;
};

/// How much of what devices could do they do: computing over all time, bytes sent over what links carry.
struct BusyShares {
  double compute = 0;
  double scale_up = 0;
  double scale_out = 0;
  double wide_area = 0;
  double host = 0;
};

/// The pace of a full pipeline: a microbatch on the first stage, between fill and drain.
struct SteadyPace {
  std::int64_t microbatches = 0;  // over which it was measured
  Seconds time;                   // of a microbatch
  Seconds compute;
  ExposedTimes exposed;
  Seconds idle;
  double exposed_share = 0;  // of compute and exposed
};

/// What has failed in a step, where and when.
struct StepFailureFacts {
  StepFault what{};
  double lost = 1;  // share of the device's rate; 1 for a device
  std::int64_t stage = 0;
  std::int64_t stages = 1;  // from that one on
  std::int64_t replicas = 1;
  Seconds from;
  std::optional<Seconds> until;  // empty: for good
};

/// A step with failures beside the same step without them: means over all stages, as in StepTimeline.
struct StepFailureCost {
  std::vector<StepFailureFacts> failures;
  Seconds step;  // the rest: without them
  Seconds compute;
  ExposedTimes exposed;
  Seconds idle;
};

/// A simulated step.
struct StepTimeline {
  std::string network;                // "analytic"
  std::string note;                   // on the transfers' times; empty: none
  std::vector<std::string> warnings;  // of the plan, and what the step does that its hardware cannot
  std::string schedule;               // "1f1b"
  Seconds step;                       // mean, where several were simulated
  Seconds total;
  std::int64_t steps = 1;
  Seconds compute;  // the rest: of all stages, weighted by their replicas
  ExposedTimes exposed;
  Seconds idle;
  Seconds stopped;  // by failures
  double compute_share = 0;
  double exposed_share = 0;
  double idle_share = 0;  // `idle` over `step`; fill and drain alone are StepPlan::bubble_share
  BusyShares busy;        // of all devices over the step
  std::vector<BusyShares> busy_in_time;  // in equal spans of the total
  Bytes peak_memory;                     // of the fullest stage
  double mfu = 0;
  double tokens_per_second = 0;
  std::optional<SteadyPace> steady;  // where fill and drain leave room for it
  std::vector<StageTimeline> stages;
  std::optional<StepFailureCost> failure_cost;  // where something fails

  std::int64_t operations = 0;
  std::int64_t dependencies = 0;
  std::int64_t streams = 0;
  std::int64_t layers_per_operation = 1;
  std::int64_t gradient_pieces = 0;
  std::int64_t devices = 0;  // that the operations stand for
  std::int64_t classes = 0;  // of equal devices
};

}  // namespace trainyard
