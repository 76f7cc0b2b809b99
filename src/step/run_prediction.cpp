// A measured run's step from its operators, collectives and schedule, in closed form.
//
// Without a timeline, so that fits over thousands of evaluations stay quick; a test holds it against the step
// simulation of the same run.
#include "step/run_prediction.h"

#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "model/model.h"
#include "step/operator_clock.h"

namespace trainyard {
namespace {

constexpr double kActivationBytes = 2;
constexpr double kWorkingWeightBytes = 2;

double real(std::int64_t count) { return static_cast<double>(count); }

Seconds beyond(Seconds needed, Seconds hidden) { return std::max(Seconds(0), needed - hidden); }

/// Forward and backward of one layer, or of a stage.
struct PassPair {
  Seconds forward;
  Seconds backward;
};

/// Rates of collectives as the calibration says that they are reached.
class Collectives {
 public:
  Collectives(const MeasuredRun& run, const Accelerator& accelerator, const Calibration& c)
      : calibration_(c), leaves_domain_(run.devices > run.devices_per_hb_domain) {
    scale_up_ = byte_rate(accelerator.scale_up_rate);
    scale_out_ = byte_rate(run.nic_rate.value_or(accelerator.scale_up_rate));
  }

  /// A ring's all-gather or reduce-scatter of so many bytes inside the domain; an all-reduce is two.
  Seconds ring(double group, Bytes bytes) const {
    if (group <= 1) return Seconds(0);
    return bytes * ((group - 1) / group) / (scale_up_ * calibration_.scale_up);
  }
  Seconds latency() const { return calibration_.collective_latency; }

  Seconds all_to_all(double group, Bytes bytes) const {
    if (group <= 1) return Seconds(0);
    return bytes * ((group - 1) / group) / (scale_up_ * calibration_.all_to_all) + latency();
  }

  /// Between pipeline stages: over the scale-out network as soon as the run leaves one domain.
  Seconds point_to_point(Bytes bytes) const {
    const BytesPerSecond rate = leaves_domain_ ? scale_out_ : scale_up_ * calibration_.scale_up;
    return bytes / rate + latency();
  }

  /// An all-gather or reduce-scatter over the replicas of one shard.
  Seconds replicas(double group, double tensor, Bytes bytes, double domain) const {
    if (group <= 1) return Seconds(0);
    const bool inside = !leaves_domain_ || group * tensor <= domain;
    const BytesPerSecond rate =
        inside ? scale_up_ * calibration_.scale_up : scale_out_ * calibration_.scale_out;
    return bytes * ((group - 1) / group) / rate;
  }

 private:
  const Calibration& calibration_;
  bool leaves_domain_;
  BytesPerSecond scale_up_;
  BytesPerSecond scale_out_;
};

class Predictor {
 public:
  Predictor(const MeasuredRun& run, const Accelerator& accelerator, const Calibration& calibration,
            FlopRate peak)
      : run_(run),
        calibration_(calibration),
        clock_(calibration, sixteen_bits(run, accelerator, peak), peak, accelerator.memory_rate,
               run.precision),
        collectives_(run, accelerator, calibration),
        share_{.tensor = real(run.tensor),
               .context = real(run.context),
               .expert = real(run.expert),
               .microbatch = real(run.microbatch),
               // torchtitan passes keys and values around a ring; others exchange heads or gather them.
               .attention_factor = run.framework == RunFramework::torchtitan && run.context > 1
                                       ? calibration.ring_attention
                                       : 1,
               .sequence_parallel = run.sequence_parallel,
               .fused_attention = run.attention == Attention::flash,
               .compiled = run.framework != RunFramework::torchtitan || run.facts.compiled} {
    tokens_ = real(run.microbatch * run.shape.sequence) / real(run.context);
  }

