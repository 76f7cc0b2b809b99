#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "catalog/catalog.h"
#include "cost/operator_clock.h"
#include "model/model.h"
#include "step/timeline.h"
#include "trainyard/calibration_fit.h"
#include "trainyard/planning.h"
#include "trainyard/run_prediction.h"
#include "trainyard/scenario_text.h"
#include "trainyard/validation.h"
#include "validation/run_prediction.h"

namespace trainyard {
namespace {

const Catalog& catalog() { return *shipped_catalog(); }

const std::vector<MeasuredRun>& runs() {
  static const std::vector<MeasuredRun> all = shipped_runs(catalog());
  return all;
}

MeasuredRun run_of(const std::string& id) {
  const auto found =
      std::find_if(runs().begin(), runs().end(), [&](const MeasuredRun& r) { return r.id == id; });
  EXPECT_NE(found, runs().end()) << id;
  return *found;
}

/// A device on which nothing but what a test looks at takes time.
Calibration plain() {
  Calibration c;
  c.processors = 100;
  c.matmul = 0.5;
  c.wave_share = 1;
  c.inner_overhead = 0;
  c.weight_gradient = 1;
  c.attention_forward = 0.5;
  c.attention_backward = 0.25;
  c.attention_wave = 0;
  c.memory = 0.5;
  c.elementwise_backward = 2;
  c.launch = Seconds(0);
  return c;
}

Operator product(double rows, double inner, double columns) {
  Operator op;
  op.matmul = true;
  op.shape = {.rows = rows, .inner = inner, .columns = columns};
  op.activation_elements = rows * (inner + columns);
  return op;
}

OperatorClock clock_with(const Calibration& calibration) {
  return {calibration, FlopRate(1e12), FlopRate(2e12), BytesPerSecond(1e15), Precision::bf16};
}

TEST(OperatorClock, TimesAProductThatFillsItsWavesByItsFlop) {
  const Calibration c = plain();
  // 10 x 10 tiles of 256 x 128 on 100 processors: one full wave.
  const OperatorTimes times = clock_with(c).times(product(2560, 1000, 1280), {});
  EXPECT_NEAR(times.forward.si(), 2.0 * 2560 * 1000 * 1280 / 0.5e12, 1e-12);
}

TEST(OperatorClock, PaysForHalfEmptyTilesAndWaves) {
  const Calibration c = plain();
  // One element more than a wave: 11 x 10 tiles make two waves, and the last tile is nearly empty.
  const OperatorTimes full = clock_with(c).times(product(2560, 1000, 1280), {});
  const OperatorTimes over = clock_with(c).times(product(2561, 1000, 1280), {});
  EXPECT_NEAR(over.forward / full.forward, 2, 1e-9);
  Calibration smooth = c;
  smooth.wave_share = 0;
  EXPECT_NEAR(clock_with(smooth).times(product(2561, 1000, 1280), {}).forward / full.forward, 2561.0 / 2560,
              1e-9);
}

TEST(OperatorClock, ChargesTheInnerDimensionsOverhead) {
  Calibration c = plain();
  c.inner_overhead = 250;
  EXPECT_NEAR(clock_with(c).times(product(2560, 1000, 1280), {}).forward.si(),
              1.25 * 2.0 * 2560 * 1000 * 1280 / 0.5e12, 1e-12);
}

TEST(OperatorClock, IsBoundByMemoryWhereProductsAreThin) {
  const Calibration c = plain();
  const OperatorClock slow_memory(c, FlopRate(1e12), FlopRate(1e12), BytesPerSecond(1e8), Precision::bf16);
  const double bytes = 2 * (256.0 * 64 + 64.0 * 128 + 256.0 * 128);
  EXPECT_NEAR(slow_memory.times(product(256, 64, 128), {}).forward.si(), bytes / 0.5e8, 1e-12);
}

TEST(OperatorClock, DividesByTensorParallelismWhatTheLayerDivides) {
  const Calibration c = plain();
  Operator by_columns = product(2560, 1000, 12800);
  Operator by_inner = product(2560, 10000, 1280);
  by_inner.shape.sharded = ShardedDimension::inner;
  Operator router = product(2560, 1000, 1280);
  router.shape.sharded = ShardedDimension::nothing;
  const DeviceShare share{.tensor = 10};
  const Seconds alone = clock_with(c).times(product(2560, 1000, 1280), {}).forward;
  for (const Operator& op : {by_columns, by_inner, router})
    EXPECT_NEAR(clock_with(c).times(op, share).forward / alone, 1, 1e-9);
}

// Low-rank adapters are 16-bit products beside 8-bit ones, with nothing to cast.
TEST(OperatorClock, KeepsAdaptersInSixteenBits) {
  Calibration c = plain();
  c.cast = 4;
  const OperatorClock wide(c, FlopRate(1e12), FlopRate(1e12), BytesPerSecond(1e11), Precision::bf16);
  const OperatorClock low(c, FlopRate(1e12), FlopRate(2e12), BytesPerSecond(1e11), Precision::fp8);
  Operator op = product(2560, 1000, 12800);
  op.adapter = true;
  EXPECT_EQ(low.times(op, {}).forward, wide.times(op, {}).forward);
  EXPECT_EQ(low.times(op, {}).backward(), wide.times(op, {}).backward());
  op.adapter = false;
  EXPECT_NE(low.times(op, {}).forward, wide.times(op, {}).forward);
}

TEST(OperatorClock, CountsFusedAttentionsCausalHalf) {
  const Calibration c = plain();
  ModelShape shape;
  shape.hidden = 1024;
  shape.heads = 8;
  shape.sequence = 4096;
  shape.layers = 1;
  Seconds forward{0};
  Seconds backward{0};
  for (const Operator& op : layer_operators(shape, false, CausalAttention::full)) {
    if (!op.attention_matrix) continue;
    const OperatorTimes times = clock_with(c).times(op, {});
    forward += times.forward;
    backward += times.backward();
  }
  // Two products of 4096 x 4096 x 128 for 8 heads, half of them: 2 s^2 h FLOP.
  const double flop = 2.0 * 4096 * 4096 * 1024;
  EXPECT_NEAR(forward.si(), flop / 0.5e12, 1e-9);
  EXPECT_NEAR(backward.si(), 2.5 * flop / 0.25e12, 1e-9);
}

TEST(OperatorClock, SharesExpertsTokensOverTheExpertGroup) {
  const Calibration c = plain();
  Operator experts = product(25.6, 1000, 1280);  // of each of 100 experts
  experts.experts = true;
  experts.shape.copies = 100;
  Calibration smooth = c;
  smooth.wave_share = 0;
  smooth.grouped_matmul = 1;
  const OperatorClock clock(smooth, FlopRate(1e12), FlopRate(1e12), BytesPerSecond(1e18), Precision::bf16);
  // Four devices hold 25 experts each and get the tokens of all four: the same work for each.
  EXPECT_NEAR(clock.times(experts, {.expert = 4}).forward / clock.times(experts, {}).forward, 1, 1e-9);
}

TEST(Calibrations, AreWhatTheFitGives) {
  const Catalog fitted = fitted_catalog(catalog(), runs(), "");
  for (const auto& [key, calibration] : catalog().calibrations) {
    for (const FittedConstant& constant : fitted_constants()) {
      const double shipped = constant.get(calibration);
      EXPECT_NEAR(constant.get(fitted.calibrations.at(key)) / shipped, 1, 2e-3)
          << key << " " << constant.name;
    }
  }
}

// What a fit writes, a catalog takes.
TEST(Calibrations, AreFittedWithinWhatCatalogsAllow) {
  for (const FittedConstant& constant : fitted_constants()) {
    const auto field =
        std::find_if(calibration_fields().begin(), calibration_fields().end(),
                     [&](const Field<Calibration>& f) { return f.info.name == constant.name; });
    ASSERT_NE(field, calibration_fields().end()) << constant.name;
    EXPECT_GE(constant.range.low, field->info.range.low) << constant.name;
    EXPECT_LE(constant.range.high, field->info.range.high) << constant.name;
  }
}

TEST(Calibrations, DoNotSeeASourceThatIsHeldOut) {
  const std::string source = run_of("b200.llama3_70b_l12_tp1_pp2_dp4_mbc4").source;
  const Catalog without = fitted_catalog(catalog(), runs(), source);
  const Calibration& prior = catalog().calibrations.at("b200-prior");
  for (const FittedConstant& constant : fitted_constants())
    EXPECT_EQ(constant.get(without.calibrations.at("b200")), constant.get(prior)) << constant.name;
}

TEST(Prediction, MeetsItsTargetsOnTheShippedRuns) {
  const Validation v = validate_runs(runs(), catalog());
  EXPECT_LE(v.all.mean_abs, 5);
  EXPECT_LE(std::abs(v.all.worst), 15) << v.all.worst_id;
  for (const SourceErrors& s : v.by_source) {
    if (s.source.find("SC 2021") != std::string::npos || s.source.find("MLSys 2023") != std::string::npos) {
      EXPECT_LE(s.errors.mean_abs, 3.5) << s.source;
    }
    if (s.source.find("B200") != std::string::npos) {
      EXPECT_LE(s.errors.mean_abs, 5);
    }
  }
  EXPECT_LE(std::abs(v.memory.worst), 2);
}

// Runs that took no part in any fit (data/held_out_runs.csv; docs/validation.md says what was looked at).
TEST(Prediction, HoldsOnRunsThatNoFitHasSeen) {
  const Validation v = validate_runs(held_out_runs(catalog()), catalog());
  EXPECT_LE(v.all.mean_abs, 7);
  EXPECT_LE(v.all.median_abs, 5);
  EXPECT_LE(std::abs(v.memory.worst), 2);
  for (const SourceErrors& s : v.by_source) {
    const bool fitted_software = !s.source.starts_with("NVIDIA") && s.errors.runs > 1;
    if (fitted_software) {
      EXPECT_LE(s.errors.mean_abs, 6.5) << s.source;
    }
  }
  for (const ValidatedRun& run : v.runs) {
    for (const MeasuredRun& fitted : runs()) EXPECT_NE(run.run.id, fitted.id);
  }
}

// No divisors of programs times models: each accelerator has others, and each program every so many
// accelerators.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kOneIn = 23;
#else
constexpr std::size_t kOneIn = 3;
#endif

/// Plausible runs of programs on accelerators that have constants.
std::vector<MeasuredRun> generated_runs() {
  std::vector<MeasuredRun> out;
  std::size_t number = 0;
  std::set<std::string> seen;
  EXPECT_NE(2 * catalog().software.size() % kOneIn, 0U);
  for (const auto& [key, accelerator] : catalog().accelerators) {
    if (!accelerator.dense.at(Precision::bf16) || !seen.insert(accelerator.calibration).second) continue;
    for (const auto& [name, software] : catalog().software) {
      for (const char* model : {"llama3-70b", "mixtral-8x7b"}) {
        if (number++ % kOneIn != 0) continue;
        MeasuredRun run = run_of("torchtitan.8B.128.bf16");
        run.id = key + " " + name + " " + model;
        run.accelerator_key = key;
        run.software = name;
        run.shape = catalog().models.at(model);
        run.devices = 128;
        run.tensor = 4;
        run.pipeline = 1;
        run.data = 32;
        run.microbatch = 1;
        run.global_batch = 512;
        run.zero_stage = name == "fsdp" ? 3 : 1;
        run.sequence_parallel = true;
        run.recompute = Recompute::none;
        out.push_back(run);
      }
    }
  }
  return out;
}

double predicted(const MeasuredRun& run) { return predict_run(run, catalog()).step.si(); }

TEST(PredictionProperty, LargerMicrobatchesAreNeverSlower) {
  for (MeasuredRun run : generated_runs()) {
    const double small = predicted(run);
    run.microbatch = 2;
    // Measured products are not monotonic in their rows.
    EXPECT_LE(predicted(run), small * 1.02) << run.id;
  }
}

TEST(PredictionProperty, TensorParallelismBeyondADomainIsNeverFaster) {
  for (MeasuredRun run : generated_runs()) {
    run.zero_stage = 1;  // where weights are gathered layer by layer, holding fewer of them may well pay
    run.tensor = 8;
    run.data = 16;
    const double inside = predicted(run);
    run.tensor = 16;
    run.data = 8;
    EXPECT_GE(predicted(run), inside * (1 - 1e-9)) << run.id;
  }
}

TEST(PredictionProperty, FasterNetworksAreNeverSlower) {
  for (MeasuredRun run : generated_runs()) {
    const double before = predicted(run);
    run.nic_rate = 2 * *run.nic_rate;
    EXPECT_LE(predicted(run), before * (1 + 1e-9)) << run.id;
  }
}

TEST(PredictionProperty, MoreReplicasNeverRaiseTokensOfADevice) {
  for (MeasuredRun run : generated_runs()) {
    const double few = predicted(run);
    run.devices *= 8;
    run.data *= 8;
    run.global_batch *= 8;
    EXPECT_GE(predicted(run), few * (1 - 1e-9)) << run.id;
  }
}

TEST(PredictionProperty, RecomputationCosts) {
  for (MeasuredRun run : generated_runs()) {
    const double none = predicted(run);
    run.recompute = Recompute::selective;
    const double selective = predicted(run);
    run.recompute = Recompute::full;
    EXPECT_GE(selective, none) << run.id;
    EXPECT_GT(predicted(run), selective) << run.id;
  }
}

TEST(PredictionProperty, SchedulesWithShorterBubblesAreNeverSlower) {
  for (MeasuredRun run : generated_runs()) {
    run.pipeline = 4;
    run.data = 8;
    run.zero_stage = 1;  // gathers before every pass may outlast what a schedule saves
    const double plain = predicted(run);
    for (const RunSchedule schedule : {RunSchedule::zero_bubble, RunSchedule::dualpipe}) {
      run.schedule = schedule;
      EXPECT_LT(predicted(run), plain) << run.id;
    }
  }
}

TEST(Prediction, FollowsThePipelineFormula) {
  MeasuredRun run = run_of("seqpar.1T.full");
  const double few = predict_run(run, catalog()).step.si();
  run.global_batch *= 2;
  const double many = predict_run(run, catalog()).step.si();
  // Twice the microbatches: (2m + p - 1) / (m + p - 1) but for what a step takes once.
  const double ideal = (2 * 512.0 + 63) / (512 + 63);
  EXPECT_NEAR(many / few, ideal, 0.01);
}

TEST(Prediction, AgreesWithTheStepSimulation) {
  const Plan plan = make_plan(ScenarioText::load("megatron-175b").resolve());
  const double simulated = simulate_step(plan).timeline.step.si();
  MeasuredRun run = run_of("seqpar.175B.selective");
  EXPECT_NEAR(simulated / predict_run(run, catalog()).step.si(), 1, 0.02);
  EXPECT_NEAR(simulated / 13.75, 1, 0.03);  // as measured
}

TEST(Prediction, FallsBackWhereNothingWasMeasured) {
  Catalog other = catalog();
  other.accelerators.at("a100-80").calibration.clear();
  const MeasuredRun run = run_of("seqpar.22B.full");
  const double ratio = predict_run(run, other).step / predict_run(run, catalog()).step;
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 2);
  EXPECT_NE(ratio, 1);
}

}  // namespace
}  // namespace trainyard
