// The entries of the catalog: hardware, models and prices, every one with its source.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/units.h"

namespace trainyard {

/// Number formats of tensors and of matrix engines.
enum class Precision { fp64, fp32, tf32, bf16, fp16, fp8, int8, fp6, fp4 };
constexpr std::size_t kPrecisionCount = 9;

/// Bytes of one element in memory (TF32 is stored as 32 bits, FP6 packed).
constexpr double bytes_of(Precision precision) {
  constexpr std::array<double, kPrecisionCount> kBytes = {8, 4, 4, 2, 2, 1, 1, 0.75, 0.5};
  return kBytes[static_cast<std::size_t>(precision)];
}

/// Peak matrix rates by precision; absent where the chip has none.
struct PeakRates {
  std::array<std::optional<FlopRate>, kPrecisionCount> by_precision;

  const std::optional<FlopRate>& at(Precision precision) const {
    return by_precision[static_cast<std::size_t>(precision)];
  }
};

/// Common to every entry.
struct EntryInfo {
  std::string name;                            // for people
  std::string source;                          // where the figures come from
  std::map<std::string, std::string> sources;  // per field, where it differs
  std::string note;
};

/// How a vendor counts a link rate.
enum class RateCounts { each_direction, both_directions };

/// One accelerator: a GPU, a TPU chip.
struct Accelerator {
  EntryInfo info;
  std::string vendor;
  std::int64_t year = 0;
  Bytes memory;
  BytesPerSecond memory_rate;
  Watts tdp;
  BitRate scale_up_rate;  // per direction, all links of the device together
  std::optional<BitRate> vendor_scale_up_rate;
  RateCounts vendor_scale_up_rate_counts = RateCounts::each_direction;
  BytesPerSecond host_rate;  // to the host's memory, per direction
  std::optional<Usd> price;
  std::optional<double> matmul_efficiency;  // measured share of the dense peak, large products
  std::string calibration;                  // key; empty: none
  std::string software;                     // key of the program that usually trains on it; empty: none
  PeakRates dense;
  PeakRates sparse;
};

/// What was measured of an accelerator and its software: the constants of the calibrated compute model
/// (docs/models.md, "Calibrated compute"). One set serves all runs on one type of accelerator.
struct Calibration {
  EntryInfo info;
  std::string operators;    // key of the system whose measured operators time products; empty: none
  std::string fitted_with;  // key of the set whose fit its runs take part in; empty: its own
  bool estimated = false;   // nothing was measured on it
  /// Keys of the accelerators of the runs that `interval` was set by; empty: of all that take this set.
  std::vector<std::string> measured_on;
  std::string attention_kernel;     // of its fused attention; empty: the usual one
  double product_time = 1;          // of products in training over those measured, sustained; 16 bits
  double product_time_fp8 = 1;      // the same at 8 bits, without their casts
  double product_time_fp4 = 1;      // the same at 4 bits
  double mx_weight_gradient = 1.2;  // time of MXFP8's weight gradients over one scale a matrix; not grouped
  std::optional<double> sustained_slowdown;  // of 16-bit products at full peak; empty: the system's
  double attention_time = 1;                 // of fused attention in training over that measured
  double collective_time = 1;            // of gathers and scatters inside the HB domain over those measured
  double all_to_all_time = 1;            // the same, all-to-alls
  double attention_backward_time = 1.2;  // of a FLOP of its backward pass over one forward
  std::int64_t processors = 0;       // streaming multiprocessors: tiles of a product run in waves of so many
  double matmul = 0.7;               // share of the dense peak of an endless product, 16 bits
  double matmul_fp8 = 0.6;           // the same at 8 bits, of the 8-bit peak
  std::optional<double> matmul_fp4;  // the same at 4 bits; empty: as at 8
  double wave_share = 0.5;           // part of the tile and wave quantisation that shows
  double inner_overhead = 130;       // elements of the inner dimension that a tile's start and end cost
  double weight_gradient = 1.03;     // time of a weight-gradient product over a forward one
  double accumulation_blend = 1.4;   // exponent by which it and the traffic of the sum that it adds to add up
  double grouped_matmul = 1.2;       // time of a grouped product (experts) over a dense one
  double grouped_rows = 1024;        // of an expert, at which that holds
  double grouped_blend = 1.6;        // exponent by which their compute and memory add up
  double attention_forward = 0.5;    // share of the dense peak, fused kernel, causal half counted
  double attention_backward = 0.4;   // the same, with 2.5 times the forward FLOP
  double attention_wave = 0.4;       // loss of a fused kernel whose blocks fill the device once
  Seconds dropout_time{5e-13};       // of a mask's element and pass in a fused attention kernel
  double softmax_bytes = 13;         // unfused attention, of an element of the matrix: forward pass
  double softmax_bytes_backward = 16;
  double memory = 0.8;                // share of the memory rate that elementwise operators reach
  double elementwise_backward = 1.8;  // backward over forward time of elementwise operators
  double eager = 1.3;                 // time of eager elementwise kernels over that of their bytes
  bool transposed_casts = false;      // products of 8 bits read both operands along the inner dimension
  double cast = 2;                    // passes over inputs and outputs that casting to 8 bits costs
  double routing_bytes = 40;          // of a token and expert: scores, top-k, bookkeeping
  double permutation_time = 1;        // of copies of experts' tokens over that of their bytes
  double loss_bytes = 25;             // of a logit: softmax, loss and their gradients
  double optimizer_bytes = 40;        // of a parameter: fused Adam 30, norm of gradients 4, working copy 6
  double scale_up = 0.7;              // share of the scale-up rate that collectives reach
  double all_to_all = 0.6;            // the same, all-to-all
  double context_exchange = 2;        // passes of context parallelism over queries, keys and values
  double exposed_async = 0.6;    // share of tensor-parallel transfers that asynchronous ones leave exposed
  double exposed_pieces = 0.3;   // the same where pieces were tuned: a scenario states what its program does
  double scale_out = 0.8;        // share of the scale-out rate that collectives reach
  double wide_all_to_all = 0.9;  // the same, all-to-alls
  Seconds launch{3e-6};          // of a kernel
  Seconds collective_latency{2e-5};  // of a collective inside the HB domain
  Seconds layer_overhead{1e-4};      // of a layer and pass, the framework's
  Seconds host_operator{1.5e-4};     // in which the host issues an operator of a pass
  double host_collective = 2;        // operators that a collective beside compute costs the host
  Seconds host_expert{1e-4};         // in which it issues a product of one expert in 8 bits
  Seconds microbatch_overhead{2e-3};
  Seconds step_overhead{1e-2};
  double interval = 0.35;           // half-width of the 80% interval of a step's time, in logarithms
  double interval_elsewhere = 0.2;  // that adds to it on accelerators that nothing was measured on
};

/// A device whose operators were measured: what its constants are relative to.
struct OperatorSystem {
  EntryInfo info;
  std::string accelerator;           // key of the accelerator that the constants speak for; empty: none
  std::int64_t processors = 0;       // streaming multiprocessors; 0: unknown, collectives only
  BytesPerSecond memory_rate;        // 0: the accelerator's
  PeakRates dense;                   // absent: the accelerator's
  BitRate scale_up_rate;             // of a device, as it was measured; 0: the accelerator's
  std::vector<std::string> devices;  // names that drivers give it
  double sustained_slowdown = 0;     // of operators that run for seconds, at full use of the peak rate
};

/// Constants of one operator on one system, relative to its peak rates (docs/models.md, "Operators by
/// shape").
struct OperatorConstants {
  EntryInfo info;
  std::string system;                       // key of an OperatorSystem
  std::string operation;                    // gemm, attention, mla, moe, all_reduce, ...
  std::string dtype;                        // of the operands; empty: any
  std::string kv_dtype;                     // of the cache that attention writes; empty: any
  std::string kernel;                       // empty: every kernel that has no entry of its own
  std::string backend;                      // of the library that was measured
  std::map<std::string, double> constants;  // of the physical model, by name
  std::string correction;  // steps of a percent at the knots, as letters of the model's tables
  std::map<std::string, std::string> slow_cells;  // placements of experts for which slow kernels were chosen
};

/// How the ranks of a context-parallel group share keys and values.
enum class ContextExchange { all_to_all, all_gather, ring };

/// How weight gradients join those of earlier microbatches.
enum class Accumulation { hidden, fused, apart };

/// Habits of a training program that change the time and the memory of a step. Each is a fact about the
/// program, not about a run.
struct Software {
  EntryInfo info;
  double interleaving = 1;          // share of what interleaved stages could save that they do save
  bool hides_gradients = false;     // sums beside the last backward pass, gathers beside the next forward one
  bool hides_tensor = false;        // tensor-parallel transfers in pieces beside the products
  bool hides_pipeline = false;      // sends between stages beside compute
  bool hides_interleaved = false;   // those of interleaved stages alone
  bool hides_wide_experts = false;  // all-to-alls of experts that leave the HB domain run beside compute
  bool hides_experts = false;       // all-to-alls of experts do, inside the HB domain too
  bool sends_tokens_once = false;   // to each HB domain, which passes them on to its devices
  Seconds token_copy_time{0};       // the least that a device needs for each copy that it sends there
  bool graphs = false;              // kernels are launched as captured graphs: no gaps for the host
  bool graphs_experts = false;      // those of experts too, whose shapes change with the tokens
  bool gathers_fp8 = false;  // weights that are multiplied in fp8 by one scale a matrix are gathered so
  Accumulation accumulation = Accumulation::apart;
  bool fuses_permutation = true;    // one kernel sorts tokens by experts, one puts them back
  double token_sorts = 1;           // time of unfused sorting over that of PyTorch's plainest kernels
  bool fuses_router = true;         // scores, top-k, maps and the balancing loss are a kernel each
  bool drops_tokens = false;        // beyond an expert's capacity, which are the tokens' top by expert
  bool groups_experts = false;      // one kernel multiplies all experts of a device: issued once
  bool fuses_experts = false;       // grouped products do the activation, biases and casts between them
  bool fuses_biases = false;        // products add their biases themselves
  bool fuses_adapters = false;      // products add what adapters make of their inputs; not with tensor ranks
  bool fuses_feed_forward = false;  // activations write and read the 8 bits of the products around them
  bool fuses_norms = false;         // a norm is one kernel where other operators are not fused
  bool fuses_squared_relu = true;   // else ReLU and its square are kernels of their own
  double product_time =
      1;  // of products that are not grouped, by its release's libraries, over the calibration's
  std::optional<double> loss_bytes;           // of a logit, with its own loss; empty: the calibration's
  std::optional<double> compiled_loss_bytes;  // the same where a compiler fuses it; empty: as loss_bytes
  /// Bytes of a logit that the loss holds at once; empty: as activations, their gradient in place.
  std::optional<double> loss_held_bytes;
  std::optional<double>
      compiled_loss_held_bytes;  // the same where a compiler fuses it; empty: as loss_held_bytes
  bool gathers_logits = false;   // each tensor rank gathers all logits and computes the whole loss
  double biased_experts = 1;     // time of grouped products with biases over those without
  Seconds step_overhead{0};      // of its own for each step, beside the calibration's
  /// The host\'s time for layers beside whose compute all-to-alls run, over the usual.
  double overlapped_launches = 1;
  /// Share of a hidden transfer by which it slows the compute beside it.
  double contention = 0.25;
  bool balances_stages = false;    // the output matrix counts as the layers that it weighs
  bool low_attention = false;      // attention's kernels take the format of the products
  bool low_output = false;         // the output matrix's product too
  double unfused = 0;              // part of the elementwise operators that nobody fused, unless compiled
  double attention_to_2020 = 1;    // share of the calibrated attention rate, accelerators up to 2020
  double attention_from_2021 = 1;  // the same, later ones
  ContextExchange context_exchange = ContextExchange::all_to_all;
  double ring_attention = 1;        // of a ring of context ranks, over the time of its pieces
  bool hides_context = false;       // a ring's keys and values pass beside the attention kernels
  bool wide_gathers = true;         // ZeRO 3 gathers through all interfaces of a domain, not one
  bool repeated_gathers = false;    // ZeRO 3 gathers and scatters for every microbatch
  bool copies_sequence = false;     // around gathers and scatters of tensor ranks that divide the sequence
  bool gathers_fp8_inputs = false;  // tensor ranks gather in fp8 what is multiplied so by one scale a matrix
  double gather_copy_bytes = 0;     // that ZeRO 3 moves of a weight out of the buffer of a gather
  double scatter_copy_bytes = 0;    // and of a gradient into that of a scatter
  bool partial_recompute = false;   // selective recomputation repeats most operators, not attention alone
  Precision gradients = Precision::fp32;       // in memory and on the network, where compute is not fp16
  std::optional<Precision> gradient_exchange;  // on the network; empty: as gradients
  bool sums_whole_gradients = false;           // replicas that share out the optimizer alone all-reduce
  bool weight_gradient_placeholders = false;   // an unused 16-bit buffer for each shape of weights
  bool buffers = true;                         // temporaries, and inputs gathered where weights are divided
  bool cast_inputs = false;                    // inputs of products are kept in the products' format
  bool keeps_gathered_weights = false;         // ZeRO 3 gathers weights once a step and keeps them
  bool keeps_gathered_inputs = false;  // of products, whole over the tensor ranks that divide the sequence
  bool keeps_gathered_ends = false;  // ZeRO 3 keeps embedding and output matrix gathered until the step ends
  bool whole_in_pipelines = false;   // ZeRO 3 scatters gradients, and lets go of weights, once a step there
  double gradient_copy_bytes = 0;    // of a parameter, in buffers of exchanges, beside the sums
  bool gathers_products = false;     // ZeRO 3 gathers weights product by product, not layer by layer
  bool keeps_working_copy = true;    // under ZeRO 3; else the master copy is cast as it is gathered
  bool recomputes_inputs = false;    // of products, with what makes them
  bool recomputes_unread = true;     // products whose outputs the backward pass does not read
  bool divides_hidden = false;       // activations between products, without sequence parallelism too
  std::int64_t vocabulary_multiple = 1;  // of it times the tensor-parallel size, by padding
  Bytes workspace{0};                    // of libraries
  // What it offers; a scenario may ask for more, automatic choices do not.
  bool tensor_parallel = true;
  bool pipeline_parallel = true;
  bool context_parallel = true;
  bool sequence_parallel = true;
  bool selective_recompute = true;
  bool recompute_by_layer = true;  // of some layers, the others keep what they made
  std::int64_t zero_stage = 3;     // the highest
  double interval = 1;             // factor of the accelerator's interval
  double slower = 0;               // what adds to its upper half, in squares, by runs of others
};

/// A high-bandwidth domain as it is bought: a server, a rack, several racks.
struct HbDomain {
  EntryInfo info;
  std::string accelerator;  // key
  std::int64_t devices = 0;
  double racks = 1;               // racks that one domain fills
  std::int64_t host_devices = 8;  // accelerators of a server or tray, which is repaired as one
  Usd price;
  Watts power;      // full load
  std::string nic;  // key
  double nics_per_device = 1;
  std::string scale_up_switching;
};

struct Nic {
  EntryInfo info;
  BitRate rate;  // per direction, all ports together
  std::int64_t ports = 1;
  std::optional<Watts> power;
  std::optional<Usd> price;
};

/// A way to divide a switch chip into ports.
struct PortSplit {
  std::int64_t ports = 0;
  BitRate rate;
};

struct Switch {
  EntryInfo info;
  BitRate capacity;  // per direction
  std::vector<PortSplit> radix;
  std::optional<Usd> price;
  std::optional<Watts> power;
  std::optional<Seconds> latency;
};

enum class LinkKind { dac, aec, aoc, transceiver };
enum class PriceBasis { per_end, per_cable };

/// A cable or an optical module.
struct LinkProduct {
  EntryInfo info;
  LinkKind kind = LinkKind::transceiver;
  BitRate rate;
  Metres reach;
  std::optional<Usd> price;
  PriceBasis price_is = PriceBasis::per_end;
  std::optional<Watts> power;
};

/// An optical circuit switch: light of a port leaves through any other, one circuit a port at a time.
struct CircuitSwitch {
  EntryInfo info;
  std::string technology;      // "MEMS mirrors"
  std::int64_t ports = 0;      // of two directions each
  Seconds reconfiguration{0};  // of a circuit, until light passes and is locked; others stay
  double loss_db = 0;          // insertion loss, the most
  std::optional<Usd> price;
  std::optional<Watts> power;
};

/// A named set of prices.
struct PriceModel {
  EntryInfo info;
  std::optional<Usd> transceiver;
  std::optional<BitRate> transceiver_rate;
  std::optional<Usd> switch_port;
  std::optional<BitRate> switch_port_rate;
  std::optional<UsdPerJoule> electricity;
  std::string electricity_region;
  std::optional<Usd> rack;
  std::optional<Seconds> depreciation;
};

enum class BiasTerms { none, qkv, all };
enum class NormKind { layer, layer_no_bias, rms };
enum class Activation { gelu, relu, squared_relu, silu, swiglu, geglu };
enum class AttentionKind { full, latent };

/// The shape of a decoder-only transformer, dense or mixture of experts: enough to count every parameter.
struct ModelShape {
  EntryInfo info;

  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::optional<std::int64_t> kv_heads;   // absent: as many as heads
  std::optional<std::int64_t> head_size;  // absent: hidden / heads
  std::optional<std::int64_t> ffn;        // absent: 4 x hidden
  bool gated_ffn = false;
  std::optional<Activation> activation;  // absent: gelu, where gated swiglu
  std::int64_t vocabulary = 0;
  std::int64_t learned_positions = 0;
  std::int64_t sequence = 0;
  bool tied_embeddings = false;
  BiasTerms attention_bias = BiasTerms::none;
  bool ffn_bias = false;
  bool clamped_activation = false;
  NormKind norm = NormKind::rms;
  std::int64_t norms_per_layer = 2;
  bool final_norm = true;
  bool qk_norm = false;  // queries and keys pass norms of their own
  bool capped_logits = false;
  bool parallel_block = false;
  bool dropout = false;

