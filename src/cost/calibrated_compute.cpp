#include "cost/calibrated_compute.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "catalog/choices.h"
#include "cost/exchange_times.h"
#include "cost/gather_copies.h"
#include "cost/host_times.h"
#include "cost/measured_operators.h"
#include "cost/operator_clock.h"
#include "model/model.h"
#include "parallel/stages.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Copies of tokens around the experts of a layer, over those of a device that has all of them: to k copies
/// and back. A plain all-to-all sorts what arrives by its experts too, and back; a program that sends a token
/// once to each device copies it there (megatron/core/transformer/moe/token_dispatcher.py, `alltoall` and
/// `flex`). What arrived is as much more as the fullest device gets.
double copies_of_tokens(const Software& software, const ModelShape& shape, const MappingPlan& m,
                        double fullest) {
  if (m.expert == 1 || shape.experts == 0) return 1;
  const double k = real(shape.experts_per_token);
  const double devices = real(m.expert);
  if (software.sends_tokens_once) return (k * fullest + places_reached(shape, devices)) / (k + 1);
  return m.expert == shape.experts ? 1 : (k + 1 + 2 * k * fullest) / (k + 1);
}

FlopRate sixteen_bit_peak(const Scenario& scenario) {
  const FlopRate peak = peak_rate(scenario);
  const bool low = bytes_of(scenario.precision.compute) < bytes_of(Precision::bf16);
  return low ? accelerator_of(scenario).dense.at(Precision::bf16).value_or(peak) : peak;
}

OperatorDevice device_of(const Scenario& scenario, const Calibration& calibration, Precision precision) {
  const FlopRate peak = sixteen_bit_peak(scenario);
  return {.operators = calibration.operators,
          .attention_kernel = calibration.attention_kernel,
          .precision = precision,
          .block_scaled = multiplies_in(scenario, Fp8Scaling::block),
          .low_attention = software_of(scenario).low_attention,
          .peak = peak,
          .peak_low = precision == scenario.precision.compute ? peak_rate(scenario) : peak,
          .peak_eight = accelerator_of(scenario).dense.at(Precision::fp8).value_or(FlopRate(0)),
          .memory = accelerator_of(scenario).memory_rate,
          .launch = calibration.launch,
          .sustained_slowdown = calibration.sustained_slowdown};
}

OperatorClock clock_of(const Scenario& scenario, const Calibration& calibration, Precision precision) {
  const OperatorDevice device = device_of(scenario, calibration, precision);
  return {calibration,   device.peak, device.peak_low,
          device.memory, precision,   measured_operators(*scenario.catalog, device)};
}

/// Embedding, output matrix and loss stay in 16 bits, unless the program multiplies the output matrix in
/// fewer.
OperatorClock end_clock_of(const Scenario& scenario, const Calibration& calibration) {
  return clock_of(scenario, calibration,
                  software_of(scenario).low_output ? scenario.precision.compute : Precision::bf16);
}

/// Share of the newest kernel's rate that an older one reaches, which is given for heads of 128: wider heads
/// gain less from it, narrower ones lose less. FlashAttention 2 beside 3 on H100 at 4,096 tokens has 0.68 at
/// 64, 0.58 at 128, 0.48 at 256 (Shah et al. 2024, figure 5).
double older_kernel_share(double share_of_usual, double head) {
  constexpr double kUsualHead = 128;
  constexpr double kExponent = 0.25;
  if (share_of_usual >= 1) return share_of_usual;
  return std::min(1.0, share_of_usual * std::pow(kUsualHead / head, kExponent));
}

/// Of queries and values in the mean.
double head_width(const ModelShape& shape) {
  if (shape.attention != AttentionKind::latent) return real(shape.head_size_or_even());
  return real(shape.nope_head_size + shape.rope_head_size + shape.value_head_size) / 2;
}

