// The question: what a scenario file may say. One record per section; the defaults here are the defaults of
// the file. Names, ranges, sentences and sources of the fields stand in the tables of src/scenario/.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/load_balancing.h"
#include "trainyard/site_input.h"
#include "trainyard/transports.h"
#include "trainyard/units.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

/// [facility]: what is bought, and how much power it takes. Exactly one of budget, power_limit, devices is
/// given.
struct FacilityInput {
  std::optional<Usd> budget;
  std::optional<Watts> power_limit;
  std::optional<std::int64_t> devices;
  std::string hb_domain;  // key of the catalog
  std::optional<Usd> domain_price;
  std::optional<Watts> domain_power;
  double compute_share = 0.70;
  double network_share = 0.10;
  double overhead_power_share = 0.20;
  double pue_low = 1.15;
  double pue_high = 1.30;
  std::int64_t datacenters = 1;
  std::string prices = "us-industrial";
  std::optional<UsdPerJoule> electricity_price;
  double load = 1.0;
  std::optional<Seconds> depreciation;
};

enum class ScalingLaw { kaplan, hoffmann1, hoffmann2, hoffmann3 };

/// What a run hides beside compute beyond its software's habits.
enum class Hidden { tensor, gradients, pipeline, expert };

/// [training]: with which program, how long, on how much data.
struct TrainingInput {
  std::optional<std::string> software;       // key of the catalog; empty: the accelerator's
  bool compiled = false;                     // a compiler fuses the elementwise operators
  std::vector<Hidden> hides;                 // beyond the program's habits
  bool hides_wholly = false;                 // nothing of what `hides` names is left exposed
  std::vector<Hidden> exposes;               // although the program hides it
  std::optional<bool> graphs;                // captured graphs; empty: as the program does
  std::optional<std::int64_t> adapter_rank;  // low-rank adapters beside frozen weights
  ScalingLaw law = ScalingLaw::hoffmann2;
  std::optional<Seconds> duration;
  std::optional<Flop> compute_budget;
  double law_utilization = 1.0;
  std::optional<double> tokens;
  std::optional<double> batch_tokens;
};

/// [model]: a catalog entry, with changes; or a shape; or a parameter count from which a shape follows.
struct ModelInput {
  std::optional<std::string> name;
  std::optional<double> parameters;
  ModelShape shape;  // resolved: the entry with the scenario's changes
};

/// Where the pipeline's stages go in HB domains.
enum class Placement { same_layer, consecutive_layers };
enum class Recompute { none, selective, full };
enum class MappingGoal { fastest, smallest_tensor };
enum class Attention { flash, stored };

/// Settings of [mapping] that the program chooses: the record holds what it chose. A scenario file opens all
/// that it does not mention.
struct MappingOpen {
  bool context = false;
  bool expert = false;
  bool virtual_stages = false;
  bool microbatch = false;
  bool zero_stage = false;
  bool recompute = false;

  static constexpr MappingOpen all() { return {true, true, true, true, true, true}; }
  bool any() const { return *this != MappingOpen{}; }
  friend bool operator==(const MappingOpen&, const MappingOpen&) = default;
};

/// [mapping]: how the model is cut over the devices. What is absent is chosen by the program.
struct MappingInput {
  std::optional<std::int64_t> tensor;
  std::optional<std::int64_t> pipeline;
  std::optional<std::int64_t> data;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t microbatch = 1;
  std::optional<std::int64_t> microbatches;
  std::int64_t zero_stage = 1;
  bool sequence_parallel = true;
  Recompute recompute = Recompute::selective;
  std::optional<std::int64_t> recompute_layers;  // of the model's; empty: all
  Attention attention = Attention::flash;
  bool offload_activations = false;
  Placement placement = Placement::same_layer;
  MappingGoal goal = MappingGoal::fastest;
  MappingOpen open;
  MappingOpen absent;  // of the open ones, those that the file does not mention
};

