// The answer: every number of a plan, station by station. Names are those of docs/output.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/catalog.h"
#include "trainyard/networks.h"
#include "trainyard/scenario.h"
#include "trainyard/units.h"

namespace trainyard {

/// What is bought and how much power it takes (HotNets '24 section 2).
struct FacilityPlan {
  std::optional<Usd> budget;  // given, or the price of the domains over the compute share
  Usd compute_cost;           // price of the HB domains bought
  Usd network_budget;
  Usd other_budget;
  Usd domain_price;
  Watts domain_power;
  std::int64_t domains = 0;
  std::int64_t domain_devices = 0;  // K
  double racks = 0;
  std::int64_t devices = 0;
  std::int64_t datacenters = 1;
  PeakRates dense;  // all devices together
  PeakRates sparse;
  Watts power_compute;
  Watts power_overhead;  // storage and network
  Watts power_it;
  Watts power_low;   // at the lower PUE
  Watts power_high;  // at the higher PUE
};

/// A loss-optimal size by one scaling law.
struct LawPoint {
  ScalingLaw law = ScalingLaw::hoffmann2;
  double parameters = 0;
  double tokens = 0;
  std::optional<double> loss;  // where the law predicts one, nats a token
};

/// What the scaling laws say (HotNets '24 section 3.1).
struct ScalingPlan {
  std::optional<Seconds> duration;
  Flop compute;     // what the laws may spend; 0 when the scenario gives neither duration nor budget
  FlopRate rate;    // the dense peak of all devices times law_utilization
  LawPoint chosen;  // by training.law
  std::vector<LawPoint> laws;
  double model_tokens_optimal = 0;  // for the plan's own model, by Hoffmann approach 2
  Seconds model_duration;           // to train that model on the run's tokens at `rate`
};

/// Parameters of a model, exactly.
struct ParameterCount {
  double embedding = 0;  // input embedding and learned positions
  double output = 0;     // output matrix, when not tied
  double attention = 0;  // of one layer, norms excluded
  double ffn = 0;        // of one dense layer
  double experts = 0;    // routed and shared experts of one layer with experts
  double router = 0;     // of one layer with experts
  double norms = 0;      // of one layer
  double final_norm = 0;
  double layer = 0;         // one layer, as the plan cuts them: of the kind that most layers are
  double layer_active = 0;  // the parameters of that layer that one token passes
  double total = 0;
  double active = 0;      // parameters that one token passes
  double one_expert = 0;  // the model with a single expert in each layer
};

/// What tensor parallelism divides of a matrix product.
enum class ShardedDimension { columns, inner, copies, nothing };

/// The shape of a matrix product, or of `copies` equal ones: (rows x inner) by (inner x columns).
struct ProductShape {
  double rows = 0;
  double inner = 0;
  double columns = 0;
  double copies = 1;  // heads of attention, experts
  ShardedDimension sharded = ShardedDimension::columns;
};

/// What an operator does, where a rule asks for it.
enum class OperatorRole : std::uint8_t {
  other,
  query_key_value,  // full attention's projection
  attention_scores,
  attention_output,
  routing,      // of tokens to experts
  permutation,  // of tokens by expert, and back
  cross_entropy
};

/// One operator of a layer, for one sequence, on all devices of its group together.
struct Operator {
  std::string name;
  OperatorRole role = OperatorRole::other;
  bool matmul = false;
  bool attention_matrix = false;  // scores, softmax, values: what selective recomputation repeats
  bool by_head = false;           // divided over the tensor-parallel group by whole heads
  bool sequence_sharded = false;  // divided over that group only with sequence parallelism
  bool experts = false;           // of routed experts: a grouped product
  bool frozen = false;            // its weights are not trained: no gradient of them
  bool adapter = false;           // a low-rank matrix beside frozen weights
  ProductShape shape;             // of a matrix product
  double forward_flop = 0;
  double backward_flop = 0;
  double weight_elements = 0;      // read once a pass
  double activation_elements = 0;  // read and written in the forward pass
};

/// The model's shape, size and work (HotNets '24 section 3.2).
struct ModelPlan {
  ModelShape shape;
  ParameterCount parameters;
  std::vector<Operator> operators;        // of a layer of the kind that most are, one sequence
  std::vector<Operator> dense_operators;  // of a layer without experts, where others have some
  std::vector<Operator> head_operators;   // embedding and output matrix
  Flop layer_forward;                     // matrix work of one layer, one sequence
  Flop layer_backward;
  Flop sequence_training;  // forward and backward of the whole model: the model FLOP of MFU
  double law_depth = 0;    // depth and width that Levine et al. give for this parameter count
  double law_width = 0;
};

/// Bytes by term.
struct MemoryTerms {
  Bytes weights;  // master and working copy
  Bytes gradients;
  Bytes optimizer;
  Bytes activations;  // on the device
  Bytes buffers;      // of the training program: temporaries and workspaces
  Bytes model_states() const { return weights + gradients + optimizer; }
  Bytes total() const { return weights + gradients + optimizer + activations + buffers; }
};

/// How the model is cut over the devices, and the memory that this takes (HotNets '24 section 4).
struct MappingPlan {
  std::int64_t tensor = 1;
  std::int64_t context = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_stages = 1;
  std::int64_t data = 1;
  std::int64_t expert = 1;
  std::int64_t data_per_datacenter = 1;
  std::int64_t layers_per_stage = 1;  // of the fullest: see stage_layers
  std::int64_t groups_per_domain =
      1;  // tensor x context groups of one HB domain; 1 where a group spans several
  std::int64_t domains_per_group = 1;  // HB domains over which a context-parallel group is spread
  std::int64_t local_replicas = 1;     // replicas of one stage inside an HB domain
  std::int64_t peer_domains = 1;       // HB domains of one datacenter that hold the same stage
  std::int64_t datacenters = 1;
  std::int64_t devices_used = 0;
  std::int64_t devices_idle = 0;
  std::int64_t microbatch = 1;
  std::int64_t microbatches = 1;
  double batch_sequences = 0;
  double batch_tokens = 0;
  Placement placement = Placement::same_layer;

