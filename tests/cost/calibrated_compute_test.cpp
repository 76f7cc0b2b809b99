// Layers, ends and the optimizer by the calibrated model: what is added to the operators' own times
// (operator_clock_test.cpp), for GPT 175B and a calibration whose terms are turned on one by one.
#include "cost/calibrated_compute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catalog/catalog.h"
#include "cost/exchange_times.h"
#include "cost/operator_clock.h"
#include "model/model.h"
#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/range.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

class CalibratedCompute : public testing::Test {
 protected:
  CalibratedCompute() {
    scenario_ = ScenarioText::load("megatron-175b").resolve();
    catalog_ = std::make_shared<Catalog>(*scenario_.catalog);
    scenario_.catalog = catalog_;
    model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
    m_.tensor = 8;
    c_.processors = 108;
    c_.layer_overhead = c_.host_operator = c_.host_expert = Seconds(0);
    program() = Software();
  }

  Software& program() { return catalog_->software.at(software_key(scenario_)); }
  Accelerator& accelerator() {
    return catalog_->accelerators.at(catalog_->hb_domains.at(scenario_.facility.hb_domain).accelerator);
  }
  LayerTimes layer(Recompute recompute = Recompute::none, Attention attention = Attention::flash) {
    scenario_.mapping.recompute = recompute;
    scenario_.mapping.attention = attention;
    return calibrated_layer_times(scenario_, model_, m_, c_, LayerKind::usual);
  }

  Scenario scenario_;
  std::shared_ptr<Catalog> catalog_;
  ModelPlan model_;
  MappingPlan m_;
  Calibration c_;
};

void expect_near(Seconds found, Seconds wanted) { EXPECT_NEAR(found / wanted, 1, 1e-9); }

// FlashAttention 2 was written for the A100 of 2020; later accelerators have kernels of their own.
TEST_F(CalibratedCompute, AttentionKernelsAreThoseOfTheAcceleratorsYear) {
  const LayerTimes usual = layer();
  program().attention_to_2020 = 0.5;
  program().attention_from_2021 = 0.25;
  for (const auto& [year, slower] : {std::pair{2017, 2.0}, {2020, 2.0}, {2021, 4.0}, {2024, 4.0}}) {
    accelerator().year = year;
    const LayerTimes times = layer();
    EXPECT_NEAR(times.attention_forward / usual.attention_forward, slower, 1e-9) << year;
    EXPECT_NEAR(times.attention_backward / usual.attention_backward, slower, 1e-9) << year;
    expect_near(times.forward - times.attention_forward, usual.forward - usual.attention_forward);
  }
}

// A plain all-to-all copies a token k times and back, and sorts the copies by the experts of a device, and
// back; a program that sends it once to each device copies it there: some 3.6 of 8 where a token stays within
// 4 of 8 groups as DeepSeek-V3's, 5.25 elsewhere.
TEST_F(CalibratedCompute, TokensOfExpertsAreCopiedAsTheirProgramSendsThem) {
  scenario_ = ScenarioText::load("deepseek-v3").resolve();
  catalog_ = std::make_shared<Catalog>(*scenario_.catalog);
  scenario_.catalog = catalog_;
  model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  m_.tensor = 1;
  program() = Software();
  const auto copies = [&](int devices) {
    m_.expert = devices;
    c_.permutation_time = 0;
    const Seconds without = layer().forward;
    c_.permutation_time = 1;
    return layer().forward - without;
  };
  const Seconds alone = copies(1);
  EXPECT_NEAR(copies(8) / alone, 25.0 / 9, 1e-9);
  EXPECT_NEAR(copies(256) / alone, 1, 1e-9);  // one expert a device
  scenario_.training.expert_imbalance = 1.5;
  EXPECT_NEAR(copies(8) / alone, (9 + 16 * 1.5) / 9, 1e-9);  // of what arrived, the fullest device's
  EXPECT_NEAR(copies(1) / alone, 1, 1e-9);
  scenario_.training.expert_imbalance = 1;
  program().sends_tokens_once = true;
  EXPECT_NEAR(copies(8) / alone, (8 + 4 * (1 - std::pow(3.0 / 4, 8))) / 9, 1e-9);
  EXPECT_NEAR(copies(32) / alone, (8 + 16 * (1 - std::pow(15.0 / 16, 8))) / 9, 1e-9);
  model_.shape.groups_per_token = 8;
  EXPECT_NEAR(copies(8) / alone, (8 + 8 * (1 - std::pow(7.0 / 8, 8))) / 9, 1e-9);
  EXPECT_NEAR(copies(1) / alone, 1, 1e-9);
}