/// Time of the attention kernels over that of the newest kind in one program.
double attention_factor(const Scenario& scenario, const ModelShape& shape, const MappingPlan& m) {
  constexpr int kAmpere = 2020;  // for which FlashAttention 2 was written
  const Software software = software_of(scenario);
  const bool newer = accelerator_of(scenario).year > kAmpere;
  const bool ring = software.context_exchange == ContextExchange::ring;
  const double pieces = ring ? 1 + (software.ring_attention - 1) * (1 - 1 / real(m.context)) : 1;
  return pieces / (newer ? older_kernel_share(software.attention_from_2021, head_width(shape))
                         : software.attention_to_2020);
}

/// Of a sum of gradients: the narrower of what the scenario keeps and what its program sums in.
double gradient_bytes(const Scenario& scenario, const Software& software) {
  return std::min(bytes_of(scenario.precision.gradients), bytes_of(software.gradients));
}

/// Of an element, by kernels that read a weight gradient and the sum and write the sum: none for the first
/// microbatch, and none where replicas scatter each for their owners.
double added_bytes(const Scenario& scenario, const Software& software, const MappingPlan& m) {
  if (software.accumulation != Accumulation::apart || repeats_gathers(scenario, software, m)) return 0;
  constexpr double kSixteenBits = 2;
  return (kSixteenBits + 2 * gradient_bytes(scenario, software)) * (1 - 1 / real(m.microbatches));
}

DeviceShare share_of(const Scenario& scenario, const ModelShape& shape, const MappingPlan& m) {
  const bool latent = shape.attention == AttentionKind::latent;
  const bool wide = !latent && (shape.global_head_size || shape.global_kv_heads);
  const Software software = software_of(scenario);
  const double fullest = fullest_device(shape, real(m.expert), scenario.training.expert_imbalance);
  return {
      .tensor = real(m.tensor),
      .context = real(m.context),
      .expert = real(m.expert),
      .expert_tensor = real(m.expert_tensor),
      .microbatch = real(m.microbatch),
      .attention_factor = attention_factor(scenario, shape, m),
      .ring = software.context_exchange == ContextExchange::ring,
      .queries_per_key = latent ? 1 : real(shape.heads) / real(shape.kv_heads_or_all()),
      .window = real(shape.window_in_force()),
      .windowed = shape.window_in_force() > 0 || wide ? shape.windowed_share() : 0,
      .chunked = shape.chunked_window,
      .global_head = wide ? real(shape.global_head_or_same()) : 0,
      .global_queries_per_key = real(shape.heads) / real(shape.global_kv_or_same()),
      .attended = attended_work(shape),
      .sequence_parallel = scenario.mapping.sequence_parallel,
      .fused_attention = scenario.mapping.attention == Attention::flash,
      .dropout = shape.dropout,
      .unfused = software.unfused,
      .unfused_norms = software.fuses_norms ? 0 : software.unfused,
      .unfused_squares = software.fuses_squared_relu ? software.unfused : 1,
      .fused_biases = software.fuses_biases,
      .fused_adapters = software.fuses_adapters && m.tensor == 1,
      .fused_feed_forward = software.fuses_feed_forward && m.tensor == 1 &&
                            bytes_of(scenario.precision.compute) == bytes_of(Precision::fp8),
      .fused_experts = software.fuses_experts,
      .fullest = fullest,
      .permuted = copies_of_tokens(software, shape, m, fullest),
      .token_sorts = software.token_sorts,
      .unfused_permutation = software.fuses_permutation ? 0 : real(shape.experts_per_token),
      .unfused_router = !software.fuses_router,
      .dropped_tokens = software.drops_tokens,
      .gradient_bytes = gradient_bytes(scenario, software),
      .accumulates = software.accumulation == Accumulation::fused && !repeats_gathers(scenario, software, m),
      .added = added_bytes(scenario, software, m),
      .mx_scaled = multiplies_in(scenario, Fp8Scaling::mx),
      .block_scaled = multiplies_in(scenario, Fp8Scaling::mx) || multiplies_in(scenario, Fp8Scaling::block),
      .loss_bytes = software.loss_bytes,
      .whole_loss = software.gathers_logits,
      .product_time = software.product_time,
      .biased_experts = shape.ffn_bias ? software.biased_experts : 1};
}