  MemoryTerms model_memory;     // of one copy of the model, all devices together, before ZeRO
  MemoryTerms device;           // of the fullest device
  Bytes activation_layer;       // kept by one device for one layer and microbatch
  double in_flight = 1;         // microbatches whose activations wait on the first stage
  Bytes host_activations;       // offloaded, a device
  BytesPerSecond offload_rate;  // that offloading needs, one direction
  Bytes device_memory;          // what the accelerator has
  std::vector<std::string> warnings;
};

/// The stages of a gradient exchange; stage 0 is the rack's, and so on.
struct GradientStage {
  std::string name;
  NetworkLevel network = NetworkLevel::scale_up;
  std::int64_t peers = 1;
  Bytes bytes;  // buffer of one device
  Bytes sent;   // that a device puts on its network
  Seconds time;
  Seconds delay{0};  // the part of it that is delay, and takes no bandwidth
  AllReduce algorithm = AllReduce::bandwidth;
  int passes = 1;        // over all other peers: an all-reduce is two
  bool gathers = false;  // what others have summed; under ZeRO 1 and 2, updated weights
};

/// One way to sum gradients over the replicas, for one layer.
struct GradientPlan {
  GradientExchange kind = GradientExchange::flat;
  std::vector<GradientStage> stages;
  Seconds pipelined;  // stages overlapped as assumptions.stage_overlap says
  Seconds exposed;    // beyond the backward pass of one layer
};

/// What is sent, to how many peers, and how long it takes, for one layer and microbatch (HotNets '24
/// section 4.1).
struct CommunicationPlan {
  BitRate scale_up_rate;  // in force, one direction
  BitRate scale_out_rate;
  BitRate wide_area_rate;
  Bytes layer_input;          // s b h r of one sequence of a microbatch
  Bytes tensor_volume;        // forward, whole group
  double tensor_exposed = 1;  // share of tensor-parallel time that compute does not hide
  AllReduce tensor_algorithm = AllReduce::bandwidth;
  Seconds tensor_forward;  // per layer
  Seconds tensor_backward;
  Bytes pipeline_volume;      // a device
  Seconds pipeline_transfer;  // one direction of the pass, between two stages
  bool pipeline_in_domain = false;
  Bytes weight_shard;  // ZeRO-3: weights of a layer that a device gathers
  Seconds weight_gather;
  Bytes context_volume;
  Seconds context_forward;  // not hidden behind attention
  Seconds context_backward;
  double expert_exposed = 1;  // share of the all-to-alls' time that compute does not hide
  Bytes expert_volume;        // one all-to-all, a device
  AllToAll expert_algorithm = AllToAll::bandwidth;
  Bytes expert_inside;     // of it, that a device sends in its HB domain
  Bytes expert_outside;    // and between HB domains; hierarchical ones do both
  Seconds expert_forward;  // dispatch and combine
  Seconds expert_backward;
  Bytes gradient_layer;                 // gradients of a layer, whole group
  Bytes gradient_chunk;                 // what leaves the HB domain
  Bytes router_gradient;                // the replicated router's extra exchange
  GradientPlan gradient;                // the one in force
  std::vector<GradientPlan> gradients;  // all that were compared
};

/// A prediction's 80% interval, and on what it rests.
struct Interval {
  double low = 1;  // over the predicted value
  double high = 1;
  std::string basis;
};

/// Times of one layer and of a step (HotNets '24 section 6).
struct StepPlan {
  Seconds forward;  // compute of one layer, one microbatch
  Seconds backward;
  double recompute_share = 0;  // extra compute of recomputation over the whole step
  Seconds host_wait;           // of one layer and microbatch: both passes wait for the host to launch kernels
  Seconds exposed_tensor;      // of one layer, forward and backward
  Seconds exposed_pipeline;
  Seconds exposed_context;
  Seconds exposed_expert;
  Seconds exposed_weights;  // ZeRO-3: gathering weights
  Seconds exposed_gradient;
  Seconds exposed;           // sum, steady state
  double exposed_share = 0;  // of compute + exposed, steady state
  Seconds steady_time;       // of a microbatch on a stage, steady state

