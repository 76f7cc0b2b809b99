// [step], [[straggler]] and [[step_failure]]: how a training step is simulated.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "trainyard/units.h"

namespace trainyard {

struct SectionPlaces;  // trainyard/errors.h

enum class PipelineSchedule;  // trainyard/pipeline_schedule.h
enum class StepFault;         // trainyard/step_fault.h

/// When the gradients of a layer are summed over the replicas.
enum class GradientOverlap { bucketed, beside_pass, after_batch };
enum class ExchangeEvery { batch, microbatch };

/// [step]: how `trainyard step` simulates a training step.
struct StepInput {
  std::optional<PipelineSchedule> schedule;         // auto: 1f1b, interleaved with virtual stages
  std::optional<double> tensor_overlap;             // empty: what the training program hides
  std::optional<GradientOverlap> gradient_overlap;  // auto, as the next: what assumptions.step_rule assumes
  std::optional<ExchangeEvery> exchange_every;
  std::optional<Bytes> gradient_bucket;    // empty: an eighth of a layer's
  std::optional<bool> embedding_exchange;  // auto: where the plan ties embeddings of two stages
  std::optional<bool> gradient_norm;       // auto, as gradient_overlap
  std::int64_t prefetch = 1;               // passes of a layer
  double jitter = 0;                       // coefficient of variation
  std::int64_t replicas = 1;               // with a jitter of their own
  std::int64_t seed = 1;
  std::int64_t steps = 1;
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [[straggler]]: a stage that computes more slowly in some replicas.
struct StragglerInput {
  std::int64_t stage = 0;
  double slowdown = 1;
  std::int64_t replicas = 1;
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

/// [[step_failure]]: what fails before or during a simulated step.
struct StepFailureInput {
  std::int64_t stage = 0;
  StepFault what{};
  std::optional<double> lost;  // share of the device's rate on that network; empty: all
  std::int64_t replica = 0;    // the first
  std::int64_t replicas = 1;
  Seconds from{0};
  std::optional<Seconds> until;                      // empty: for good
  std::shared_ptr<const SectionPlaces> places = {};  // in the text
};

}  // namespace trainyard