/// Share of an operator's forward pass that the backward pass repeats. A fused kernel's scores are part of
/// its backward pass; some programs save by operator.
double repeated(const Operator& op, const MappingInput& mapping, const Software& software) {
  if (recomputes(mapping, software, op)) return 1;
  if (mapping.recompute != Recompute::selective) return 0;
  if (software.partial_recompute) return op.repeated;
  return op.attention_matrix && mapping.attention != Attention::flash ? 1 : 0;
}

/// The framework goes through a whole layer again, whatever of it was kept.
bool runs_again(const MappingInput& mapping, const Software& software) {
  return mapping.recompute == Recompute::full ||
         (mapping.recompute == Recompute::selective && software.partial_recompute);
}

/// What the host issues again in the backward pass of a layer.
Seconds issued_again(const Scenario& scenario, const ModelPlan& model, const Software& software,
                     const HostTimes& once, const std::vector<Operator>& operators, const auto& times_of) {
  const MappingInput& mapping = scenario.mapping;
  Seconds again = runs_again(mapping, software) ? once.forward : Seconds(0);
  if (!mapping.recompute_modules.empty()) {
    std::vector<Operator> repeated;
    std::copy_if(operators.begin(), operators.end(), std::back_inserter(repeated),
                 [&](const Operator& op) { return recomputes(mapping, software, op); });
    again = times_of(repeated).forward;
  }
  return again * recomputing_share(scenario, model);
}

/// Tokens that are routed change the shapes in a layer: programs that cannot capture its experts launch all
/// of it, unless the scenario says that the rest is captured.
Software software_of_layer(const Scenario& scenario, const ModelPlan& model, LayerKind kind) {
  Software out = software_of(scenario);
  const bool routed = kind == LayerKind::usual && model.shape.experts > 0;
  if (routed && !out.graphs_experts && !scenario.training.graphs) out.graphs = false;
  return out;
}

/// Gathers and scatters that a device starts in a pass of a layer: around attention, a dense feed-forward
/// part or shared experts, unless products do them, and around experts that are cut over ranks.
double tensor_collectives(const Scenario& scenario, const Software& software, const ModelShape& shape,
                          const MappingPlan& m, LayerKind kind) {
  if (m.tensor == 1) return 0;
  const bool routed = kind == LayerKind::usual && shape.experts > 0;
  const int dense = !shape.parallel_block && (!routed || shape.shared_experts > 0) ? 1 : 0;
  const int cut = routed && m.expert_tensor > 1 ? 1 : 0;
  return (scenario.mapping.sequence_parallel ? 2 : 1) * (software.hides_tensor ? cut : 1 + dense + cut);
}

bool overlaps_experts(const Scenario& scenario, const Software& software, const MappingPlan& m) {
  const bool leaves_domain = m.expert_domains() > 1;
  return m.expert > 1 && (hides(scenario, Hidden::expert) || software.hides_experts ||
                          (software.hides_wide_experts && leaves_domain));
}

/// No pass is shorter than its launches, which run beside it unless the host waits for every kernel.
void wait_for_host(LayerTimes& times, const HostTimes& host, bool blocking) {
  const auto waited = [&](Seconds launches, Seconds pass) {
    return blocking ? launches : std::max(Seconds(0), launches - pass);
  };
  const Seconds forward = waited(host.forward, times.forward);
  const Seconds backward = waited(host.backward, times.backward);
  times.forward += forward;
  times.backward += backward;
  times.host_wait = forward + backward;
}

}  // namespace

const Calibration& general_calibration() {
  static const Calibration usual = [] {
    Calibration c;
    c.processors = 128;
    return c;
  }();
  return usual;
}

const Calibration* calibration_in_force(const Scenario& scenario) {
  if (scenario.assumptions.compute_model != ComputeModel::calibrated) return nullptr;
  const Calibration* found = scenario.catalog->calibrations.find(calibration_of(scenario));
  return found ? found : &general_calibration();
}

OperatorClock layer_clock(const Scenario& scenario, const Calibration& calibration) {
  return clock_of(scenario, calibration, scenario.precision.compute);
}

