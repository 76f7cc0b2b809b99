// A measured run's step from its operators, collectives and schedule, in closed form.
//
// Without a timeline, so that fits over thousands of evaluations stay quick; a test holds it against the step
// simulation of the same run.
#include "step/run_prediction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors.h"
#include "catalog/catalog.h"
#include "model/model.h"
#include "step/operator_clock.h"

namespace trainyard {
namespace {

constexpr double kActivationBytes = 2;
constexpr double kWorkingWeightBytes = 2;
constexpr int kAmpere = 2020;  // the year for which FlashAttention 2 was written
/// Share of a hidden transfer by which it slows the compute beside it: its kernels take processors and memory
/// rate. By the runs of llm-foundry (docs/validation.md).
constexpr double kContention = 0.35;

double real(std::int64_t count) { return static_cast<double>(count); }

Seconds beyond(Seconds needed, Seconds hidden) { return std::max(Seconds(0), needed - hidden); }

/// Forward and backward of one layer, or of a stage.
struct PassPair {
  Seconds forward;
  Seconds backward;
};

/// Ranks of one group and where they sit: so many in a domain, the rest in others like it.
struct Group {
  double ranks = 1;
  double ranks_per_domain = 1;
  double interfaces = 1;  // through which its rings leave a domain
};

/// Rates of collectives as the calibration says that they are reached.
class Collectives {
 public:
  Collectives(const MeasuredRun& run, const Software& software, const Accelerator& accelerator,
              const Calibration& c)
      : calibration_(c),
        leaves_domain_(run.devices > run.devices_per_hb_domain),
        all_interfaces_(run.zero_stage < 3 || software.wide_gathers),
        domain_(leaves_domain_ ? real(run.devices_per_hb_domain) : real(run.devices)) {
    scale_up_ = byte_rate(accelerator.scale_up_rate);
    scale_out_ = byte_rate(run.nic_rate.value_or(accelerator.scale_up_rate));
  }

  /// A group whose neighbours are `stride` devices apart.
  Group group(double ranks, double stride) const {
    const double there = std::clamp(std::floor(domain_ / stride), 1.0, ranks);
    return {ranks, there, all_interfaces_ ? there : 1};
  }

  /// A ring's all-gather or reduce-scatter of so many bytes; an all-reduce is two. Rings leave a domain
  /// through the network interfaces of all ranks that the group has there, side by side.
  Seconds ring(const Group& g, Bytes bytes) const {
    if (g.ranks <= 1) return Seconds(0);
    const BytesPerSecond inside = scale_up_ * calibration_.scale_up;
    const BytesPerSecond outside = scale_out_ * calibration_.scale_out * g.interfaces;
    const BytesPerSecond rate = g.ranks > g.ranks_per_domain ? std::min(inside, outside) : inside;
    return bytes * ((g.ranks - 1) / g.ranks) / rate;
  }
  Seconds latency() const { return calibration_.collective_latency; }

  /// Every rank sends to every other: what stays in the domain and what leaves it go at the same time.
  Seconds all_to_all(const Group& g, Bytes bytes) const {
    if (g.ranks <= 1) return Seconds(0);
    const Seconds inside =
        bytes * ((g.ranks_per_domain - 1) / g.ranks) / (scale_up_ * calibration_.all_to_all);
    const Seconds outside =
        bytes * ((g.ranks - g.ranks_per_domain) / g.ranks) / (scale_out_ * calibration_.scale_out);
    return std::max(inside, outside) + latency();
  }

  /// Between pipeline stages: over the scale-out network as soon as the run leaves one domain.
  Seconds point_to_point(Bytes bytes) const {
    const BytesPerSecond rate = leaves_domain_ ? scale_out_ : scale_up_ * calibration_.scale_up;
    return bytes / rate + latency();
  }

