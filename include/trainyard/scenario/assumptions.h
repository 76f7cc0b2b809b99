// [assumptions]: where a paper and physics part ways.
#pragma once

#include <optional>

namespace trainyard {

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

}  // namespace trainyard
