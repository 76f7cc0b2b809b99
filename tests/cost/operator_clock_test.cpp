// Times of operators on one device by hand (docs/models.md, "Calibrated compute"): rates of powers of ten,
// shapes that fill tiles and waves, one term at a time.
#include "cost/operator_clock.h"

#include <gtest/gtest.h>

#include <cmath>

#include "catalog/catalog.h"
#include "cost/measured_operators.h"
#include "model/recompute_modules.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/model.h"

namespace trainyard {
namespace {

constexpr FlopRate kPeak(1e12);
constexpr FlopRate kPeakLow(2e12);
constexpr BytesPerSecond kMemory(1e9);
constexpr BytesPerSecond kNoWait(1e30);

/// Constants that leave every term away.
Calibration ideal() {
  Calibration c;
  c.processors = 4;
  c.matmul = c.matmul_fp8 = 1;
  c.wave_share = 0;
  c.inner_overhead = 0;
  c.weight_gradient = 1;
  c.grouped_matmul = 1;
  c.attention_forward = c.attention_backward = 1;
  c.attention_wave = 0;
  c.memory = 1;
  c.elementwise_backward = 1;
  c.eager = 1;
  c.cast = 0;
  c.launch = Seconds(0);
  return c;
}

OperatorClock clock(const Calibration& c, BytesPerSecond memory, Precision precision = Precision::bf16) {
  return {c, kPeak, kPeakLow, memory, precision};
}

Operator product(double rows, double inner, double columns, double copies = 1,
                 ShardedDimension sharded = ShardedDimension::nothing) {
  Operator op;
  op.matmul = true;
  op.shape = {rows, inner, columns, copies, sharded};
  return op;
}

double forward(const Calibration& c, const Operator& op, const DeviceShare& share = {}) {
  return clock(c, kNoWait).times(op, share).forward.si();
}

TEST(OperatorClock, BytesMoveAtTheReachableRateAfterALaunch) {
  Calibration c = ideal();
  c.memory = 0.5;
  c.launch = Seconds(3);
  EXPECT_DOUBLE_EQ(clock(c, kMemory).memory_time(Bytes(4e9)).si(), 4 / 0.5 + 3);
}

TEST(OperatorClock, ProductsTakeTwoFlopAnElementInEachPass) {
  const OperatorTimes times = clock(ideal(), kNoWait).times(product(512, 1000, 256), {});
  EXPECT_DOUBLE_EQ(times.forward.si(), 2.0 * 512 * 1000 * 256 / 1e12);
  EXPECT_DOUBLE_EQ(times.input_gradient.si(), times.forward.si());
  EXPECT_DOUBLE_EQ(times.weight_gradient.si(), times.forward.si());
  EXPECT_DOUBLE_EQ(times.backward().si(), 2 * times.forward.si());
  Operator frozen = product(512, 1000, 256);
  frozen.frozen = true;
  EXPECT_EQ(clock(ideal(), kNoWait).times(frozen, {}).weight_gradient.si(), 0);
  EXPECT_EQ(clock(ideal(), kMemory).times(product(0, 1000, 256), {}).forward.si(), 0);
}

TEST(OperatorClock, ProductsReachAShareOfThePeakAndPayForEveryTilesEnds) {
  Calibration c = ideal();
  c.matmul = 0.5;
  c.inner_overhead = 100;
  c.launch = Seconds(1);
  // (1 + 100/1000), at half the peak.
  EXPECT_NEAR(forward(c, product(512, 1000, 256)), 1 + 1.1 * 2 * 2.0 * 512 * 1000 * 256 / 1e12, 1e-15);
  c = ideal();
  c.weight_gradient = 1.5;
  const OperatorTimes times = clock(c, kNoWait).times(product(512, 1024, 256), {});
  EXPECT_DOUBLE_EQ(times.weight_gradient / times.forward, 1.5);
  EXPECT_DOUBLE_EQ(times.input_gradient / times.forward, 1);
}

// Tiles of 256 x 128 on four processors.
TEST(OperatorClock, TilesAndWavesThatAreNotFullCostTime) {
  Calibration c = ideal();
  c.wave_share = 1;
  const auto loss = [&](double rows, double columns, double copies = 1) {
    return forward(c, product(rows, 1000, columns, copies)) * 1e12 / (2 * rows * columns * copies * 1000);
  };
  EXPECT_DOUBLE_EQ(loss(512, 256), 1);            // four tiles
  EXPECT_DOUBLE_EQ(loss(512, 255), 256.0 / 255);  // the last columns are padded
  EXPECT_DOUBLE_EQ(loss(511, 256), 512.0 / 511);  // the last rows
  EXPECT_DOUBLE_EQ(loss(768, 256), 2 / 1.5);      // six tiles: two waves for one and a half
  EXPECT_DOUBLE_EQ(loss(256, 128), 4);            // one tile: three processors have none
  EXPECT_DOUBLE_EQ(loss(256, 640, 4), 1);         // copies fill waves together
  EXPECT_DOUBLE_EQ(loss(1, 1), 256 * 128 * 4);
  c.wave_share = 0.25;
  EXPECT_DOUBLE_EQ(loss(256, 128), 1 + 3 * 0.25);
}

// Operands and results of 16 bits; the sum of weight gradients of 32 bits is read, added to and written.
TEST(OperatorClock, ProductsAreNoFasterThanMemory) {
  Calibration c = ideal();
  c.memory = 0.5;
  const OperatorTimes times = clock(c, BytesPerSecond(1)).times(product(300, 40, 500, 7), {});
  const double forward_bytes = 7 * (2 * 40 * (300 + 500) + 2 * 300 * 500);
  const double input_bytes = 7 * (2 * 500 * (300 + 40) + 2 * 300 * 40);
  const double weight_bytes = 7 * (2 * 300 * (40 + 500) + (4 + 4) * 40 * 500);
  const OperatorTimes one = clock(c, BytesPerSecond(1)).times(product(300, 40, 500), {.accumulates = true});
  EXPECT_DOUBLE_EQ(one.forward.si(), forward_bytes / 7 / 0.5);
  EXPECT_DOUBLE_EQ(one.input_gradient.si(), input_bytes / 7 / 0.5);
  EXPECT_DOUBLE_EQ(one.weight_gradient.si(), weight_bytes / 7 / 0.5);
  EXPECT_DOUBLE_EQ(times.forward.si(), forward_bytes / 0.5);
}

TEST(OperatorClock, ParallelismDividesAProduct) {
  const Calibration c = ideal();
  const double whole = forward(c, product(512, 1000, 256));
  DeviceShare share;
  share.tensor = 4;
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256, 1, ShardedDimension::nothing), share), whole);
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256, 1, ShardedDimension::columns), share), whole / 4);
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256, 1, ShardedDimension::inner), share), whole / 4);
  share = {};
  share.context = 4;
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256), share), whole / 4);
  share = {};
  share.microbatch = 3;
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256), share), 3 * whole);
}

