// Matrix products: the fastest of several tiles and splits, each in waves over the processors, beside memory.
//
//   t = launch + blend( min over tiles and splits s of waves (2 a b (k/s) / (rate peak/P) + start)
//                                                            + split m n s,
//                       bytes / (memory share of the rate) )
//
// waves = w ceil(tiles s / P) + (1 - w) max(1, tiles s / P): schedulers hide a part of the last wave. Tiles
// and split-k as in CUTLASS (Thakkar et al., "CUTLASS", NVIDIA, 2023, "Efficient GEMM"); stream-k hides waves
// (Osama et al., PPoPP 2023).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

struct Tile {
  double rows, columns;
  double prior;  // share of the peak
};
constexpr std::array<Tile, 11> kTiles = {{{64, 64, 0.5},
                                          {64, 128, 0.65},
                                          {128, 64, 0.65},
                                          {128, 128, 0.75},
                                          {128, 256, 0.85},
                                          {256, 128, 0.85},
                                          {256, 256, 0.85},
                                          {64, 256, 0.75},
                                          {16, 64, 0.1},
                                          {16, 128, 0.2},
                                          {32, 128, 0.35}}};
constexpr std::array<double, 4> kSplits = {1, 2, 4, 8};
constexpr double kResultBytes = 2;  // 16 bits, whatever the operands
/// More than the last-level cache of any listed device: such weights come from memory.
constexpr double kUncachedBytes = 512e6;

enum Index : std::size_t { launch, memory, blend, split, wave, tiles };

class GemmModel final : public OperatorModel {
 public:
  GemmModel() {
    constants_ = {
        {"launch_us", 2.5}, {"memory", 0.85}, {"blend", 2}, {"split_us_per_million", 1}, {"wave", 0.7}};
    for (const Tile& t : kTiles)
      constants_.push_back({fmt::format("rate_{}x{}", t.rows, t.columns), t.prior});
    for (const Tile& t : kTiles) {
      constants_.push_back(
          {fmt::format("start_us_{}x{}", t.rows, t.columns), 1.5 * std::sqrt(t.rows * t.columns) / 128});
    }
  }

  const std::vector<ShapeColumn>& columns() const override { return columns_; }
  const std::vector<ModelConstant>& constants() const override { return constants_; }
  const std::vector<CorrectionTable>& tables() const override { return tables_; }

  double base_us(std::span<const double> c, const ShapeValues& shape,
                 const OperatorContext& context) const override {
    const auto [m, n, k] = product(shape);
    const double bytes = context.operands.weight_bytes * n * k + context.operands.activation_bytes * m * k +
                         kResultBytes * m * n;
    const double transfer = bytes / (context.bytes_per_us * c[memory]);
    return c[launch] + blended(compute_us(c, shape, context), transfer, 1 + c[blend]);
  }

  Coordinates coordinates(const ShapeValues& shape, std::span<const double>) const override {
    return {std::log2(shape[0]), std::log2(shape[1]), std::log2(shape[2])};
  }

  double roof_us(const ShapeValues& shape, const OperatorContext& context) const override {
    const double weights = context.operands.weight_bytes * shape[1] * shape[2];
    return std::max(flop(shape, context) / context.flop_per_us,
                    weights >= kUncachedBytes ? weights / context.bytes_per_us : 0);
  }

  double rows(const ShapeValues& shape) const override { return shape[0]; }
  double flop(const ShapeValues& shape, const OperatorContext&) const override {
    return 2 * shape[0] * shape[1] * shape[2];
  }

 private:
  struct Product {
    double m, n, k;
  };
  static Product product(const ShapeValues& shape) { return {shape[0], shape[1], shape[2]}; }

  static double compute_us(std::span<const double> c, const ShapeValues& shape,
                           const OperatorContext& context) {
    const auto [m, n, k] = product(shape);
    const double processors = context.processors;
    const double share = std::min(1.0, c[wave]);
    const double per_processor = context.flop_per_us / processors;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kTiles.size(); ++i) {
      const Tile& t = kTiles[i];
      const double count = std::ceil(m / t.rows) * std::ceil(n / t.columns);
      const double whole = 2 * t.rows * t.columns * k / (per_processor * c[tiles + i]);
      for (const double s : kSplits) {
        const double full = count * s / processors;
        const double waves = share * std::ceil(full) + (1 - share) * std::max(1.0, full);
        const double sums = c[split] * 1e-6 * (s - 1) * m * n;
        best = std::min(best, waves * (whole / s + c[tiles + kTiles.size() + i]) + sums);
      }
    }
    return best;
  }

  std::vector<ShapeColumn> columns_ = {{"m"}, {"n"}, {"k"}};
  std::vector<ModelConstant> constants_;
  std::vector<CorrectionTable> tables_ = {{{{0, {0, 2, 4, 6, 8, 9, 10, 11, 12, 13, 15}},
                                            {1, {5, 7, 9, 10, 11, 12, 13, 14, 16}},
                                            {2, {5, 8, 10, 12, 14, 16}}}}};
};

}  // namespace

const OperatorModel& gemm_model() {
  static const GemmModel model;
  return model;
}

}  // namespace trainyard
