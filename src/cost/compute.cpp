#include <fmt/core.h>

#include <algorithm>

#include "base/errors.h"
#include "cost/calibrated_compute.h"
#include "cost/cost_case.h"
#include "model/model.h"
#include "model/recompute_modules.h"
#include "parallel/memory.h"
#include "scenario/in_force.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Where neither the scenario nor the catalog knows better: large products on A100 to B200 reach 0.6 to 0.8.
constexpr double kUsualMatmulEfficiency = 0.7;

/// Time of operators on one device of the group.
class RooflineClock {
 public:
  RooflineClock(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping)
      : scenario_(scenario),
        mapping_(mapping),
        ideal_(scenario.assumptions.compute_model == ComputeModel::ideal),
        low_output_(software_of(scenario).low_output),
        heads_padding_(padding(model.shape.heads, mapping.tensor)),
        fullest_(fullest_device(model.shape, real(mapping.expert), scenario.training.expert_imbalance)) {
    const Accelerator& accelerator = accelerator_of(scenario);
    const double efficiency = ideal_ ? scenario.assumptions.matmul_efficiency.value_or(1.0)
                                     : scenario.assumptions.matmul_efficiency.value_or(
                                           accelerator.matmul_efficiency.value_or(kUsualMatmulEfficiency));
    rate_ = peak_rate(scenario) * efficiency;
    const bool low = bytes_of(scenario.precision.compute) < bytes_of(Precision::bf16);
    const FlopRate sixteen = accelerator.dense.at(Precision::bf16).value_or(peak_rate(scenario));
    sixteen_bit_rate_ = low && !ideal_ ? sixteen * efficiency : rate_;
    memory_rate_ = accelerator.memory_rate * scenario.assumptions.memory_efficiency;
  }

  /// One pass of an operator that takes so many FLOP and touches its elements `touches` times.
  Seconds time(const Operator& op, double flop, double touches) const {
    const double split = share(op);
    const Seconds compute = Flop(flop * split) / (op.attention_matrix ? sixteen_bit_rate_ : rate_);
    if (ideal_ || on_chip(op)) return compute;
    return std::max(compute, memory_time(op, touches));
  }

  Seconds forward(const Operator& op) const { return time(op, op.forward_flop, 1); }
  /// Forward and backward of what stands at an end of the model, in 16 bits unless the program takes fewer.
  Seconds end(const Operator& op) const {
    const Seconds both = forward(op) + backward(op);
    return op.matmul && !low_output_ ? both * (rate_ / sixteen_bit_rate_) : both;
  }
  /// The backward pass reads and writes about twice as much as the forward pass.
  Seconds backward(const Operator& op) const { return time(op, op.backward_flop, 2); }
  /// The half of a matrix product's backward pass that makes the gradient of its weights; others have none.
  Seconds backward_weight(const Operator& op) const {
    return op.matmul && !op.attention_matrix ? backward(op) / 2 : Seconds(0);
  }

 private:
  double padding(std::int64_t count, std::int64_t shards) const {
    if (scenario_.assumptions.uneven_shards == UnevenShards::ideal) return 1;
    const std::int64_t largest = (count + shards - 1) / shards;
    return real(largest * shards) / real(count);
  }

  /// Part of the operator's work for one sequence that one device does for one microbatch.
  double share(const Operator& op) const {
    const bool divided = !op.sequence_sharded || scenario_.mapping.sequence_parallel;
    const double tensor = divided ? real(mapping_.tensor) : 1;
    const double uneven = (op.by_head ? heads_padding_ : 1) * (of_experts(op) ? fullest_ : 1);
    return real(mapping_.microbatch) * uneven / (tensor * real(mapping_.context));
  }

  bool on_chip(const Operator& op) const {
    return op.attention_matrix && scenario_.mapping.attention == Attention::flash;
  }

  Seconds memory_time(const Operator& op, double touches) const {
    const double activations = op.activation_elements * share(op) * bytes_of(scenario_.precision.activations);
    const double weights = op.weight_elements * bytes_of(scenario_.precision.compute) /
                           real(op.experts ? mapping_.expert_devices() : mapping_.tensor);
    return Bytes(touches * (activations + weights)) / memory_rate_;
  }

  const Scenario& scenario_;
  const MappingPlan& mapping_;
  bool ideal_;
  bool low_output_;
  double heads_padding_;
  double fullest_;  // tokens of the fullest device over the mean of those that share experts
  FlopRate rate_;
  FlopRate sixteen_bit_rate_;  // of attention and of the output matrix, which stay in 16 bits
  BytesPerSecond memory_rate_;
};

