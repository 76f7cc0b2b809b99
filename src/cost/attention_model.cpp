// Fused causal attention, forward: blocks of 128 queries by 128 keys over the processors.
//
//   t = launch + ( all^p + last^p + transfer^p )^(1/p)
//   all  = (key blocks 4 128 128 d / rate + query blocks start) / P,  last = the longest row of blocks alone
//
// A row i of blocks meets min(i, W) blocks of keys: causal, with a window of W blocks. Blocks as in
// FlashAttention-2 (Dao 2023, arXiv:2307.08691); latent attention has 192 + 128 elements a head
// (DeepSeek-V3, arXiv:2412.19437), counted as two of 160.
#include <algorithm>
#include <cmath>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

constexpr double kBlock = 128;
constexpr double kElementBytes = 2;  // of queries, results, and keys and values as they come in
constexpr double kLatentHead = 160;  // (192 of scores + 128 of values) / 2

enum Index : std::size_t { launch, rate, start, memory, blend };

struct Attention {
  double batch, sequence, heads, kv_heads, head_dimension;
  double window;  // 0: none
};

double key_range(const Attention& a) { return a.window > 0 ? std::min(a.window, a.sequence) : a.sequence; }

double attention_us(std::span<const double> c, const Attention& a, const OperatorContext& context) {
  const double block_rows = std::ceil(a.sequence / kBlock);
  const double longest = std::min(block_rows, std::ceil(key_range(a) / kBlock) + 1);
  const double blocks = longest * (longest + 1) / 2 + (block_rows - longest) * longest;
  const double copies = a.batch * a.heads;
  const double block_us =
      4 * kBlock * kBlock * a.head_dimension / (context.flop_per_us / context.processors * c[rate]);
  const double all = copies * (blocks * block_us + block_rows * c[start]) / context.processors;
  const double last = longest * block_us + c[start];
  const double bytes = a.batch * a.sequence * a.head_dimension *
                       (2 * kElementBytes * a.heads + 2 * a.kv_heads * (kElementBytes + context.kv_bytes));
  const double p = 1 + c[blend];
  return c[launch] + blended(blended(all, last, p), bytes / (context.bytes_per_us * c[memory]), p);
}

double attention_flop(const Attention& a) {
  const double range = key_range(a);
  const double pairs = range * (range + 1) / 2 + (a.sequence - range) * range;
  return 4 * a.batch * a.heads * a.head_dimension * pairs;
}

std::vector<ModelConstant> attention_constants() {
  return {{"launch_us", 12}, {"rate", 0.6}, {"start_us", 1}, {"memory", 0.6}, {"blend", 0.5}};
}

const std::vector<double> kSequences = {0, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14};
const std::vector<double> kHeads = {0, 2, 4, 6, 8, 10, 12, 14.6};
const std::vector<double> kGroups = {0, 1, 2, 3, 4, 5, 6.6};
const std::vector<double> kHeadDimensions = {6, 7, 7.585, 8, 9};
const std::vector<double> kWindow = {0, 1};

class AttentionModel final : public OperatorModel {
 public:
  const std::vector<ShapeColumn>& columns() const override { return columns_; }
  const std::vector<ModelConstant>& constants() const override { return constants_; }
  const std::vector<CorrectionTable>& tables() const override { return tables_; }

  double base_us(std::span<const double> c, const ShapeValues& shape,
                 const OperatorContext& context) const override {
    return attention_us(c, of(shape), context);
  }

  Coordinates coordinates(const ShapeValues& shape, std::span<const double>) const override {
    const Attention a = of(shape);
    return {std::log2(a.sequence),       std::log2(a.batch * a.heads), std::log2(a.heads / a.kv_heads),
            std::log2(a.head_dimension), a.window > 0 ? 1.0 : 0.0,     std::log2(a.batch * a.kv_heads)};
  }

  double roof_us(const ShapeValues& shape, const OperatorContext& context) const override {
    return attention_flop(of(shape)) / context.flop_per_us;
  }
  double rows(const ShapeValues& shape) const override { return shape[0] * shape[1]; }
  double flop(const ShapeValues& shape, const OperatorContext&) const override {
    return attention_flop(of(shape));
  }

 private:
  static Attention of(const ShapeValues& s) { return {s[0], s[1], s[2], s[3], s[4], s[5]}; }

  std::vector<ShapeColumn> columns_ = {{"batch"},    {"seq"},      {"heads"},
                                       {"kv_heads"}, {"head_dim"}, {"window", 0}};
  std::vector<ModelConstant> constants_ = attention_constants();
  std::vector<CorrectionTable> tables_ = {{{{0, kSequences}, {1, kHeads}, {3, kHeadDimensions}}},
                                          {{{0, kSequences}, {2, {0, 1, 3, 6}}, {4, kWindow}}},
                                          {{{3, kHeadDimensions}, {2, kGroups}, {4, kWindow}}},
                                          {{{0, kSequences}, {5, kHeads}}}};
};

class LatentAttentionModel final : public OperatorModel {
 public:
  const std::vector<ShapeColumn>& columns() const override { return columns_; }
  const std::vector<ModelConstant>& constants() const override { return constants_; }
  const std::vector<CorrectionTable>& tables() const override { return tables_; }

  double base_us(std::span<const double> c, const ShapeValues& shape,
                 const OperatorContext& context) const override {
    return attention_us(c, of(shape), context);
  }
  Coordinates coordinates(const ShapeValues& shape, std::span<const double>) const override {
    return {std::log2(shape[1]), std::log2(shape[0] * shape[2]), std::log2(shape[2])};
  }
  double roof_us(const ShapeValues& shape, const OperatorContext& context) const override {
    return attention_flop(of(shape)) / context.flop_per_us;
  }
  double rows(const ShapeValues& shape) const override { return shape[0] * shape[1]; }
  double flop(const ShapeValues& shape, const OperatorContext&) const override {
    return attention_flop(of(shape));
  }

 private:
  static Attention of(const ShapeValues& s) { return {s[0], s[1], s[2], s[2], kLatentHead, 0}; }

  std::vector<ShapeColumn> columns_ = {{"batch"}, {"seq"}, {"heads"}};
  std::vector<ModelConstant> constants_ = attention_constants();
  std::vector<CorrectionTable> tables_ = {
      {{{0, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}, {1, kHeads}}},
      {{{0, {0, 6, 8, 10, 12, 15}}, {2, {0, 1, 2, 3, 4, 7}}}}};
};

}  // namespace

const OperatorModel& attention_model() {
  static const AttentionModel model;
  return model;
}

const OperatorModel& latent_attention_model() {
  static const LatentAttentionModel model;
  return model;
}

}  // namespace trainyard