// The loss of a divided product tells which dimension was divided: k0/k of the inner, padding of the columns.
TEST(OperatorClock, TensorParallelismDividesTheNamedDimension) {
  Calibration c = ideal();
  c.inner_overhead = 100;
  c.wave_share = 1;
  c.processors = 2;
  DeviceShare share;
  share.tensor = 4;
  const double quarter = 2.0 * 512 * 1000 * 256 / 4 / 1e12;
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256, 1, ShardedDimension::inner), share),
                   quarter * (1 + 100.0 / 250));
  EXPECT_DOUBLE_EQ(forward(c, product(512, 1000, 256, 1, ShardedDimension::columns), share),
                   quarter * (1 + 100.0 / 1000) * 2);  // 64 columns in tiles of 128
}

// Every device of the group sends its tokens: fewer experts see more tokens each, and the work stays.
TEST(OperatorClock, ExpertsAreDividedAndTheirTokensAreNot) {
  Calibration c = ideal();
  c.wave_share = 1;
  Operator op = product(512, 1000, 256, 8);
  op.experts = true;
  DeviceShare share;
  const double flop = 2.0 * 512 * 1000 * 256 * 8;
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 1e12);
  share.expert = 4;
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 1e12);
  op.shape.rows = 64;  // 512 tokens: of eight experts 64 each, padded to 256; of two 256 each
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 8 / 1e12);
  share.expert = 1;
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 8 / 1e12 * 4);
  share.expert = 64;  // at least one
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 8 / 1e12);
}

TEST(OperatorClock, TheFullestDeviceHasMoreTokensOfExpertsAlone) {
  Calibration c = ideal();
  c.wave_share = 1;
  Operator op = product(512, 1000, 256, 8);
  DeviceShare share;
  share.expert = 4;
  const double dense = forward(c, op, share);
  op.experts = true;
  const double even = forward(c, op, share);
  Operator between;
  between.activation_elements = 1e9;
  const double other = forward(c, between, share);
  between.role = OperatorRole::expert_activation;
  share.fullest = 1.75;
  EXPECT_DOUBLE_EQ(forward(c, op, share) / even, 1.75);
  EXPECT_DOUBLE_EQ(forward(c, between, share) / other, 1.75);
  op.experts = false;
  between.role = OperatorRole::norms;
  EXPECT_DOUBLE_EQ(forward(c, op, share) / dense, 1);
  EXPECT_DOUBLE_EQ(forward(c, between, share) / other, 1);
}

// Over two tensor ranks an expert is halved and sees both ranks' tokens; whole, its own rank's: as much work.
TEST(OperatorClock, WholeExpertsTakeTheirRanksTokens) {
  Calibration c = ideal();
  c.wave_share = 1;
  Operator op = product(128, 1024, 256, 8, ShardedDimension::columns);
  op.experts = true;
  DeviceShare share;
  share.tensor = 2;
  share.expert = 4;
  share.expert_tensor = 2;
  const double flop = 2.0 * 128 * 1024 * 256 * 8;
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 2 / 1e12);
  share.expert_tensor = 1;  // half as many tokens for twice as many columns
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 2 / 1e12);
  op.shape.rows = 64;  // 128 rows an expert, padded to 256
  EXPECT_DOUBLE_EQ(forward(c, op, share), flop / 2 / 1e12);
}