  Seconds microbatch_time;        // of one stage: its layers, forward, backward and exposed transfers
  Seconds head_time;              // output matrix and embedding of the last stage, for one microbatch
  Seconds bubble;                 // fill and drain
  Seconds gradient_exposed_step;  // of the exchange at the end of a batch
  Seconds optimizer_time;
  Seconds pace;                  // of a microbatch on the slowest stage, everything included
  Seconds replica_time;          // of a microbatch on all stages, one after another
  double fill_share = 1;         // part of fill and drain that the schedule leaves
  Seconds gradient_sum;          // of a step: sums of gradients on the first stage, whole
  Seconds weights_return;        // of a step: gathers of updated weights, whole
  Seconds weights_exposed_step;  // ZeRO 3: gathers and scatters that compute does not hide
  double straggling = 1;         // factor of the slowest server, which everybody waits for
  Interval step_interval;
  Interval memory_interval;
  Seconds step;                   // of one batch, by assumptions.step_rule
  Seconds step_pipeline;          // of one batch with fill and drain
  Seconds step_steady;            // of one batch in steady state
  double exposed_share_step = 0;  // transfers over the step
  double bubble_share = 0;
  double mfu = 0;
  double tokens_per_second = 0;
  double tokens = 0;  // of the training run
  double steps = 0;
  Seconds days_to_train;
};

/// What the run costs.
struct CostPlan {
  UsdPerJoule electricity_price;
  Watts mean_power;  // at the higher PUE
  Joules energy;
  Usd energy_cost;
  Usd capital_cost;  // of the facility's share of its life
  Usd run_cost;
  Usd per_million_tokens;
  Joules energy_per_token;
};

/// The other placement beside the plan's, for comparison.
struct PlacementComparison {
  Placement placement = Placement::consecutive_layers;
  Bytes gradient_out_of_domain;  // a device, one layer
  Seconds gradient;              // pipelined exchange of one layer
  Seconds pipeline_transfer;     // mean over the stages
  double exposed_share = 0;
};

/// A complete plan.
struct Plan {
  Scenario scenario;
  std::string accelerator;
  std::string hb_domain;
  FacilityPlan facility;
  ScalingPlan scaling;
  ModelPlan model;
  MappingPlan mapping;
  CommunicationPlan communication;
  StepPlan step;
  CostPlan cost;
  std::vector<PlacementComparison> placements;
};

}  // namespace trainyard