// Shah et al. 2024, figure 5, at 4,096 tokens: FlashAttention 2 beside 3 has 284 of 420 TFLOP/s at heads of
// 64, 368 of 638 at 128, 293 of 612 at 256.
TEST_F(CalibratedCompute, OlderAttentionKernelsLoseLessAtNarrowHeads) {
  accelerator().year = 2022;
  const auto share = [&](std::int64_t head, double at_128) {
    model_.shape.head_size = head;
    program().attention_from_2021 = 1;
    const Seconds newest = layer().attention_forward;
    program().attention_from_2021 = at_128;
    return newest / layer().attention_forward;
  };
  const double published = 368.0 / 638;
  EXPECT_NEAR(share(128, published), published, 1e-9);
  EXPECT_NEAR(share(64, published), 284.0 / 420, 0.02);
  EXPECT_NEAR(share(256, published), 293.0 / 612, 0.02);
  EXPECT_NEAR(share(64, 0.9), 1, 1e-9);  // never faster than the newest
  EXPECT_NEAR(share(64, 1), 1, 1e-9);
}

// torchtitan compiles its loss where it compiles its layers.
TEST_F(CalibratedCompute, LossIsTheProgramsWhereItSays) {
  const auto ends = [&] { return calibrated_end_times(scenario_, model_, m_, c_).last; };
  program().loss_bytes = 50;
  program().compiled_loss_bytes = 10;
  program().unfused = 1;  // whose bytes are those of eager kernels
  const Seconds eager = ends();
  scenario_.training.compiled = true;
  const double logits = 2048.0 * real(model_.shape.vocabulary) / 8;
  expect_near(eager - ends(), Bytes(40 * logits) / (accelerator().memory_rate * c_.memory));
}

// Kernels of their own add the gradients of all microbatches but the first, unless replicas scatter each.
TEST_F(CalibratedCompute, GradientsAreAddedAsTheProgramDoes) {
  scenario_.precision.gradients = Precision::fp32;
  program().accumulation = Accumulation::hidden;
  const Seconds hidden = layer().backward;
  program().accumulation = Accumulation::apart;
  EXPECT_EQ(layer().backward, hidden);  // one microbatch
  m_.microbatches = 4;
  const double weights = 12 * 12288.0 * 12288 / 8;
  const BytesPerSecond memory = accelerator().memory_rate * c_.memory;
  constexpr int kProducts = 4;  // a kernel each
  expect_near(layer().backward - hidden,
              Bytes((2 + 4 + 4) * 0.75 * weights) / memory + kProducts * c_.launch);
  scenario_.mapping.zero_stage = 3;
  program().repeated_gathers = true;
  m_.data = 1 << 20;  // of which each sums next to nothing
  EXPECT_NEAR(layer().backward / hidden, 1, 1e-3);
  program().accumulation = Accumulation::fused;
  EXPECT_NEAR(layer().backward / hidden, 1, 1e-3);
  scenario_.mapping.zero_stage = 1;
  const Seconds fused = layer().backward;
  EXPECT_GT(fused, hidden);
  program().gradients = Precision::bf16;  // summed in 16 bits, as the program does
  EXPECT_LT(layer().backward, fused);
}