/// What the backward pass computes again of an operator, as a share of its forward pass.
/// Selective recomputation repeats the attention core; a flash kernel repeats only the scores, always.
double repeated_share(const Operator& op, const MappingInput& mapping, const Software& software) {
  if (recomputes(mapping, software, op)) return 1;
  if (!op.attention_matrix) return 0;
  if (mapping.attention == Attention::flash) return op.role == OperatorRole::attention_scores ? 1 : 0;
  return mapping.recompute == Recompute::selective ? 1 : 0;
}

}  // namespace

std::string missing_efficiency(const Scenario& scenario) {
  const Accelerator& accelerator = accelerator_of(scenario);
  if (scenario.assumptions.compute_model == ComputeModel::ideal || calibration_in_force(scenario)) return {};
  if (scenario.assumptions.matmul_efficiency || accelerator.matmul_efficiency) return {};
  return fmt::format(
      "the catalog has no measured efficiency of matrix products on the {}: {} of the peak is taken "
      "(assumptions.matmul_efficiency or accelerators.<key>.matmul_efficiency)",
      accelerator.info.name, kUsualMatmulEfficiency);
}

FlopRate peak_rate(const Scenario& scenario) {
  const Accelerator& accelerator = accelerator_of(scenario);
  const bool sparse = scenario.assumptions.peak == PeakKind::sparse;
  const auto& rate = (sparse ? accelerator.sparse : accelerator.dense).at(scenario.precision.compute);
  TY_ASSERT(rate.has_value(), "the scenario's check lets only known rates through");
  return *rate;
}

bool recomputes(const MappingInput& mapping, const Software& software, const Operator& op) {
  if (op.unread && !software.recomputes_unread) return false;
  return mapping.recompute == Recompute::full || (module_bits(mapping.recompute_modules) & op.modules) != 0;
}

double recomputing_share(const Scenario& scenario, const ModelPlan& model) {
  return recomputed_share(scenario.mapping, model.shape);
}

LayerTimes layer_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping,
                       LayerKind kind) {
  if (const Calibration* calibration = calibration_in_force(scenario))
    return calibrated_layer_times(scenario, model, mapping, *calibration, kind);
  const RooflineClock clock(scenario, model, mapping);
  const Software software = software_of(scenario);
  LayerTimes times;
  Seconds repeated{0};
  for (const Operator& op : kind == LayerKind::dense ? model.dense_operators : model.operators) {
    const Seconds forward = clock.forward(op);
    times.forward += forward;
    times.backward += clock.backward(op);
    repeated += forward * repeated_share(op, scenario.mapping, software);
    if (op.attention_matrix) times.attention_forward += forward;
    times.backward_weight += clock.backward_weight(op);
  }
  times.attention_backward = 2 * times.attention_forward;
  repeated = repeated * recomputing_share(scenario, model);
  times.recompute_share = repeated / (times.forward + times.backward);
  if (scenario.assumptions.attention_recompute == AttentionRecompute::counted_in_forward) {
    times.forward += repeated;
    times.backward = 2 * times.forward;  // HotNets '24 section 4: backward is twice forward
  } else {
    times.backward += repeated;
    times.recompute = repeated;
  }
  return times;
}

EndTimes whole_ends(const Scenario& scenario, const ModelPlan& model, const MappingPlan& mapping) {
  if (const Calibration* calibration = calibration_in_force(scenario))
    return calibrated_end_times(scenario, model, mapping, *calibration);
  const RooflineClock clock(scenario, model, mapping);
  EndTimes out;
  for (const Operator& op : model.head_operators) out.last += clock.end(op);
  return out;
}

EndTimes ends_of_stages(const EndTimes& whole, const Scenario& scenario, std::int64_t pipeline) {
  if (scenario.assumptions.embedding_placement != EmbeddingPlacement::spread) return whole;
  return {Seconds(0), Seconds(0), whole.each + (whole.first + whole.last) / real(pipeline), whole.copies};
}

Seconds optimizer_time(const CostCase& c, const MappingPlan& mapping) {
  if (c.scenario.assumptions.compute_model == ComputeModel::ideal) return Seconds(0);
  if (c.clock) return calibrated_optimizer_time(c.scenario, c.model, mapping, *c.clock);
  constexpr double kReadAndWrite = 2;
  const BytesPerSecond rate =
      accelerator_of(c.scenario).memory_rate * c.scenario.assumptions.memory_efficiency;
  return kReadAndWrite * mapping.device.model_states() / rate;
}

}  // namespace trainyard
