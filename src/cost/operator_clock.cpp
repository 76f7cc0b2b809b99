#include "cost/operator_clock.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cost/measured_operators.h"
#include "model/model.h"
#include "model/recompute_modules.h"
#include "trainyard/plan/model.h"

namespace trainyard {
namespace {

constexpr double kTileRows = 256;
constexpr double kTileColumns = 128;
constexpr double kActivationBytes = 2;  // 16 bits, also where products run on 8
/// Of five elements that an adapter's sum moves by itself, the one that its product reads to add to.
constexpr double kFusedAdapter = 0.2;

/// Touches of 16 bits of each expert's copy of a token where PyTorch sorts tokens: index_select, the product
/// with the router's weight and scatter_add; backward a gather, two products and their sum, and index_add.
/// Measured on an H100 (docs/validation.md, "One H100").
constexpr double kUnfusedPermutation = 10.7;
constexpr double kUnfusedPermutationBackward = 20.9;
constexpr double kPermutationKernels = 4;  // one clears the sum
constexpr double kPermutationKernelsBackward = 6;

/// Of a token and expert, and kernels, where PyTorch chooses experts: top-k, softmax and maps, the same again
/// with sums for the balancing loss. Measured there too, of 4,096 to 16,384 tokens and 128 and 256 experts;
/// the backward pass as the forward one is an estimate.
constexpr double kRouterBytes = 383;
constexpr double kRouterKernels = 23;
/// Where experts choose the best of too many tokens: top-k along tokens, map and mask; backward the mask.
constexpr double kCapacityBytes = 158;
constexpr double kCapacityKernels = 15;
constexpr double kMaskBytes = 12;

/// What tiles and waves cost over a product that fills them: at least 1.
double quantisation(double rows, double columns, double copies, double processors) {
  const double row_tiles = std::ceil(rows / kTileRows);
  const double column_tiles = std::ceil(columns / kTileColumns);
  const double padding = row_tiles * kTileRows * column_tiles * kTileColumns / (rows * columns);
  const double waves = row_tiles * column_tiles * copies / processors;
  return padding * std::ceil(waves) / waves;
}

bool between_experts(const Operator& op) { return of_experts(op) && !op.experts; }

/// What it moves was measured of its program's kernels: no compiler would move less.
bool counts_own_bytes(const Operator& op, const DeviceShare& share) {
  return op.role == OperatorRole::routing || op.role == OperatorRole::permutation ||
         (op.role == OperatorRole::cross_entropy && share.loss_bytes);
}

/// Share of a product's operands that kernels of their own cast: fused feed-forward layers cast what passes
/// from one product to the other, on the side that is not the model's width.
double cast_apart(const Operator& op, const DeviceShare& share) {
  const bool dense = (op.modules & module_bits(RecomputeModule::mlp)) != 0;
  if (!(op.experts ? share.fused_experts : dense && share.fused_feed_forward)) return 1;
  const bool first = op.shape.sharded == ShardedDimension::columns;
  return (first ? op.shape.inner : op.shape.columns) / (op.shape.inner + op.shape.columns);
}

}  // namespace

OperatorTimes& OperatorTimes::operator+=(const OperatorTimes& other) {
  forward += other.forward;
  input_gradient += other.input_gradient;
  weight_gradient += other.weight_gradient;
  return *this;
}

OperatorClock::OperatorClock(const Calibration& calibration, FlopRate peak, FlopRate peak_low,
                             BytesPerSecond memory, Precision precision,
                             std::shared_ptr<MeasuredOperators> measured)
    : calibration_(calibration),
      peak_(peak),
      peak_low_(peak_low),
      memory_(memory * calibration.memory),
      low_precision_(bytes_of(precision) < kActivationBytes),
      four_bits_(bytes_of(precision) < 1),
      measured_(std::move(measured)) {}

Seconds OperatorClock::memory_time(Bytes bytes) const { return bytes / memory_ + calibration_.launch; }

Seconds OperatorClock::product(const Product& p) const {
  if (p.rows * p.columns * p.inner <= 0) return Seconds(0);
  const bool known = measured_ && measured_->multiplies(p.low_precision);
  const Seconds compute = known ? measured_product(p) : estimated_product(p);
  const double operand_bytes = !p.low_precision ? kActivationBytes : four_bits_ ? 0.5 : 1;
  // A sum is read, added to and written.
  const double result_bytes = p.accumulates ? 2 * p.gradient_bytes : kActivationBytes;
  const Bytes bytes(p.copies *
                    (operand_bytes * p.inner * (p.rows + p.columns) + result_bytes * p.rows * p.columns));
  // Measured 16-bit products hold their launch.
  const bool launched = known && !p.low_precision;
  const Seconds transfer = bytes / memory_;
  return both_times(p, compute, transfer) + (launched ? Seconds(0) : calibration_.launch);
}

/// Weights of experts pass through memory while others multiply, never quite hidden; so does the sum that a
/// weight gradient is added to.
Seconds OperatorClock::both_times(const Product& p, Seconds compute, Seconds transfer) const {
  if (p.grouped > 0) return Seconds(blended(compute.si(), transfer.si(), calibration_.grouped_blend));
  if (!p.accumulates) return std::max(compute, transfer);
  const Seconds sum = Bytes(2 * p.gradient_bytes * p.copies * p.rows * p.columns) / memory_;
  return std::max(transfer, Seconds(blended(compute.si(), sum.si(), calibration_.accumulation_blend)));
}

double OperatorClock::kernel_time(const Product& p) const {
  return (p.grouped > 0 ? p.grouped : 1) * (p.gradient_bytes > 0 ? calibration_.weight_gradient : 1);
}

/// Copies stand below each other: a grouped product of as many rows.
Seconds OperatorClock::measured_product(const Product& p) const {
  const double low = four_bits_ ? calibration_.product_time_fp4 : calibration_.product_time_fp8;
  const double factor = p.low_precision ? low : calibration_.product_time;
  return factor * measured_->product(p.low_precision, p.rows * p.copies, p.columns, p.inner, kernel_time(p));
}

Seconds OperatorClock::estimated_product(const Product& p) const {
  const double low =
      four_bits_ ? calibration_.matmul_fp4.value_or(calibration_.matmul_fp8) : calibration_.matmul_fp8;
  const double efficiency = p.low_precision ? low : calibration_.matmul;
  const FlopRate rate = (p.low_precision ? peak_low_ : peak_) * efficiency;
  const double full = quantisation(p.rows, p.columns, p.copies, static_cast<double>(calibration_.processors));
  const double loss =
      (1 + calibration_.inner_overhead / p.inner) * (1 + (full - 1) * calibration_.wave_share);
  return Flop(2 * p.copies * p.rows * p.columns * p.inner) / rate * loss * kernel_time(p);
}

OperatorTimes OperatorClock::times(const Operator& op, const DeviceShare& share) const {
  if (op.attention_matrix) return attention(op, share);
  return op.matmul ? dense_product(op, share) : elementwise(op, share);
}

OperatorTimes OperatorClock::dense_product(const Operator& op, const DeviceShare& share) const {
  const ProductShape& shape = op.shape;
  const bool by_columns = shape.sharded == ShardedDimension::columns;
  const bool by_inner = shape.sharded == ShardedDimension::inner;
  const double copies = op.experts ? std::max(1.0, shape.copies / share.expert) : shape.copies;
  // Every device of an expert-parallel group sends its tokens, so that a set of experts sees as many in all.
  // Where an expert is cut over fewer tensor ranks than the rest, a rank's own tokens go there.
  const double cut = op.experts ? share.expert_tensor : share.tensor;
  const double tokens = shape.rows * shape.copies * share.microbatch / share.context * (cut / share.tensor) *
                        (of_experts(op) ? share.fullest : 1);
  Product p{.rows = tokens / copies,
            .columns = shape.columns / (by_columns ? cut : 1),
            .inner = shape.inner / (by_inner ? cut : 1),
            .copies = copies,
            .low_precision = low_precision_ && !op.adapter,
            .gradient_bytes = 0,
            .accumulates = false,
            .grouped = 0};
  // Ends and starts of an expert's product cost as much as so many rows, unless one kernel takes all experts'
  // tiles; rows are no loss where they are summed.
  const double grouped = op.experts ? share.biased_experts : 0;
  const double lost =
      share.fused_experts ? 0 : (calibration_.grouped_matmul - 1) * calibration_.grouped_rows / p.rows;
  p.grouped = grouped * (1 + lost);
  const double release = op.experts ? 1 : share.product_time;
  const bool mx = share.mx_scaled && p.low_precision && !op.experts;
  OperatorTimes out;
  out.forward = release * product(p);
  out.input_gradient =
      release * product({p.rows, p.inner, p.columns, p.copies, p.low_precision, 0, false, p.grouped});
  if (!op.frozen) {
    out.weight_gradient = release * (mx ? calibration_.mx_weight_gradient : 1) *
                          product({p.columns, p.inner, p.rows, p.copies, p.low_precision,
                                   share.gradient_bytes, share.accumulates, grouped});
    if (share.added > 0)
      out.weight_gradient += memory_time(Bytes(share.added * p.columns * p.inner * p.copies));
  }
  if (p.low_precision) {
    const Seconds cast = casts(op, share);
    out.forward += cast;
    out.input_gradient += cast * calibration_.elementwise_backward;
  }
  return out;
}

/// Scales along the inner dimension, and kernels that read along it alone, want a copy for each product that
/// reads an operand, along rows and along columns: one where weights are frozen and their gradient has no
/// product.
Seconds OperatorClock::casts(const Operator& op, const DeviceShare& share) const {
  const double elements = (of_experts(op) ? share.fullest : 1) * op.activation_elements * share.microbatch /
                          (share.context * share.tensor) * cast_apart(op, share);
  const bool two_copies = four_bits_ || share.block_scaled || calibration_.transposed_casts;
  const double written = four_bits_ ? 0.5 : 1;
  const double copies =
      op.frozen && two_copies ? (kActivationBytes + written) / (kActivationBytes + 2 * written) : 1;
  return Bytes(calibration_.cast * copies * kActivationBytes * elements) / memory_;
}

double OperatorClock::passes(const Operator& op, const DeviceShare& share) const {
  if (op.role == OperatorRole::permutation) return calibration_.permutation_time * share.permuted;
  if (op.role == OperatorRole::cross_entropy)
    return share.loss_bytes.value_or(calibration_.loss_bytes) / (2 * kActivationBytes);
  return 1;
}

OperatorTimes OperatorClock::unfused_permutation(Bytes fused, const DeviceShare& share) const {
  const double k = share.unfused_permutation;
  const Bytes copies = fused * (k / (2 * (1 + k)));
  const Seconds sorted_by_ranks =
      share.permuted > 1 ? memory_time(fused * (calibration_.permutation_time * (share.permuted - 1)))
                         : Seconds(0);
  OperatorTimes out;
  out.forward =
      share.token_sorts * kernels_time(copies * kUnfusedPermutation, kPermutationKernels) + sorted_by_ranks;
  out.input_gradient =
      share.token_sorts * kernels_time(copies * kUnfusedPermutationBackward, kPermutationKernelsBackward) +
      sorted_by_ranks * calibration_.elementwise_backward;
  return out;
}

Seconds OperatorClock::kernels_time(Bytes bytes, double kernels) const {
  return bytes / memory_ + kernels * calibration_.launch;
}

OperatorTimes OperatorClock::routing(double scores, const DeviceShare& share) const {
  OperatorTimes out;
  if (share.unfused_router) {
    out.forward = out.input_gradient = kernels_time(Bytes(kRouterBytes * scores), kRouterKernels);
  } else {
    out.forward = memory_time(Bytes(calibration_.routing_bytes * scores));
    out.input_gradient = out.forward * calibration_.elementwise_backward;
  }
  if (!share.dropped_tokens) return out;
  out.forward += kernels_time(Bytes(kCapacityBytes * scores), kCapacityKernels);
  out.input_gradient += memory_time(Bytes(kMaskBytes * scores));
  return out;
}

namespace {

double unfused_part(const Operator& op, const DeviceShare& share) {
  if (op.role == OperatorRole::squared_relu) return share.unfused_squares;
  return op.role == OperatorRole::norms ? share.unfused_norms : share.unfused;
}

}  // namespace

OperatorTimes OperatorClock::elementwise(const Operator& op, const DeviceShare& share) const {
  if (share.fused_experts && between_experts(op)) return {};
  if (share.fused_biases && op.role == OperatorRole::biases) return {};
  const double fused = op.adapter && share.fused_adapters ? kFusedAdapter : 1;
  const double fullest = of_experts(op) ? share.fullest : 1;
  const bool whole = op.role == OperatorRole::cross_entropy && share.whole_loss;
  const bool divided = !whole && (!op.sequence_sharded || share.sequence_parallel);
  const double unfused = unfused_part(op, share);
  const double touched = counts_own_bytes(op, share)
                             ? op.activation_elements
                             : op.activation_elements + unfused * (calibration_.eager * op.eager_elements -
                                                                   op.activation_elements);
  const double elements =
      fused * fullest * touched * share.microbatch / (share.context * (divided ? share.tensor : 1));
  if (op.role == OperatorRole::routing) return routing(elements, share);
  if (op.role == OperatorRole::permutation && share.unfused_permutation > 0)
    return unfused_permutation(Bytes(kActivationBytes * elements), share);
  OperatorTimes out;
  out.forward = memory_time(Bytes(kActivationBytes * passes(op, share) * elements));
  // The loss is counted whole, with its gradient.
  if (op.role != OperatorRole::cross_entropy)
    out.input_gradient = out.forward * calibration_.elementwise_backward;
  return out;
}

}  // namespace trainyard