/// [precision]: the number format of every term of memory and traffic.
struct PrecisionInput {
  Precision compute = Precision::bf16;
  Precision weights = Precision::bf16;
  Precision master = Precision::fp32;
  bool master_copy = true;
  Precision gradients = Precision::fp32;
  Precision optimizer = Precision::fp32;
  std::int64_t optimizer_states = 2;
  Precision activations = Precision::bf16;
  Precision communication = Precision::bf16;
  std::optional<Precision> gradient_exchange;  // empty: the training program's
  std::optional<Precision> combine;            // what experts send back; empty: as communication
  std::optional<Precision> activation_input;   // kept inputs of activation functions; empty: as activations
};

/// [network]: rates per direction and per device; absent: the catalog's.
struct NetworkInput {
  std::optional<BitRate> scale_up_rate;
  std::optional<BitRate> scale_out_rate;
  BitRate wide_area_rate{20e9};
  Seconds wide_area_rtt{0.060};
  double tail_loss_rtts = 0;
  double scale_up_efficiency = 1.0;
  double scale_out_efficiency = 1.0;
  double pipeline_share = 1.0;
  double gradient_share = 1.0;
  double expert_share = 1.0;
  double weights_share = 1.0;
  double expert_forwarded = 0;  // part of experts' traffic between HB domains that passes one first
  Seconds scale_up_latency{0};
  Seconds scale_out_latency{0};
  std::optional<BytesPerSecond> host_rate;
};

enum class PeakKind { dense, sparse };
enum class LinkCounting { per_direction, both_directions };
enum class AttentionRecompute { backward, counted_in_forward };
enum class EmbeddingPlacement { ends, spread };
enum class UnevenShards { padded, ideal };
enum class StepRule { pipeline, steady_state };
enum class StageOverlap { shared_network, slowest_stage };
enum class ComputeModel { roofline, calibrated, ideal };
enum class GradientExchange { best, flat, hierarchical_all_reduce, hierarchical_reduce_scatter };
enum class AllReduce {
#define TRAINYARD_ALL_REDUCE(name, ...) name,
#include "trainyard/registries/all_reduces.def"
  best
};
enum class AllToAll {
#define TRAINYARD_ALL_TO_ALL(name, ...) name,
#include "trainyard/registries/all_to_alls.def"
  best
};
enum class CausalAttention { full, half };

/// [assumptions]: where a paper and physics part ways. The defaults are the physically right ones.
struct AssumptionsInput {
  PeakKind peak = PeakKind::dense;
  LinkCounting scale_up_counts = LinkCounting::per_direction;
  ComputeModel compute_model = ComputeModel::calibrated;
  std::optional<double> matmul_efficiency;
  double memory_efficiency = 0.8;
  AttentionRecompute attention_recompute = AttentionRecompute::backward;
  CausalAttention causal_attention = CausalAttention::full;
  EmbeddingPlacement embedding_placement = EmbeddingPlacement::ends;
  UnevenShards uneven_shards = UnevenShards::padded;
  StepRule step_rule = StepRule::pipeline;
  StageOverlap stage_overlap = StageOverlap::shared_network;
  GradientExchange gradient_exchange = GradientExchange::best;
  AllReduce all_reduce = AllReduce::bandwidth;
  AllReduce exchange_in_domain = AllReduce::bandwidth;
  AllReduce exchange_between_domains = AllReduce::bandwidth;
  AllToAll all_to_all = AllToAll::bandwidth;
  bool compute_model_absent = false;  // the file does not mention it
};

/// One line of a sweep's chart: settings by key path.
struct SweepSeries {
  std::string label;
  std::map<std::string, std::string> set;  // key path -> TOML text
};

/// [[sweep]]: one key over many values, once for each series.
struct SweepInput {
  std::string name;
  std::string title;
  std::string key;                  // key path of the scenario that varies
  std::vector<std::string> values;  // TOML texts; or from `from` to `to`
  std::string from;
  std::string to;
  std::int64_t points = 0;
  std::string quantity = "step.exposed_share";
  bool log_scale = true;
  std::vector<SweepSeries> series;
};

