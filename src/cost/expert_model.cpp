// One rank's mixture of experts: permutation, two grouped products with the activation between, and back.
//
//   t = launch + token T + expert E/ep + permute pairs h
//       + blend( min over tiles of both products, bytes / memory )
//
// pairs = T k / ep, spread evenly over min(experts of the rank, pairs) experts; where `whole_tokens` is 1 a
// rank works on all k experts of each token that touches it (as SGLang's Triton kernels do), so pairs = T k
// min(1, k/ep).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

constexpr std::array<double, 4> kTileRows = {16, 64, 128, 256};
constexpr std::array<double, 4> kTilePriors = {0.15, 0.4, 0.6, 0.6};
constexpr double kTileColumns = 128;
constexpr double kTokenBytes = 2;

enum Index : std::size_t { launch, memory, blend, permute, token, expert, wave, whole_tokens, tiles };

/// What one rank has to do.
struct Share {
  double tokens, hidden, width;
  double experts;  // of the rank
  double pairs;    // of a token and an expert
  double active;   // experts with tokens
  double rows;     // of an active expert
};

Share share_of(const ShapeValues& s, bool whole) {
  const double topk = s[3], ep = s[6];
  Share out{s[0], s[1], s[2] / s[5], s[4] / ep, 0, 0, 0};
  out.pairs = s[0] * topk / ep * (whole ? std::min(ep, topk) : 1);
  out.active = std::max(1.0, std::min(out.experts, out.pairs));
  out.rows = std::max(1.0, out.pairs / out.active);
  return out;
}

const std::vector<double> kTokens = {0, 2, 4, 6, 8, 10, 11, 12, 13, 14};
const std::vector<double> kRows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14};
const std::vector<double> kActive = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
const std::vector<double> kWidths = {4, 6, 7, 8, 9, 10, 11, 12, 13, 14};
const std::vector<double> kHidden = {11, 12, 12.6, 13};

class ExpertModel final : public OperatorModel {
 public:
  ExpertModel() {
    constants_ = {{"launch_us", 25},  {"memory", 0.7},     {"blend", 1},  {"permute", 1},
                  {"token_us", 1e-3}, {"expert_us", 0.01}, {"wave", 0.5}, {"whole_tokens", 0, true}};
    for (std::size_t i = 0; i < kTileRows.size(); ++i)
      constants_.push_back({fmt::format("rate_{}", kTileRows[i]), kTilePriors[i]});
    for (const double rows : kTileRows) constants_.push_back({fmt::format("start_us_{}", rows), 1});
  }

  const std::vector<ShapeColumn>& columns() const override { return columns_; }
  const std::vector<ModelConstant>& constants() const override { return constants_; }
  const std::vector<CorrectionTable>& tables() const override { return tables_; }

  double base_us(std::span<const double> c, const ShapeValues& shape,
                 const OperatorContext& context) const override {
    const Share s = share_of(shape, c[whole_tokens] > 0.5);
    const double weights =
        context.operands.weight_bytes * context.expert_matrices * s.hidden * s.width * s.active;
    const double low = context.operands.activation_bytes;
    const double activations =
        s.pairs * (s.hidden * (2 * low + kTokenBytes) + s.width * context.expert_matrices * low) +
        2 * kTokenBytes * s.tokens * s.hidden;
    const double transfer = (weights + activations) / (context.bytes_per_us * c[memory]);
    const double permuted = 2 * kTokenBytes * s.pairs * s.hidden / context.bytes_per_us;
    return c[launch] + c[token] * s.tokens + c[expert] * s.experts + c[permute] * permuted +
           blended(compute_us(c, s, context), transfer, 1 + c[blend]);
  }

  Coordinates coordinates(const ShapeValues& shape, std::span<const double> c) const override {
    const Share s = share_of(shape, c[whole_tokens] > 0.5);
    return {std::log2(s.tokens), std::log2(s.rows),   std::log2(s.active), std::log2(s.hidden),
            std::log2(s.width),  std::log2(shape[3]), std::log2(shape[6]), std::log2(shape[4])};
  }

  double roof_us(const ShapeValues& shape, const OperatorContext& context) const override {
    return flop(shape, context) / context.flop_per_us;
  }
  double rows(const ShapeValues& shape) const override { return shape[0]; }
  double flop(const ShapeValues& shape, const OperatorContext& context) const override {
    const Share s = share_of(shape, false);
    return 2 * context.expert_matrices * s.pairs * s.hidden * s.width;
  }

  Cell cell(const ShapeValues& s) const override {
    return {fmt::format("{}/{}/{}/{}", s[1], s[2], s[3], s[4]), fmt::format("{}:{}", s[5], s[6])};
  }

 private:
  static double compute_us(std::span<const double> c, const Share& s, const OperatorContext& context) {
    const double per_processor = context.flop_per_us / context.processors;
    const double share = std::min(1.0, c[wave]);
    const auto product_us = [&](std::size_t i, double n, double k) {
      const double count = std::ceil(s.rows / kTileRows[i]) * std::ceil(n / kTileColumns) * s.active;
      const double full = count / context.processors;
      const double waves = share * std::ceil(full) + (1 - share) * std::max(1.0, full);
      return waves * (2 * kTileRows[i] * kTileColumns * k / (per_processor * c[tiles + i]) +
                      c[tiles + kTileRows.size() + i]);
    };
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < kTileRows.size(); ++i) {
      best = std::min(best, product_us(i, s.width * (context.expert_matrices - 1), s.hidden) +
                                product_us(i, s.hidden, s.width));
    }
    return best;
  }

  std::vector<ShapeColumn> columns_ = {{"tokens"},  {"hidden"}, {"inter"}, {"topk"},
                                       {"experts"}, {"tp"},     {"ep"}};
  std::vector<ModelConstant> constants_;
  std::vector<CorrectionTable> tables_ = {
      {{{1, kRows}, {2, kActive}}},
      {{{1, kRows}, {4, kWidths}}},
      {{{2, kActive}, {4, kWidths}}},
      {{{0, kTokens}, {5, {0, 1, 2, 3, 4.5}}}},
      {{{0, kTokens}, {7, {3, 4, 7, 8, 9}}}},
      {{{3, kHidden}, {1, kRows}}},
      {{{0, kTokens}, {6, {0, 2, 4, 6, 8}}}},
      {{{3, kHidden}, {4, kWidths}}},
      {{{1, {0, 2, 4, 6, 8, 10, 12}}, {2, {0, 2, 4, 6, 8}}, {4, {6, 8, 9, 10, 11, 12, 13}}}}};
};

}  // namespace

const OperatorModel& expert_model() {
  static const ExpertModel model;
  return model;
}

}  // namespace trainyard