// Fused experts cast the model's width alone, and nothing stands between their products.
TEST(OperatorClock, FusedExpertsLeaveWhatStandsBetweenThem) {
  Calibration c = ideal();
  c.cast = 1;
  DeviceShare fused;
  fused.fused_experts = true;
  Operator between;
  between.activation_elements = 1000;
  for (const OperatorRole role : {OperatorRole::expert_activation, OperatorRole::expert_extra}) {
    between.role = role;
    EXPECT_DOUBLE_EQ(clock(c, kMemory).times(between, {}).forward.si(), 2 * 1000 / 1e9);
    EXPECT_EQ(clock(c, kMemory).times(between, fused).forward.si(), 0);
    EXPECT_EQ(clock(c, kMemory).times(between, fused).input_gradient.si(), 0);
  }
  Operator up = product(512, 1000, 3000, 8, ShardedDimension::columns);
  up.experts = true;
  const auto casts = [&](const Operator& op, const DeviceShare& share) {
    Operator with = op;
    with.activation_elements = 1e12;
    return clock(c, kMemory, Precision::fp8).times(with, share).forward.si() -
           clock(c, kMemory, Precision::fp8).times(op, share).forward.si();
  };
  EXPECT_NEAR(casts(up, fused) / casts(up, {}), 1000.0 / 4000, 1e-9);
  Operator down = product(512, 3000, 1000, 8, ShardedDimension::inner);
  down.experts = true;
  EXPECT_NEAR(casts(down, fused) / casts(down, {}), 1000.0 / 4000, 1e-9);
}

// The activation of a dense feed-forward layer casts for the products around it: their width stays.
TEST(OperatorClock, FusedFeedForwardLayersCastTheModelsWidth) {
  Calibration c = ideal();
  c.cast = 1;
  DeviceShare fused;
  fused.fused_feed_forward = true;
  const auto casts = [&](Operator op, const DeviceShare& share) {
    op.activation_elements = 1e12;
    return clock(c, kMemory, Precision::fp8).times(op, share).forward.si();
  };
  Operator up = product(512, 1000, 3000, 1, ShardedDimension::columns);
  EXPECT_EQ(casts(up, fused), casts(up, {}));  // of no feed-forward layer
  up.modules = module_bits(RecomputeModule::mlp);
  EXPECT_NEAR(casts(up, fused) / casts(up, {}), 1000.0 / 4000, 1e-5);
}

// 2 bytes are read of an element, and half a byte is written for each product that reads it.
TEST(OperatorClock, FrozenProductsCastOnceWhereScalesFollowTheProduct) {
  Calibration c = ideal();
  c.cast = 1;
  const auto casts = [&](bool frozen, Precision precision, const DeviceShare& share) {
    Operator op = product(512, 1000, 3000);
    op.frozen = frozen;
    op.activation_elements = 1e12;
    return clock(c, kMemory, precision).times(op, share).forward.si();
  };
  const auto saved = [&](Precision precision, const DeviceShare& share = {}) {
    return casts(true, precision, share) / casts(false, precision, share);
  };
  EXPECT_NEAR(saved(Precision::fp4), 2.5 / 3, 1e-6);
  EXPECT_NEAR(saved(Precision::fp8), 1, 1e-12);
  EXPECT_NEAR(saved(Precision::fp8, {.block_scaled = true}), 3.0 / 4, 1e-6);
  c.transposed_casts = true;  // as Hopper's kernels do
  EXPECT_NEAR(saved(Precision::fp8, {}), 3.0 / 4, 1e-6);
}

// A product that adds what it makes reads one element more; the sum by itself moves five.
TEST(OperatorClock, FusedAdaptersAreAddedByTheirProducts) {
  Operator sum;
  sum.activation_elements = 5000;
  sum.adapter = true;
  DeviceShare fused;
  fused.fused_adapters = true;
  const Calibration c = ideal();
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(sum, fused).forward.si(), 2 * 1000 / 1e9);
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(sum, {}).forward.si(), 2 * 5000 / 1e9);
  sum.adapter = false;
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(sum, fused).forward.si(), 2 * 5000 / 1e9);
}

TEST(OperatorClock, FourBitsMayHaveAShareOfTheirOwn) {
  Calibration c = ideal();
  const Operator op = product(512, 1000, 256);
  const auto seconds = [&](Precision precision) {
    return clock(c, kNoWait, precision).times(op, {}).forward.si();
  };
  c.matmul_fp8 = 0.5;
  const double as_eight = seconds(Precision::fp4);
  c.matmul_fp4 = 0.25;
  EXPECT_DOUBLE_EQ(seconds(Precision::fp4), 2 * as_eight);
  EXPECT_DOUBLE_EQ(seconds(Precision::fp8), as_eight);
}