// Transformer Engine's products add their biases; PyTorch's eager ReLU and its square are two kernels.
TEST_F(CalibratedCompute, ElementwiseOperatorsAreFusedAsTheProgramDoes) {
  scenario_.model.shape.learned_positions = 2048;
  scenario_.model.shape.attention_bias = BiasTerms::all;
  model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  const Seconds biased = layer().forward;
  program().fuses_biases = true;
  const double elements = 2 * 2048.0 * 3 * 12288 / 8;
  const BytesPerSecond memory = accelerator().memory_rate * c_.memory;
  expect_near(biased - layer().forward, Bytes(2 * elements) / memory + c_.launch);

  const Seconds gelu = layer().forward;
  scenario_.model.shape.activation = Activation::squared_relu;
  model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  expect_near(layer().forward, gelu);
  program().fuses_squared_relu = false;
  const double touched = 2048.0 * 4 * 12288 / 8 * (4 * c_.eager - 2);
  expect_near(layer().forward - gelu, Bytes(2 * touched) / memory);
}

// Positions that are rotated cost with or without biases; learned ones are added to the embeddings.
TEST_F(CalibratedCompute, LearnedPositionsWithoutBiasesCostALayerNothing) {
  ModelShape shape = model_.shape;
  shape.learned_positions = 2048;
  shape.attention_bias = BiasTerms::all;
  const auto named = [&](const char* name) {
    const std::vector<Operator> ops = layer_operators(shape, false, CausalAttention::half);
    return std::any_of(ops.begin(), ops.end(), [&](const Operator& op) { return op.name == name; });
  };
  EXPECT_TRUE(named("biases"));
  shape.attention_bias = BiasTerms::none;
  EXPECT_FALSE(named("biases"));
  EXPECT_FALSE(named("positions and biases"));
  shape.learned_positions = 0;
  EXPECT_TRUE(named("positions and biases"));
}

TEST_F(CalibratedCompute, ReleasesAndScalesChangeProductsAlone) {
  scenario_.precision.compute = Precision::bf16;
  const LayerTimes usual = layer();
  program().product_time = 0.5;
  const LayerTimes fast = layer();
  EXPECT_LT(fast.forward, 0.7 * usual.forward);
  EXPECT_GT(fast.forward, 0.5 * usual.forward);
  expect_near(fast.attention_forward, usual.attention_forward);
  program().product_time = 1;

  accelerator().dense.by_precision[static_cast<std::size_t>(Precision::fp8)] =
      2 * *accelerator().dense.at(Precision::bf16);
  scenario_.precision.compute = Precision::fp8;
  const LayerTimes tensor = layer();
  scenario_.precision.scaling = Fp8Scaling::mx;
  c_.mx_weight_gradient = 1.5;
  const LayerTimes mx = layer();
  expect_near(mx.forward, tensor.forward);
  EXPECT_GT(mx.backward / tensor.backward, 1.1);
  scenario_.precision.compute = Precision::bf16;
  expect_near(layer().backward, usual.backward);
}

TEST_F(CalibratedCompute, ALossMovesTheBytesOfItsProgram) {
  const Seconds usual = calibrated_end_times(scenario_, model_, m_, c_).last;
  program().loss_bytes = 0;
  const double logits = 2048.0 * 51200 / 8;
  const Seconds moved = Bytes(c_.loss_bytes * logits) / (accelerator().memory_rate * c_.memory);
  EXPECT_NEAR((usual - calibrated_end_times(scenario_, model_, m_, c_).last) / moved, 1, 0.02);
}

// An only stage has both ends; tied ones are one matrix.
TEST_F(CalibratedCompute, ReplicasExchangeTheOutputMatrixOfAnOnlyStage) {
  m_.pipeline = 1;
  const double tied = held_parameters(scenario_, model_, m_, 0).common;
  model_.shape.tied_embeddings = false;
  model_.parameters.output = model_.parameters.embedding;
  EXPECT_NEAR(held_parameters(scenario_, model_, m_, 0).common - tied, model_.parameters.output / 8, 1);
}

// A ring of n ranks does 1/n of its attention as a rank alone would; the rest takes what the program's ring
// takes.
TEST_F(CalibratedCompute, RingsOfContextRanksTakeWhatTheirProgramTakes) {
  program().ring_attention = 1.5;
  for (const int ranks : {1, 2, 4}) {
    m_.context = ranks;
    program().context_exchange = ContextExchange::all_to_all;
    const Seconds kernel = layer().attention_forward;
    program().context_exchange = ContextExchange::ring;
    program().ring_attention = 1;
    const Seconds even = layer().attention_forward;
    program().ring_attention = 1.5;
    const Seconds pieces = layer().attention_forward;
    EXPECT_NEAR((pieces - even) / kernel, 0.5 * (1 - 1.0 / ranks), 1e-9) << ranks;
    program().hides_context = true;  // the transfers
    expect_near(layer().attention_forward, pieces);
    program().hides_context = false;
  }
}

