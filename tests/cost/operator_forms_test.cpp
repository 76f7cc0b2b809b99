// Closed forms of operators (docs/models.md, "Operators by shape") at shapes whose time can be counted by
// hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cost/operator_model.h"

namespace trainyard {
namespace {

constexpr double kNever = 1e30;  // a rate at which something takes no time

const OperatorModel& model(const std::string& operation) { return *find_operator_model(operation); }

/// Constants of a model by their names; all others are `rest`.
std::vector<double> constants(const OperatorModel& model,
                              const std::vector<std::pair<std::string, double>>& chosen, double rest) {
  std::vector<double> out;
  for (const ModelConstant& constant : model.constants()) {
    const auto found = std::find_if(chosen.begin(), chosen.end(),
                                    [&](const auto& one) { return one.first == constant.name; });
    out.push_back(found == chosen.end() ? rest : found->second);
  }
  return out;
}

OperatorContext device(double processors, double flop_per_us, double bytes_per_us) {
  OperatorContext out;
  out.processors = processors;
  out.flop_per_us = flop_per_us;
  out.bytes_per_us = bytes_per_us;
  out.operands = *find_operand_format("bf16");
  return out;
}

double norm(const std::vector<double>& parts, double p) {
  double sum = 0;
  for (const double part : parts) sum += std::pow(part, p);
  return std::pow(sum, 1 / p);
}

/// Blocks of 128 keys that each block of 128 queries meets: causal, within the window's blocks.
std::vector<double> blocks_of_rows(int sequence, int window) {
  const int rows = (sequence + 127) / 128;
  const int most = window > 0 ? std::min(rows, (std::min(window, sequence) + 127) / 128 + 1) : rows;
  std::vector<double> out;
  for (int row = 1; row <= rows; ++row) out.push_back(std::min(row, most));
  return out;
}

TEST(OperatorForms, AttentionCountsItsBlocks) {
  const OperatorModel& attention = model("attention");
  const auto c = constants(
      attention, {{"launch_us", 7}, {"rate", 0.5}, {"start_us", 3}, {"memory", 0.25}, {"blend", 1.5}}, 0);
  const OperatorContext context = device(10, 1e7, 4e4);
  for (const auto& [sequence, window] : {std::pair{128, 0}, {700, 0}, {1024, 0}, {1024, 200}, {1000, 5000}}) {
    const double batch = 3, heads = 8, kv_heads = 2, dimension = 64;
    const auto rows = blocks_of_rows(sequence, window);
    const double block_us = 4 * 128 * 128 * dimension / (1e7 / 10 * 0.5);
    double all = 0;
    for (const double blocks : rows) all += batch * heads * (blocks * block_us + 3) / 10;
    const double last = rows.back() * block_us + 3;
    // Queries and results of every head, keys and values as they come in and as the cache keeps them.
    const double bytes = batch * sequence * dimension * (heads * (2 + 2) + kv_heads * 2 * (2 + 2));
    const ShapeValues shape = {batch, double(sequence), heads, kv_heads, dimension, double(window)};
    EXPECT_NEAR(attention.base_us(c, shape, context), 7 + norm({all, last, bytes / (4e4 * 0.25)}, 2.5), 1e-6)
        << sequence << " " << window;
  }
}

TEST(OperatorForms, AttentionsWorkIsTheCausalPairs) {
  const OperatorModel& attention = model("attention");
  const OperatorContext context = device(10, 1e3, kNever);
  for (const int window : {0, 1, 40, 300}) {
    double pairs = 0;
    for (int query = 1; query <= 300; ++query) pairs += window > 0 ? std::min(query, window) : query;
    const ShapeValues shape = {2, 300, 6, 3, 64, double(window)};
    EXPECT_DOUBLE_EQ(attention.flop(shape, context), 2 * 6 * 64 * 4 * pairs) << window;
    EXPECT_DOUBLE_EQ(attention.roof_us(shape, context), 2 * 6 * 64 * 4 * pairs / 1e3) << window;
    EXPECT_EQ(attention.rows(shape), 600);
  }
}

TEST(OperatorForms, LatentAttentionHasHeadsOf160) {
  const OperatorContext context = device(10, 1e6, 1e4);
  const std::vector<std::pair<std::string, double>> chosen = {
      {"launch_us", 7}, {"rate", 0.5}, {"start_us", 3}, {"memory", 0.25}, {"blend", 1.5}};
  const auto c = constants(model("mla"), chosen, 0);
  EXPECT_DOUBLE_EQ(model("mla").base_us(c, {2, 500, 16}, context),
                   model("attention").base_us(c, {2, 500, 16, 16, 160}, context));
}

/// Only the tile of 64 x 64 is worth taking.
std::vector<double> one_tile(const std::vector<std::pair<std::string, double>>& more) {
  std::vector<std::pair<std::string, double>> chosen = {
      {"launch_us", 2}, {"memory", 1},       {"blend", 0},         {"split_us_per_million", 0},
      {"wave", 1},      {"rate_64x64", 0.5}, {"start_us_64x64", 4}};
  for (const auto& one : more) {
    std::erase_if(chosen, [&](const auto& known) { return known.first == one.first; });
    chosen.push_back(one);
  }
  return constants(model("gemm"), chosen, 1e-9);
}

TEST(OperatorForms, ProductsTakeWavesOfTiles) {
  const double tile_us = 2.0 * 64 * 64 * 1000 / (1e6 / 4 * 0.5);  // on one of four processors
  const OperatorContext context = device(4, 1e6, kNever);
  const auto time = [&](const std::vector<double>& c, double m, double n) {
    return model("gemm").base_us(c, {m, n, 1000}, context) - 2;
  };
  const auto costly = one_tile({{"split_us_per_million", 1e9}});  // no split
  EXPECT_NEAR(time(costly, 64, 64), tile_us + 4, 1e-9);
  EXPECT_NEAR(time(costly, 65, 64), tile_us + 4, 1e-9);            // two tiles, two processors
  EXPECT_NEAR(time(costly, 6 * 64, 64), 2 * (tile_us + 4), 1e-9);  // six tiles: two waves
  EXPECT_NEAR(time(one_tile({{"split_us_per_million", 1e9}, {"wave", 0.25}}), 6 * 64, 64),
              (0.25 * 2 + 0.75 * 1.5) * (tile_us + 4), 1e-9);
  EXPECT_NEAR(time(one_tile({{"split_us_per_million", 1e9}, {"wave", 0.25}}), 64, 64), tile_us + 4, 1e-9);
  // One tile over all four processors, whose three sums of 64 x 64 results cost.
  EXPECT_NEAR(time(one_tile({{"split_us_per_million", 100}}), 64, 64),
              tile_us / 4 + 4 + 3 * 100 * 64 * 64 / 1e6, 1e-9);
}

TEST(OperatorForms, ProductsMoveTheirOperands) {
  OperatorContext context = device(4, kNever, 1e3);
  context.operands = *find_operand_format("int8_wo");  // weights of 1 byte, activations of 2
  const double bytes = 1.0 * 300 * 200 + 2.0 * 100 * 200 + 2.0 * 100 * 300;
  const auto c = one_tile({{"memory", 0.5}, {"start_us_64x64", 0}});
  EXPECT_NEAR(model("gemm").base_us(c, {100, 300, 200}, context), 2 + bytes / 500, 1e-6);
}

TEST(OperatorForms, UnfittedProductsBlendComputingAndMoving) {
  std::vector<double> unfitted;
  for (const ModelConstant& constant : model("gemm").constants()) unfitted.push_back(constant.prior);
  const ShapeValues shape = {4096, 4096, 512};
  const double bytes_per_us = 1e6;
  const double moving = 2.0 * (4096 * 512 + 4096 * 512 + 4096.0 * 4096) / (bytes_per_us * 0.85);
  const double launch = 2.5;
  const double computing = model("gemm").base_us(unfitted, shape, device(132, 5e8, kNever)) - launch;
  ASSERT_GT(computing, moving / 4);  // so that the exponent tells
  ASSERT_LT(computing, moving * 4);
  EXPECT_NEAR(model("gemm").base_us(unfitted, shape, device(132, 5e8, bytes_per_us)),
              launch + norm({computing, moving}, 3), 1e-6);
}

/// Only tiles of 64 rows are worth taking; every other term is off.
std::vector<double> experts_of(const std::vector<std::pair<std::string, double>>& more) {
  std::vector<std::pair<std::string, double>> chosen = {
      {"launch_us", 2}, {"memory", 1},       {"blend", 0},   {"permute", 0},       {"token_us", 0},
      {"expert_us", 0}, {"whole_tokens", 0}, {"rate_64", 1}, {"start_us_64", 1e-9}};
  for (const auto& one : more) {
    std::erase_if(chosen, [&](const auto& known) { return known.first == one.first; });
    chosen.push_back(one);
  }
  return constants(model("moe"), chosen, 1e-9);
}

/// 128 tokens, two of eight experts each, of which a rank has four: 128 pairs, 32 rows of an expert. Width
/// 1024 over two tensor-parallel ranks.
constexpr ShapeValues kExperts = {128, 256, 1024, 2, 8, 2, 2};

TEST(OperatorForms, ExpertsTakeWavesOfTilesInBothProducts) {
  const auto time = [&](double processors, double wave) {
    return model("moe").base_us(experts_of({{"wave", wave}, {"rate_64", 0.5}, {"start_us_64", 4}}), kExperts,
                                device(processors, 1e6, kNever)) -
           2;
  };
  // Both gates' 2 x 512 columns are eight tiles of 128 an expert, the way back to 256 is two.
  const auto tile_us = [](double processors, double inner) {
    return 2.0 * 64 * 128 * inner / (1e6 / processors * 0.5) + 4;
  };
  EXPECT_NEAR(time(4, 1), 8 * tile_us(4, 256) + 2 * tile_us(4, 512), 1e-6);
  EXPECT_NEAR(time(3, 1), 11 * tile_us(3, 256) + 3 * tile_us(3, 512), 1e-6);  // 32/3 and 8/3 waves
  EXPECT_NEAR(time(3, 0.25),
              (0.25 * 11 + 0.75 * 32 / 3) * tile_us(3, 256) + (0.25 * 3 + 0.75 * 8 / 3) * tile_us(3, 512),
              1e-6);
  EXPECT_NEAR(time(64, 0.25), tile_us(64, 256) + tile_us(64, 512), 1e-6);  // less than a wave is one
}

TEST(OperatorForms, ExpertsMoveWeightsAndTokens) {
  const auto time = [&](const std::vector<std::pair<std::string, double>>& chosen,
                        ShapeValues shape = kExperts) {
    return model("moe").base_us(experts_of(chosen), shape, device(4, kNever, 1e3)) - 2;
  };
  const double weights = 2.0 * 3 * 256 * 512 * 4;
  // A pair's token is read twice and written, its three widths pass once; tokens come in and go out.
  const double activations = 128 * (256 * (2 * 2 + 2) + 512.0 * 3 * 2) + 2 * 2 * 128 * 256;
  EXPECT_NEAR(time({}), (weights + activations) / 1e3, 1e-6);
  EXPECT_NEAR(time({{"memory", 0.5}}), (weights + activations) / 500, 1e-6);
  EXPECT_NEAR(time({{"permute", 3}}) - time({}), 3 * 2.0 * 2 * 128 * 256 / 1e3, 1e-6);
  EXPECT_NEAR(time({{"token_us", 0.5}}) - time({}), 0.5 * 128, 1e-6);
  EXPECT_NEAR(time({{"expert_us", 0.5}}) - time({}), 0.5 * 4, 1e-6);
  // A rank that works on all experts of its tokens has min(ep, k) as many pairs.
  EXPECT_NEAR(time({{"whole_tokens", 1}, {"permute", 3}}) - time({{"whole_tokens", 1}}),
              2 * 3 * 2.0 * 2 * 128 * 256 / 1e3, 1e-6);
  // One pair needs one expert's weights.
  EXPECT_NEAR(time({}, {1, 256, 1024, 2, 8, 2, 2}), (weights / 4 + 256 * 6 + 512 * 6 + 2 * 2 * 256) / 1e3,
              1e-6);
}

TEST(OperatorForms, ExpertsWorkIsThatOfTheirPairs) {
  const OperatorContext context = device(4, 1e3, kNever);
  EXPECT_DOUBLE_EQ(model("moe").flop(kExperts, context), 2.0 * 3 * 128 * 256 * 512);
  EXPECT_DOUBLE_EQ(model("moe").roof_us(kExperts, context), 2.0 * 3 * 128 * 256 * 512 / 1e3);
  EXPECT_EQ(model("moe").rows(kExperts), 128);
}

// No product is below 2 m n k at the peak, nor 512 MB of weights below the memory rate.
TEST(OperatorForms, ProductsHaveTwoRoofs) {
  const OperatorModel& gemm = model("gemm");
  EXPECT_DOUBLE_EQ(gemm.roof_us({100, 300, 200}, device(4, 1e3, kNever)), 2.0 * 100 * 300 * 200 / 1e3);
  const OperatorContext memory = device(4, kNever, 1e3);
  EXPECT_DOUBLE_EQ(gemm.roof_us({1, 16000, 16000}, memory), 2.0 * 16000 * 16000 / 1e3);
  EXPECT_NEAR(gemm.roof_us({1, 16000, 15999}, memory), 0, 1e-12);
  EXPECT_EQ(gemm.rows({100, 300, 200}), 100);
}

TEST(OperatorForms, CollectivesTakeTheFasterProtocol) {
  const OperatorModel& collective = model("all_reduce");
  const auto c = constants(
      collective,
      {{"start_us", 5}, {"hop_us", 2}, {"rate_gb_s", 100}, {"low_rate_gb_s", 10}, {"setup_us", 30}}, 0);
  const OperatorContext context = device(1, 1, 1);
  const auto time = [&](double devices, double bytes) {
    return collective.base_us(c, {devices, bytes}, context);
  };
  EXPECT_NEAR(time(4, 40e3), 5 + 2 * 3 + 30e3 / 10e3, 1e-9);
  EXPECT_NEAR(time(4, 4e6), 5 + 2 * 3 + 30 + 3e6 / 100e3, 1e-9);
  EXPECT_NEAR(time(8, 8e6), 5 + 2 * 7 + 30 + 7e6 / 100e3, 1e-9);
}

TEST(OperatorForms, BlendedPartsOverlapByTheirNorm) {
  EXPECT_DOUBLE_EQ(blended(3, 4, 1), 7);
  EXPECT_NEAR(blended(3, 4, 2), 5, 1e-12);
  EXPECT_NEAR(blended(4, 3, 2), 5, 1e-12);
  EXPECT_EQ(blended(0, 0, 2), 0);
}

}  // namespace
}  // namespace trainyard
