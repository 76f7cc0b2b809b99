#include "cost/measured_operators.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "trainyard/catalog.h"

namespace trainyard {
namespace {

const Catalog& catalog() { return *shipped_catalog(); }

OperatorDevice device(const std::string& accelerator, const std::string& operators, Precision precision) {
  const Accelerator& a = catalog().accelerators.at(accelerator);
  return {.operators = operators,
          .attention_kernel = {},
          .precision = precision,
          .peak = a.dense.at(Precision::bf16).value(),
          .peak_low = a.dense.at(precision).value(),
          .memory = a.memory_rate};
}

TEST(MeasuredOperators, ProductsAreTheTablesInALastingLoad) {
  MeasuredOperators own(catalog(), device("h100-sxm", "h100_sxm", Precision::bf16));
  const OperatorCost table = operator_cost(catalog(), {"h100_sxm", "gemm", "bf16"});
  const ShapeValues shape = gemm_shape(4096, 8192, 4096);
  const Seconds first = own.product(false, 4096, 8192, 4096);
  EXPECT_NEAR(first / table.sustained(shape), 1, 1e-3);  // peaks of 989.4 and 989 TFLOP/s
  EXPECT_EQ(own.product(false, 4096, 8192, 4096), first);
  EXPECT_GT(table.sustained(shape), table.time(shape));
}

// A kernel that takes twice as long draws less power, and below 0.4 of the peak none is slowed; a device may
// run under another limit than the one that was measured.
TEST(MeasuredOperators, SlowerKernelsMeetThePowerLimitLess) {
  OperatorDevice d = device("b200", "b200_sxm", Precision::bf16);
  const OperatorCost table = operator_cost(catalog(), {"b200_sxm", "gemm", "bf16"});
  const double burst = table.gemm(8192, 8192, 8192).si();
  const double share = table.peak_share(gemm_shape(8192, 8192, 8192));
  const auto over_burst = [&](double stretch) {
    return MeasuredOperators(catalog(), d).product(false, 8192, 8192, 8192, stretch).si() / (burst * stretch);
  };
  d.sustained_slowdown = 0.95;
  ASSERT_GT(share, 0.5);
  EXPECT_NEAR(over_burst(1), 1 + 0.95 * (share - 0.4) / 0.6, 1e-2);
  EXPECT_NEAR(over_burst(1.25), 1 + 0.95 * (share / 1.25 - 0.4) / 0.6, 1e-2);
  EXPECT_NEAR(over_burst(2), 1, 1e-2);
  const double other = over_burst(1);
  d.sustained_slowdown = 0;  // no limit
  EXPECT_NEAR(over_burst(1), 1, 1e-12);
  d.sustained_slowdown.reset();  // as the table's
  EXPECT_NEAR(over_burst(1) / (table.sustained(gemm_shape(8192, 8192, 8192)).si() / burst), 1, 1e-2);
  EXPECT_LT(over_burst(1), other);
}

// Wider formats were not measured, and rates are the device's own.
TEST(MeasuredOperators, AnswerForTheFormatsThatWereMeasured) {
  EXPECT_FALSE(
      MeasuredOperators(catalog(), device("h100-sxm", "h100_sxm", Precision::tf32)).multiplies(false));
  EXPECT_FALSE(MeasuredOperators(catalog(), device("h100-sxm", "h100_sxm", Precision::fp64)).attends());
  EXPECT_FALSE(
      MeasuredOperators(catalog(), device("h100-sxm", "h100_sxm", Precision::int8)).multiplies(true));
  OperatorDevice fast = device("h100-sxm", "h100_sxm", Precision::bf16);
  MeasuredOperators own(catalog(), fast);
  fast.peak = 2 * fast.peak;
  fast.memory = 2 * fast.memory;
  MeasuredOperators twice(catalog(), fast);
  EXPECT_NEAR(own.product(false, 8192, 8192, 8192) / twice.product(false, 8192, 8192, 8192), 2, 0.05);
}

// The tables' attention writes keys and values into a cache and starts three kernels; training does neither.
TEST(MeasuredOperators, AttentionInTrainingWritesNoCache) {
  OperatorDevice d = device("h100-sxm", "h100_sxm", Precision::bf16);
  d.attention_kernel = "vllm_flash_attn_fa3";
  const OperatorCost table =
      operator_cost(catalog(), {"h100_sxm", "attention", "bf16", "", "vllm_flash_attn_fa3"});
  const auto over_table = [&](double batch, double sequence, double heads, double kv_heads) {
    const ShapeValues shape = attention_shape(batch, sequence, heads, kv_heads, 128, 0);
    return MeasuredOperators(catalog(), d).attention(batch, sequence, heads, kv_heads, 128) /
           table.sustained(shape);
  };
  EXPECT_NEAR(over_table(1, 32768, 8, 1), 1, 0.01);  // bound by arithmetic
  EXPECT_LT(over_table(16, 512, 16, 16), 0.8);       // by memory: half of what it moves is the cache
  d.launch = Seconds(1);                             // no longer than the table's
  EXPECT_LE(over_table(1, 128, 1, 1), 1);
}

// Attention in 8 bits beside products of 8 or 4, where it was measured in it and the device has a peak there.
TEST(MeasuredOperators, AttendInEightBitsWhereAProgramDoes) {
  const FlopRate peak = device("gb200", "gb200", Precision::fp8).peak_low;
  const auto seconds = [&](Precision precision, bool low, FlopRate eight) {
    OperatorDevice d = device("gb200", "gb200", precision);
    d.attention_kernel = "vllm_flashinfer_trtllmprefill";
    d.low_attention = low;
    d.peak_eight = eight;
    return MeasuredOperators(catalog(), d).attention(4, 4096, 32, 4, 128).si();
  };
  const OperatorCost table = operator_cost(catalog(), {"gb200", "attention", "fp8"});
  EXPECT_NEAR(
      seconds(Precision::fp8, true, peak) / table.sustained(attention_shape(4, 4096, 32, 4, 128, 0)).si(), 1,
      0.05);  // without the cache
  EXPECT_LT(seconds(Precision::fp8, true, peak), seconds(Precision::fp8, false, peak));
  EXPECT_DOUBLE_EQ(seconds(Precision::fp4, true, peak), seconds(Precision::fp8, true, peak));
  EXPECT_EQ(seconds(Precision::fp8, true, FlopRate(0)), seconds(Precision::fp8, false, peak));
  EXPECT_EQ(seconds(Precision::bf16, true, peak), seconds(Precision::bf16, false, peak));
}

// A table of 8 bits casts its operand in every call; the casts are a larger part of products with few
// columns.
TEST(MeasuredOperators, ProductsOfEightBitsAreWithoutTheirCasts) {
  MeasuredOperators own(catalog(), device("gb200", "gb200", Precision::fp8));
  const OperatorCost table = operator_cost(catalog(), {"gb200", "gemm", "fp8"});
  const auto share = [&](double columns) {
    return own.product(true, 8192, columns, 8192) / table.sustained(gemm_shape(8192, columns, 8192));
  };
  EXPECT_LT(share(2048), 0.6);
  EXPECT_GT(share(14336), 0.8);
  EXPECT_LE(share(14336), 1);
  const double flop = 2.0 * 8192 * 2048 * 8192;
  const FlopRate peak = catalog().operator_systems.at("gb200").dense.at(Precision::fp8).value();
  EXPECT_GE(own.product(true, 8192, 2048, 8192).si(), flop / peak.si());
}

// An H800 is an H100 whose links are slower; a PCIe card multiplies at its own peak.
TEST(MeasuredOperators, RelativesHaveRatesOfTheirOwn) {
  MeasuredOperators h100(catalog(), device("h100-sxm", "h100_sxm", Precision::bf16));
  MeasuredOperators h800(catalog(), device("h800", "h100_sxm", Precision::bf16));
  MeasuredOperators pcie(catalog(), device("h100-pcie", "h100_sxm", Precision::bf16));
  EXPECT_NEAR(h800.product(false, 8192, 8192, 8192) / h100.product(false, 8192, 8192, 8192), 1, 1e-3);
  EXPECT_GT(pcie.product(false, 8192, 8192, 8192) / h100.product(false, 8192, 8192, 8192), 1.15);
  const BytesPerSecond fast(450e9);
  const BytesPerSecond slow(200e9);
  EXPECT_NEAR(h800.ring(8, Bytes(1e9), slow) / h100.ring(8, Bytes(1e9), fast), 450.0 / 200, 0.15);
}

// Nobody measured 72 devices: as eight that move as many bytes each.
TEST(MeasuredOperators, ExchangesOfManyDevicesMoveAsManyBytes) {
  MeasuredOperators own(catalog(), device("gb200", "gb200", Precision::bf16));
  const BytesPerSecond rate = byte_rate(catalog().accelerators.at("gb200").scale_up_rate);
  const Seconds eight = own.ring(8, Bytes(1e9), rate);
  EXPECT_NEAR(own.ring(72, Bytes(1e9 * (7.0 / 8) / (71.0 / 72)), rate) / eight, 1, 1e-9);
  EXPECT_LT(own.all_to_all(64, Bytes(1e6), rate).si(), 2 * own.all_to_all(8, Bytes(1e6), rate).si());
}

TEST(MeasuredOperators, AreMadeOnceForACatalog) {
  const OperatorDevice d = device("h100-sxm", "h100_sxm", Precision::bf16);
  EXPECT_EQ(measured_operators(catalog(), d), measured_operators(catalog(), d));
  OperatorDevice none = d;
  none.operators.clear();
  EXPECT_EQ(measured_operators(catalog(), none), nullptr);
}

}  // namespace
}  // namespace trainyard