// Of experts alone, in each pass.
TEST(OperatorClock, ProductsOfBiasedExpertsTakeTwice) {
  Operator up = product(2048, 1000, 1280);
  const DeviceShare biased{.biased_experts = 2};
  const Calibration c = ideal();
  const OperatorClock clean = clock(c, kNoWait);
  EXPECT_DOUBLE_EQ(clean.times(up, biased).forward.si(), clean.times(up, {}).forward.si());
  up.experts = true;
  const OperatorTimes usual = clean.times(up, {});
  const OperatorTimes twice = clean.times(up, biased);
  EXPECT_DOUBLE_EQ(twice.forward / usual.forward, 2);
  EXPECT_DOUBLE_EQ(twice.input_gradient / usual.input_gradient, 2);
  EXPECT_DOUBLE_EQ(twice.weight_gradient / usual.weight_gradient, 2);
}

// Ends and starts of an expert's product cost as much as so many rows; where rows are summed, and where one
// kernel takes all experts' tiles, nothing.
TEST(OperatorClock, GroupedProductsCostMoreWhereExpertsHaveFewRows) {
  Calibration c = ideal();
  const auto over = [&](double rows, bool experts, bool fused = false) {
    Operator op = product(rows, 1000, 256, 2);
    op.experts = experts;
    DeviceShare share;
    share.fused_experts = fused;
    c.grouped_matmul = 1;
    const OperatorTimes dense = clock(c, kNoWait).times(op, share);
    c.grouped_matmul = 1.5;
    const OperatorTimes times = clock(c, kNoWait).times(op, share);
    EXPECT_DOUBLE_EQ(times.input_gradient / dense.input_gradient, times.forward / dense.forward);
    EXPECT_DOUBLE_EQ(times.weight_gradient / dense.weight_gradient, 1);
    return times.forward / dense.forward;
  };
  EXPECT_DOUBLE_EQ(over(512, true), 2);
  EXPECT_DOUBLE_EQ(over(1024, true), 1.5);
  EXPECT_DOUBLE_EQ(over(2048, true), 1.25);
  EXPECT_DOUBLE_EQ(over(512, false), 1);
  EXPECT_DOUBLE_EQ(over(512, true, true), 1);
  c.grouped_rows = 256;
  EXPECT_DOUBLE_EQ(over(512, true), 1.25);
}

// Experts' weights and sums of gradients pass through memory beside their products, never quite hidden; other
// products take the longer of both.
TEST(OperatorClock, GroupedProductsHideTheirMemoryInPart) {
  Calibration c = ideal();
  Operator op = product(1, 1000, 1000, 2);
  op.activation_elements = 0;
  const auto bound = [&](double gradient_bytes, bool experts) {
    op.experts = experts;
    DeviceShare share;
    share.gradient_bytes = gradient_bytes;
    share.accumulates = true;
    return clock(c, kMemory).times(op, share).weight_gradient.si();
  };
  const double compute = 2 * 2.0 * 1e6 / 1e12;
  const double bytes_4 = 2 * (2 * 2000.0 + 2 * 4 * 1e6) / 1e9;
  const double bytes_2 = 2 * (2 * 2000.0 + 2 * 2 * 1e6) / 1e9;
  EXPECT_DOUBLE_EQ(bound(4, false), bytes_4);
  EXPECT_DOUBLE_EQ(bound(2, false), bytes_2);
  EXPECT_NEAR(bound(4, true), std::pow(std::pow(bytes_4, 1.6) + std::pow(compute, 1.6), 1 / 1.6), 1e-12);
  // Both alike: 2^(1/1.6) times as long as either.
  op = product(1000, 1000, 1000, 2);
  op.experts = true;
  const double flop = 2 * 2.0 * 1e9 / 1e12;
  const double bytes = 2 * 2 * (2e6 + 1e6) / 1e9;
  const auto even = [&] { return clock(c, BytesPerSecond(1e9 * bytes / flop)).times(op, {}).forward.si(); };
  EXPECT_NEAR(even() / flop, std::pow(2, 1 / 1.6), 1e-9);
  c.grouped_blend = 1;
  EXPECT_NEAR(even() / flop, 2, 1e-9);
}