  std::int64_t experts = 0;  // routed experts of a layer; 0: dense
  std::int64_t experts_per_token = 0;
  std::int64_t expert_groups = 1;  // equal groups of experts, of which a token is routed to a few only
  std::int64_t groups_per_token = 1;
  std::optional<std::int64_t> expert_ffn;  // absent: as ffn
  std::int64_t shared_experts = 0;
  std::optional<std::int64_t> shared_expert_ffn;  // absent: as a routed expert
  std::int64_t dense_layers = 0;                  // the first layers that have no experts
  std::int64_t expert_interval = 1;               // of so many layers behind them the last has experts
  std::int64_t mtp_layers = 0;  // modules that predict tokens further on, each a layer and a projection
  bool router_bias = false;

  std::int64_t attention_window = 0;  // tokens that a token attends to, with itself; 0: all before it
  double windowed_layers = 1;         // share of the layers that have the window
  bool chunked_window = false;        // the window begins anew after so many tokens and does not slide
  std::optional<std::int64_t> global_head_size;  // of layers without the window; absent: as the others
  std::optional<std::int64_t> global_kv_heads;
  bool global_keys_are_values = false;  // they project keys alone
  AttentionKind attention = AttentionKind::full;
  std::int64_t q_lora_rank = 0;
  std::int64_t kv_lora_rank = 0;
  std::int64_t rope_head_size = 0;
  std::int64_t nope_head_size = 0;
  std::int64_t value_head_size = 0;

