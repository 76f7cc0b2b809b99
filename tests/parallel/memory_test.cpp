// Memory of a device as plans count it: by software, by kind of layer, by stage.
#include "parallel/memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>

#include "cuts.h"
#include "model/model.h"
#include "parallel/parallel.h"
#include "parallel/replicas.h"
#include "parallel/stages.h"
#include "peak_memory.h"
#include "scenario/in_force.h"
#include "scenario/stage_deal.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/step.h"

namespace trainyard {
namespace {

using Changes = std::vector<std::string>;

constexpr double kGiB = 1024.0 * 1024 * 1024;

MemoryTerms of_stage(const Scenario& s, Cut c, std::int64_t stage) {
  return stage_memory(cut(s, c), s, plan_model(s.model, s.training, s.assumptions.causal_attention), stage);
}

Changes plus(Changes a, const Changes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// DeepSeek-V3 cut to four layers, one of them dense, on eight B200.
Changes four_layers(const Changes& more = {}) {
  return plus({"facility.devices=8", "facility.hb_domain=dgx-b200", "model.layers=4", "model.dense_layers=1",
               "model.mtp_layers=0", "model.sequence=4096", "mapping.expert=8", "mapping.microbatches=4",
               "training.batch_tokens=auto", "mapping.recompute=none", "precision.compute=bf16"},
              more);
}

// SimuMax release 1.2 on Megatron-LM: 104.30 and, over two stages, 114.00 GiB.
TEST(Memory, OfAMixtureIsWhatWasMeasured) {
  const MappingPlan flat = cut(with("deepseek-v3", four_layers()), {1, 1});
  EXPECT_NEAR(flat.device.total().si() / (104.30 * kGiB), 1, 0.015);
  const MappingPlan two =
      cut(with("deepseek-v3", four_layers({"mapping.expert=4"})), {1, 2}, Placement::consecutive_layers);
  EXPECT_NEAR(two.device.total().si() / (114.00 * kGiB), 1, 0.015);
}

// The same count for a shape and a cut without a scenario.
TEST(Memory, OfAPlanIsThePeakThatValidationCompares) {
  const Scenario s = with("deepseek-v3", four_layers());
  const MappingPlan m = cut(s, {1, 1});
  MappingInput same = s.mapping;
  same.data = m.data;
  same.microbatches = m.microbatches;
  EXPECT_DOUBLE_EQ(peak_memory(s.model.shape, same).total().si(), m.device.total().si());
}

TEST(Memory, ExpertParallelismDividesRoutedExpertsOnly) {
  const auto weights = [](const char* expert, const char* shared) {
    const Scenario s = with("deepseek-v3", four_layers({std::string("mapping.expert=") + expert,
                                                        std::string("model.shared_experts=") + shared}));
    return cut(s, {1, 1}).device.gradients.si();
  };
  const double one_expert = 3.0 * 7168 * 2048;
  constexpr double kGradient = 4;
  constexpr double kSparse = 3;
  EXPECT_NEAR(weights("8", "1") - weights("8", "0"), kGradient * kSparse * one_expert, 1);
  EXPECT_NEAR(weights("4", "0") - weights("8", "0"), kGradient * kSparse * 32 * one_expert, 1);
}

// Four sparse layers less one keep eight copies of each token, as many times over.
TEST(Memory, TheFullestDeviceKeepsMoreTokensOfItsExperts) {
  const auto kept = [](const char* imbalance, const char* expert) {
    const Scenario s = with(
        "deepseek-v3", four_layers({std::string("mapping.expert=") + expert, "mapping.recompute=\"none\"",
                                    std::string("training.expert_imbalance=") + imbalance}));
    return cut(s, {1, 1}).device.activations.si();
  };
  const double even = kept("1", "8");
  EXPECT_GT(kept("1.5", "8"), even);
  EXPECT_NEAR(kept("2", "8") - even, 2 * (kept("1.5", "8") - even), 1e-6 * even);
  EXPECT_DOUBLE_EQ(kept("9", "8"), kept("8", "8"));  // all copies of all tokens
  EXPECT_DOUBLE_EQ(kept("9", "1"), kept("1", "1"));
}

TEST(Memory, DenseLayersOfAMixtureHoldNoExperts) {
  const auto gradients = [](const char* dense) {
    const Scenario s =
        with("deepseek-v3", four_layers({std::string("model.dense_layers=") + dense, "mapping.expert=1"}));
    return cut(s, {1, 1}).device.gradients.si();
  };
  const double expert = 3.0 * 7168 * 2048;
  const double sparse = 257 * expert + 256.0 * 7168;  // with the router
  const double dense = 3.0 * 7168 * 18432;
  EXPECT_NEAR(gradients("1") - gradients("2"), 4 * (sparse - dense), 1e3);
}

TEST(Layers, AreDealtEvenlyAndTheFirstStagesTakeOneMore) {
  ModelShape s;
  s.layers = 126;
  EXPECT_EQ(StageDeal(s, {16}).layers(0), 8);
  EXPECT_EQ(StageDeal(s, {16}).layers(13), 8);
  EXPECT_EQ(StageDeal(s, {16}).layers(14), 7);
  EXPECT_EQ(StageDeal(s, {16}).layers(15), 7);
  EXPECT_EQ(StageDeal(s, {16}).before(15), 119);
  s.layers = 7;
  s.experts = 8;
  s.dense_layers = 3;
  EXPECT_EQ(stage_layers(s, {3}, 0).dense, 3);
  EXPECT_EQ(stage_layers(s, {3}, 0).sparse, 0);
  EXPECT_EQ(stage_layers(s, {3}, 1).sparse, 2);
}

// Megatron Bridge's layouts of DeepSeek-V3: 16 stages of 4 layers, the last with one and the module; 8 stages
// of 8, the last with 5 and the module.
TEST(Layers, OfMultiTokenPredictionLeaveTheLastStageFewer) {
  ModelShape s;
  s.layers = 61;
  s.mtp_layers = 1;
  EXPECT_EQ(StageDeal(s, {16}).layers(14), 4);
  EXPECT_EQ(StageDeal(s, {16}).layers(15), 2);
  EXPECT_EQ(StageDeal(s, {8}).layers(7), 6);
  EXPECT_EQ(StageDeal(s, {4}).layers(3), 14);
  EXPECT_EQ(StageDeal(s, {2}).layers(0), 32);
  EXPECT_EQ(StageDeal(s, {62}).layers(61), 1);  // no stage to spare: evenly
}

TEST(Layers, ThatTheLastStageKeepsLeaveTheRestToTheOthers) {
  ModelShape s;
  s.layers = 126;
  const StageDeal deal(s, {16, 3});
  EXPECT_EQ(deal.layers(15), 3);
  EXPECT_EQ(deal.layers(0), 9);  // 123 over 15: three of 9
  EXPECT_EQ(deal.longer(), 3);
  EXPECT_EQ(deal.layers(3), 8);
  EXPECT_EQ(deal.before(15), 123);
  EXPECT_EQ(deal.fullest(), 3);
  EXPECT_EQ(most_of_last(s, 16), 7);
}

// Nanotron's rule (models/base.py): a stage is full once the parameters so far pass its equal share, the
// output matrix counted. Its models: 16 layers of 67.1 M with a table of 268 M, 80 of 973 M with 1,074 M.
TEST(Layers, AreBalancedByParametersWhereTheProgramDoes) {
  ModelPlan model;
  const auto last = [&](std::int64_t layers, double layer, double output, std::int64_t stages,
                        std::int64_t chunks = 1) {
    model.shape.layers = layers;
    model.parameters.layer = layer + 100;
    model.parameters.norms = 100;
    model.parameters.embedding = output;
    Software program;
    program.balances_stages = true;
    MappingPlan m;
    m.pipeline = stages;
    m.virtual_stages = chunks;
    return last_stage_layers(model, {}, program, m);
  };
  EXPECT_EQ(last(16, 67108864, 268435456, 2), 5);  // just reached is not passed
  EXPECT_EQ(last(28, 113246208, 402653184, 2), 12);
  EXPECT_EQ(last(80, 973078528, 1073741824, 4), 19);
  EXPECT_EQ(last(80, 973078528, 1073741824, 16), 3);
  EXPECT_EQ(last(80, 973078528, 1073741824, 32), 1);
  EXPECT_EQ(last(2, 1e6, 1e9, 2), 1);  // no stage is empty
  EXPECT_EQ(last(16, 67108864, 268435456, 1), 0);
  EXPECT_EQ(last(16, 67108864, 268435456, 2, 2), 0);
  model.shape.layers = 16;
  MappingInput given;
  given.last_stage_layers = 4;
  MappingPlan m;
  m.pipeline = 2;
  EXPECT_EQ(last_stage_layers(model, given, {}, m), 4);
  m.pipeline = 8;
  EXPECT_EQ(last_stage_layers(model, given, {}, m), 2);
}

RC_GTEST_PROP(Layers, OfAllStagesAreTheModels, ()) {
  ModelShape s;
  s.layers = *rc::gen::inRange(1, 200);
  s.mtp_layers = *rc::gen::inRange(0, 3);
  s.experts = *rc::gen::element(0, 8);
  s.dense_layers = s.experts > 0 ? *rc::gen::inRange<std::int64_t>(0, s.layers + 1) : 0;
  StageCut cut;
  cut.stages = *rc::gen::inRange<std::int64_t>(1, s.blocks() + 1);
  cut.last_layers = *rc::gen::inRange<std::int64_t>(0, most_of_last(s, cut.stages) + 1);
  std::int64_t dense = 0;
  std::int64_t all = 0;
  for (std::int64_t stage = 0; stage < cut.stages; ++stage) {
    const StageLayers l = stage_layers(s, cut, stage);
    RC_ASSERT(l.total() >= 1);
    RC_ASSERT(l.total() <= layers_of_stage(s, cut));
    RC_ASSERT(l.total() == StageDeal(s, cut).layers(stage));
    dense += l.dense;
    all += l.total();
  }
  RC_ASSERT(all == s.blocks());
  RC_ASSERT(dense == (s.experts > 0 ? s.dense_layers : s.blocks()));
}

// 126 layers over 16 stages: the last holds the output matrix, but a layer less than the first.
TEST(Memory, OfTheLastStageHasTheOutputMatrixBesideItsOwnLayers) {
  const Scenario s = with("llama3-405b", {"training.software=none"});
  const Cut c = {8, 16};
  const double h = 16384;
  const double layer = h * (2 * h + 2 * 1024) + 3 * h * 53248;
  const double stages = of_stage(s, c, 1).weights.si() - of_stage(s, c, 15).weights.si();
  constexpr double kWorking = 2;
  const double shards = 128;
  EXPECT_NEAR(stages / ((layer - 128256 * h) / 8 * (kWorking + 4 / shards)), 1, 1e-3);
}

TEST(Memory, PadsTheVocabularyAsTheSoftwareDoes) {
  const auto ends = [](const std::string& software) {
    const Scenario s = with("llama3-405b", {"model.vocabulary=128001", "training.software=" + software});
    return of_stage(s, {8, 16}, 0).gradients.si() * 128;
  };
  constexpr double kGradient = 4;
  EXPECT_NEAR(ends("megatron-lm") - ends("none"), kGradient * 16384 / 8 * (129024 - 128001), 1);
}

// Korthikanti et al. 2023, equation 2: 34 s b h / t a layer, and nothing beside it.
TEST(Memory, WithoutSoftwareIsKorthikantis) {
  const Changes gpt = {"model.name=megatron-22b",    "precision.activations=fp16",
                       "mapping.attention=stored",   "mapping.recompute=selective",
                       "mapping.virtual_stages=1",   "training.software=none",
                       "training.batch_tokens=auto", "mapping.microbatches=64"};
  const Scenario s = with("llama3-405b", gpt);
  const MemoryTerms first = of_stage(s, {8, 16}, 0);
  constexpr double kLayers = 3;  // 48 over 16 stages
  constexpr double kWaiting = 16;
  EXPECT_NEAR(first.activations.si(), 34.0 * 2048 * 6144 / 8 * kLayers * kWaiting, 1);
  EXPECT_EQ(first.buffers.si(), 0);
  const Scenario megatron = with("llama3-405b", plus(gpt, {"training.software=megatron-core"}));
  EXPECT_EQ(of_stage(megatron, {8, 16}, 0).activations, first.activations);
  EXPECT_GT(of_stage(megatron, {8, 16}, 0).buffers.si(), 64 * 1024 * 1024);
}

TEST(Memory, OfGpipeIsEveryMicrobatch) {
  const Changes usual = {"mapping.virtual_stages=1", "training.batch_tokens=auto", "mapping.microbatches=64"};
  const Scenario one = with("llama3-405b", usual);
  const Scenario all = with("llama3-405b", plus(usual, {"step.schedule=gpipe"}));
  EXPECT_NEAR(of_stage(all, {8, 16}, 0).activations / of_stage(one, {8, 16}, 0).activations, 64.0 / 16, 1e-9);
  EXPECT_NEAR(of_stage(all, {8, 16}, 15).activations / of_stage(one, {8, 16}, 15).activations, 64, 1e-9);
}

TEST(Memory, OfAdaptersLeavesTheModelWithoutStates) {
  const Changes alone = {"model.name=llama2-70b",      "facility.devices=8",
                         "mapping.zero_stage=0",       "mapping.virtual_stages=1",
                         "mapping.microbatches=1",     "mapping.recompute=selective",
                         "training.batch_tokens=auto", "mapping.pipeline=1"};
  const MappingPlan whole = cut(with("llama3-405b", alone), {8, 1});
  const MappingPlan adapted = cut(with("llama3-405b", plus(alone, {"training.adapter_rank=16"})), {8, 1});
  // Query, key and value together, 10,240 outputs, and the output matrix: their sides on a device.
  const double adapters = 80.0 * 16 * ((10240.0 / 8 + 8192) + (8192 + 8192.0 / 8));
  EXPECT_NEAR(adapted.device.gradients.si(), 4 * adapters, 1);
  EXPECT_NEAR(adapted.device.optimizer.si(), 8 * adapters, 1);
  EXPECT_NEAR(adapted.device.weights.si(), whole.device.weights.si() / 3 + 6 * adapters, 1);
  EXPECT_LT(adapted.device.activations, whole.device.activations);
  EXPECT_GT(adapted.device.activations, 0.6 * whole.device.activations);
  EXPECT_LT(adapted.device.buffers, whole.device.buffers);
}

/// Whatever makes one stage fuller than others: the ends of the model, what waits, uneven layers, both ways.
TEST(Memory, OfAPlanIsThatOfItsFullestStage) {
  const Changes plain = {"mapping.virtual_stages=1", "training.batch_tokens=auto", "mapping.microbatches=64"};
  const Changes cases[] = {{},
                           {"training.software=none"},
                           {"model.vocabulary=4000000"},
                           {"model.vocabulary=4000000", "mapping.recompute=full"},
                           {"model.layers=113", "mapping.recompute=none"},
                           {"mapping.last_stage_layers=2"},
                           {"step.schedule=gpipe"},
                           {"step.schedule=dualpipe"},
                           {"step.schedule=dualpipe", "model.vocabulary=4000000"},
                           {"mapping.offload_activations=true"},
                           {"model.tied_embeddings=true"}};
  for (const Changes& more : cases) {
    for (const std::int64_t stages : {2, 8, 16}) {
      const Scenario s = with("llama3-405b", plus(plain, more));
      const MappingPlan m = cut(s, {8, stages});
      double fullest = 0;
      for (std::int64_t stage = 0; stage < stages; ++stage)
        fullest = std::max(
            fullest,
            stage_memory(m, s, plan_model(s.model, s.training, s.assumptions.causal_attention), stage)
                .total()
                .si());
      EXPECT_DOUBLE_EQ(m.device.total().si(), fullest) << (more.empty() ? "" : more.front()) << ' ' << stages;
    }
  }
}

/// A layer of a plan is the layer that is asked for alone, and each rank of a context-parallel group has its
/// part of the tokens.
TEST(Memory, OfALayerIsDividedByContextParallelism) {
  const auto layer = [](const char* context) {
    const Scenario s = with(
        "llama3-405b", {std::string("mapping.context=") + context, "mapping.virtual_stages=1",
                        "training.batch_tokens=auto", "mapping.microbatches=64", "mapping.microbatch=2"});
    const MappingPlan m = cut(s, {8, 16});
    EXPECT_DOUBLE_EQ(activation_bytes(s.model.shape, s, 8, s.mapping.recompute).si(),
                     m.activation_layer.si());
    return m.activation_layer.si();
  };
  EXPECT_DOUBLE_EQ(layer("2") * 2, layer("1"));
  EXPECT_DOUBLE_EQ(layer("4") * 4, layer("1"));
}

/// Bytes of a token that Llama 3 8B's layer keeps.
double kept_by_8b(const Changes& more, std::int64_t tensor = 1) {
  const Scenario s = with("llama3-405b", plus({"model.name=llama3-8b", "mapping.pipeline=1",
                                               "mapping.virtual_stages=1", "training.software=none"},
                                              more));
  return activation_bytes(s.model.shape, s, tensor, s.mapping.recompute).si() /
         static_cast<double>(s.model.shape.sequence);
}

constexpr double kHidden = 4096;
constexpr double kKey = 1024;
constexpr double kInner = 14336;
constexpr double kSums = 4 * 32;  // log-sum-exps of 32 heads

TEST(Kept, OfASelectionOfOperatorsIsEveryOtherProduct) {
  const double products = kHidden + kKey + kInner + kHidden;  // query, value, gate, down
  EXPECT_DOUBLE_EQ(kept_by_8b({"training.software=torchtitan", "mapping.recompute=selective"}),
                   2 * (kHidden + products + kHidden) + kSums);
}

// A gated activation and the product with the other half are kernels of their own: the product keeps the
// activation's output too.
TEST(Kept, OfUnfusedActivationsIsTheirOutput) {
  const Changes eager = {"training.software=automodel", "mapping.recompute=none"};
  EXPECT_DOUBLE_EQ(kept_by_8b(eager) - kept_by_8b(plus(eager, {"training.compiled=true"})), 2 * kInner);
}

// PyTorch's ColwiseParallel saves what it gathered, Megatron gathers again.
TEST(Kept, InputsOfProductsAreWholeWhereTheProgramDoesNotGatherThemAgain) {
  const Changes megatron = {"training.software=megatron-lm", "mapping.recompute=none"};
  const Changes torchtitan = {"training.software=torchtitan", "training.compiled=true",
                              "mapping.recompute=none"};
  EXPECT_DOUBLE_EQ(kept_by_8b(torchtitan), kept_by_8b(megatron));
  EXPECT_DOUBLE_EQ(kept_by_8b(torchtitan, 8) - kept_by_8b(megatron, 8), 2 * 2 * kHidden * (1 - 1.0 / 8));
}

TEST(Kept, InputsOfProductsAreCastByTransformerEngine) {
  const Changes fp8 = {"precision.compute=fp8", "mapping.recompute=none"};
  const double inputs = 2 * kHidden + kInner;  // outputs of both norms, and of the activation function
  EXPECT_DOUBLE_EQ(kept_by_8b(plus(fp8, {"training.software=megatron-core"})),
                   kept_by_8b(fp8) - inputs + kHidden);  // the attention's output is there in both formats
}

// Chowdhery et al. 2022, section 4: one fully sharded activation is saved from each layer.
TEST(Kept, InputsUnderFullRecomputationAreShardedByXla) {
  const Changes full = {"mapping.recompute=full", "mapping.sequence_parallel=false"};
  EXPECT_DOUBLE_EQ(kept_by_8b(full, 8), 2 * kHidden);
  EXPECT_DOUBLE_EQ(kept_by_8b(plus(full, {"training.software=maxtext"}), 8), 2 * kHidden / 8);
}

TEST(Kept, ModulesThatAreComputedAgainDropWhatTheyKeep) {
  const double all = kept_by_8b({"mapping.recompute=none"});
  const auto with_module = [&](const std::string& module) {
    return kept_by_8b({"mapping.recompute=none", "mapping.recompute_modules=[\"" + module + "\"]"});
  };
  EXPECT_DOUBLE_EQ(all - with_module("layernorm"), 2 * 2 * kHidden);
  EXPECT_DOUBLE_EQ(all - with_module("mlp"), 2 * 3 * kInner);
  EXPECT_DOUBLE_EQ(all - with_module("mlp_up"), 2 * 3 * kInner);
  EXPECT_DOUBLE_EQ(all - with_module("mlp_act"), 2 * kInner);
  EXPECT_DOUBLE_EQ(all - with_module("out_proj"), 2 * kHidden);  // the second norm's input
  EXPECT_DOUBLE_EQ(all - with_module("qkv_proj"), 2 * (kHidden + 2 * kHidden / 4));  // 8 of 32 heads
  EXPECT_DOUBLE_EQ(all - with_module("core_attn"), kSums);  // the output is the next product's input
  const Changes xla = {"mapping.recompute=none", "training.software=maxtext"};
  EXPECT_DOUBLE_EQ(kept_by_8b(xla) - kept_by_8b(plus(xla, {"mapping.recompute_modules=[\"core_attn\"]"})),
                   kSums + 2 * kHidden);
}

// What the attention's product makes is the second norm's input alone, whatever norms there are.
TEST(Kept, OutputsOfAttentionAreOneNormsInput) {
  const auto dropped = [](const Changes& shape) {
    const Changes none = plus({"mapping.recompute=none"}, shape);
    return kept_by_8b(none) - kept_by_8b(plus(none, {"mapping.recompute_modules=[\"out_proj\"]"}));
  };
  EXPECT_EQ(dropped({"model.norms_per_layer=0"}), 0);
  EXPECT_EQ(dropped({"model.norms_per_layer=1"}), 0);
  EXPECT_DOUBLE_EQ(dropped({"model.norms_per_layer=4"}), 2 * kHidden);
  EXPECT_EQ(dropped({"model.parallel_block=true"}), 0);
}

TEST(Kept, LayersThatDoNotRecomputeKeepEverything) {
  const double all = kept_by_8b({"mapping.recompute=none"});
  const double none = kept_by_8b({"mapping.recompute=full"});
  EXPECT_DOUBLE_EQ(kept_by_8b({"mapping.recompute=full", "mapping.recompute_layers=8"}),
                   all - (all - none) / 4);
}

// Inputs of norms of queries and keys, with the projections that make them.
TEST(Kept, NormsOfQueriesAndKeysKeepTheirInputs) {
  const Changes norms = {"mapping.recompute=none", "model.qk_norm=true"};
  EXPECT_DOUBLE_EQ(kept_by_8b(norms) - kept_by_8b({"mapping.recompute=none"}), 2 * (kHidden + kKey));
  EXPECT_DOUBLE_EQ(kept_by_8b(norms) - kept_by_8b(plus(norms, {"mapping.recompute_modules=[\"qkv_proj\"]"})),
                   2 * (2 * kHidden + 3 * kKey));
}

// DeepSeek-V3: 128 heads of 128 + 64 and 128, ranks of 1536 and 512; eight experts of 2,048 a token.
TEST(Kept, ModulesOfAMixture) {
  const auto kept = [](const Changes& more) {
    const Scenario s = with("deepseek-v3", plus(four_layers({"training.software=none"}), more));
    return activation_bytes(s.model.shape, s, 1, Recompute::none).si() /
           static_cast<double>(s.model.shape.sequence * s.mapping.microbatch);
  };
  const double all = kept({});
  EXPECT_DOUBLE_EQ(all - kept({"mapping.recompute_modules=[\"mla_up_proj\"]"}),
                   2.0 * (2 * 128 * 192 + 128 * 128 + 1536 + 512));
  EXPECT_DOUBLE_EQ(all - kept({"mapping.recompute_modules=[\"qkv_proj\"]"}),
                   2.0 * (2 * 128 * 192 + 128 * 128 + 2 * (1536 + 512) + 64));
  EXPECT_DOUBLE_EQ(all - kept({"mapping.recompute_modules=[\"moe_act\"]"}), 2.0 * 8 * 2048);
  EXPECT_DOUBLE_EQ(all - kept({"mapping.recompute_modules=[\"shared_experts\"]"}), 2.0 * 3 * 2048);
  EXPECT_DOUBLE_EQ(kept({"mapping.recompute_modules=[\"moe\"]"}),
                   kept({"mapping.recompute_modules=[\"moe\", \"moe_act\", \"shared_experts\"]"}));
}

// Of Llama 3 8B on 64 devices.
TEST(Memory, OfDividedWeightsIsAsTheProgramGathersThem) {
  const Changes eight_b = {"model.name=llama3-8b", "facility.devices=64",    "mapping.virtual_stages=1",
                           "mapping.pipeline=1",   "mapping.tensor=1",       "mapping.zero_stage=3",
                           "mapping.microbatch=1", "mapping.recompute=full", "training.software=maxtext",
                           "model.vocabulary=512", "model.sequence=128",     "training.batch_tokens=8192"};
  Scenario s = with("llama3-405b", eight_b);
  const auto planned = [&] { return cut(s, {1, 1}).device; };
  const auto changed = [&](auto change) {
    Catalog catalog = *s.catalog;
    change(catalog.software.at("maxtext"));
    s.catalog = std::make_shared<const Catalog>(std::move(catalog));
  };
  const auto by_product = planned();
  changed([](Software& program) { program.gathers_products = false; });
  const auto by_layer = planned();
  // Gathered and not yet scattered, at two bytes: all of a layer, or gate and up together, which is its
  // largest.
  const double layer = 3.0 * kHidden * kInner + 2.5 * kHidden * kHidden + 2 * kHidden;
  EXPECT_NEAR((by_layer.buffers - by_product.buffers).si(), 2 * 2 * (layer - 2.0 * kHidden * kInner), 1);
  // Nobody to gather from: what products take is cast all the same.
  const auto alone = cut(s, {8, 8}).device;
  EXPECT_GT(alone.buffers.si(), 2 * layer / 8);
  changed([](Software& program) { program.keeps_working_copy = true; });
  const double parameters = 6983782400;
  EXPECT_NEAR((planned().weights - by_layer.weights).si(), 2 * parameters / 64, 1e-3 * parameters / 64);
}

/// Buffers, weights and gradients of Llama 3 8B under ZeRO 3 of a program with some habits changed.
class Habits {
 public:
  explicit Habits(const Changes& more)
      : s_(with("llama3-405b",
                plus({"model.name=llama3-8b", "facility.devices=64", "mapping.virtual_stages=1",
                      "mapping.tensor=1", "mapping.zero_stage=3", "mapping.microbatch=1",
                      "mapping.recompute=full", "training.software=torchtitan", "model.sequence=1024",
                      "training.batch_tokens=1048576"},
                     more))) {}

  template <class Change>
  MemoryTerms with_habit(Change change) {
    Catalog catalog = *s_.catalog;
    change(catalog.software.at("torchtitan"));
    Scenario s = s_;
    s.catalog = std::make_shared<const Catalog>(std::move(catalog));
    return cut(s, {1, s_.mapping.pipeline.value()}).device;
  }
  MemoryTerms as_it_is() {
    return with_habit([](Software&) {});
  }

 private:
  Scenario s_;
};

constexpr double kTable = 128256.0 * kHidden;
constexpr double kLayer = 3.0 * kHidden * kInner + 2.5 * kHidden * kHidden + 2 * kHidden;

TEST(Memory, OfFsdpsRootStaysGathered) {
  Habits habits({"mapping.pipeline=1"});
  const MemoryTerms resharded =
      habits.with_habit([](Software& program) { program.keeps_gathered_ends = false; });
  EXPECT_NEAR((habits.as_it_is().buffers - resharded.buffers).si(), 2 * (2 * kTable + kHidden), 1);
}

// A loss that holds 12 bytes of a logit takes more than the products behind it, one in place or compiled
// less: these hold the logits' gradient and the output matrix's, in 16 bits.
TEST(Memory, OfALossIsWhatItHoldsOrWhatItsProductsDo) {
  constexpr double kLogits = 1024.0 * 128256;
  Habits habits({"mapping.pipeline=1"});
  const MemoryTerms in_place = habits.with_habit([](Software& program) { program.loss_held_bytes.reset(); });
  const double products = 2 * (kLogits + kTable);
  EXPECT_NEAR((habits.as_it_is().buffers - in_place.buffers).si(), 12 * kLogits - products, 1);
  const MemoryTerms more = habits.with_habit([](Software& program) { program.loss_held_bytes = 14; });
  EXPECT_NEAR((more.buffers - habits.as_it_is().buffers).si(), 2 * kLogits, 1);
  Habits compiled({"mapping.pipeline=1", "training.compiled=true"});
  EXPECT_NEAR((habits.as_it_is().buffers - compiled.as_it_is().buffers).si(), 12 * kLogits - products, 1);
}

// Layers are not resharded between the microbatches of a pipeline, whose gradients are summed whole.
TEST(Memory, OfDividedWeightsIsWholeInPipelines) {
  Habits habits({"mapping.pipeline=2"});
  const MemoryTerms each = habits.with_habit([](Software& program) { program.whole_in_pipelines = false; });
  const MemoryTerms whole = habits.as_it_is();
  const double parameters = 16 * kLayer + kTable;  // of the first stage; the last has a norm more
  // On the last stage, whose loss takes more than a layer, less the output matrix that stays gathered anyway.
  EXPECT_NEAR((whole.buffers - each.buffers).si(), (2 + 4) * parameters - 2 * kTable, 1e5);
  EXPECT_EQ(whole.model_states(), each.model_states());
}

TEST(Memory, OfExchangesOfGradientsIsTheirBuckets) {
  Habits habits({"mapping.pipeline=1"});
  const MemoryTerms buckets = habits.with_habit([](Software& program) { program.gradient_copy_bytes = 2; });
  EXPECT_NEAR((buckets.buffers - habits.as_it_is().buffers).si(), 2 * (32 * kLayer + 2 * kTable + kHidden),
              1);
}

TEST(Memory, OffloadedLayersLeaveTwoOfThemBehind) {
  const Changes eight_b = {"model.name=llama3-8b",  "facility.devices=64", "mapping.virtual_stages=1",
                           "mapping.pipeline=1",    "mapping.tensor=1",    "mapping.recompute=none",
                           "training.software=none"};
  const auto planned = [&](const Changes& more) {
    return cut(with("llama3-405b", plus(eight_b, more)), {1, 1});
  };
  const MappingPlan on = planned({});
  const MappingPlan off = planned({"mapping.offload_layers=16"});
  const double logits = on.device.activations.si() - 32 * on.activation_layer.si();
  EXPECT_NEAR(off.device.activations.si(), logits + (32 - 16 + 2) * on.activation_layer.si(), 1);
  EXPECT_NEAR(off.host_activations.si(), 16 * on.activation_layer.si(), 1);
  EXPECT_EQ(on.host_activations.si(), 0);
}

TEST(Memory, ZeroGroupsHoldCopiesOfEachOther) {
  const auto device = [](const Changes& more) {
    return cut(with("llama3-405b", plus({"model.name=llama3-8b", "facility.devices=64",
                                         "mapping.virtual_stages=1", "mapping.pipeline=1", "mapping.tensor=1",
                                         "mapping.zero_stage=3", "training.software=none"},
                                        more)),
               {1, 1})
        .device;
  };
  const MemoryTerms all = device({});
  const MemoryTerms servers = device({"mapping.zero_group=8"});
  EXPECT_NEAR(servers.weights / all.weights, 8, 1e-9);
  EXPECT_NEAR(servers.optimizer / all.optimizer, 8, 1e-9);
  EXPECT_NEAR(device({"mapping.zero_group=64"}).weights / all.weights, 1, 1e-12);
}

TEST(Memory, OfZero3HoldsTheLayersThatAreGathered) {
  const Changes sharded = {"model.name=llama3-8b", "facility.devices=64",    "mapping.virtual_stages=1",
                           "mapping.pipeline=1",   "mapping.recompute=full", "mapping.zero_stage=3"};
  const auto buffers = [&](const char* software) {
    const Scenario s = with("llama3-405b", plus(sharded, {std::string("training.software=") + software}));
    return cut(s, {1, 1}).device;
  };
  constexpr double kOfLayer = 2 * 218.1e6;  // of Llama 3 8B, 16 bits
  EXPECT_GE(buffers("fsdp").buffers.si(), 3 * kOfLayer);
  EXPECT_EQ(buffers("none").buffers.si(), 0);
  EXPECT_NEAR(buffers("llama3").weights.si() / (8.03e9 * (2 + 4 / 64.0)), 1, 0.01);
}

// Keys and values of 16 ranks, each with a sixteenth of the sequence, in domains of eight devices.
TEST(Cut, LetsAContextGroupSpanDomains) {
  const Scenario s = with("llama3-405b", {"mapping.context=16", "model.sequence=131072"});
  const MappingPlan m = cut(s, {8, 16});
  EXPECT_EQ(m.domains_per_group, 16);
  EXPECT_EQ(m.groups_per_domain, 1);
  EXPECT_EQ(m.data, 8);
  EXPECT_EQ(m.devices_used, 16384);
  EXPECT_EQ(replica_groups(m).total(), 8 * 16);
  EXPECT_EQ(replica_groups(m).local, 1);
}

TEST(Cut, DividesContextRanksEquallyOverDomains) {
  const Scenario s = with("llama3-405b", {"mapping.context=6", "mapping.virtual_stages=1"});
  const MappingPlan m = cut(s, {4, 4});
  EXPECT_EQ(m.domains_per_group, 3);
  EXPECT_EQ(replica_groups(m).local, 2);
  EXPECT_EQ(replica_groups(m).total(), m.data * 6);
}

TEST(Cut, SpreadsExpertsOverContextRanks) {
  const Changes mixture = {"model.name=mixtral-8x7b", "facility.devices=64",      "mapping.context=4",
                           "mapping.expert=8",        "mapping.virtual_stages=1", "mapping.pipeline=8"};
  const MappingPlan m = cut(with("llama3-405b", mixture), {1, 8});
  EXPECT_EQ(m.data, 2);
  EXPECT_EQ(expert_groups(m).total(), 1);
}

// Whole experts on tensor ranks: a device holds as many parameters of them as where twice as few groups are
// cut in two, and they have as many copies.
TEST(Cut, DealsWholeExpertsOverTensorRanks) {
  const auto mapping = [](const char* expert, const char* cut_over) {
    return cut(with("llama3-405b", {"model.name=mixtral-8x7b", "facility.devices=64", "mapping.tensor=4",
                                    "mapping.pipeline=1", "mapping.virtual_stages=1",
                                    std::string("mapping.expert=") + expert,
                                    std::string("mapping.expert_tensor=") + cut_over}),
               {4, 1});
  };
  const MappingPlan halves = mapping("2", "4");
  const MappingPlan whole = mapping("8", "1");
  EXPECT_EQ(whole.expert_replicas(), 2);
  EXPECT_EQ(whole.expert_sets(), 1);
  EXPECT_EQ(expert_groups(whole).total(), expert_groups(halves).total());
  EXPECT_DOUBLE_EQ(whole.device.model_states().si(), halves.device.model_states().si());
  EXPECT_LT(whole.device.activations.si(), halves.device.activations.si());  // of own tokens alone

  const MappingPlan two_sets = mapping("2", "1");
  EXPECT_EQ(two_sets.expert_replicas(), 1);
  EXPECT_EQ(two_sets.expert_sets(), 2);
  EXPECT_EQ(expert_groups(two_sets).total(), 2 * two_sets.data);
}

TEST(Cut, RefusesSetsOfExpertsThatAreNotWhole) {
  const Scenario s =
      with("llama3-405b",
           {"model.name=mixtral-8x7b", "facility.devices=48", "mapping.virtual_stages=1", "mapping.expert=4",
            "mapping.expert_tensor=1", "mapping.tensor=6", "mapping.pipeline=1"});
  const ModelPlan model = plan_model(s.model, s.training, s.assumptions.causal_attention);
  std::string why;
  EXPECT_FALSE(cut_model(s, plan_facility(s), model, {6, 1}, Placement::same_layer, &why));
  EXPECT_NE(why.find("neither divides the tensor = 6 ranks"), std::string::npos) << why;
}

TEST(Interval, IsNarrowWhereMemoryWasMeasured) {
  const Interval measured = memory_interval(with("llama3-405b", {"training.software=megatron-core"}));
  const Interval other = memory_interval(with("llama3-405b", {"training.software=fsdp"}));
  EXPECT_LT(measured.high - measured.low, other.high - other.low);
  EXPECT_FALSE(measured.basis.empty());
}

void expect_ranges(const ModelShape& shape, StageCut cut) {
  std::int64_t next = 0;
  std::int64_t dense = 0;
  for (const StageRange& range : stage_ranges(shape, cut)) {
    EXPECT_EQ(range.first, next);
    next += range.count;
    for (std::int64_t stage = range.first; stage < next; ++stage) {
      const StageLayers own = stage_layers(shape, cut, stage);
      EXPECT_EQ(own.dense, range.layers.dense) << shape.layers << " " << cut.stages << " " << stage;
      EXPECT_EQ(own.sparse, range.layers.sparse) << shape.layers << " " << cut.stages << " " << stage;
      dense += own.dense;
    }
  }
  EXPECT_EQ(next, cut.stages);
  EXPECT_EQ(dense, shape.experts > 0 ? shape.dense_before(shape.layers) : shape.layers);
}

TEST(Stages, StandInRangesOfTheSameLayers) {
  for (const std::int64_t layers : {1, 7, 12, 61, 126}) {
    for (std::int64_t pipeline = 1; pipeline <= layers; ++pipeline) {
      for (const std::int64_t dense : {0, 1, 3, 5}) {
        ModelShape shape;
        shape.layers = layers;
        shape.experts = dense > 0 ? 8 : 0;
        shape.dense_layers = std::min(dense, layers);
        expect_ranges(shape, {pipeline, dense == 3 ? 1 : 0});
        shape.expert_interval = 2;
        expect_ranges(shape, {pipeline, dense == 5 ? 1 : 0});
      }
    }
  }
}

/// Of a mapping that takes so much of the memory.
double chance(double taken, const Interval& interval) {
  MappingPlan m;
  m.device_memory = Bytes(80e9);
  m.device.weights = m.device_memory * taken;
  return chance_of_room(m, interval);
}

TEST(ChanceOfRoom, IsTheShareOfErrorsThatLeaveRoom) {
  const Interval measured{0.8, 1.25, "measured runs"};  // 80%: a tenth of all errors is above
  EXPECT_NEAR(chance(1 / 1.25, measured), 0.9, 1e-12);
  EXPECT_NEAR(chance(1, measured), 0.5, 1e-12);
  EXPECT_NEAR(chance(1.25, measured), 0.1, 1e-12);
  const Interval none{};
  EXPECT_EQ(chance(0.5, none), 1);
  EXPECT_EQ(chance(1, none), 1);
  EXPECT_EQ(chance(1.001, none), 0);
}

/// Of 8 replicas in each of 4 HB domains of 2 datacenters: the domain is filled first, then the datacenter.
TEST(Sharing, IsAmongTheNearestReplicas) {
  const ReplicaGroups all{8, 4, 2};
  const auto shared = [](const ReplicaGroups& groups, std::optional<std::int64_t> over) {
    const ReplicaGroups out = sharing_groups(groups, over);
    return std::vector<std::int64_t>{out.local, out.peers, out.datacenters};
  };
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(shared(all, std::nullopt), (Counts{8, 4, 2}));
  EXPECT_EQ(shared(all, 1), (Counts{1, 1, 1}));
  EXPECT_EQ(shared(all, 2), (Counts{2, 1, 1}));
  EXPECT_EQ(shared(all, 8), (Counts{8, 1, 1}));
  EXPECT_EQ(shared(all, 16), (Counts{8, 2, 1}));
  EXPECT_EQ(shared(all, 32), (Counts{8, 4, 1}));
  EXPECT_EQ(shared(all, 64), (Counts{8, 4, 2}));
  EXPECT_EQ(shared({1, 1, 4}, 2), (Counts{1, 1, 2}));
  EXPECT_EQ(shared({1, 6, 1}, 3), (Counts{1, 3, 1}));
}

}  // namespace
}  // namespace trainyard
