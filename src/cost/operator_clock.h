// Times of operators on one device by their shapes: the calibrated compute model.
#pragma once

#include <memory>
#include <optional>

#include "trainyard/catalog_records.h"
#include "trainyard/units.h"

namespace trainyard {

class MeasuredOperators;
struct Operator;

/// The part of an operator that one device does for one microbatch.
struct DeviceShare {
  double tensor = 1;
  double context = 1;
  double expert = 1;
  double expert_tensor = 1;     // tensor ranks that an expert is cut over
  double microbatch = 1;        // sequences
  double attention_factor = 1;  // over the work of the newest kernels
  bool ring = false;            // context ranks pass keys and values on, else each has its share of heads
  double queries_per_key = 1;   // heads that share keys and values
  double window = 0;            // tokens that attention sees in some layers; 0: all
  double windowed = 0;          // share of those layers
  bool chunked = false;         // the window begins anew after so many tokens
  double global_head = 0;       // of the other layers, where they differ; 0: as the operator's
  double global_queries_per_key = 0;
  double attended = 1;  // pairs of queries and keys over those of full causal attention
  bool sequence_parallel = false;
  bool fused_attention = true;      // a flash kernel; else the attention matrix passes through memory
  bool dropout = false;             // which masks the attention matrix
  double unfused = 0;               // part of the elementwise operators that no compiler or hand has fused
  double unfused_norms = 0;         // the same of norms
  double unfused_squares = 0;       // the same of squared ReLUs
  bool fused_biases = false;        // products add their biases
  bool fused_adapters = false;      // products add what adapters make
  bool fused_feed_forward = false;  // activations cast for the products around them, to 8 bits
  bool fused_experts = false;       // grouped products do what stands between them
  double fullest = 1;               // tokens of the fullest device over the mean of those that share experts
  double permuted = 1;              // copies of experts' tokens over those to k copies and back
  double token_sorts = 1;           // of the program
  double unfused_permutation =
      0;                        // experts of a token where kernels of PyTorch sort tokens; 0: one kernel does
  bool unfused_router = false;  // kernels of PyTorch choose experts
  bool dropped_tokens = false;  // experts choose the best of too many tokens
  double gradient_bytes = 4;    // of an element of a weight gradient as products add to it
  bool accumulates = false;     // they do so themselves
  double added = 0;             // bytes of an element that adding them apart moves
  bool mx_scaled = false;       // products of 8 bits with a scale for 32 elements
  bool block_scaled = false;    // the same, or for blocks of 128
  std::optional<double> loss_bytes = std::nullopt;  // of a logit, where the program has a loss of its own
  bool whole_loss = false;                          // of all logits on each tensor rank
  double product_time = 1;    // of products that are not grouped, over the calibration's
  double biased_experts = 1;  // their time with biases over that without, where they have some
};

/// One operator in each pass.
struct OperatorTimes {
  Seconds forward;
  Seconds input_gradient;
  Seconds weight_gradient;

  Seconds backward() const { return input_gradient + weight_gradient; }
  OperatorTimes& operator+=(const OperatorTimes& other);
};

/// Rates of a device at one precision, with its calibration.
///
/// Products and fused attention take what was measured of the accelerator, sustained, times *product_time*,
/// *attention_time* (a FLOP backward *attention_backward_time* more), where its calibration names operators.
/// Elsewhere:
/// Matrix products: 2 m n k / (peak e) (1 + k0/k) q, where q is the loss of 256 x 128 tiles that run in waves
/// over the processors, damped by `wave_share`; not faster than memory. Fused attention: its causal half at a
/// measured share of the peak, lost where blocks of 128 queries do not fill the device. The rest: bytes over
/// the reachable memory rate. Every kernel takes a launch. docs/models.md, "Calibrated compute".
class OperatorClock {
 public:
  /// `peak` is the dense 16-bit rate; `peak_low` that of the operands' precision, where it is lower.
  OperatorClock(const Calibration& calibration, FlopRate peak, FlopRate peak_low, BytesPerSecond memory,
                Precision precision, std::shared_ptr<MeasuredOperators> measured = nullptr);

  OperatorTimes times(const Operator& op, const DeviceShare& share) const;

  /// Bytes at the reachable memory rate, and a launch.
  Seconds memory_time(Bytes bytes) const;

  const Calibration& calibration() const { return calibration_; }

 private:
  struct Product {
    double rows, columns, inner, copies;
    bool low_precision = false;
    double gradient_bytes = 0;  // of an element of the weight gradient that it adds to; 0: no such product
    bool accumulates = false;   // it adds itself
    double grouped = 0;  // time of a grouped kernel over that of one product of as many rows; 0: not grouped
  };
  Seconds product(const Product& p) const;
  /// What its arithmetic and its traffic take together.
  Seconds both_times(const Product& p, Seconds compute, Seconds transfer) const;
  /// Time of its kernel over that of the forward product of one matrix.
  double kernel_time(const Product& p) const;
  Seconds estimated_product(const Product& p) const;
  Seconds measured_product(const Product& p) const;
  OperatorTimes dense_product(const Operator& op, const DeviceShare& share) const;
  OperatorTimes attention(const Operator& op, const DeviceShare& share) const;
  OperatorTimes fused_attention(const Operator& op, const DeviceShare& share) const;
  /// Of a pass, in one of its two products: the random numbers that mask it.
  Seconds attention_dropout(const Operator& op, const DeviceShare& share) const;
  /// Without dropout.
  OperatorTimes attention_kernel(const Operator& op, const DeviceShare& share) const;
  /// Of a pass and one of its two products: sums of what the steps of a ring of context ranks compute.
  OperatorTimes ring_sums(const Operator& op, const DeviceShare& share) const;
  /// Forward, in a layer without a window, of heads and groups of all context ranks.
  Seconds full_attention(double sequence, double heads, double groups, double head,
                         const DeviceShare& share) const;
  /// Forward, in a layer that has the window.
  Seconds windowed_attention(double heads, double sequence, double head, const DeviceShare& share) const;
  /// Forward, of one of its two products.
  Seconds measured_attention(const Operator& op, const DeviceShare& share) const;
  OperatorTimes elementwise(const Operator& op, const DeviceShare& share) const;
  /// Measured bytes of an operator over its elements read and written once.
  double passes(const Operator& op, const DeviceShare& share) const;
  /// By PyTorch's kernels in place of fused ones, which would move `fused` to k copies and back.
  OperatorTimes unfused_permutation(Bytes fused, const DeviceShare& share) const;
  /// Of so many tokens times experts.
  OperatorTimes routing(double scores, const DeviceShare& share) const;
  /// `bytes` at the reachable memory rate, by so many kernels.
  Seconds kernels_time(Bytes bytes, double kernels) const;
  Seconds casts(const Operator& op, const DeviceShare& share) const;

  const Calibration& calibration_;
  FlopRate peak_;
  FlopRate peak_low_;
  BytesPerSecond memory_;
  bool low_precision_;
  bool four_bits_;
  std::shared_ptr<MeasuredOperators> measured_;
};

}  // namespace trainyard