  std::optional<double> training_tokens;
  std::optional<double> batch_tokens;
  std::optional<double> published_parameters;
  std::optional<double> published_active_parameters;
  std::optional<double> parameters_tolerance_pct;

  /// Layers that devices hold and pass: those of the model and of its multi-token prediction.
  std::int64_t blocks() const { return layers + mtp_layers; }
  std::int64_t kv_heads_or_all() const { return kv_heads.value_or(heads); }
  /// The window of a layer that has one, 0 where it takes in the sequence.
  std::int64_t window_in_force() const { return attention_window < sequence ? attention_window : 0; }
  std::int64_t head_size_or_even() const { return head_size.value_or(heads > 0 ? hidden / heads : 0); }
  std::int64_t ffn_or_fourfold() const { return ffn.value_or(4 * hidden); }
  std::int64_t expert_ffn_or_ffn() const { return expert_ffn.value_or(ffn_or_fourfold()); }
  std::int64_t shared_ffn_or_expert() const { return shared_expert_ffn.value_or(expert_ffn_or_ffn()); }
  double windowed_share() const { return attention_window > 0 ? windowed_layers : 0; }
  std::int64_t global_head_or_same() const { return global_head_size.value_or(head_size_or_even()); }
  std::int64_t global_kv_or_same() const { return global_kv_heads.value_or(kv_heads_or_all()); }
  /// Of so many first layers of a model with experts, those without any.
  std::int64_t dense_before(std::int64_t count) const {
    const std::int64_t first = std::min(dense_layers, count);
    const std::int64_t mixed = std::max<std::int64_t>(0, std::min(count, layers) - first);
    return first + mixed - mixed / expert_interval;
  }
};

/// How often parts of a cluster fail, and how its operator finds and repairs them.
struct FailureSet {
  /// Of any of its times, and of those that [resilience] has in their place: beyond it nothing is ever
  /// repaired.
  static constexpr double kMostTime_s = 10000 * 365 * 86400.0;