/// [rail]: the analysis of HB-domain size (rail-only '23, equations 1 to 3).
struct RailInput {
  std::optional<std::int64_t> gpus;         // N; absent: the plan's devices
  std::optional<std::int64_t> domain_size;  // K; absent: the catalog's
  std::optional<double> batch_tokens;       // b, in tokens
  std::optional<double> collective_rounds;  // M_cc
  std::optional<double> block_parameters;   // of one transformer block; absent: counted from the shape
  std::vector<std::int64_t> domain_sizes;   // K's of Fig. 7
  std::vector<std::int64_t> clusters;       // N's of Fig. 7
  std::vector<double> batches;              // b's of Fig. 8, in tokens
};

/// How the switches and links of one network are joined.
enum class TopologyKind {
#define TRAINYARD_TOPOLOGY(name, ...) name,
#include "trainyard/registries/topologies.def"
};

/// [[design]]: one network of a datacenter, to be counted, priced and compared. Absent counts are chosen by
/// the program.
struct DesignInput {
  std::string name;
  std::string title;
  TopologyKind topology = TopologyKind::fat_tree;
  std::optional<std::int64_t> hosts;   // devices with a NIC, of one datacenter
  std::optional<std::int64_t> domain;  // devices of an HB domain (K)
  std::string switch_name = "tomahawk5";
  std::optional<std::int64_t> radix;  // of a hypothetical switch
  std::optional<BitRate> rate;        // of a host, all planes together, one direction
  std::int64_t planes = 1;
  bool bundle_planes = true;
  std::optional<std::int64_t> rails;
  std::optional<std::int64_t> rails_per_switch;
  std::optional<std::int64_t> tiers;
  std::vector<double> oversubscription;  // of each tier, from the leaf up
  std::optional<std::int64_t> hosts_per_switch;
  std::optional<std::int64_t> group_switches;
  std::optional<std::int64_t> group_spines;
  std::optional<std::int64_t> global_ports;
  std::vector<std::int64_t> dimensions;
  std::int64_t circuits = 2;  // optical circuits of a host and plane
  std::optional<std::int64_t> gateways;
  std::string prices = "catalog";
  std::string baseline;

  Location where;                          // of the section
  std::map<std::string, Location> places;  // of its keys
};

/// [floor]: where racks stand, for the lengths of cables.
struct FloorInput {
  std::optional<std::int64_t> racks_per_row;
  Metres rack_pitch{0.6};
  Metres row_pitch{3.0};
  Metres slack{4.0};
  Metres in_rack{1.5};
  Usd fibre_price{1.0};
  Usd circuit_port_price{350.0};
  Watts circuit_port_power{0.2};
};

/// [optimize]: what the search for networks may try.
struct OptimizeInput {
  std::vector<std::string> switches = {"tomahawk5"};
  std::vector<std::int64_t> planes = {1, 2, 4, 8};
  std::vector<std::int64_t> rails;  // empty: all divisors of the HB domain
  std::vector<double> oversubscription = {1, 1.5, 2, 3, 4, 8, 16};
  std::int64_t most_tiers = 4;
  std::string prices = "catalog";
};

enum class FlowSizes { fixed, web_search, data_mining, hadoop, w1, w2, w3, w4, w5 };