  RunPrediction predict() const {
    const bool experts = run_.shape.experts > 0;
    const PassPair dense = layer(false);
    const PassPair sparse = experts ? layer(true) : dense;
    Seconds total{0};
    Seconds slowest{0};
    std::int64_t dense_left = experts ? run_.shape.dense_layers : run_.shape.layers;
    for (std::int64_t stage = 0; stage < run_.pipeline; ++stage) {
      const std::int64_t layers = layers_of(stage);
      const std::int64_t plain = std::min(layers, dense_left);
      dense_left -= plain;
      Seconds time = real(plain) * (dense.forward + dense.backward) +
                     real(layers - plain) * (sparse.forward + sparse.backward) + ends(stage) +
                     calibration_.microbatch_overhead + transfers_between_stages();
      total += time;
      slowest = std::max(slowest, time);
    }
    // Every microbatch at the slowest stage's pace; the others fill and drain, shorter where stages
    // interleave.
    Seconds step = real(run_.microbatches()) * slowest + (total - slowest) / real(run_.virtual_stages);
    step += run_.zero_stage == 3 ? sharded_weights(dense) : gradients();
    step += optimizer() + calibration_.step_overhead;
    return {step};
  }

 private:
  static FlopRate sixteen_bits(const MeasuredRun& run, const Accelerator& accelerator, FlopRate peak) {
    if (bytes_of(run.precision) >= kActivationBytes) return peak;
    return accelerator.dense.at(Precision::bf16).value_or(peak);
  }

  std::int64_t layers_of(std::int64_t stage) const {
    const std::int64_t extra = run_.shape.layers % run_.pipeline;
    return run_.shape.layers / run_.pipeline + (stage < extra ? 1 : 0);
  }

  Seconds tensor_transfers() const {
    if (run_.tensor <= 1) return Seconds(0);
    constexpr double kCollectivesPerPass = 2;  // all-reduces, or a gather and a scatter each
    const Bytes buffer(kActivationBytes * tokens_ * real(run_.shape.hidden));
    const double latencies = run_.sequence_parallel ? 2 : 1;
    double exposed = run_.facts.async_tensor ? calibration_.exposed_async : 1;
    if (run_.facts.megascale_overlap) exposed = 0;
    const double blocks = run_.facts.parallel_block ? 1 : kCollectivesPerPass;
    return exposed * blocks *
           (2 * collectives_.ring(real(run_.tensor), buffer) + latencies * collectives_.latency());
  }

  Seconds expert_transfers() const {
    const Bytes bytes(kActivationBytes * tokens_ * real(run_.shape.experts_per_token * run_.shape.hidden));
    return 2 * collectives_.all_to_all(real(run_.expert), bytes);  // dispatch and combine
  }

  Seconds context_transfers() const {
    if (run_.context <= 1) return Seconds(0);
    const double width =
        real((run_.shape.heads + run_.shape.kv_heads_or_all()) * 2 * run_.shape.head_size_or_even()) /
        real(run_.tensor);
    constexpr double kCalls = 4;  // queries, keys, values and the result
    const Bytes bytes(calibration_.context_exchange * kActivationBytes * tokens_ * width);
    return collectives_.all_to_all(real(run_.context), bytes) + (kCalls - 1) * collectives_.latency();
  }

  PassPair layer(bool experts) const {
    OperatorTimes sum;
    Seconds core{0};
    for (const Operator& op : layer_operators(run_.shape, experts, CausalAttention::full)) {
      const OperatorTimes times = clock_.times(op, share_);
      sum += times;
      if (op.attention_matrix) core += times.forward;
    }
    const Seconds transfers =
        tensor_transfers() + context_transfers() + (experts ? expert_transfers() : Seconds(0));
    PassPair out;
    out.forward = sum.forward + calibration_.layer_overhead + transfers;
    out.backward = sum.backward() + calibration_.layer_overhead + transfers;
    out.backward += recomputed(out.forward, core);
    return out;
  }

  /// Full recomputation repeats the forward pass; Megatron's selective one the attention core, where a fused
  /// kernel repeats it anyway; torchtitan's the operators that its policy does not save.
  Seconds recomputed(Seconds forward, Seconds core) const {
    if (run_.recompute == Recompute::full) return forward;
    if (run_.recompute != Recompute::selective) return Seconds(0);
    if (run_.framework == RunFramework::torchtitan) return (forward - core) * calibration_.partial_recompute;
    return run_.attention == Attention::flash ? Seconds(0) : core;
  }

  /// Embedding on the first stage, output matrix and loss on the last.
  Seconds ends(std::int64_t stage) const {
    Seconds time{0};
    const std::vector<Operator> operators = head_operators(run_.shape);
    for (const Operator& op : operators) {
      const bool embedding = !op.matmul && op.name != kCrossEntropy;
      if (stage != (embedding ? 0 : run_.pipeline - 1)) continue;
      const OperatorTimes times = clock_.times(op, share_);
      time += times.forward + times.backward();
    }
    return time;
  }