// Products run at the peak of 8 bits; their inputs and outputs are cast, over memory.
TEST(OperatorClock, EightBitsHaveTheirOwnPeakAndCasts) {
  Calibration c = ideal();
  c.matmul_fp8 = 0.5;
  const Operator op = product(512, 1000, 256);
  EXPECT_DOUBLE_EQ(clock(c, kNoWait, Precision::fp8).times(op, {}).forward.si(),
                   2.0 * 512 * 1000 * 256 / 1e12);
  c.matmul = 0.25;
  EXPECT_DOUBLE_EQ(clock(c, kNoWait).times(op, {}).forward.si(), 4 * 2.0 * 512 * 1000 * 256 / 1e12);
  c.launch = Seconds(5);
  const double once = clock(c, kNoWait, Precision::fp8).times(op, {}).forward.si();
  c.cast = 3;
  c.elementwise_backward = 1.5;
  Operator read = op;
  read.activation_elements = 8000;
  DeviceShare share;
  share.tensor = 2;
  share.context = 4;
  share.microbatch = 3;
  const auto times = [&](const Operator& o) { return clock(c, kMemory, Precision::fp8).times(o, share); };
  const double cast = 3 * 2 * 8000.0 * 3 / (2 * 4) / 1e9;  // passes of 16 bits
  EXPECT_NEAR((times(read).forward - times(op).forward).si(), cast, 1e-12);
  EXPECT_NEAR((times(read).input_gradient - times(op).input_gradient).si(), cast * 1.5, 1e-12);
  EXPECT_EQ(times(read).weight_gradient, times(op).weight_gradient);
  EXPECT_GT(once, 5);
  EXPECT_EQ(clock(c, kNoWait).times(read, {}).forward, clock(c, kNoWait).times(op, {}).forward);
}

Operator elementwise(double elements, OperatorRole role = OperatorRole::other) {
  Operator op;
  op.activation_elements = elements;
  op.role = role;
  return op;
}

TEST(OperatorClock, ElementwiseOperatorsMoveTwoBytesAnElement) {
  Calibration c = ideal();
  c.launch = Seconds(1);
  c.elementwise_backward = 1.5;
  DeviceShare share;
  share.microbatch = 3;
  share.context = 2;
  share.tensor = 4;
  const auto times = [&](const Operator& op) { return clock(c, kMemory).times(op, share); };
  EXPECT_DOUBLE_EQ(times(elementwise(8e9)).forward.si(), 1 + 2 * 8.0 * 3 / 2 / 4);
  EXPECT_DOUBLE_EQ(times(elementwise(8e9)).input_gradient.si(), 1.5 * (1 + 2 * 8.0 * 3 / 2 / 4));
  EXPECT_EQ(times(elementwise(8e9)).weight_gradient.si(), 0);
  Operator norm = elementwise(8e9);
  norm.sequence_sharded = true;  // every device of the tensor-parallel group does it whole
  EXPECT_DOUBLE_EQ(times(norm).forward.si(), 1 + 2 * 8.0 * 3 / 2);
  share.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(times(norm).forward.si(), 1 + 2 * 8.0 * 3 / 2 / 4);
}

TEST(OperatorClock, UnfusedOperatorsPassMemoryMoreOften) {
  Calibration c = ideal();
  c.eager = 1.5;
  DeviceShare share;
  share.unfused = 0.25;
  Operator norms = elementwise(1e9);
  norms.eager_elements = 9e9;
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(norms, share).forward.si(), 2 * (0.75 + 0.25 * 1.5 * 9));
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(norms, {}).forward.si(), 2);
}

// Bytes of a token and expert, of a logit (the loss's gradient with it), passes of a permutation.
TEST(OperatorClock, SomeOperatorsMoveMeasuredBytes) {
  Calibration c = ideal();
  c.permutation_time = 3;
  c.routing_bytes = 40;
  c.loss_bytes = 24;
  c.elementwise_backward = 2;
  const auto times = [&](OperatorRole role) { return clock(c, kMemory).times(elementwise(1e9, role), {}); };
  EXPECT_DOUBLE_EQ(times(OperatorRole::permutation).forward.si(), 3 * 2);
  EXPECT_DOUBLE_EQ(times(OperatorRole::routing).forward.si(), 40);
  EXPECT_DOUBLE_EQ(times(OperatorRole::routing).input_gradient.si(), 80);
  EXPECT_DOUBLE_EQ(times(OperatorRole::cross_entropy).forward.si(), 24 / 2);  // logits are read and written
  EXPECT_EQ(times(OperatorRole::cross_entropy).input_gradient.si(), 0);
  DeviceShare sorted;
  sorted.permuted = 2.5;
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(elementwise(1e9, OperatorRole::permutation), sorted).forward.si(),
                   3 * 2 * 2.5);
}

// index_select, weights and scatter_add in place of one kernel each way; what the ranks sort stays.
TEST(OperatorClock, PyTorchSortsTokensInMorePasses) {
  Calibration c = ideal();
  c.elementwise_backward = 2;
  const Operator op =
      elementwise(2 * (1 + 4) * 1e9, OperatorRole::permutation);  // four experts of 1e9 elements
  const OperatorTimes alone = clock(c, kMemory).times(op, {.unfused = 1, .unfused_permutation = 4});
  EXPECT_NEAR(alone.forward.si(), 2 * 4 * 10.7, 1e-9);
  EXPECT_NEAR(alone.input_gradient.si(), 2 * 4 * 20.9, 1e-9);
  const OperatorTimes ranks =
      clock(c, kMemory).times(op, {.unfused = 1, .permuted = 1.5, .unfused_permutation = 4});
  EXPECT_NEAR((ranks.forward - alone.forward).si(), 0.5 * 2 * 2 * (1 + 4), 1e-9);
  EXPECT_NEAR((ranks.input_gradient - alone.input_gradient).si(), 2 * 0.5 * 2 * 2 * (1 + 4), 1e-9);
}

