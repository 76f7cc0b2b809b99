// The names of the scenario's enumerations.
#pragma once

#include "base/fields.h"
#include "scenario/chosen_by.h"
#include "trainyard/load_balancing.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/assumptions.h"
#include "trainyard/scenario/designs.h"
#include "trainyard/scenario/mapping.h"
#include "trainyard/scenario/simulation.h"
#include "trainyard/scenario/step.h"
#include "trainyard/scenario/training.h"
#include "trainyard/site_input.h"
#include "trainyard/transports.h"
#include "trainyard/wide_area_input.h"

namespace trainyard {

template <>
struct Choices<ScalingLaw> {
  static constexpr Choice<ScalingLaw> kAll[] = {
      {ScalingLaw::kaplan, "kaplan", "Kaplan et al. 2020, compute-efficient frontier"},
      {ScalingLaw::hoffmann1, "hoffmann1", "Hoffmann et al. 2022, approach 1 (training curves)"},
      {ScalingLaw::hoffmann2, "hoffmann2", "Hoffmann et al. 2022, approach 2 (IsoFLOP profiles)"},
      {ScalingLaw::hoffmann3, "hoffmann3", "Hoffmann et al. 2022, approach 3 (parametric loss)"}};
};

template <>
struct Choices<Hidden> {
  static constexpr Choice<Hidden> kAll[] = {
      {Hidden::tensor, "tensor", "tensor-parallel transfers"},
      {Hidden::gradients, "gradients", "sums of gradients and gathers of updated weights"},
      {Hidden::pipeline, "pipeline", "transfers between stages"},
      {Hidden::expert, "expert", "all-to-alls of tokens"}};
};

template <>
struct Choices<Placement> {
  static constexpr Choice<Placement> kAll[] = {
      {Placement::same_layer, "same_layer", "an HB domain holds replicas of one pipeline stage"},
      {Placement::consecutive_layers, "consecutive_layers",
       "an HB domain holds consecutive stages of one replica"}};
};

template <>
struct Choices<Recompute> {
  static constexpr Choice<Recompute> kAll[] = {
      {Recompute::none, "none", "every activation is kept"},
      {Recompute::selective, "selective", "the attention matrix is computed again in the backward pass"},
      {Recompute::full, "full", "only the input of a layer is kept"}};
};

template <>
struct Choices<MappingGoal> {
  static constexpr Choice<MappingGoal> kAll[] = {
      {MappingGoal::fastest, "fastest", "of the mappings that fit, the one with the most tokens a second"},
      {MappingGoal::smallest_tensor, "smallest_tensor",
       "of the mappings that fit, the smallest tensor-parallel group"}};
};

template <>
struct Choices<Attention> {
  static constexpr Choice<Attention> kAll[] = {
      {Attention::flash, "flash", "the attention matrix stays on chip"},
      {Attention::stored, "stored", "the attention matrix is written to memory"}};
};

template <>
struct Choices<PeakKind> {
  static constexpr Choice<PeakKind> kAll[] = {
      {PeakKind::dense, "dense", "the rate for dense matrices"},
      {PeakKind::sparse, "sparse", "the rate with structured sparsity, as HotNets '24 uses"}};
};

template <>
struct Choices<LinkCounting> {
  static constexpr Choice<LinkCounting> kAll[] = {
      {LinkCounting::per_direction, "per_direction", "what one direction carries"},
      {LinkCounting::both_directions, "both_directions",
       "the sum of both directions taken as the rate of one, as HotNets '24 does"}};
};

template <>
struct Choices<AttentionRecompute> {
  static constexpr Choice<AttentionRecompute> kAll[] = {
      {AttentionRecompute::backward, "backward", "recomputed attention is work of the backward pass"},
      {AttentionRecompute::counted_in_forward, "counted_in_forward",
       "recomputed attention is counted in the forward pass, as HotNets '24 does"}};
};

template <>
struct Choices<EmbeddingPlacement> {
  static constexpr Choice<EmbeddingPlacement> kAll[] = {
      {EmbeddingPlacement::ends, "ends", "embedding on the first stage, output matrix on the last"},
      {EmbeddingPlacement::spread, "spread", "spread evenly over all stages, as HotNets '24 counts memory"}};
};

template <>
struct Choices<UnevenShards> {
  static constexpr Choice<UnevenShards> kAll[] = {
      {UnevenShards::padded, "padded", "heads that do not divide leave some devices waiting"},
      {UnevenShards::ideal, "ideal", "work divides evenly whatever the sizes, as HotNets '24 assumes"}};
};

template <>
struct Choices<StepRule> {
  static constexpr Choice<StepRule> kAll[] = {
      {StepRule::pipeline, "pipeline", "fill and drain, microbatches, one gradient exchange a batch"},
      {StepRule::steady_state, "steady_state",
       "every microbatch ends with a gradient exchange and the pipeline never drains, as HotNets '24 section "
       "6"}};
};

template <>
struct Choices<StageOverlap> {
  static constexpr Choice<StageOverlap> kAll[] = {
      {StageOverlap::shared_network, "shared_network", "stages on one network add up, networks overlap"},
      {StageOverlap::slowest_stage, "slowest_stage", "all stages overlap, as HotNets '24 section 6 assumes"}};
};

template <>
struct Choices<ComputeModel> {
  static constexpr Choice<ComputeModel> kAll[] = {
      {ComputeModel::roofline, "roofline",
       "matrix products at their measured efficiency, the rest at memory speed"},
      {ComputeModel::calibrated, "calibrated",
       "every operator by its shape, with the constants measured for the accelerator (catalog calibrations)"},
      {ComputeModel::ideal, "ideal", "matrix products at the peak, the rest for free"}};
};

template <>
struct Choices<GradientExchange> {
  static constexpr Choice<GradientExchange> kAll[] = {
      {GradientExchange::best, "best", "the one that exposes least"},
      {GradientExchange::flat, "flat", "one ring over all replicas"},
      {GradientExchange::hierarchical_all_reduce, "hierarchical_all_reduce",
       "the five stages of HotNets '24 section 4.1"},
      {GradientExchange::hierarchical_reduce_scatter, "hierarchical_reduce_scatter",
       "the five stages with reduce-scatters in place of the first two all-reduces"}};
};

template <>
struct Choices<AllReduce> {
  static constexpr SentenceOfBest kBest{{
#define TRAINYARD_ALL_REDUCE(name, text, sentence, chosen_by, traffics) {text, chosen_by},
#include "trainyard/registries/all_reduces.def"
  }};
  static constexpr Choice<AllReduce> kAll[] = {
#define TRAINYARD_ALL_REDUCE(name, text, sentence, ...) {AllReduce::name, text, sentence},
#include "trainyard/registries/all_reduces.def"
      {AllReduce::best, "best", kBest.text()}};
};

template <>
struct Choices<AllToAll> {
  static constexpr SentenceOfBest kBest{{
#define TRAINYARD_ALL_TO_ALL(name, text, sentence, chosen_by) {text, chosen_by},
#include "trainyard/registries/all_to_alls.def"
  }};
  static constexpr Choice<AllToAll> kAll[] = {
#define TRAINYARD_ALL_TO_ALL(name, text, sentence, ...) {AllToAll::name, text, sentence},
#include "trainyard/registries/all_to_alls.def"
      {AllToAll::best, "best", kBest.text()}};
};

template <>
struct Choices<TopologyKind> {
  static constexpr Choice<TopologyKind> kAll[] = {
#define TRAINYARD_TOPOLOGY(name, text, sentence, keys) {TopologyKind::name, text, sentence},
#include "trainyard/registries/topologies.def"
  };
};

template <>
struct Choices<Transport> {
#define TRAINYARD_TRANSPORT(name, section, Record, sentence) {Transport::name, #name, sentence},
  static constexpr Choice<Transport> kAll[] = {
      {Transport::ideal, "ideal",
       "no packets: flows share the hosts' links max-min fairly, the network never limits"},
#include "trainyard/registries/transports.def"
  };
};

template <>
struct Choices<FlowSizes> {
  static constexpr Choice<FlowSizes> kAll[] = {
      {FlowSizes::fixed, "fixed", "simulation.bytes each"},
      {FlowSizes::web_search, "web_search", "web search (Alizadeh et al. 2010), 1.71 MB on average"},
      {FlowSizes::data_mining, "data_mining", "data mining (Greenberg et al. 2009), 7.47 MB on average"},
      {FlowSizes::hadoop, "hadoop", "Facebook's Hadoop (Roy et al. 2015), 120 kB on average"},
      {FlowSizes::w1, "w1", "memcached at Facebook (W1 of Montazeri et al. 2018), 0.19 kB on average"},
      {FlowSizes::w2, "w2", "Google search (W2 of Montazeri et al. 2018), 0.44 kB on average"},
      {FlowSizes::w3, "w3", "all of a Google datacenter (W3 of Montazeri et al. 2018), 2.9 kB on average"},
      {FlowSizes::w4, "w4", "Facebook's Hadoop (W4 of Montazeri et al. 2018), 128 kB on average"},
      {FlowSizes::w5, "w5", "web search (W5 of Montazeri et al. 2018), 2.56 MB on average"}};
};

template <>
struct Choices<LoadBalancing> {
#define TRAINYARD_LOAD_BALANCING(name, flow_paths, sentence) {LoadBalancing::name, #name, sentence},
  static constexpr Choice<LoadBalancing> kAll[] = {
#include "trainyard/registries/load_balancings.def"
  };
};

template <>
struct Choices<WideAreaExchange> {
  static constexpr Choice<WideAreaExchange> kAll[] = {
      {WideAreaExchange::best, "best", "the quickest of all_pairs, scatter, ring and tree"},
      {WideAreaExchange::all_pairs, "all_pairs", "everything to every other site at once: one delay"},
      {WideAreaExchange::scatter, "scatter",
       "a reduce-scatter and an all-gather, each to all others at once: two delays, the fewest bytes"},
      {WideAreaExchange::ring, "ring", "around the best ring: the fewest bytes, 2 (k-1) delays, k links"},
      {WideAreaExchange::tree, "tree", "up a binary tree and down again"},
      {WideAreaExchange::regions, "regions",
       "a reduce-scatter in regions of neighbours, the quickest exchange between regions, an all-gather"}};
};

template <>
struct Choices<PowerRule> {
  static constexpr Choice<PowerRule> kAll[] = {
      {PowerRule::paper, "paper", "generation less the largest producer, as HotNets '24 section 2"},
      {PowerRule::autonomous, "autonomous", "firm generation less local load and the largest producer"},
      {PowerRule::strict, "strict",
       "firm generation without coal, plus imports without the largest interface, less local load and the "
       "largest producer: an upper bound"}};
};

template <>
struct Choices<CoalRule> {
  static constexpr Choice<CoalRule> kAll[] = {
      {CoalRule::largest, "largest", "no other fuel has as much capacity"},
      {CoalRule::majority, "majority", "more than half of the capacity burns coal"},
      {CoalRule::allowed, "allowed", "never"}};
};

template <>
struct Choices<ReserveRule> {
  static constexpr Choice<ReserveRule> kAll[] = {
      {ReserveRule::plant, "plant", "the largest plant, all its generators together"},
      {ReserveRule::unit, "unit", "the largest generator, where the grid's files know it"}};
};

template <>
struct Choices<SpareRule> {
  static constexpr Choice<SpareRule> kAll[] = {
      {SpareRule::published, "published", "as published (HotNets '24 Table 1); other authorities have none"},
      {SpareRule::installed, "installed", "installed capacity less peak demand; none where unknown"},
      {SpareRule::firm, "firm", "firm capacity less peak demand; none where unknown"},
      {SpareRule::unlimited, "unlimited", "no bound"}};
};

template <>
struct Choices<SpreadRule> {
  static constexpr Choice<SpreadRule> kAll[] = {
      {SpreadRule::any, "any", "nothing more"},
      {SpreadRule::authorities, "authorities", "each in another balancing authority"},
      {SpreadRule::interconnections, "interconnections", "in at least two interconnections"}};
};

template <>
struct Choices<SplitGoal> {
  static constexpr Choice<SplitGoal> kAll[] = {
      {SplitGoal::round_trip, "round_trip", "round-trip time between the farthest two"},
      {SplitGoal::cost, "cost", "cost of energy (and fibre) a year"},
      {SplitGoal::carbon, "carbon", "carbon dioxide a year"},
      {SplitGoal::training_time, "training_time",
       "time of the training run with what the distance adds; where it adds nothing, round-trip time"},
      {SplitGoal::training_cost, "training_cost",
       "cost of the training run: energy, fibre and the facility's wear for as long as it takes"}};
};

template <>
struct Choices<PipelineSchedule> {
  static constexpr Choice<PipelineSchedule> kAll[] = {
#define TRAINYARD_SCHEDULE(schedule, key, sentence) {PipelineSchedule::schedule, key, sentence},
#include "trainyard/registries/pipeline_schedules.def"
  };
};

template <>
struct Choices<GradientOverlap> {
  static constexpr Choice<GradientOverlap> kAll[] = {
      {GradientOverlap::bucketed, "bucketed", "a layer's gradients are exchanged as soon as they are there"},
      {GradientOverlap::beside_pass, "beside_pass",
       "each stage of the exchange stands beside the backward pass of its layer, with gradients that the "
       "stage "
       "before it finished a pass earlier, as HotNets '24 section 6 counts"},
      {GradientOverlap::after_batch, "after_batch", "after the last backward pass of the stage"}};
};

template <>
struct Choices<ExchangeEvery> {
  static constexpr Choice<ExchangeEvery> kAll[] = {
      {ExchangeEvery::batch, "batch", "after the last microbatch"},
      {ExchangeEvery::microbatch, "microbatch", "after every microbatch, as HotNets '24 section 6 counts"}};
};

template <>
struct Choices<StepFault> {
  static constexpr Choice<StepFault> kAll[] = {
#define TRAINYARD_STEP_FAULT(fault, key, sentence, takes) {StepFault::fault, key, sentence},
#include "trainyard/registries/step_faults.def"
  };
};

template <>
struct Choices<CausalAttention> {
  static constexpr Choice<CausalAttention> kAll[] = {
      {CausalAttention::full, "full", "the whole attention matrix is computed, as the papers count"},
      {CausalAttention::half, "half", "the kernel skips the half that the causal mask removes"}};
};

}  // namespace trainyard