TEST_F(CalibratedCompute, ALayerIsItsOperatorsAndTheFrameworksTime) {
  const LayerTimes bare = layer();
  c_.layer_overhead = Seconds(0.25);
  const LayerTimes times = layer();
  expect_near(times.forward, bare.forward + Seconds(0.25));
  expect_near(times.backward, bare.backward + Seconds(0.25));
  EXPECT_EQ(times.recompute.si(), 0);
  EXPECT_EQ(times.recompute_share, 0);
  program().graphs = true;  // captured: the framework is not asked
  expect_near(layer().forward, bare.forward);
  // Weights' gradients take as long as the products they belong to: a third of all three passes at most.
  EXPECT_GT(bare.backward_weight.si(), 0);
  EXPECT_LT(bare.backward_weight, bare.backward / 2);
}

TEST_F(CalibratedCompute, ModulesRepeatTheOperatorsThatBelongToThem) {
  c_.layer_overhead = Seconds(0.001);  // the framework's time is not theirs
  const LayerTimes none = layer();
  scenario_.mapping.recompute_modules = {RecomputeModule::core_attention};
  const LayerTimes attention = layer();
  expect_near(attention.recompute, none.attention_forward);
  expect_near(attention.backward, none.backward + none.attention_forward);
  scenario_.mapping.recompute_modules = {RecomputeModule::layernorm, RecomputeModule::core_attention,
                                         RecomputeModule::mlp};
  const LayerTimes most = layer();
  scenario_.mapping.recompute_modules = {RecomputeModule::mlp_activation};
  const LayerTimes activation = layer();
  scenario_.mapping.recompute_modules = {RecomputeModule::mlp_up, RecomputeModule::mlp_activation};
  const LayerTimes up = layer();
  EXPECT_GT(activation.recompute.si(), 0);
  EXPECT_LT(activation.recompute, up.recompute);
  EXPECT_LT(up.recompute, most.recompute);
  // Not the projections of attention and the residual adds.
  EXPECT_LT(most.recompute, none.forward);
  scenario_.mapping.recompute_layers = model_.shape.layers / 2;
  expect_near(layer().recompute, up.recompute / 2);
  scenario_.mapping.recompute_layers.reset();
  scenario_.mapping.recompute_modules = {RecomputeModule::attention_projections};
  const LayerTimes projections = layer();
  scenario_.mapping.recompute_modules = {RecomputeModule::attention_output};
  const LayerTimes output = layer();
  EXPECT_GT(output.recompute.si(), 0);
  scenario_.mapping.recompute_modules = {
      RecomputeModule::core_attention, RecomputeModule::attention_projections,
      RecomputeModule::attention_output, RecomputeModule::layernorm, RecomputeModule::mlp};
  // All but the residual adds, by their parts.
  expect_near(layer().recompute, most.recompute + projections.recompute + output.recompute);
  EXPECT_LT(layer().recompute, none.forward);
}

// A dense feed-forward layer's last product makes what the backward pass does not read.
TEST_F(CalibratedCompute, CompilersRepeatWhatIsReadAlone) {
  const LayerTimes none = layer();
  const auto repeated = [&](std::vector<RecomputeModule> modules) {
    scenario_.mapping.recompute_modules = std::move(modules);
    return layer().recompute;
  };
  const Seconds whole = repeated({RecomputeModule::mlp});
  const Seconds up = repeated({RecomputeModule::mlp_up});
  scenario_.mapping.recompute_modules.clear();
  const Seconds full = layer(Recompute::full).recompute;
  expect_near(full, none.forward);
  program().recomputes_unread = false;
  expect_near(repeated({RecomputeModule::mlp}), up);
  EXPECT_LT(up, whole);
  scenario_.mapping.recompute_modules.clear();
  expect_near(layer(Recompute::full).recompute, full - (whole - up));
}

