// Measured operators: times by shape from the catalog's constants. What other folders use.
//
//   const OperatorCost gemm = operator_cost(catalog, {"h100_sxm", "gemm", "bf16"});
//   const Seconds forward = gemm.gemm(4096, 16384, 8192);
//   const Seconds sustained = gemm.sustained(gemm_shape(4096, 16384, 8192));
//
// t = max(roof, closed form * exp(correction)); docs/models.md, "Operators by shape".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cost/operator_model.h"
#include "trainyard/operator_table.h"
#include "trainyard/units.h"

namespace trainyard {

struct Catalog;

/// Experts of one layer as one rank runs them; all counts of the whole layer.
struct ExpertShape {
  double tokens, hidden, width, topk, experts, tensor, expert_parallel;
};

/// Use of the peak rate below which no power limit shows in the tables (bf16 on H200 and B200).
constexpr double kUnlimitedShare = 0.4;

ShapeValues gemm_shape(double m, double n, double k);
ShapeValues attention_shape(double batch, double sequence, double heads, double kv_heads,
                            double head_dimension, double window = 0);
ShapeValues latent_attention_shape(double batch, double sequence, double heads);
ShapeValues expert_shape(const ExpertShape& shape);
ShapeValues collective_shape(double devices, Bytes bytes);

/// The constants of one operator, ready to be evaluated. Keeps no reference to the catalog.
class OperatorCost {
 public:
  OperatorCost(const OperatorModel& model, const OperatorContext& context, std::vector<double> constants,
               std::vector<double> correction);

  /// A burst of microseconds to milliseconds, as benchmarks run: at the highest clock. Rates of its rows.
  Seconds time(const ShapeValues& shape) const;
  /// The same in a load that lasts for seconds, as training: where products use more than 0.4 of the peak
  /// rate the power limit lowers the clock, t (1 + slowdown (share - 0.4) / 0.6).
  Seconds sustained(const ShapeValues& shape) const;
  /// The same of work of that shape whose burst takes `burst`: FLOP that take longer need less power.
  Seconds sustained(const ShapeValues& shape, Seconds burst) const;
  /// FLOP at the peak rate over the time of a burst.
  double peak_share(const ShapeValues& shape) const { return peak_share(shape, time(shape)); }

  Seconds gemm(double m, double n, double k) const { return time(gemm_shape(m, n, k)); }
  Seconds collective(double devices, Bytes bytes) const { return time(collective_shape(devices, bytes)); }

  const OperatorModel& model() const { return *model_; }
  const OperatorContext& context() const { return context_; }
  void set_context(const OperatorContext& context) { context_ = context; }
  /// In place of what the kernels of the measured operator need to start; no longer than that.
  void set_launch(Seconds launch);

  void set_slowdown(double slowdown) { slowdown_ = slowdown; }
  void set_slow_cells(std::map<std::string, std::map<std::string, double>> cells) {
    cells_ = std::move(cells);
  }

 private:
  double burst_us(const ShapeValues& shape) const;
  double peak_share(const ShapeValues& shape, Seconds burst) const;

  const OperatorModel* model_;
  OperatorContext context_;
  std::vector<double> constants_;
  std::vector<double> correction_;
  std::map<std::string, std::map<std::string, double>> cells_;  // configuration, placement: ln(time)
  double slowdown_ = 0;
};

/// Rates of a system at a format: its own, or those of its accelerator. Throws InputError where neither has
/// them and the operation needs them.
OperatorContext operator_context(const Catalog& catalog, const OperatorKey& key);

/// The catalog's entry for a measurement: that of its kernel, else of every kernel; of its format, else of
/// any. nullptr: none.
const OperatorConstants* find_operator(const Catalog& catalog, const OperatorKey& key);

/// The time of a measured operator. Throws InputError when the catalog has no constants for it.
OperatorCost operator_cost(const Catalog& catalog, const OperatorKey& key);
OperatorCost operator_cost(const Catalog& catalog, const OperatorConstants& entry, const OperatorKey& key);

/// The operator systems that speak for an accelerator, in the order of their keys.
std::vector<std::string> operator_systems_of(const Catalog& catalog, const std::string& accelerator);

}  // namespace trainyard
