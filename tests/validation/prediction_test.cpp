#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/document.h"
#include "catalog/catalog.h"
#include "cost/operator_clock.h"
#include "model/model.h"
#include "shipped.h"
#include "step/timeline.h"
#include "trainyard/calibration_fit.h"
#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/files.h"
#include "trainyard/measured_runs.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/run_explanation.h"
#include "trainyard/run_prediction.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step.h"
#include "trainyard/validation.h"
#include "validation/run_prediction.h"

namespace trainyard {
namespace {

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
  const Catalog fitted = fitted_catalog(catalog(), runs());
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

/// The shipped catalog with an accelerator that has no constants.
Catalog catalog_with(const std::string& more) {
  Catalog out = catalog();
  const std::string device =
      "[accelerators.mine]\nname = \"Mine\"\nvendor = \"us\"\nyear = 2025\nmemory = \"80 GB\"\nmemory_rate = "
      "\"2 TB/s\"\ntdp = \"500 W\"\nprice = \"$20K\"\nscale_up_rate = \"3.6 Tbps\"\nhost_rate = \"63 GB/s\"\n"
      "source = \"us\"\n[accelerators.mine.dense]\nbf16 = \"500 TFLOP/s\"\n";
  Findings findings;
  extend_catalog(out,
                 parse_document(std::make_shared<const SourceText>(SourceText{"own.toml", device + more})),
                 "", findings);
  findings.throw_if_any();
  return out;
}

/// Three steps of a small model on an accelerator, so many times as long as an H100's at most.
std::vector<MeasuredRun> steps_on(const std::string& accelerator, const Catalog& known) {
  const std::string table =
      "id,source,model,accelerator,devices,layers,hidden,heads,kv_heads,ffn,gated_ffn,vocab,sequence,global_"
      "batch,"
      "tp,dp,software,metric,value\n"
      "a,us,llama3-8b,X,8,32,4096,32,8,14336,1,128256,8192,32,2,4,megatron-core,step_time,9.5\n"
      "b,us,llama3-8b,X,8,32,4096,32,8,14336,1,128256,8192,64,2,4,megatron-core,step_time,18.8\n"
      "c,us,llama3-8b,X,8,32,4096,32,8,14336,1,128256,8192,64,4,2,megatron-core,step_time,19.6\n";
  std::string text = table;
  for (std::size_t at = text.find(",X,"); at != std::string::npos; at = text.find(",X,", at))
    text.replace(at, 3, "," + accelerator + ",");
  return read_measured_runs(text, "steps.csv", known);
}

double worst_error(const std::vector<MeasuredRun>& of, const Catalog& by) {
  double worst = 0;
  for (const MeasuredRun& run : of)
    worst = std::max(worst, std::abs(predict_run(run, by).step / measured_step(run, by) - 1));
  return worst;
}

// What a fit on one's own steps writes works as it is, and says nothing of other accelerators.
TEST(Calibrations, OfAnAcceleratorWithoutConstantsAreFittedAndTaken) {
  const Catalog known = catalog_with("");
  const std::vector<MeasuredRun> steps = steps_on("mine", known);
  EXPECT_GT(worst_error(steps, known), 0.25);
  const std::string tables = fitted_on_runs(known, steps, "steps.csv");
  EXPECT_TRUE(tables.starts_with("[calibrations.mine-prior]\n")) << tables;
  const auto second = tables.find("[calibrations.mine]\n");
  ASSERT_NE(second, std::string::npos) << tables;
  EXPECT_EQ(tables.find("[calibrations.", second + 1), std::string::npos) << tables;
  const Catalog read = catalog_with(tables);
  EXPECT_LT(worst_error(steps, read), 0.08);
  EXPECT_EQ(calibration_key(read, "mine"), "mine");
  // Fitted again it starts from where it did.
  EXPECT_EQ(fitted_on_runs(read, steps, "steps.csv"), tables);
}

// A set that takes the constants of another gets its own; the other, of which no step speaks, stays.
TEST(Calibrations, OfAnAcceleratorThatSharesAFitAreItsOwn) {
  const std::vector<MeasuredRun> steps = steps_on("h200-sxm", catalog());
  const std::string tables = fitted_on_runs(catalog(), steps, "steps.csv");
  EXPECT_EQ(tables.find("[calibrations.h100"), std::string::npos) << tables;
  const Catalog read = catalog_with(tables);
  const double before = worst_error(steps, catalog());
  EXPECT_LT(worst_error(steps, read), 0.8 * before) << tables;
  EXPECT_EQ(fitted_on_runs(read, steps, "steps.csv"), tables);
}

// Rows of one's own need not say where they are from (once they were taken for those of a source to leave
// out).
TEST(Calibrations, AreFittedOnRunsWithoutASource) {
  std::vector<MeasuredRun> steps = steps_on("h100-sxm", catalog());
  const std::string tables = fitted_on_runs(catalog(), steps, "steps.csv");
  for (MeasuredRun& run : steps) run.source.clear();
  EXPECT_EQ(fitted_on_runs(catalog(), steps, "steps.csv"), tables);
  EXPECT_LT(worst_error(steps, catalog_with(tables)), 0.8 * worst_error(steps, catalog())) << tables;
}

TEST(Calibrations, OfOnesOwnHaveNoErrorsOfRunsLeftOut) {
  std::vector<MeasuredRun> steps = steps_on("h100-sxm", catalog());
  for (MeasuredRun& run : steps) run.source = "own";
  EXPECT_EQ(validate_runs(steps, catalog()).held_out_all.runs, steps.size());
  const Catalog own = catalog_with(fitted_on_runs(catalog(), steps, "steps.csv"));
  const Validation by_own = validate_runs(steps, own);
  EXPECT_EQ(by_own.all.runs, steps.size());
  EXPECT_EQ(by_own.held_out_all.runs, 0U);
}

TEST(Calibrations, ThatNoRunSpeaksForAreNotWritten) {
  const std::vector<MeasuredRun> steps = steps_on("h100-sxm", catalog());
  const std::string tables = fitted_on_runs(catalog(), steps, "steps.csv");
  EXPECT_TRUE(tables.starts_with("[calibrations.h100]\n")) << tables;
  EXPECT_EQ(tables.find("[calibrations.", 1), std::string::npos) << tables;
  std::vector<MeasuredRun> none = steps;
  for (MeasuredRun& run : none) run.value.reset();
  EXPECT_THROW(fitted_on_runs(catalog(), none, "steps.csv"), InputError);
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

/// A row of a file of data/.
MeasuredRun row_of(const std::string& name, const std::string& id) {
  const std::string file = std::string(TRAINYARD_SOURCE_DIR) + "/data/" + name;
  for (MeasuredRun& run : read_run_file(read_file(file), file, catalog()).runs)
    if (run.id == id) return run;
  ADD_FAILURE() << id;
  return {};
}

// What transfers cost the compute beside them is exposed in both models, and what a program loses of
// interleaving in neither; of these steps 14, 6, 14, 8 and 6% were taken for the other before.
TEST(Exposed, IsOneThingInPlansAndSteps) {
  const MeasuredRun rows[] = {row_of("other_runs.csv", "fms-fsdp.70b.h100.96.compiled"),
                              row_of("other_runs.csv", "torchtitan.llama2-70B.a100.64.selective"),
                              row_of("held_out_runs.csv", "megascale.6144.12288.megascale"),
                              run_of("megascale.768.768.megascale"), run_of("megascale.768.768.megatron")};
  for (const MeasuredRun& run : rows) {
    const Plan plan = RunCase(run, catalog()).plan();
    const StepTimeline t = simulate_step(plan).timeline;
    EXPECT_NEAR(t.exposed_share, plan.step.exposed_share_step, 0.012) << run.id;
    EXPECT_NEAR((t.compute + t.exposed.total() + t.idle) / t.step, 1, 1e-9) << run.id;
  }
}

// Transfers within passes are waited for while a pipeline fills, too, and slow servers make all wait longer.
TEST(Exposed, OfShippedScenariosIsOneThingInPlansAndSteps) {
  for (const char* name : {"llama3-405b", "topologies", "two-generations", "megatron-175b"}) {
    const Plan plan = make_plan(ScenarioText::load(name).resolve());
    EXPECT_NEAR(simulate_step(plan).timeline.exposed_share, plan.step.exposed_share_step, 0.005) << name;
  }
}

// Settings that would come nearer give what they promise in the run's scenario.
TEST(Explanation, PromisesWhatASettingGives) {
  const MeasuredRun run = row_of("mlperf_runs.csv", "v6.0/Quanta_Cloud_Technology/D75H-10U/llama31_8b");
  const RunExplanation found = explain_run(run, catalog());
  ASSERT_GT(found.closer.size(), 2U);
  for (const WhatIf& change : found.closer) {
    ScenarioText text = ScenarioText::parse(
        std::make_shared<const SourceText>(SourceText{"run.toml", scenario_text_of(run, catalog())}),
        shipped_catalog());
    text.set(change.setting);
    const Plan plan = make_plan(text.resolve());
    EXPECT_EQ(plan.step.step.si(), change.plan.si()) << change.setting;
    EXPECT_EQ(plan.mapping.device.total().si(), change.memory.si()) << change.setting;
  }
}

// The parts of a plan's and a step's time, kind by kind: as far apart as the whole is, and a hundredth.
TEST(Exposed, EffectsOfBothModelsAreTheSameKinds) {
  for (const char* id : {"megascale.768.768.megascale", "sc21.145.6B"}) {
    const RunPrediction p = predict_run(run_of(id), catalog(), true);
    for (const StepEffect& effect : p.effects)
      EXPECT_NEAR(effect.step / p.step, effect.plan / p.step, 0.01) << id << " " << effect.what;
  }
}

}  // namespace
}  // namespace trainyard