// Full recomputation repeats the forward pass, whatever attention does.
TEST_F(CalibratedCompute, FullRecomputationRepeatsTheForwardPass) {
  c_.layer_overhead = Seconds(0.001);
  program().partial_recompute = true;
  for (const Attention attention : {Attention::flash, Attention::stored}) {
    const LayerTimes none = layer(Recompute::none, attention);
    const LayerTimes full = layer(Recompute::full, attention);
    EXPECT_EQ(none.recompute.si(), 0);
    expect_near(full.forward, none.forward);
    expect_near(full.recompute, none.forward);
    expect_near(full.backward, none.backward + none.forward);
    EXPECT_NEAR(full.recompute_share, none.forward / (none.forward + none.backward), 1e-12);
  }
}

// Korthikanti et al., MLSys 2023, section 5: attention alone, which a fused kernel repeats anyway.
TEST_F(CalibratedCompute, SelectiveRecomputationRepeatsAttention) {
  c_.layer_overhead = Seconds(0.001);
  const LayerTimes stored = layer(Recompute::selective, Attention::stored);
  EXPECT_GT(stored.attention_forward.si(), 0);
  expect_near(stored.recompute, stored.attention_forward);
  EXPECT_EQ(layer(Recompute::selective, Attention::flash).recompute.si(), 0);
}

// A selection by operators keeps attention and every other product: of query, key, value, output, up and down
// the second, fourth and sixth (keys, attention's output, down); the framework goes through all of it.
TEST_F(CalibratedCompute, ASelectionByOperatorsRepeatsEveryOtherProduct) {
  c_.layer_overhead = Seconds(0.001);
  program().partial_recompute = true;
  const OperatorClock clock = layer_clock(scenario_, c_);
  for (const Attention attention : {Attention::flash, Attention::stored}) {
    const LayerTimes none = layer(Recompute::none, attention);
    Seconds kept{0};
    for (const Operator& op : model_.operators) {
      if (!op.matmul || op.attention_matrix) continue;
      const Seconds forward =
          clock.times(op, {.tensor = real(m_.tensor), .microbatch = real(m_.microbatch)}).forward;
      if (op.role == OperatorRole::query_key_value) kept += forward * (2.0 / 3);
      if (op.role == OperatorRole::feed_forward_up) kept += forward;
    }
    expect_near(layer(Recompute::selective, attention).recompute,
                none.forward - none.attention_forward - kept);
  }
}

TEST_F(CalibratedCompute, OnlySomeLayersMayRecompute) {
  const LayerTimes all = layer(Recompute::full);
  scenario_.mapping.recompute_layers = 24;
  const LayerTimes quarter = layer(Recompute::full);  // of 96
  expect_near(quarter.recompute, all.recompute / 4);
  expect_near(all.backward - quarter.backward, all.recompute * 0.75);
}

// No pass is shorter than its launches: the longer of both, and the rest of it is a wait.
TEST_F(CalibratedCompute, PassesWaitForTheirLaunches) {
  const LayerTimes none = layer();
  EXPECT_EQ(none.host_wait.si(), 0);
  const double launches = 9;  // a second each: far more than the kernels take
  c_.host_operator = Seconds(1);
  const LayerTimes times = layer();
  EXPECT_NEAR(times.forward.si(), std::round(times.forward.si()), 1e-9);
  EXPECT_GE(times.forward.si(), launches - 3);
  EXPECT_NEAR(times.backward / times.forward, 1.5, 1e-9);  // host_times.h
  expect_near(times.host_wait, times.forward - none.forward + times.backward - none.backward);
  // What is recomputed is issued again.
  const LayerTimes full = layer(Recompute::full);
  expect_near(full.forward, times.forward);
  expect_near(full.backward, times.backward + times.forward);
  scenario_.mapping.recompute_layers = 48;
  expect_near(layer(Recompute::full).backward, times.backward + times.forward / 2);
  scenario_.mapping.recompute_layers.reset();
  program().partial_recompute = true;
  expect_near(layer(Recompute::selective).backward, times.backward + times.forward);
  expect_near(layer(Recompute::none).backward, times.backward);
  program().graphs = true;
  EXPECT_EQ(layer().host_wait.si(), 0);
}