namespace {

/// Of the rates that a step's time depends on: other memory or another price is another entry, not another
/// device.
bool same_rates(const Accelerator& a, const Accelerator& b) {
  const auto peak = [](const Accelerator& of, Precision precision) {
    return of.dense.at(precision).value_or(FlopRate(0)).si();
  };
  const auto same = [&](Precision precision) { return peak(a, precision) == peak(b, precision); };
  return same(Precision::bf16) && same(Precision::fp8) && same(Precision::fp4) &&
         a.memory_rate.si() == b.memory_rate.si() && a.scale_up_rate.si() == b.scale_up_rate.si();
}

std::string names_of(const Catalog& catalog, const std::vector<std::string>& accelerators) {
  std::vector<std::string> out;
  for (const std::string& key : accelerators) out.push_back(catalog.accelerators.at(key).info.name);
  return fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

Calibration with_operators_of(const Calibration& constants, const Calibration& own) {
  Calibration out = constants;
  out.info = own.info;
  out.estimated = own.estimated;
  out.operators = own.operators;
  out.attention_kernel = own.attention_kernel;
  out.fitted_with = own.fitted_with;
  out.measured_on = own.measured_on;
  out.processors = own.processors;
  out.host_operator = own.host_operator;
  out.host_collective = own.host_collective;
  out.host_expert = own.host_expert;
  out.interval = own.interval;
  out.interval_elsewhere = own.interval_elsewhere;
  return out;
}

bool borrows_calibration(const Scenario& scenario, const Calibration& calibration) {
  const std::vector<std::string>& on = calibration.measured_on;
  const Accelerator& own = accelerator_of(scenario);
  return !on.empty() && std::none_of(on.begin(), on.end(), [&](const std::string& key) {
    return same_rates(scenario.catalog->accelerators.at(key), own);
  });
}

std::string missing_calibration(const Scenario& scenario) {
  if (scenario.assumptions.compute_model != ComputeModel::calibrated) return {};
  const Accelerator& accelerator = accelerator_of(scenario);
  const std::string key = calibration_of(scenario);
  if (const Calibration* found = scenario.catalog->calibrations.find(key)) {
    if (!borrows_calibration(scenario, *found)) return {};
    return fmt::format(
        "no run was measured on the {} ('{}'): its times are an estimate by the constants of calibration "
        "'{}', whose runs were on {}",
        accelerator.info.name, scenario.catalog->hb_domains.at(scenario.facility.hb_domain).accelerator, key,
        names_of(*scenario.catalog, found->measured_on));
  }
  return fmt::format(
      "nothing was measured on the {}: its times are an estimate by the constants of other accelerators "
      "(accelerators.<key>.calibration names a measured set)",
      accelerator.info.name);
}

std::shared_ptr<MeasuredOperators> operators_in_force(const Scenario& scenario,
                                                      const Calibration& calibration) {
  return measured_operators(*scenario.catalog, device_of(scenario, calibration, scenario.precision.compute));
}

std::string missing_operators(const Scenario& scenario) {
  const Calibration* calibration = calibration_in_force(scenario);
  if (!calibration || calibration->operators.empty()) return {};
  const auto known = operators_in_force(scenario, *calibration);
  std::vector<std::string> missing;
  const bool low = bytes_of(scenario.precision.compute) < bytes_of(Precision::bf16);
  if (!known->multiplies(low))
    missing.push_back("products in " + std::string(choice_name(scenario.precision.compute)));
  if (!known->attends()) missing.emplace_back("attention");
  if (!known->exchanges()) missing.emplace_back("exchanges");
  if (missing.empty()) return {};
  return fmt::format("{} of operator system '{}' were not measured: by shares of the peak rates, an estimate",
                     fmt::join(missing, ", "), calibration->operators);
}

LayerTimes calibrated_layer_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                                  const Calibration& calibration, LayerKind kind) {
  const OperatorClock clock = layer_clock(scenario, calibration);
  const DeviceShare share = share_of(scenario, model.shape, m);
  const Software software = software_of(scenario);
  const Seconds host = software.graphs ? Seconds(0) : calibration.layer_overhead;
  LayerTimes out;
  out.forward = host;
  out.backward = host;
  const std::vector<Operator>& operators = kind == LayerKind::dense ? model.dense_operators : model.operators;
  for (const Operator& op : operators) {
    const OperatorTimes times = clock.times(op, share);
    out.forward += times.forward;
    out.backward += times.backward();
    out.backward_weight += times.weight_gradient;
    out.recompute += times.forward * repeated(op, scenario.mapping, software);
    if (!op.attention_matrix) continue;
    out.attention_forward += times.forward;
    out.attention_backward += times.backward();
  }
  if (runs_again(scenario.mapping, software)) out.recompute += host;
  const SequenceCopies sequence = sequence_copies(scenario, model.shape, m, kind, clock);
  out.forward += sequence.pass;
  out.backward += sequence.pass;
  out.recompute += sequence.again;
  out.recompute = out.recompute * recomputing_share(scenario, model);
  out.recompute_share = out.recompute / (out.forward + out.backward);
  out.backward += out.recompute;
  const GatherCopies copies =
      gather_copies(scenario, m,
                    {weights_by_layer(scenario, model, m, kind), held_by_layer(scenario, model, m, kind),
                     gathered_weight_bytes(scenario)},
                    clock);
  out.forward += copies.forward;
  out.backward += copies.backward;
  out.copies = copies.forward + copies.backward;
  HostLoad load = {.experts = real(model.shape.experts) / share.expert,
                   .low_precision = bytes_of(scenario.precision.compute) < bytes_of(Precision::bf16),
                   .fused_attention = share.fused_attention,
                   .ring_steps = share.ring && share.fused_attention ? share.context - 1 : 0,
                   .collectives = tensor_collectives(scenario, software, model.shape, m, kind),
                   .overlapped_experts = kind == LayerKind::usual && overlaps_experts(scenario, software, m)};
  const Software issuing = software_of_layer(scenario, model, kind);
  const auto launched = [&](const std::vector<Operator>& of) {
    return host_times(of, issuing, calibration, load);
  };
  HostTimes launches = launched(operators);
  load.collectives = 0;
  launches.backward += issued_again(scenario, model, software, launches, operators, launched);
  wait_for_host(out, launches, scenario.training.blocking_launches);
  return out;
}

EndTimes calibrated_end_times(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                              const Calibration& calibration) {
  const OperatorClock clock = end_clock_of(scenario, calibration);
  const DeviceShare share = share_of(scenario, model.shape, m);
  EndTimes out;
  for (const Operator& op : model.head_operators) {
    const OperatorTimes times = clock.times(op, share);
    (op.role == OperatorRole::embedding ? out.first : out.last) += times.forward + times.backward();
  }
  out.each = calibration.microbatch_overhead;
  const auto copied = [&](double parameters) {
    const HeldParameters ends{parameters / real(m.tensor), 0};
    const HeldParameters trained = scenario.training.adapter_rank ? HeldParameters{} : ends;
    // In 16 bits, whatever products take.
    const GatherCopies copies =
        gather_copies(scenario, m, {ends, trained, bytes_of(scenario.precision.weights)}, clock);
    return software_of(scenario).keeps_gathered_ends ? copies.backward : copies.forward + copies.backward;
  };
  const Seconds first = copied(model.parameters.embedding);
  const Seconds last = copied(output_held(model, m));
  out.first += first;
  out.last += last;
  out.copies = first + last;
  return out;
}

Seconds calibrated_optimizer_time(const Scenario& scenario, const ModelPlan& model, const MappingPlan& m,
                                  const OperatorClock& clock) {
  const bool sharded = scenario.mapping.zero_stage >= 1;
  const auto of_stage = [&](std::int64_t stage) {
    const HeldParameters held = held_parameters(scenario, model, m, stage);
    return sharded ? owned_parameters(held, scenario, m) : held.common + held.experts;
  };
  const double own = std::max(of_stage(0), of_stage(fullest_stage(model, m)));
  return clock.memory_time(Bytes(own * clock.calibration().optimizer_bytes)) +
         clock.calibration().step_overhead + software_of(scenario).step_overhead;
}

}  // namespace trainyard