 private:
  const Calibration& calibration_;
  bool leaves_domain_;
  bool all_interfaces_;
  double domain_;
  BytesPerSecond scale_up_;
  BytesPerSecond scale_out_;
};

class Predictor {
 public:
  Predictor(const MeasuredRun& run, const Software& software, const Accelerator& accelerator,
            const Calibration& calibration, FlopRate peak)
      : run_(run),
        software_(software),
        calibration_(calibration),
        clock_(calibration, sixteen_bits(run, accelerator, peak), peak, accelerator.memory_rate,
               run.precision),
        head_clock_(calibration, sixteen_bits(run, accelerator, peak), sixteen_bits(run, accelerator, peak),
                    accelerator.memory_rate, Precision::bf16),
        collectives_(run, software, accelerator, calibration),
        share_{.tensor = real(run.tensor),
               .context = real(run.context),
               .expert = real(run.expert),
               .microbatch = real(run.microbatch),
               .attention_factor = attention_factor(accelerator),
               .sequence_parallel = run.sequence_parallel,
               .fused_attention = run.attention == Attention::flash,
               .unfused = run.compiled ? 0 : software_.unfused} {
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
    const double shorter = 1 - bubble_saved();
    Seconds step = real(run_.microbatches()) * slowest + (total - slowest) * shorter;
    step += run_.zero_stage == 3 ? sharded_weights(dense, sparse) : gradients(slowest);
    step += optimizer() + calibration_.step_overhead;
    return {step * straggling()};
  }

 private:
  /// Time of the attention kernels over their work in one kernel of the newest kind. A ring of context ranks
  /// computes in pieces and waits for keys and values between them.
  double attention_factor(const Accelerator& a) const {
    const double share = a.year > kAmpere ? software_.attention_from_2021 : software_.attention_to_2020;
    const bool waits = software_.context_exchange == ContextExchange::ring && !software_.hides_context;
    const double pieces =
        waits && run_.context > 1 ? 1 + (calibration_.ring_attention - 1) * (1 - 1 / real(run_.context)) : 1;
    return pieces / share;
  }

  /// Share of the time to fill and drain that the schedule saves. ZB-H1 leaves a third (Qi et al. 2024);
  /// DualPipe runs two pipelines towards each other, each half as long (DeepSeek-V3, 2024, table 2).
  double bubble_saved() const {
    if (run_.schedule == RunSchedule::zero_bubble) return 2.0 / 3;
    if (run_.schedule == RunSchedule::dualpipe) return 0.5;
    return software_.interleaving * (1 - 1 / real(run_.virtual_stages));
  }

  /// Of servers of eight, one in two hundred is a tenth slower, and everybody waits for it (Jiang et al.
  /// 2024, section 6.3).
  double straggling() const {
    constexpr double kServer = 8;
    constexpr double kSlowServers = 0.005;
    constexpr double kSlower = 0.1;
    return 1 + kSlower * (1 - std::pow(1 - kSlowServers, real(run_.devices) / kServer));
  }

  static FlopRate sixteen_bits(const MeasuredRun& run, const Accelerator& accelerator, FlopRate peak) {
    if (bytes_of(run.precision) >= kActivationBytes) return peak;
    return accelerator.dense.at(Precision::bf16).value_or(peak);
  }

  std::int64_t layers_of(std::int64_t stage) const {
    const std::int64_t extra = run_.shape.layers % run_.pipeline;
    return run_.shape.layers / run_.pipeline + (stage < extra ? 1 : 0);
  }

  bool hides(Hidden what) const {
    return std::find(run_.hides.begin(), run_.hides.end(), what) != run_.hides.end();
  }
  bool wholly(Hidden what) const { return run_.hides_wholly && hides(what); }