// Kernels of PyTorch in place of one each, and each expert's choice of its best tokens.
TEST(OperatorClock, RoutersThatNobodyFusedMoveMore) {
  Calibration c = ideal();
  c.routing_bytes = 40;
  c.launch = Seconds(1);
  const Operator op = elementwise(1e9, OperatorRole::routing);
  const auto times = [&](const DeviceShare& share) { return clock(c, kMemory).times(op, share); };
  EXPECT_NEAR(times({}).forward.si(), 40 + 1, 1e-9);
  const OperatorTimes unfused = times({.unfused = 1, .unfused_router = true});
  EXPECT_NEAR(unfused.forward.si(), 383 + 23, 1e-9);
  EXPECT_EQ(unfused.input_gradient, unfused.forward);
  const OperatorTimes dropping = times({.dropped_tokens = true});
  EXPECT_NEAR((dropping.forward - times({}).forward).si(), 158 + 15, 1e-9);
  EXPECT_NEAR((dropping.input_gradient - times({}).input_gradient).si(), 12 + 1, 1e-9);
}

// The sum over microbatches passes through memory beside the product that adds to it, or after it.
TEST(OperatorClock, WeightGradientsAreAddedToTheirSum) {
  Calibration c = ideal();
  c.accumulation_blend = 2;
  const Operator op = product(3000, 1e4, 1e4);
  const double compute = 2 * 3e11 / 1e12;
  const BytesPerSecond memory(2 * 4 * 1e8 / compute);  // the sum of 32 bits takes as long
  const auto seconds = [&](const DeviceShare& share) {
    return clock(c, memory).times(op, share).weight_gradient.si();
  };
  EXPECT_NEAR(seconds({.gradient_bytes = 4, .accumulates = true}) / compute, std::sqrt(2), 1e-9);
  EXPECT_NEAR(seconds({.gradient_bytes = 2, .accumulates = true}) / compute, std::sqrt(1.25), 1e-9);
  EXPECT_NEAR(seconds({.gradient_bytes = 2, .added = 6}) / compute, 1 + 6.0 / 8, 1e-9);
  Operator experts = op;
  experts.experts = true;
  const auto of_experts = [&](const DeviceShare& share) {
    return clock(c, memory).times(experts, share).weight_gradient.si();
  };
  EXPECT_NEAR(of_experts({.added = 6}) - of_experts({}), 6.0 / 8 * compute, 1e-9);
  EXPECT_GT(of_experts({.accumulates = true}), of_experts({}));
}

Operator scores(double sequence, double head, double heads) {
  Operator op = product(sequence, head, sequence, heads, ShardedDimension::copies);
  op.attention_matrix = true;
  return op;
}

Operator softmax(double elements) {
  Operator op = elementwise(elements);
  op.attention_matrix = true;
  return op;
}

// Half of the pairs are causal; 2.5 times the FLOP backward (Dao 2023, arXiv:2307.08691, section 4.1).
TEST(OperatorClock, FusedAttentionDoesTheCausalHalf) {
  Calibration c = ideal();
  const double s = 1024, head = 64, heads = 8;
  const double flop = s * s * head * heads;  // 2 s s d heads / 2
  const OperatorTimes times = clock(c, kMemory).times(scores(s, head, heads), {});
  EXPECT_DOUBLE_EQ(times.forward.si(), flop / 1e12);
  EXPECT_DOUBLE_EQ(times.input_gradient.si(), 2.5 * flop / 1e12);
  EXPECT_EQ(times.weight_gradient.si(), 0);
  c.attention_forward = 0.5;
  c.attention_backward = 0.25;
  EXPECT_DOUBLE_EQ(forward(c, scores(s, head, heads)), 2 * flop / 1e12);
  EXPECT_DOUBLE_EQ(clock(c, kMemory).times(scores(s, head, heads), {}).input_gradient.si(),
                   4 * 2.5 * flop / 1e12);
  // The softmax is part of the kernel.
  EXPECT_EQ(clock(c, kMemory).times(softmax(1e9), {}).forward.si(), 0);
  DeviceShare share;
  share.microbatch = 3;
  share.tensor = 2;
  share.context = 4;
  share.attention_factor = 1.5;
  share.attended = 0.5;
  EXPECT_DOUBLE_EQ(forward(c, scores(s, head, heads), share), 2 * flop / 1e12 * 3 / 2 / 4 * 1.5 * 0.5);
}

