#include "model/model.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "catalog/catalog.h"
#include "model/scaling_laws.h"
#include "trainyard/catalog.h"
#include "trainyard/plan/scaling.h"
#include "trainyard/scenario/assumptions.h"

namespace trainyard {
namespace {

const ModelShape& shape(const std::string& key) { return shipped_catalog()->models.at(key); }

double layer_flop(const ModelShape& s, bool experts) {
  double sum = 0;
  for (const Operator& op : layer_operators(s, experts, CausalAttention::full)) sum += op.forward_flop;
  return sum;
}

TEST(Parameters, AgreeWithThePublishedCountOfEveryModel) {
  for (const auto& [key, s] : shipped_catalog()->models) {
    ASSERT_TRUE(s.published_parameters && s.parameters_tolerance_pct) << key;
    ModelShape main = s;  // what is published leaves multi-token prediction out
    main.mtp_layers = 0;
    const ParameterCount count = count_parameters(main);
    EXPECT_NEAR(count.total / *s.published_parameters, 1, *s.parameters_tolerance_pct / 100) << key;
    EXPECT_NEAR(count.active / s.published_active_parameters.value_or(count.active), 1, 0.02) << key;
  }
}

// Counts of the released weights, to the parameter.
TEST(Parameters, AreExact) {
  EXPECT_EQ(count_parameters(shape("llama3-8b")).total, 8030261248.0);
  EXPECT_EQ(count_parameters(shape("llama2-70b")).total, 68976648192.0);
  EXPECT_EQ(count_parameters(shape("mixtral-8x7b")).total, 46702792704.0);
  const ParameterCount deepseek = count_parameters(shape("deepseek-v3"));
  EXPECT_EQ(deepseek.total - deepseek.mtp, 671026419200.0);
}

// GLM-4.5's report (table 1) leaves embedding and output matrix out, and says 355B of a model with its module
// of multi-token prediction.
TEST(Parameters, OfGlmAreCountedAsInItsReport) {
  const auto check = [](const std::string& key, double all, double active) {
    const ParameterCount p = count_parameters(shape(key));
    const double ends = p.embedding + p.output;
    EXPECT_NEAR((p.total - ends) / all, 1, 0.02) << key;
    EXPECT_NEAR((p.active - ends) / active, 1, 0.045) << key;
    return (p.total - ends) / all;
  };
  EXPECT_NEAR(check("glm-4-5", 355e9, 32e9), 1, 0.001);
  check("glm-4-5-air", 106e9, 12e9);
}

// Llama 4 Maverick: experts in every second layer, the second the first; DeepSeek-V3's first three have none.
TEST(Layers, OfOneKindStandFirstOrInTurn) {
  const ModelShape& maverick = shape("llama4-maverick");
  const std::int64_t counts[] = {0, 1, 1, 2, 2, 3};
  for (std::int64_t n = 0; n < std::ssize(counts); ++n) EXPECT_EQ(maverick.dense_before(n), counts[n]) << n;
  EXPECT_EQ(maverick.dense_before(48), 24);
  const ModelShape& deepseek = shape("deepseek-v3");
  EXPECT_EQ(deepseek.dense_before(2), 2);
  EXPECT_EQ(deepseek.dense_before(62), 3);
  EXPECT_EQ(shape("llama4-scout").dense_before(48), 0);
}

TEST(TrainingFlop, CountsEachKindOfLayer) {
  const ModelShape& s = shape("llama4-maverick");
  double ends = 0;
  for (const Operator& op : head_operators(s)) ends += op.forward_flop;
  EXPECT_NEAR(training_flop(s).si() / (3 * (24 * layer_flop(s, true) + 24 * layer_flop(s, false) + ends)), 1,
              1e-12);
}

// The release's module of multi-token prediction: a layer, eh_proj, enorm, hnorm and the head's own norm; it
// shares embedding and output matrix. Its work: a layer, the projection and the output matrix once more.
TEST(Parameters, OfMultiTokenPredictionAreALayerAndItsProjection) {
  ModelShape s = shape("deepseek-v3");
  const ParameterCount with = count_parameters(s);
  EXPECT_EQ(with.mtp, with.layer + 2.0 * 7168 * 7168 + 3 * 7168);
  const Flop all = training_flop(s);
  s.mtp_layers = 0;
  const double passed = 2.0 * 4096 * (2.0 * 7168 * 7168 + 7168.0 * 129280);
  EXPECT_NEAR((all - training_flop(s)).si() / (3 * (passed + layer_flop(s, true))), 1, 1e-12);
  EXPECT_EQ(count_parameters(s).mtp, 0);
}

TEST(Parameters, OfSeveralModulesAreSoManyTimesThoseOfOne) {
  ModelShape s = shape("deepseek-v3");
  s.mtp_layers = 0;
  const ParameterCount without = count_parameters(s);
  s.mtp_layers = 3;
  const ParameterCount with = count_parameters(s);
  const double around = 2.0 * 7168 * 7168 + 3 * 7168;
  EXPECT_EQ(with.total - without.total, 3 * (around + with.layer));
  EXPECT_EQ(with.active - without.active, 3 * (around + with.layer_active));
}

// Of each token: embeddings looked up (read, written), three norms (each reads and writes), embeddings beside
// hidden states (two read, two written). RMSNorm in eager mode: 18.
TEST(Operators, AroundAModuleOfMultiTokenPredictionElementsAreReadAndWritten) {
  const ModelShape s = shape("deepseek-v3");
  const std::vector<Operator> ops = head_operators(s);
  const auto norms = std::find_if(ops.begin(), ops.end(), [](const Operator& op) {
    return op.name == "multi-token embeddings and norms";
  });
  ASSERT_NE(norms, ops.end());
  const double tokens = static_cast<double>(s.sequence);
  EXPECT_EQ(norms->activation_elements, (2 + 3 * 2 + 4) * tokens * 7168);
  EXPECT_EQ(norms->eager_elements, (2 + 3 * 18 + 4) * tokens * 7168);
}

TEST(Parameters, OfADenseModelAreAllActive) {
  const ParameterCount p = count_parameters(shape("gpt3-175b"));
  EXPECT_EQ(p.active, p.total);
  EXPECT_EQ(p.one_expert, p.total);
}

/// Places that hold any of a token's experts, in the mean of 20,000 tokens: groups drawn first, then experts
/// in them.
double reached_by_draws(const ModelShape& s, std::int64_t places) {
  std::mt19937_64 random(7);
  std::vector<std::int64_t> groups(static_cast<std::size_t>(s.expert_groups));
  std::iota(groups.begin(), groups.end(), 0);
  const std::int64_t size = s.experts / s.expert_groups;
  constexpr int kTokens = 20000;
  double sum = 0;
  for (int token = 0; token < kTokens; ++token) {
    std::shuffle(groups.begin(), groups.end(), random);
    std::vector<std::int64_t> experts;
    for (std::int64_t g = 0; g < s.groups_per_token; ++g) {
      for (std::int64_t e = 0; e < size; ++e)
        experts.push_back(groups[static_cast<std::size_t>(g)] * size + e);
    }
    std::shuffle(experts.begin(), experts.end(), random);
    std::set<std::int64_t> reached;
    for (std::int64_t k = 0; k < s.experts_per_token; ++k)
      reached.insert(experts[static_cast<std::size_t>(k)] * places / s.experts);
    sum += static_cast<double>(reached.size());
  }
  return sum / kTokens;
}

TEST(PlacesReached, AreThoseOfDrawnExperts) {
  ModelShape s = shape("deepseek-v3");
  for (const int groups : {4, 8}) {
    s.groups_per_token = groups;
    for (const int places : {2, 4, 8, 16, 32, 64})
      EXPECT_NEAR(places_reached(s, places) / reached_by_draws(s, places), 1, 0.03)
          << groups << " " << places;
  }
  const ModelShape& plain = shape("qwen3-30b-a3b");
  EXPECT_NEAR(places_reached(plain, 8), 8 * (1 - std::pow(7.0 / 8, 8)), 1e-12);
}

// Narayanan et al. 2021, appendix: 24 B s h^2 + 4 B s^2 h forward for a layer.
TEST(LayerFlop, OfADenseLayerIsTheClosedForm) {
  const ModelShape& s = shape("dense-100t");
  const double h = 244224;
  const double n = 32000;
  EXPECT_NEAR(layer_flop(s, false) / (24 * n * h * h + 4 * n * n * h), 1, 1e-12);
}

// errata.md row 2: (8 + 16 k) s h^2 + 4 s^2 h, and the router.
// gpt-oss 20B: 32 experts, four a token.
TEST(FullestDevice, GetsNoMoreThanItsExpertsCan) {
  ModelShape m;
  m.experts = 32;
  m.experts_per_token = 4;
  EXPECT_EQ(fullest_device(m, 1, 7), 1);
  EXPECT_EQ(fullest_device(m, 4, 1.5), 1.5);
  EXPECT_EQ(fullest_device(m, 4, 7), 4);  // every copy of every token
  EXPECT_EQ(fullest_device(m, 8, 7), 7);
  EXPECT_EQ(fullest_device(m, 32, 9), 8);  // its one expert is among the four of every token
  m.experts = 0;
  EXPECT_EQ(fullest_device(m, 8, 7), 1);
}

TEST(LayerFlop, OfAMixtureOfExpertsIsTheClosedForm) {
  const double h = 109568;
  const double n = 32000;
  EXPECT_NEAR(
      layer_flop(shape("moe-100t"), true) / ((8 + 16 * 2) * n * h * h + 4 * n * n * h + 2 * n * h * 8), 1,
      1e-12);
}

// A token of gpt-oss passes 4 experts: 6 times their outputs for biases, 4 times their gated inputs for
// clamps.
TEST(LayerOperators, OfExpertsWithBiasesAndClampsTouchMore) {
  ModelShape s = shape("gpt-oss-120b");
  double extra = 0;
  for (const Operator& op : layer_operators(s, true, CausalAttention::half)) {
    if (op.role == OperatorRole::expert_extra) extra += op.activation_elements;
  }
  EXPECT_DOUBLE_EQ(extra, 4096.0 * 4 * (6 * 2880 + 4 * 2 * 2880));
  s.ffn_bias = s.clamped_activation = false;
  for (const Operator& op : layer_operators(s, true, CausalAttention::half))
    EXPECT_NE(op.role, OperatorRole::expert_extra);
}

double eager_over_fused(const ModelShape& s) {
  double eager = 0;
  double fused = 0;
  for (const Operator& op : layer_operators(s, false, CausalAttention::half)) {
    if (op.matmul || op.attention_matrix) continue;
    eager += op.eager_elements;
    fused += op.activation_elements;
  }
  return eager / fused;
}

// Llama 2 7B, for each of the hidden width: two norms of 18 in place of 2, queries and keys turned (10 each
// in place of 2, values none), 5 for each of 11,008 gated ones in place of 3, additions as they are.
TEST(LayerOperators, OfLlamaAreManyKernelsWhereNothingFuses) {
  const double ffn = 11008.0 / 4096;
  EXPECT_NEAR(eager_over_fused(shape("llama2-7b")),
              (2 * 18 + 2 * 10 + 5 * ffn + 6) / (2 * 2 + 2 * 3 + 3 * ffn + 6), 1e-12);
}

// GPT-2's LayerNorm, bias and GELU are a kernel each already.
TEST(LayerOperators, OfGptAreTheSameWhereNothingFuses) {
  EXPECT_DOUBLE_EQ(eager_over_fused(shape("gpt3-175b")), 1);
}

// Latent attention turns 64 of a head's width, and one key of positions.
TEST(LayerOperators, OfLatentAttentionTurnAPartOfAHead) {
  const ModelShape& s = shape("deepseek-v3");
  for (const Operator& op : layer_operators(s, true, CausalAttention::half)) {
    if (op.name != "positions and biases") continue;
    EXPECT_DOUBLE_EQ(op.eager_elements - op.activation_elements, 10.0 * 4096 * (128 + 1) * 64);
  }
}

// Beside each of the attention's two projections: two thin products, and a sum that reads and writes five
// elements of the projection's output.
TEST(LayerOperators, OfAdaptersAreProductsAndSums) {
  ModelInput model;
  model.shape = shape("llama3-8b");
  const std::size_t alone = plan_model(model, {}, CausalAttention::full).operators.size();
  TrainingInput training;
  training.adapter_rank = 16;
  const ModelPlan plan = plan_model(model, training, CausalAttention::full);
  ASSERT_EQ(plan.operators.size(), alone + 6);
  double added = 0;
  for (const Operator& op : plan.operators)
    if (op.adapter && !op.matmul) added += op.activation_elements;
  const ModelShape& m = plan.shape;
  const double keys = 2.0 * real(m.kv_heads_or_all()) / real(m.heads);
  EXPECT_DOUBLE_EQ(added, 5.0 * real(m.sequence) * real(m.hidden) * (1 + keys + 1));
}

TEST(LayerFlop, CausalKernelsSkipHalfOfTheAttentionMatrix) {
  const ModelShape& s = shape("llama3-8b");
  double half = 0;
  for (const Operator& op : layer_operators(s, false, CausalAttention::half)) half += op.forward_flop;
  const double n = 8192;
  EXPECT_NEAR(layer_flop(s, false) - half, 2 * n * n * 4096, 1);
}

// Chowdhery et al. 2022, appendix B: 6 N + 12 L H Q T FLOP a token, N without the embedding look-up.
TEST(TrainingFlop, IsPaLMsFormula) {
  const ModelShape& s = shape("palm-540b");
  const double n = count_parameters(s).total;
  const double per_token = training_flop(s).si() / 2048;
  EXPECT_NEAR(per_token / (6 * n + 12.0 * 118 * 48 * 256 * 2048), 1, 1e-3);
}

// Hoffmann et al. 2022, tables 3 and A3: the fitted laws pass within 5% of every published row.
TEST(ScalingLaws, PassThroughThePublishedTables) {
  const double sizes[] = {400e6, 1e9, 10e9, 67e9, 175e9, 280e9, 520e9, 1e12, 10e12};
  const double first[] = {1.92e19, 1.21e20, 1.23e22, 5.76e23, 3.85e24, 9.90e24, 3.43e25, 1.27e26, 1.30e28};
  const double second[] = {1.84e19, 1.20e20, 1.32e22, 6.88e23, 4.54e24, 1.18e25, 4.19e25, 1.59e26, 1.75e28};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    EXPECT_NEAR(loss_optimal(ScalingLaw::hoffmann1, Flop(first[i])).parameters / sizes[i], 1, 0.05)
        << sizes[i];
    EXPECT_NEAR(loss_optimal(ScalingLaw::hoffmann2, Flop(second[i])).parameters / sizes[i], 1, 0.05)
        << sizes[i];
  }
}

// Chinchilla itself: 67B parameters and 1.5T tokens by approach 1 for Gopher's 5.76e23 FLOP.
TEST(ScalingLaws, GiveChinchilla) {
  const LawPoint p = loss_optimal(ScalingLaw::hoffmann1, Flop(5.76e23));
  EXPECT_NEAR(p.parameters, 67e9, 3e9);
  EXPECT_NEAR(p.tokens, 1.5e12, 0.1e12);
}

// Of Hoffmann's approaches the third alone is a formula of the loss.
TEST(ScalingLaws, PredictALossWhereTheyHaveOne) {
  for (const double flop : {1e20, 1e23, 1e26}) {
    for (const ScalingLaw law : {ScalingLaw::hoffmann1, ScalingLaw::hoffmann2})
      EXPECT_FALSE(loss_optimal(law, Flop(flop)).loss.has_value());
    for (const ScalingLaw law : {ScalingLaw::hoffmann3, ScalingLaw::kaplan})
      EXPECT_TRUE(loss_optimal(law, Flop(flop)).loss.has_value());
  }
}

TEST(ScalingLaws, KaplanAtAPetaflopDay) {
  const LawPoint p = loss_optimal(ScalingLaw::kaplan, Flop(8.64e19));
  EXPECT_NEAR(p.parameters, 1.3e9, 1);
  EXPECT_NEAR(*p.loss, std::pow(3.1e8, 0.05), 1e-9);
}

TEST(ScalingLaws, Approach3IsTheMinimumOfItsLoss) {
  const Flop compute(1e24);
  const LawPoint p = loss_optimal(ScalingLaw::hoffmann3, compute);
  const auto loss = [&](double n) {
    return 1.69 + 406.4 * std::pow(n, -0.34) + 410.7 * std::pow(compute.si() / (6 * n), -0.28);
  };
  EXPECT_NEAR(*p.loss, loss(p.parameters), 1e-12);
  EXPECT_LT(loss(p.parameters), loss(p.parameters * 1.02));
  EXPECT_LT(loss(p.parameters), loss(p.parameters / 1.02));
}

RC_GTEST_PROP(ScalingLaws, InvertAndSpendTheirCompute, ()) {
  const double n = std::pow(10.0, *rc::gen::inRange(60, 150) / 10.0);
  for (const ScalingLaw law :
       {ScalingLaw::kaplan, ScalingLaw::hoffmann1, ScalingLaw::hoffmann2, ScalingLaw::hoffmann3}) {
    const LawPoint p = loss_optimal(law, compute_for_parameters(law, n));
    RC_ASSERT(std::abs(p.parameters / n - 1) < 1e-9);
    RC_ASSERT(std::abs(p.tokens / optimal_tokens(law, n) - 1) < 1e-9);
  }
}

// Levine et al. 2020: ln(width) = 5.039 + 0.0555 depth. The paper's models: 134 x 244,224 and 118 x 109,568.
TEST(DepthToWidth, GivesThePapersModels) {
  const DepthWidth dense = depth_to_width(96e12);
  EXPECT_NEAR(dense.depth, 134, 2);
  EXPECT_NEAR(dense.width, 244224, 0.02 * 244224);
  const DepthWidth expert = depth_to_width(17e12);
  EXPECT_NEAR(expert.depth, 118, 1);
  EXPECT_NEAR(expert.width, 109568, 0.02 * 109568);
}

// Levine et al. 2020, abstract: a width of 30K is optimal for a network of a trillion parameters.
TEST(DepthToWidth, GivesTheWidthOfItsOwnAbstract) { EXPECT_NEAR(depth_to_width(1e12).width, 30e3, 0.5e3); }

RC_GTEST_PROP(ShapeForParameters, HitsTheAskedCount, (bool experts)) {
  const double asked = std::pow(10.0, *rc::gen::inRange(95, 145) / 10.0);
  ModelShape settings;
  settings.vocabulary = 32000;
  settings.sequence = 4096;
  settings.experts = experts ? 8 : 0;
  settings.experts_per_token = experts ? 2 : 0;
  const ModelShape s = shape_for_parameters(asked, settings);
  RC_ASSERT(s.layers >= 1);
  RC_ASSERT(s.hidden % s.heads == 0);
  RC_ASSERT(s.heads < 8 || s.heads % 8 == 0);
  const double half_a_layer = count_parameters(s).layer / 2;
  RC_ASSERT(std::abs(count_parameters(s).total - asked) <= half_a_layer * 1.001);
}

// Experts in one of some layers: layers of two kinds take turns, so that a round of them is how far the count
// may be off.
RC_GTEST_PROP(ShapeForParameters, HitsTheAskedCountOfLayersInTurns, ()) {
  const double asked = std::pow(10.0, *rc::gen::inRange(105, 145) / 10.0);
  ModelShape settings;
  settings.vocabulary = 32000;
  settings.sequence = 4096;
  settings.experts = 8;
  settings.experts_per_token = 2;
  settings.expert_interval = *rc::gen::inRange(2, 6);
  ModelShape s = shape_for_parameters(asked, settings);
  const double total = count_parameters(s).total;
  s.layers += s.expert_interval;
  RC_ASSERT(std::abs(total - asked) <= count_parameters(s).total - total);
}

// DeepSeek-V3 has three layers without experts, of a thirtieth of the others' parameters.
TEST(ShapeForParameters, CountsLayersWithoutExpertsAsWhatTheyAre) {
  ModelShape settings = shape("deepseek-v3");
  settings.layers = settings.hidden = settings.heads = 0;
  for (const std::int64_t dense : {0, 3, 20, 40}) {
    settings.dense_layers = dense;
    const ModelShape s = shape_for_parameters(671e9, settings);
    EXPECT_NEAR(count_parameters(s).total, 671e9, count_parameters(s).layer / 2) << dense;
  }
  settings.layers = 0;
  settings.dense_layers = 1000;  // all of them
  const ModelShape s = shape_for_parameters(671e9, settings);
  ModelShape next = s;
  ++next.layers;
  EXPECT_NEAR(count_parameters(s).total, 671e9,
              (count_parameters(next).total - count_parameters(s).total) / 2);
}

TEST(ShapeForParameters, HasHeadsInWholeGroupsOfThoseThatShareKeysAndValues) {
  ModelShape settings;
  settings.vocabulary = 32000;
  settings.sequence = 4096;
  for (const std::int64_t shared : {1, 3, 8, 12, 1000}) {
    settings.kv_heads = shared;
    EXPECT_EQ(shape_for_parameters(1e12, settings).heads % shared, 0) << shared;
  }
}

// Chunks of c tokens leave s / c times c (c + 1) / 2 pairs.
TEST(Windows, ThatDoNotSlideLeaveLess) {
  ModelShape m = shape("llama4-scout");
  EXPECT_EQ(attended_share(m), 1);
  m.sequence = 32768 + 100;
  const double pairs = 4 * 8192.0 * 8193 / 2 + 100.0 * 101 / 2;
  const double all = real(m.sequence) * (real(m.sequence) + 1) / 2;
  EXPECT_NEAR(attended_share(m), 0.25 + 0.75 * pairs / all, 1e-12);
  m.chunked_window = false;
  EXPECT_GT(attended_share(m), 0.25 + 0.75 * pairs / all);
}

// Gemma 4 31B: 50 layers of 32 heads of 256 and 16 of keys and values each; 10 of 32 heads of 512 and 4 of
// keys, which are the values.
TEST(Windows, StandBesideLayersOfOtherHeads) {
  const ModelShape& m = shape("gemma4-31b");
  const AttentionWidths widths = attention_widths(m);
  EXPECT_DOUBLE_EQ(60 * widths.query, 50.0 * 32 * 256 + 10.0 * 32 * 512);
  EXPECT_DOUBLE_EQ(60 * widths.key, 50.0 * 16 * 256 + 10.0 * 4 * 512);
  EXPECT_DOUBLE_EQ(60 * widths.value, 50.0 * 16 * 256);
  ModelShape windowed = m;
  windowed.windowed_layers = 1;
  EXPECT_NEAR(attended_work(m), (50 * attended_work(windowed) + 10 * 2) / 60, 1e-12);
  EXPECT_NEAR(attended_share(m), (50 * attended_share(windowed) + 10) / 60, 1e-12);
}

// Read and written once; where nothing fuses 18 touches, as other RMSNorms.
TEST(LayerOperators, OfNormsOfQueriesAndKeysTouchTheirWidths) {
  ModelShape s = shape("qwen3-8b");
  const auto norms = [&] {
    const std::vector<Operator> ops = layer_operators(s, false, CausalAttention::half);
    const auto found = std::find_if(ops.begin(), ops.end(),
                                    [](const Operator& op) { return op.name == "query and key norms"; });
    return found == ops.end() ? Operator() : *found;
  };
  EXPECT_EQ(norms().activation_elements, 2.0 * 4096 * (32 + 8) * 128);
  EXPECT_EQ(norms().eager_elements, 18.0 * 4096 * (32 + 8) * 128);
  s.qk_norm = false;
  EXPECT_EQ(norms().activation_elements, 0);
}

// Divided, its tangent taken, multiplied: 6 touches of each logit, none where a compiler fuses.
TEST(HeadOperators, CapLogits) {
  double eager = 0;
  double fused = 0;
  for (const Operator& op : head_operators(shape("gemma2-9b"))) {
    if (op.name == "logit cap") eager += op.eager_elements;
    if (op.name == "logit cap") fused += op.activation_elements;
  }
  EXPECT_EQ(eager, 6.0 * 8192 * 256000);
  EXPECT_EQ(fused, 0);
}

// Gemma 4 26B-A4B: 8 experts of 704 and one of 2,112 beside them.
TEST(LayerOperators, OfASharedExpertHaveItsWidth) {
  const ModelShape& s = shape("gemma4-26b-a4b");
  double flop = 0;
  for (const Operator& op : layer_operators(s, true, CausalAttention::half)) {
    if (op.name == "shared experts up" || op.name == "shared experts down") flop += op.forward_flop;
  }
  EXPECT_EQ(flop, 2.0 * 3 * 8192 * 2816 * 2112);
  EXPECT_EQ(routed_parameters(s), 128.0 * 3 * 2816 * 704);
}

// A window of w tokens leaves w (w + 1) / 2 + (s - w) w pairs of s (s + 1) / 2.
TEST(Windows, LeavePartOfTheAttention) {
  ModelShape m = shape("llama3-8b");
  EXPECT_EQ(attended_share(m), 1);
  m.sequence = 8192;
  m.attention_window = 1024;
  const double pairs = 1024.0 * 1025 / 2 + (8192 - 1024) * 1024.0;
  EXPECT_NEAR(attended_share(m), pairs / (8192.0 * 8193 / 2), 1e-12);
  m.windowed_layers = 0.5;
  EXPECT_NEAR(attended_share(m), (1 + pairs / (8192.0 * 8193 / 2)) / 2, 1e-12);
  m.attention_window = 8192;
  EXPECT_EQ(attended_share(m), 1);
}

}  // namespace
}  // namespace trainyard
