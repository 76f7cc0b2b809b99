#include "step/calibrated_compute.h"

#include <fmt/core.h>

#include "model/model.h"
#include "scenario/scenario.h"
#include "step/operator_clock.h"

namespace trainyard {
namespace {

double real(std::int64_t count) { return static_cast<double>(count); }

OperatorClock clock_of(const Scenario& scenario, const Calibration& calibration) {
  const Accelerator& accelerator = accelerator_of(scenario);
  const FlopRate peak = peak_rate(scenario);
  const FlopRate sixteen_bits = accelerator.dense.at(Precision::bf16).value_or(peak);
  const bool low = bytes_of(scenario.precision.compute) < bytes_of(Precision::bf16);
  return {calibration, low ? sixteen_bits : peak, peak, accelerator.memory_rate, scenario.precision.compute};
}

DeviceShare share_of(const Scenario& scenario, const MappingPlan& mapping) {
  return {.tensor = real(mapping.tensor),
          .context = real(mapping.context),
          .expert = real(mapping.expert),
          .microbatch = real(mapping.microbatch),
          .sequence_parallel = scenario.mapping.sequence_parallel,
          .fused_attention = scenario.mapping.attention == Attention::flash};
}

/// What the backward pass computes again. A fused kernel's scores are part of its backward pass.
bool repeated(const Operator& op, const MappingInput& mapping) {
  if (mapping.recompute == Recompute::full) return true;
  const bool core = op.attention_matrix && mapping.attention != Attention::flash;
  return core && mapping.recompute == Recompute::selective;
}

}  // namespace

const Calibration* calibration_in_force(const Scenario& scenario) {
  if (scenario.assumptions.compute_model != ComputeModel::calibrated) return nullptr;
  const auto& known = scenario.catalog->calibrations;
  const auto found = known.find(accelerator_of(scenario).calibration);
  return found == known.end() ? nullptr : &found->second;
}

std::string missing_calibration(const Scenario& scenario) {
  if (scenario.assumptions.compute_model != ComputeModel::calibrated || calibration_in_force(scenario))
    return {};
  return fmt::format(
      "the catalog has no calibration of the {}: operator times are the roofline's "
      "(assumptions.compute_model = \"calibrated\" needs accelerators.<key>.calibration)",
      accelerator_of(scenario).info.name);
}

LayerTimes calibrated_layer_times(const Scenario& scenario, const ModelPlan& model,
                                  const MappingPlan& mapping, const Calibration& calibration) {
  const OperatorClock clock = clock_of(scenario, calibration);
  const DeviceShare share = share_of(scenario, mapping);
  LayerTimes out;
  out.forward = calibration.layer_overhead;
  out.backward = calibration.layer_overhead;
  for (const Operator& op : model.operators) {
    const OperatorTimes times = clock.times(op, share);
    out.forward += times.forward;
    out.backward += times.backward();
    out.backward_weight += times.weight_gradient;
    if (repeated(op, scenario.mapping)) out.recompute += times.forward;
    if (op.attention_matrix) out.attention_forward += times.forward;
  }
  out.recompute_share = out.recompute / (out.forward + out.backward);
  out.backward += out.recompute;
  return out;
}

Seconds calibrated_head_time(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                             const Calibration& calibration) {
  const OperatorClock clock = clock_of(scenario, calibration);
  Seconds time = calibration.microbatch_overhead;
  for (const Operator& op : model.head_operators) {
    const OperatorTimes times = clock.times(op, share_of(scenario, mapping));
    time += times.forward + times.backward();
  }
  const bool spread = scenario.assumptions.embedding_placement == EmbeddingPlacement::spread;
  return spread ? time / real(mapping.pipeline) : time;
}

Seconds calibrated_optimizer_time(const Scenario& scenario, const MappingPlan& mapping,
                                  const Calibration& calibration) {
  constexpr double kReadAndWrite = 2;
  return clock_of(scenario, calibration).memory_time(kReadAndWrite * mapping.device.model_states()) +
         calibration.step_overhead;
}

}  // namespace trainyard