// A ring of four sums results of three steps: two passes each over three quarters of the queries' results, to
// scale and to add; backward gradients of queries, keys and values.
TEST(OperatorClock, RingsOfContextRanksSumTheirSteps) {
  const Calibration c = ideal();
  DeviceShare share;
  share.microbatch = 3;
  share.tensor = 2;
  share.context = 4;
  share.queries_per_key = 4;
  const Operator op = scores(1024, 64, 8);
  const OperatorTimes whole = clock(c, kMemory).times(op, share);
  share.ring = true;
  const OperatorTimes ring = clock(c, kMemory).times(op, share);
  const double queries = 3.0 * (1024 / 4) * (8 / 2) * 64;
  const double steps = 3.0 / 2;  // scores and values halve them
  const double memory = kMemory.si() * c.memory;
  EXPECT_NEAR((ring.forward - whole.forward).si(), steps * 0.75 * 10 * queries / memory, 1e-12);
  EXPECT_NEAR((ring.input_gradient - whole.input_gradient).si(), steps * 0.75 * 6 * queries * 1.5 / memory,
              1e-12);
  share.context = 1;
  EXPECT_EQ(clock(c, kMemory).times(op, share).forward,
            clock(c, kMemory).times(op, DeviceShare{.tensor = 2, .microbatch = 3}).forward);
}

// Random numbers for each pair that is attended, forward and again backward; half of them in each product.
TEST(OperatorClock, DropoutCostsFusedAttentionANumberAPairAndPass) {
  Calibration c = ideal();
  c.dropout_time = Seconds(8);
  DeviceShare share;
  share.microbatch = 3;
  share.tensor = 2;
  share.context = 4;
  share.attended = 0.5;
  const Operator op = scores(1024, 64, 8);
  const OperatorTimes without = clock(c, kMemory).times(op, share);
  share.dropout = true;
  const OperatorTimes with = clock(c, kMemory).times(op, share);
  const double pairs = 1024.0 * 1024 / 2 * 8 * 3 / 2 / 4 * 0.5;
  EXPECT_NEAR((with.forward - without.forward).si(), 8 * pairs / 2, 1e-3);
  EXPECT_NEAR((with.input_gradient - without.input_gradient).si(), 8 * pairs / 2, 1e-3);
  // Masks of a stored matrix are among its bytes.
  share.fused_attention = false;
  const Seconds stored = clock(c, kMemory).times(op, share).forward;
  share.dropout = false;
  EXPECT_EQ(stored, clock(c, kMemory).times(op, share).forward);
}

// A block takes 128 queries of a head: 8 heads of 1024 queries are 64 blocks, 16 waves over four processors.
TEST(OperatorClock, FusedAttentionLosesWhereItsBlocksDoNotFillTheDevice) {
  Calibration c = ideal();
  const OperatorTimes full = clock(c, kMemory).times(scores(1024, 64, 8), {});
  c.attention_wave = 0.8;
  const OperatorTimes lossy = clock(c, kMemory).times(scores(1024, 64, 8), {});
  EXPECT_DOUBLE_EQ(lossy.forward / full.forward, 1 + 0.8 / 16);
  EXPECT_DOUBLE_EQ(lossy.input_gradient / full.input_gradient, 1 + 0.8 / 16);
  DeviceShare share;
  share.microbatch = 2;
  share.tensor = 4;
  share.context = 2;  // a quarter of the waves
  EXPECT_DOUBLE_EQ(forward(c, scores(1024, 64, 8), share) / full.forward.si(), 0.25 * (1 + 0.8 / 4));
}

// Without a fused kernel both products are whole, and the softmax passes memory.
TEST(OperatorClock, UnfusedAttentionKeepsItsMatrix) {
  Calibration c = ideal();
  c.softmax_bytes = 13;
  c.softmax_bytes_backward = 16;
  DeviceShare share;
  share.fused_attention = false;
  share.microbatch = 3;
  share.tensor = 2;
  share.context = 4;
  const double s = 1024, head = 64, heads = 32;
  const OperatorTimes times = clock(c, kNoWait).times(scores(s, head, heads), share);
  EXPECT_DOUBLE_EQ(times.forward.si(), 2 * s * s * head * heads * 3 / 2 / 4 / 1e12);
  EXPECT_DOUBLE_EQ(times.input_gradient / times.forward, 2);
  EXPECT_EQ(times.weight_gradient.si(), 0);
  // An element is read and written: half as many elements as passes over them.
  const OperatorTimes soft = clock(c, kMemory).times(softmax(8e9), share);
  EXPECT_DOUBLE_EQ(soft.forward.si(), 13 * 4.0 * 3 / 2 / 4);
  EXPECT_DOUBLE_EQ(soft.input_gradient.si(), 16 * 4.0 * 3 / 2 / 4);
}

class Measured : public testing::Test {
 protected:
  /// A clock of the H100 by its measured operators.
  OperatorClock measured(const Calibration& c, Precision precision = Precision::bf16,
                         BytesPerSecond memory = kNoWait) const {
    return {c, kPeak, kPeakLow, memory, precision, operators(precision)};
  }
  static std::shared_ptr<MeasuredOperators> operators(Precision precision) {
    const Accelerator& a = shipped_catalog()->accelerators.at("h100-sxm");
    return measured_operators(*shipped_catalog(), {.operators = "h100_sxm",
                                                   .attention_kernel = {},
                                                   .precision = precision,
                                                   .peak = a.dense.at(Precision::bf16).value(),
                                                   .peak_low = a.dense.at(precision).value(),
                                                   .memory = a.memory_rate});
  }
};