  Seconds tensor_transfers() const {
    if (run_.tensor <= 1) return Seconds(0);
    constexpr double kCollectivesPerPass = 2;  // all-reduces, or a gather and a scatter each
    const Bytes buffer(kActivationBytes * tokens_ * real(run_.shape.hidden));
    const double latencies = run_.sequence_parallel ? 2 : 1;
    double exposed = software_.hides_tensor ? calibration_.exposed_async : 1;
    if (wholly(Hidden::tensor)) exposed = 0;
    const double blocks = run_.shape.parallel_block ? 1 : kCollectivesPerPass;
    return exposed * blocks *
           (2 * collectives_.ring(collectives_.group(real(run_.tensor), 1), buffer) +
            latencies * collectives_.latency());
  }

  Seconds expert_transfers() const {
    const Bytes bytes(kActivationBytes * tokens_ * real(run_.shape.experts_per_token * run_.shape.hidden));
    const Group group = collectives_.group(real(run_.expert), real(run_.tensor));
    const Seconds both = 2 * collectives_.all_to_all(group, bytes);  // dispatch and combine
    if (wholly(Hidden::expert)) return Seconds(0);
    return run_.schedule == RunSchedule::dualpipe || hides(Hidden::expert) ? kContention * both : both;
  }

  /// Megatron's ranks exchange queries, keys, values and results; others gather keys and values, or pass them
  /// around a ring beside the attention kernels.
  Seconds context_transfers(Seconds attention) const {
    if (run_.context <= 1) return Seconds(0);
    const double head = 2 * real(run_.shape.head_size_or_even()) / real(run_.tensor);
    const Group group = collectives_.group(real(run_.context), real(run_.tensor));
    const double keys = tokens_ * real(run_.shape.kv_heads_or_all()) * head;
    if (software_.context_exchange == ContextExchange::ring && software_.hides_context) {
      const Seconds ring =
          collectives_.ring({group.ranks, 1, 1}, Bytes(kActivationBytes * keys * real(run_.context)));
      return beyond(ring, attention) + collectives_.latency();
    }
    if (software_.context_exchange == ContextExchange::all_gather) {
      return collectives_.ring(group, Bytes(kActivationBytes * keys * real(run_.context))) +
             collectives_.latency();
    }
    constexpr double kCalls = 4;  // queries, keys, values and the result
    const double all = keys + tokens_ * real(run_.shape.heads) * head;
    const Bytes bytes(calibration_.context_exchange * kActivationBytes * all);
    return collectives_.all_to_all(group, bytes) + (kCalls - 1) * collectives_.latency();
  }

  PassPair layer(bool experts) const {
    OperatorTimes sum;
    Seconds core{0};
    Seconds core_backward{0};
    for (const Operator& op : layer_operators(run_.shape, experts, CausalAttention::full)) {
      const OperatorTimes times = clock_.times(op, share_);
      sum += times;
      if (!op.attention_matrix) continue;
      core += times.forward;
      core_backward += times.backward();
    }
    const Seconds transfers = tensor_transfers() + (experts ? expert_transfers() : Seconds(0));
    const Seconds host = software_.graphs ? Seconds(0) : calibration_.layer_overhead;
    PassPair out;
    out.forward = sum.forward + host + transfers + context_transfers(core);
    out.backward = sum.backward() + host + transfers + context_transfers(core_backward);
    const double share = real(run_.recompute_layers.value_or(run_.shape.layers)) / real(run_.shape.layers);
    out.backward += share * recomputed(out.forward, core);
    return out;
  }

  /// Full recomputation repeats the forward pass; Megatron's selective one the attention core, where a fused
  /// kernel repeats it anyway; torchtitan's the operators that its policy does not save.
  Seconds recomputed(Seconds forward, Seconds core) const {
    if (run_.recompute == Recompute::full) return forward;
    if (run_.recompute != Recompute::selective) return Seconds(0);
    if (software_.partial_recompute) return (forward - core) * calibration_.partial_recompute;
    return run_.attention == Attention::flash ? Seconds(0) : core;
  }

