// The names of the enumerations of the assumptions.
#pragma once

#include "base/choices.h"
#include "scenario/chosen_by.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {

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
      {UnevenShards::padded, "padded",
       "heads that do not divide leave some devices waiting, and a replica stands in one datacenter"},
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
struct Choices<CausalAttention> {
  static constexpr Choice<CausalAttention> kAll[] = {
      {CausalAttention::full, "full", "the whole attention matrix is computed, as the papers count"},
      {CausalAttention::half, "half", "the kernel skips the half that the causal mask removes"}};
};

}  // namespace trainyard