TEST_F(CalibratedCompute, MicrobatchesAreManySequences) {
  c_.launch = Seconds(0);
  c_.attention_wave = 0;
  c_.wave_share = 0;
  const LayerTimes one = layer();
  m_.microbatch = 4;
  expect_near(layer().attention_forward, 4 * one.attention_forward);
  EXPECT_NEAR(layer().forward / one.forward, 4, 1e-6);
}

// The embedding is on the first stage; the output matrix and the loss on the last; both in 16 bits.
TEST_F(CalibratedCompute, EndsAreTheModelsHeadOperators) {
  c_.microbatch_overhead = Seconds(0.5);
  const EndTimes ends = calibrated_end_times(scenario_, model_, m_, c_);
  EXPECT_EQ(ends.each.si(), 0.5);
  const OperatorClock clock(c_, *accelerator().dense.at(Precision::bf16),
                            *accelerator().dense.at(Precision::bf16), accelerator().memory_rate,
                            Precision::bf16);
  DeviceShare share;
  share.tensor = 8;
  share.sequence_parallel = true;
  Seconds first{0};
  Seconds last{0};
  for (const Operator& op : model_.head_operators) {
    const OperatorTimes times = clock.times(op, share);
    (op.name == "embedding look-up" ? first : last) += times.forward + times.backward();
  }
  EXPECT_GT(first.si(), 0);
  expect_near(ends.first, first);
  expect_near(ends.last, last);
  scenario_.precision.compute = Precision::int8;  // of layers
  EXPECT_EQ(calibrated_end_times(scenario_, model_, m_, c_).last, ends.last);
}

// Some programs multiply the output matrix as the layers' products; embedding and loss do not change.
TEST_F(CalibratedCompute, TheOutputMatrixIsMultipliedAsTheProgramDoes) {
  scenario_.precision.compute = Precision::int8;
  const EndTimes usual = calibrated_end_times(scenario_, model_, m_, c_);
  program().low_output = true;
  const EndTimes low = calibrated_end_times(scenario_, model_, m_, c_);
  EXPECT_EQ(low.first, usual.first);
  EXPECT_LT(low.last, usual.last);
  EXPECT_GT(low.last, usual.last / 2);
  scenario_.training.low_output = false;
  EXPECT_EQ(calibrated_end_times(scenario_, model_, m_, c_).last, usual.last);
}

// The module passes the output matrix and its projection on the last stage; the first has its embedding as
// before.
TEST_F(CalibratedCompute, MultiTokenPredictionPassesTheOutputMatrixAgain) {
  const EndTimes usual = calibrated_end_times(scenario_, model_, m_, c_);
  scenario_.model.shape.mtp_layers = 1;
  model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  const EndTimes more = calibrated_end_times(scenario_, model_, m_, c_);
  EXPECT_EQ(more.first, usual.first);
  EXPECT_GT(more.last / usual.last, 2);
  EXPECT_LT(more.last / usual.last, 3);
}

// Bytes of what a device updates over the reachable memory rate; ZeRO divides them among replicas.
TEST_F(CalibratedCompute, TheOptimizerReadsAndWritesWhatADeviceHolds) {
  c_.step_overhead = Seconds(2);
  c_.launch = Seconds(3);
  c_.memory = 0.5;
  c_.optimizer_bytes = 30;
  m_.data = 4;
  m_.context = 2;
  const double held = held_parameters(scenario_, model_, m_, 0).common;
  EXPECT_GT(held, 1e9);
  const double seconds = held * 30 / (0.5 * accelerator().memory_rate.si());
  scenario_.mapping.zero_stage = 0;
  EXPECT_NEAR(calibrated_optimizer_time(scenario_, model_, m_, layer_clock(scenario_, c_)).si(), 5 + seconds,
              1e-9);
  for (const int stage : {1, 2, 3}) {
    scenario_.mapping.zero_stage = stage;
    EXPECT_NEAR(calibrated_optimizer_time(scenario_, model_, m_, layer_clock(scenario_, c_)).si(),
                5 + seconds / 8, 1e-9)
        << stage;
  }
  scenario_.mapping.zero_group = 4;  // two groups that hold copies
  EXPECT_NEAR(calibrated_optimizer_time(scenario_, model_, m_, layer_clock(scenario_, c_)).si(),
              5 + seconds / 4, 1e-9);
  program().step_overhead = Seconds(7);
  EXPECT_NEAR(calibrated_optimizer_time(scenario_, model_, m_, layer_clock(scenario_, c_)).si(),
              12 + seconds / 4, 1e-9);
}