  /// Embedding on the first stage, output matrix and loss on the last.
  Seconds ends(std::int64_t stage) const {
    Seconds time{0};
    const std::vector<Operator> operators = head_operators(run_.shape);
    for (const Operator& op : operators) {
      const bool embedding = !op.matmul && op.name != kCrossEntropy;
      if (stage != (embedding ? 0 : run_.pipeline - 1)) continue;
      const OperatorTimes times = head_clock_.times(op, share_);
      time += times.forward + times.backward();
    }
    return time;
  }

  Seconds transfers_between_stages() const {
    if (run_.pipeline <= 1 || software_.hides_pipeline) return Seconds(0);
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

  double gradient_bytes() const {
    return run_.precision == Precision::fp16 ? 2 : bytes_of(software_.gradients);
  }

  /// Ranks that hold the same parameters.
  Group replicas() const { return collectives_.group(real(run_.data * run_.context), real(run_.tensor)); }
  /// Ranks that hold the same experts.
  Group expert_replicas() const {
    return collectives_.group(real(run_.data * run_.context) / real(run_.expert),
                              real(run_.tensor * run_.expert));
  }
  Seconds exchange(const Held& parameters, double bytes) const {
    return collectives_.ring(replicas(), Bytes(parameters.common * bytes)) +
           collectives_.ring(expert_replicas(), Bytes(parameters.experts * bytes));
  }

  /// Summing gradients after the last microbatch, and gathering weights where their optimizer is sharded;
  /// beside that microbatch's backward pass and the next one's forward pass where the software can.
  Seconds gradients(Seconds microbatch) const {
    if (wholly(Hidden::gradients)) return Seconds(0);
    const Held parameters = held();
    const Seconds sum = exchange(parameters, gradient_bytes());
    const Seconds gather =
        exchange(parameters, run_.zero_stage >= 1 ? kWorkingWeightBytes : gradient_bytes());
    if (!software_.hides_gradients) return sum + gather;
    // Interleaved stages end chunk by chunk, over the last p microbatches.
    const double last =
        run_.virtual_stages > 1 ? std::min(real(run_.pipeline), real(run_.microbatches())) : 1;
    constexpr double kForwardShare = 1.0 / 3;
    return hidden(sum, (1 - kForwardShare) * last * microbatch) +
           hidden(gather, kForwardShare * last * microbatch);
  }

  /// What is left of a transfer beside compute, whose processors and memory it slows.
  Seconds hidden(Seconds transfer, Seconds compute) const {
    return beyond(transfer, compute) + kContention * std::min(transfer, compute);
  }

  /// ZeRO 3: gathers before each pass and scatters after the backward one, hidden behind the layer before.
  Seconds sharded_weights(const PassPair& dense, const PassPair& sparse) const {
    const double layers = real(run_.shape.layers) / real(run_.pipeline);
    const ParameterCount p = count_parameters(run_.shape);
    Held all = held();
    all.common = (all.common - p.embedding / real(run_.tensor)) / layers;
    all.experts /= layers;
    const PassPair& layer = run_.shape.experts > 0 ? sparse : dense;
    const Seconds gather = exchange(all, kWorkingWeightBytes);
    const Seconds scatter = exchange(all, gradient_bytes());
    const Seconds exposed = hidden(gather, layer.forward) + hidden(gather + scatter, layer.backward);
    const double times = software_.repeated_gathers ? real(run_.microbatches()) : 1;
    return times * (layers * exposed + gather + scatter);
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
  const Software& software_;
  const Calibration& calibration_;
  OperatorClock clock_;
  OperatorClock head_clock_;  // the output matrix stays in 16 bits
  Collectives collectives_;
  DeviceShare share_;
  double tokens_ = 0;
};

}  // namespace

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog, const Calibration& calibration) {
  const Accelerator& accelerator =
      find_entry(catalog.accelerators, run.accelerator_key, "accelerator", run.where);
  const Software software = software_of(run, catalog);
  return Predictor(run, software, accelerator, calibration, run_peak(run, catalog)).predict();
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