  Seconds transfers_between_stages() const {
    if (run_.pipeline <= 1 || run_.facts.megascale_overlap) return Seconds(0);
    constexpr double kBothPasses = 2;
    const Bytes shard(kActivationBytes * tokens_ * real(run_.shape.hidden) / real(run_.tensor));
    return kBothPasses * real(run_.virtual_stages) * collectives_.point_to_point(shard);
  }

  /// Parameters of the fullest device, experts apart.
  struct Held {
    double common = 0;
    double experts = 0;
  };
  Held held() const {
    const ParameterCount p = count_parameters(run_.shape);
    const double layers = real(layers_of(0));
    const double dense = run_.shape.experts > 0 ? std::min(layers, real(run_.shape.dense_layers)) : layers;
    const double sparse = layers - dense;
    Held out;
    const std::int64_t all_experts =
        std::max<std::int64_t>(1, run_.shape.experts + run_.shape.shared_experts);
    const double routed = p.experts * real(run_.shape.experts) / real(all_experts);
    out.common = (dense * (p.attention + p.ffn) + sparse * (p.attention + p.experts - routed + p.router) +
                  p.embedding) /
                 real(run_.tensor);
    out.experts = sparse * routed / real(run_.expert);
    return out;
  }

  Seconds replicas(double group, double bytes) const {
    return collectives_.replicas(group, real(run_.tensor), Bytes(bytes), real(run_.devices_per_hb_domain));
  }

  /// Summing gradients after the last microbatch, and gathering weights where their optimizer is sharded.
  Seconds gradients() const {
    if (run_.facts.megascale_overlap) return Seconds(0);
    const double group = real(run_.data * run_.context);
    const double gradient_bytes = run_.precision == Precision::fp16 ? 2 : 4;
    const double parameters = held().common;
    const double second = run_.zero_stage >= 1 ? kWorkingWeightBytes : gradient_bytes;
    return replicas(group, parameters * gradient_bytes) + replicas(group, parameters * second);
  }

  /// ZeRO 3: gathers before each pass and scatters after the backward one, hidden behind the layer before.
  Seconds sharded_weights(const PassPair& layer) const {
    const double group = real(run_.data * run_.context);
    const ParameterCount p = count_parameters(run_.shape);
    const double parameters = (p.attention + p.ffn) / real(run_.tensor);
    const Seconds gather = replicas(group, kWorkingWeightBytes * parameters);
    constexpr double kGradientBytes = 4;
    const Seconds scatter = replicas(group, kGradientBytes * parameters);
    const double layers = real(run_.shape.layers) / real(run_.pipeline);
    const Seconds exposed = beyond(gather, layer.forward) + beyond(gather + scatter, layer.backward);
    return layers * exposed + gather + scatter;
  }

  Seconds optimizer() const {
    const Held parameters = held();
    const double replicas = real(run_.data * run_.context);
    const double sharded = run_.zero_stage >= 1 ? replicas : 1;
    const double expert_copies = std::max(1.0, replicas / real(run_.expert));
    const double own =
        parameters.common / sharded + parameters.experts / (run_.zero_stage >= 1 ? expert_copies : 1);
    return clock_.memory_time(Bytes(own * calibration_.optimizer_bytes));
  }

  const MeasuredRun& run_;
  const Calibration& calibration_;
  OperatorClock clock_;
  Collectives collectives_;
  DeviceShare share_;
  double tokens_ = 0;
};

}  // namespace

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, const Calibration& calibration) {
  const Accelerator& accelerator =
      find_entry(catalog.accelerators, run.accelerator_key, "accelerator", run.where);
  return Predictor(run, accelerator, calibration, run_peak(run, catalog)).predict();
}

const Calibration& calibration_of(const MeasuredRun& run, const Catalog& catalog) {
  const Accelerator& accelerator =
      find_entry(catalog.accelerators, run.accelerator_key, "accelerator", run.where);
  static const Calibration usual = [] {
    Calibration c;
    c.processors = 128;
    return c;
  }();
  const auto found = catalog.calibrations.find(accelerator.calibration);
  return found == catalog.calibrations.end() ? usual : found->second;
}

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog) {
  return predict_run(run, catalog, calibration_of(run, catalog));
}

}  // namespace trainyard