// They hold their launch; products of 8 bits are without their casts and take one.
TEST_F(Measured, ProductsAreThoseOfTheTables) {
  Calibration c = ideal();
  c.product_time = 1.25;
  c.product_time_fp8 = 1.5;
  c.launch = Seconds(7);
  const auto table = operators(Precision::bf16);
  const OperatorTimes times = measured(c).times(product(4096, 2048, 1024, 2), {});
  EXPECT_DOUBLE_EQ(times.forward / table->product(false, 8192, 1024, 2048), 1.25);
  EXPECT_DOUBLE_EQ(times.input_gradient / table->product(false, 8192, 2048, 1024), 1.25);
  EXPECT_DOUBLE_EQ(times.weight_gradient / table->product(false, 2048, 2048, 4096), 1.25);
  const auto low = operators(Precision::fp8);
  const Seconds eight_bits = measured(c, Precision::fp8).times(product(4096, 2048, 1024), {}).forward;
  EXPECT_NEAR((eight_bits - Seconds(7)) / low->product(true, 4096, 1024, 2048), 1.5, 1e-9);
  // Memory is a floor of theirs too.
  EXPECT_DOUBLE_EQ(
      measured(c, Precision::bf16, BytesPerSecond(1)).times(product(64, 64, 64), {}).forward.si(),
      2 * 64 * 128 + 2 * 64 * 64);
}

TEST_F(Measured, ProductsOfFourBitsHaveTheirOwnConstant) {
  const Accelerator& a = shipped_catalog()->accelerators.at("gb200");
  const auto table = measured_operators(*shipped_catalog(), {.operators = "gb200",
                                                             .attention_kernel = {},
                                                             .precision = Precision::fp4,
                                                             .peak = a.dense.at(Precision::bf16).value(),
                                                             .peak_low = a.dense.at(Precision::fp4).value(),
                                                             .memory = a.memory_rate});
  Calibration c = ideal();
  c.product_time_fp8 = 7;
  c.product_time_fp4 = 1.5;
  const OperatorClock clock(c, kPeak, kPeakLow, BytesPerSecond(1e18), Precision::fp4, table);
  const Seconds forward = clock.times(product(4096, 2048, 1024), {}).forward - c.launch;
  EXPECT_NEAR(forward / table->product(true, 4096, 1024, 2048), 1.5, 1e-9);
}

// One kernel does both products of attention: each has half of it.
TEST_F(Measured, AttentionIsThatOfTheTables) {
  Calibration c = ideal();
  c.attention_time = 1.25;
  c.attention_backward_time = 1.5;
  const auto table = operators(Precision::bf16);
  DeviceShare share;
  share.microbatch = 2;
  share.tensor = 2;
  share.context = 2;
  share.queries_per_key = 4;
  share.attention_factor = 3;
  const double half = 1.25 * 3 / 2;
  const OperatorTimes times = measured(c).times(scores(4096, 128, 32), share);
  const Seconds whole = table->attention(2, 4096, 8, 2, 128);
  EXPECT_DOUBLE_EQ(times.forward / whole, half);
  EXPECT_DOUBLE_EQ(times.input_gradient / times.forward, 2.5 * 1.5);
  // A ring of two computes sequences of half the length twice, of all heads.
  share.ring = true;
  const Seconds pieces = 2 * table->attention(2, 2048, 16, 4, 128);
  EXPECT_GT(pieces, whole);
  EXPECT_NEAR(measured(c).times(scores(4096, 128, 32), share).forward / (half * pieces + 2 * c.launch), 1,
              1e-9);
  share.ring = false;
  // Values: the head is the number of columns.
  Operator values = scores(4096, 128, 32);
  std::swap(values.shape.inner, values.shape.columns);
  EXPECT_EQ(measured(c).times(values, share).forward, times.forward);
  // A quarter of the layers sees a window.
  share.window = 1024;
  share.windowed = 0.25;
  const Seconds window = table->attention(2, 4096, 8, 2, 128, 1024);
  EXPECT_LT(window, whole);
  EXPECT_NEAR(
      measured(c).times(scores(4096, 128, 32), share).forward / (half * (0.75 * whole + 0.25 * window)), 1,
      1e-12);
  // Or chunks of that size: four sequences in place of each.
  share.chunked = true;
  const Seconds chunks = table->attention(2 * 4, 1024, 8, 2, 128);
  EXPECT_LT(chunks, window);
  EXPECT_NEAR(
      measured(c).times(scores(4096, 128, 32), share).forward / (half * (0.75 * whole + 0.25 * chunks)), 1,
      1e-12);
  // The others have heads of twice the width and one of keys.
  share.global_head = 256;
  share.global_queries_per_key = 8;
  const Seconds wide = table->attention(2, 4096, 8, 1, 256);
  EXPECT_NEAR(
      measured(c).times(scores(4096, 128, 32), share).forward / (half * (0.75 * wide + 0.25 * chunks)), 1,
      1e-12);
}

}  // namespace
}  // namespace trainyard
