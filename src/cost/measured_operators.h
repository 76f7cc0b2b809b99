// Products, attention and collectives of training by the measured operators of an accelerator
// (cost/operators.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "cost/operators.h"
#include "trainyard/catalog_records.h"
#include "trainyard/operator_table.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// A device as its operators are asked for: the system that was measured, and the rates of the device where
/// it is a relative of that system (an H800 by the H100's operators).
struct OperatorDevice {
  std::string operators;  // key of the operator system
  std::string attention_kernel;
  Precision precision = Precision::bf16;  // of the products of layers
  bool block_scaled = false;              // in fp8, where the tables have it
  bool low_attention = false;             // of its kernels too, where they were measured in it
  FlopRate peak;                          // dense, 16 bits
  FlopRate peak_low;                      // dense, of `precision`
  FlopRate peak_eight{0};                 // dense, of fp8; 0: it has none
  BytesPerSecond memory;                  // nominal
  Seconds launch{3e-6};                   // of a kernel, in training
  std::optional<double> sustained_slowdown = std::nullopt;  // of its 16-bit products; empty: the system's

  bool operator==(const OperatorDevice&) const = default;
};

/// Times in a load that lasts, of one device. Not to be shared by threads: shapes that were asked for before
/// are remembered.
class MeasuredOperators {
 public:
  MeasuredOperators(const Catalog& catalog, const OperatorDevice& device);

  bool multiplies(bool low_precision) const { return low_precision ? low_.has_value() : usual_.has_value(); }
  bool attends() const { return attention_.has_value(); }

  /// m x k by k x n, without the casts of its operands; by a kernel that takes `stretch` times as long in a
  /// burst.
  Seconds product(bool low_precision, double m, double n, double k, double stretch = 1);
  /// Causal, forward; over a window of so many tokens, 0: all.
  Seconds attention(double batch, double sequence, double heads, double kv_heads, double head_dimension,
                    double window = 0);

  bool exchanges() const { return gather_ && scatter_ && all_to_all_; }
  /// A gather, or a scatter, of so many bytes in all among devices of one node: the mean of both. At
  /// `scale_up` in place of the measured device's rate.
  Seconds ring(double devices, Bytes bytes, BytesPerSecond scale_up);
  /// Of so many bytes that each device holds.
  Seconds all_to_all(double devices, Bytes bytes, BytesPerSecond scale_up);

 private:
  using Asked = std::pair<int, ShapeValues>;  // which, and its shape
  struct Hash {
    std::size_t operator()(const Asked& asked) const;
  };
  enum Which { usual, low, attend, gather, scatter, exchange };
  /// In a burst.
  Seconds remembered(Which which, const OperatorCost& cost, const ShapeValues& shape);
  Seconds low_product(const ShapeValues& shape);
  /// As many bytes as take as long on the measured device.
  Bytes there(Bytes bytes, BytesPerSecond scale_up) const;
  ShapeValues exchanged(double devices, Bytes bytes, BytesPerSecond scale_up) const;

  std::optional<OperatorCost> usual_;
  std::optional<OperatorCost> low_;
  std::optional<OperatorCost> attention_;
  std::optional<OperatorCost> gather_;
  std::optional<OperatorCost> scatter_;
  std::optional<OperatorCost> all_to_all_;
  BytesPerSecond measured_scale_up_;  // 0: unknown, as the device's
  std::unordered_map<Asked, Seconds, Hash> known_;
};

/// The operators of a device, made once a thread for every catalog. nullptr: it has none.
std::shared_ptr<MeasuredOperators> measured_operators(const Catalog& catalog, const OperatorDevice& device);

}  // namespace trainyard