  EntryInfo info;
  // Failures of one part a year of 365 days, which stop a job unless the network has a way around.
  double gpu = 0;          // of an accelerator
  double memory = 0;       // of an accelerator's memory
  double nic = 0;          // of an accelerator's share of NICs
  double transceiver = 0;  // of one end of an optical cable
  double cable = 0;
  double switch_chip = 0;
  double plane = 0;       // of a plane of the network as a whole: a wrong configuration
  double host = 0;        // of a server: processors, memory, disks, power supplies, fans
  double rack_power = 0;  // of a rack
  double power_feed = 0;  // of the feed of several racks
  double cooling = 0;     // of the loop of as many racks
  double site = 0;
  double software = 0;   // of a server's share of the program
  double silent = 0;     // wrong results of an accelerator
  double straggler = 0;  // of a server that turns slow
  double planned = 0;    // interruptions of a job that people plan
  // Bathtub: parts of age a fail (1 + infant_factor exp(-a / infant_time) + (a / wear_time)^3) times as
  // often.
  double infant_factor = 0;
  Seconds infant_time{90 * 86400.0};
  std::optional<Seconds> wear_time;
  // What happens then.
  Seconds detection{60};           // of what ends with an error
  double hang_share = 0;           // of failures that end in a hang
  Seconds hang_detection{600};     // of a hang: time limits of collectives
  Seconds silent_detection{3600};  // mean
  double straggler_slowdown = 0.2;
  Seconds straggler_detection{3600};
  Seconds restart{300};    // scheduling, start, first collectives, without reading the checkpoint
  Seconds hot_swap{10};    // a spare that runs takes a server's place
  Seconds cold_swap{600};  // a spare that is off
  double manual_share = 0;
  Seconds manual_time{3600};  // until people have found what is wrong
  // Mean times to repair.
  Seconds repair{86400};          // of a server
  Seconds link_repair{14400};     // of a cable, a transceiver, a switch
  Seconds facility_repair{7200};  // of power and cooling
};

/// A setting that nobody has measured for a scenario, and how far it may be from what that says.
struct Assumption {
  EntryInfo info;
  std::string setting;  // network.scale_out_efficiency
  std::string low;      // as --set takes it
  std::string high;
};

}  // namespace trainyard
