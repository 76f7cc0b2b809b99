#include "cost/gather_copies.h"

#include <algorithm>

#include "cost/exchange_times.h"
#include "cost/operator_clock.h"
#include "parallel/schedules.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Of a stage: a device that holds two passes half of them through either.
double microbatches_of_stage(const Scenario& scenario, const MappingPlan& m) {
  return real(m.microbatches) / (holds_two_stages(scenario.step.schedule, m.pipeline) ? 2 : 1);
}

/// Of a parameter of the device's own: all microbatches but the first read the sum and write it, in 32 bits
/// where the master copy is cast as it is gathered.
double sum_bytes(const Scenario& scenario, const Software& software, const MappingPlan& m) {
  if (!repeats_gathers(scenario, software, m)) return 0;
  constexpr double kTouches = 3;
  const double kept = bytes_of(software.keeps_working_copy ? software.gradients : Precision::fp32);
  const double bytes = std::min(bytes_of(scenario.precision.gradients), kept);
  return kTouches * bytes * std::max(0.0, 1 - 1 / microbatches_of_stage(scenario, m));
}

}  // namespace

GatherCopies gather_copies(const Scenario& scenario, const MappingPlan& m, const CopiedWeights& weights,
                           const OperatorClock& clock) {
  if (scenario.mapping.zero_stage < 3) return {};
  const Software software = software_of(scenario);
  // Some programs gather and scatter once for all microbatches.
  const double times =
      repeats_gathers(scenario, software, m) ? 1 : 1 / std::max(1.0, microbatches_of_stage(scenario, m));
  const double width = weights.bytes / bytes_of(scenario.precision.weights);
  // The 32-bit weight is read, the narrower one that is gathered written.
  const double cast = software.keeps_working_copy ? 0 : bytes_of(Precision::fp32) + weights.bytes;
  const Bytes gather((weights.gathered.common + weights.gathered.experts) * software.gather_copy_bytes *
                         width +
                     owned_parameters(weights.trained, scenario, m) * cast);
  const Bytes scatter((weights.trained.common + weights.trained.experts) * software.scatter_copy_bytes);
  const Bytes sum(owned_parameters(weights.trained, scenario, m) * sum_bytes(scenario, software, m));
  GatherCopies out;
  if (gather.si() > 0) out.forward = times * clock.memory_time(gather);
  out.backward = out.forward;
  if ((scatter + sum).si() > 0) out.backward += clock.memory_time(times * scatter + sum);
  return out;
}

double gathered_input_width(const Scenario& scenario, const Software& software) {
  const bool cast = software.gathers_fp8_inputs && multiplies_in(scenario, Fp8Scaling::tensor);
  return cast ? bytes_of(Precision::fp8) / bytes_of(Precision::bf16) : 1;
}

SequenceCopies sequence_copies(const Scenario& scenario, const ModelShape& shape, const MappingPlan& m,
                               LayerKind kind, const OperatorClock& clock) {
  const Software software = software_of(scenario);
  const bool copied = software.copies_sequence && scenario.mapping.sequence_parallel && m.tensor > 1;
  if (!copied || software.hides_tensor) return {};
  const bool routed = kind == LayerKind::usual && shape.experts > 0;
  const double pairs = shape.parallel_block || (routed && shape.shared_experts == 0) ? 1 : 2;
  const double elements = real(m.microbatch) * real(shape.sequence) / real(m.context) * real(shape.hidden);
  const Bytes read_and_written(2 * bytes_of(Precision::bf16) * elements);
  const Seconds scatter = pairs * clock.memory_time(read_and_written);
  const Seconds gather =
      pairs * clock.memory_time(read_and_written * gathered_input_width(scenario, software));
  SequenceCopies out{gather + scatter, Seconds(0)};
  if (scenario.mapping.recompute == Recompute::full) out.again = out.pass;
  if (scenario.mapping.recompute == Recompute::selective && software.partial_recompute) out.again = gather;
  return out;
}

}  // namespace trainyard