/// [simulation]: packets on one network of a design.
struct SimulationInput {
  std::string design;  // name of a [[design]]; empty: the first
  std::string traffic = "permutation";
  Bytes bytes{2e6};  // that a host sends; of a collective, its buffer; of Poisson arrivals, of a flow
  double active = 1;
  // Of traffic that is generated flow by flow; each is an error where the traffic has no use for it.
  std::optional<double> load;  // of the hosts' link rate
  std::optional<std::int64_t> flows;
  std::optional<Seconds> duration;  // of arrivals, in place of their number
  std::optional<FlowSizes> sizes;   // empty: fixed
  std::optional<std::int64_t> chunks;
  std::optional<std::int64_t> group;
  std::int64_t seed = 1;
  Transport transport = Transport::ndp;
  std::optional<LoadBalancing> load_balancing;  // auto: what suits the transport
  std::optional<std::int64_t> entropies;        // of a flow that is sprayed; empty: every path by itself
  Bytes packet{4096};
  Bytes header{0};
  Bytes control_packet{64};
  std::int64_t window = 50;                   // packets
  std::int64_t queue = 50;                    // data packets that wait at a port
  std::optional<std::int64_t> control_queue;  // headers and control packets
  std::optional<bool> trim;                   // auto, as the next: what suits the transport
  std::optional<double> mark_from;            // packets
  std::optional<double> mark_all;
  std::optional<bool> mark_leaving;
  std::optional<bool> acknowledgements_first;
  std::optional<bool> pause;
  std::optional<double> pause_above;   // packets of one input port
  std::optional<double> resume_below;  // packets
  std::optional<Bytes> headroom;
  std::optional<Bytes> shared_buffer;  // of a switch; empty: none
  double shared_buffer_alpha = 1;
  bool cut_through = false;
  Seconds link_delay{1e-6};
  std::optional<Seconds> timeout;  // auto: 1 ms, 64 ms where nothing is dropped
  Seconds flowlet_gap{50e-6};
  double packet_loss = 0;  // on each link
  bool failures_known = true;
  // What limits a host besides its links, all planes together; empty: nothing.
  std::optional<BitRate> host_send_rate;
  std::optional<BitRate> host_receive_rate;
  std::optional<BitRate> pcie_rate;  // each way
  std::optional<Seconds> pcie_latency;
};

/// [[failure]]: links or a whole switch, down for a while.
struct FailureInput {
  std::string node;                    // "leaf 3", "spine 0", "aggregation 2", "host 7"
  std::optional<std::int64_t> uplink;  // of it; empty: every link of the node
  std::int64_t plane = 0;
  Seconds from{0};
  std::optional<Seconds> until;  // empty: for good
  Location where;
};

enum class PipelineSchedule {
#define TRAINYARD_SCHEDULE(schedule, key, sentence) schedule,
#include "trainyard/registries/pipeline_schedules.def"
};

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
  Location where;                          // of the section
  std::map<std::string, Location> places;  // of its keys
};

/// [[straggler]]: a stage that computes more slowly in some replicas.
struct StragglerInput {
  std::int64_t stage = 0;
  double slowdown = 1;
  std::int64_t replicas = 1;
  Location where;
};

/// What of a device a failure takes.
enum class StepFault {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes) fault,
#include "trainyard/registries/step_faults.def"
};

/// [[step_failure]]: what fails before or during a simulated step.
struct StepFailureInput {
  std::int64_t stage = 0;
  StepFault what = StepFault::scale_out;
  std::optional<double> lost;  // share of the device's rate on that network; empty: all
  std::int64_t replica = 0;    // the first
  std::int64_t replicas = 1;
  Seconds from{0};
  std::optional<Seconds> until;  // empty: for good
  Location where;
};

/// What a run of this scenario measured: for `trainyard validate --runs`. Empty: nothing.
struct MeasurementInput {
  std::string id;      // empty: the title
  std::string source;  // of the numbers
  std::optional<Seconds> step_time;
  std::optional<Bytes> memory;  // peak of a device
  std::string left_out;         // why errors and fits leave the run out; empty: they do not
  std::string confidence;       // "quoted from memory" takes no part in fits
};

/// A validated, fully defaulted question.
struct Scenario {
  std::string title;
  std::string source_name;  // the file, or the shipped scenario's name
  FacilityInput facility;
  TrainingInput training;
  ModelInput model;
  MappingInput mapping;
  PrecisionInput precision;
  NetworkInput network;
  AssumptionsInput assumptions;
  RailInput rail;
  SiteInput site;
  FloorInput floor;
  OptimizeInput optimize;
  std::vector<DesignInput> designs;
  SimulationInput simulation;
  TransportsInput transports;
  std::vector<FailureInput> failures;
  StepInput step;
  std::vector<StragglerInput> stragglers;
  std::vector<StepFailureInput> step_failures;
  std::vector<SweepInput> sweeps;
  WideAreaInput wide_area;
  LongHaulInput long_haul;
  MeasurementInput measurement;
  std::shared_ptr<const Catalog> catalog;  // shipped, with the user's additions
};

}  // namespace trainyard
