// Attention of the calibrated compute model: fused kernels, rings of context ranks, the matrix in memory.
#include "cost/measured_operators.h"
#include "cost/operator_clock.h"
#include "model/model.h"

namespace trainyard {
namespace {

/// Queries that one block of a fused attention kernel takes.
constexpr double kAttentionBlock = 128;
/// FLOP of a fused kernel's backward pass over its forward pass: four products and the scores again, over
/// two.
constexpr double kFusedBackward = 2.5;

/// A ring of c ranks holds two chunks of the sequence on each, one from either end, so that all work alike:
/// a step computes on its own chunks, causally, or on half of them with all of another rank's or the other
/// way round. Each is as many pairs as the first (Transformer Engine, AttnFuncWithCPAndKVP2P; PyTorch,
/// _templated_ring_attention). After each but one the result is scaled by its new sum of exponents and added
/// to: a copy scaled, then a sum; backward the gradients of queries, keys and values are. Bytes of an
/// element, and of the elements the part that a step touches, in the mean.
constexpr double kCorrectedBytes = 10;
constexpr double kSummedBytes = 6;
constexpr double kRingPart = 0.75;
constexpr double kRingKernels = 4;  // forward two for the sums of exponents besides

}  // namespace

/// Chunks are shorter sequences.
Seconds OperatorClock::windowed_attention(double heads, double sequence, double head,
                                          const DeviceShare& share) const {
  const double groups = heads / share.queries_per_key;
  if (!share.chunked || share.window <= 0)
    return measured_->attention(share.microbatch, sequence, heads, groups, head, share.window);
  // Blocks of a few tokens are never worse than a window that slides.
  return std::min(
      measured_->attention(share.microbatch, sequence, heads, groups, head, share.window),
      measured_->attention(share.microbatch * sequence / share.window, share.window, heads, groups, head));
}

Seconds OperatorClock::full_attention(double sequence, double heads, double groups, double head,
                                      const DeviceShare& share) const {
  const double ranks = share.ring ? share.context : 1;
  const double shared = share.context / ranks;
  return ranks *
         measured_->attention(share.microbatch, sequence / ranks, heads / shared, groups / shared, head, 0);
}

Seconds OperatorClock::measured_attention(const Operator& op, const DeviceShare& share) const {
  const double s = op.shape.rows;
  const double heads = op.shape.copies / (share.tensor * share.context);
  const double head = op.shape.columns == s ? op.shape.inner : op.shape.columns;
  const bool wide = share.global_head > 0;
  const double all_heads = heads * share.context;
  const double groups = all_heads / (wide ? share.global_queries_per_key : share.queries_per_key);
  Seconds mean = full_attention(s, all_heads, groups, wide ? share.global_head : head, share);
  if (share.windowed > 0) mean += share.windowed * (windowed_attention(heads, s, head, share) - mean);
  return calibration_.attention_time * share.attention_factor / 2 * mean;
}

Seconds OperatorClock::attention_dropout(const Operator& op, const DeviceShare& share) const {
  if (!share.dropout) return Seconds(0);
  const double s = op.shape.rows;
  const double heads = op.shape.copies * share.microbatch / (share.tensor * share.context);
  const double causal = s * s / 2 * heads * share.attended;
  return calibration_.dropout_time * causal / 2;
}

OperatorTimes OperatorClock::ring_sums(const Operator& op, const DeviceShare& share) const {
  if (!share.ring || share.context <= 1) return {};
  const double head = op.shape.columns == op.shape.rows ? op.shape.inner : op.shape.columns;
  const double queries =
      share.microbatch * op.shape.rows / share.context * op.shape.copies / share.tensor * head;
  const double pairs = 2 * queries / share.queries_per_key;  // of keys and values
  const double steps = (share.context - 1) / 2;              // one of two products counts them
  OperatorTimes out;
  out.forward = steps * kernels_time(Bytes(kRingPart * kCorrectedBytes * queries), kRingKernels);
  out.input_gradient =
      steps * kernels_time(Bytes(kRingPart * kSummedBytes * (queries + pairs)), kRingKernels);
  return out;
}

OperatorTimes OperatorClock::fused_attention(const Operator& op, const DeviceShare& share) const {
  if (!op.matmul) return {};
  OperatorTimes out = attention_kernel(op, share);
  out += ring_sums(op, share);
  const Seconds dropout = attention_dropout(op, share);
  out.forward += dropout;
  out.input_gradient += dropout;
  return out;
}

OperatorTimes OperatorClock::attention_kernel(const Operator& op, const DeviceShare& share) const {
  OperatorTimes out;
  if (measured_ && measured_->attends()) {
    out.forward = measured_attention(op, share);
    out.input_gradient = kFusedBackward * calibration_.attention_backward_time * out.forward;
    return out;
  }
  const double s = op.shape.rows;
  const double heads = op.shape.copies * share.microbatch / share.tensor;
  const double causal =
      s * op.shape.inner * op.shape.columns * heads / share.context * share.attention_factor * share.attended;
  const double waves =
      heads * s / share.context / kAttentionBlock / static_cast<double>(calibration_.processors);
  const double loss = 1 + calibration_.attention_wave / waves;
  out.forward = Flop(causal) / (peak_ * calibration_.attention_forward) * loss;
  out.input_gradient = kFusedBackward * (Flop(causal) / (peak_ * calibration_.attention_backward) * loss);
  return out;
}

OperatorTimes OperatorClock::attention(const Operator& op, const DeviceShare& share) const {
  if (share.fused_attention) return fused_attention(op, share);
  OperatorTimes out;
  if (!op.matmul) {
    const double elements = op.activation_elements / 2 * share.microbatch / (share.tensor * share.context);
    out.forward = Bytes(calibration_.softmax_bytes * elements) / memory_;
    out.input_gradient = Bytes(calibration_.softmax_bytes_backward * elements) / memory_;
    return out;
  }
  const double heads = op.shape.copies * share.microbatch / share.tensor;
  const Product p{op.shape.rows, op.shape.columns, op.shape.inner, heads / share.context, false};
  out.forward = product(p);
  out.input_gradient = 2 * product(p);
  return out;
}

}  // namespace trainyard