// Replicas of an expert are as many fewer as experts are spread over; one at least.
TEST_F(CalibratedCompute, ExpertsHaveFewerReplicas) {
  scenario_ = ScenarioText::load("deepseek-v3").resolve();
  model_ = plan_model(scenario_.model, scenario_.training, scenario_.assumptions.causal_attention);
  c_.step_overhead = c_.launch = Seconds(0);
  c_.memory = 1;
  c_.optimizer_bytes = 30;
  m_ = {};
  m_.data = 16;
  const double rate = accelerator_of(scenario_).memory_rate.si();
  scenario_.mapping.zero_stage = 1;
  for (const auto& [expert, replicas] : {std::pair{1, 16.0}, {4, 4.0}, {16, 1.0}, {64, 1.0}}) {
    m_.expert = expert;
    const HeldParameters held = held_parameters(scenario_, model_, m_, 0);
    EXPECT_GT(held.experts, 1e9);
    EXPECT_NEAR(calibrated_optimizer_time(scenario_, model_, m_, layer_clock(scenario_, c_)).si() * rate /
                    30 / (held.common / 16 + held.experts / replicas),
                1, 1e-9)
        << expert;
  }
}

TEST_F(CalibratedCompute, AnAcceleratorWithoutMeasurementsTakesTheUsualConstants) {
  scenario_.assumptions.compute_model = ComputeModel::roofline;
  EXPECT_EQ(calibration_in_force(scenario_), nullptr);
  EXPECT_EQ(missing_calibration(scenario_), "");
  scenario_.assumptions.compute_model = ComputeModel::calibrated;
  const Calibration& own = catalog_->calibrations.at(accelerator().calibration);
  EXPECT_EQ(calibration_in_force(scenario_), &own);
  EXPECT_EQ(missing_calibration(scenario_), "");
  accelerator().calibration = "nobody's";
  ASSERT_NE(calibration_in_force(scenario_), nullptr);
  EXPECT_EQ(calibration_in_force(scenario_)->processors, 128);
  EXPECT_EQ(calibration_in_force(scenario_)->matmul, Calibration().matmul);
  EXPECT_NE(missing_calibration(scenario_).find(accelerator().info.name), std::string::npos);
}

TEST_F(CalibratedCompute, SaysWhichOperatorsWereNotMeasured) {
  EXPECT_EQ(missing_operators(scenario_), "");
  scenario_.precision.compute = Precision::int8;
  EXPECT_EQ(missing_operators(scenario_).find("products in int8 of operator system"), 0U);
  scenario_.precision.compute = Precision::tf32;
  EXPECT_EQ(missing_operators(scenario_).find("products in tf32, attention of operator system"), 0U);
  catalog_->calibrations.at(accelerator().calibration).operators.clear();
  EXPECT_EQ(missing_operators(scenario_), "");
}

TEST_F(CalibratedCompute, ConstantsOfOneSetMayTakeTheOperatorsOfAnother) {
  Calibration own;
  own.operators = "own";
  own.attention_kernel = "kernel";
  own.fitted_with = "set";
  own.processors = 7;
  own.interval = 0.125;
  own.matmul = 0.125;
  const Calibration both = with_operators_of(c_, own);
  EXPECT_EQ(both.operators, "own");
  EXPECT_EQ(both.attention_kernel, "kernel");
  EXPECT_EQ(both.fitted_with, "set");
  EXPECT_EQ(both.processors, 7);
  EXPECT_EQ(both.interval, 0.125);
  EXPECT_EQ(both.matmul, c_.matmul);
}

}  // namespace
}  // namespace trainyard
