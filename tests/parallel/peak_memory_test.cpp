#include "peak_memory.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "parallel/device_memory.h"
#include "parallel/layer_memory.h"
#include "parallel/stages.h"

namespace trainyard {
namespace {

constexpr double kH = 1024;
constexpr double kF = 4096;
constexpr double kV = 1280;  // a multiple of 128
constexpr double kS = 512;
constexpr double kLayers = 4;

/// Gated, eight heads of 128 with two key and value heads, RMS norms, own output matrix.
ModelShape small() {
  ModelShape s;
  s.layers = 4;
  s.hidden = 1024;
  s.heads = 8;
  s.kv_heads = 2;
  s.ffn = 4096;
  s.gated_ffn = true;
  s.vocabulary = 1280;
  s.sequence = 512;
  return s;
}

MappingInput alone() {
  MappingInput cut;
  cut.microbatches = 4;
  cut.zero_stage = 0;
  cut.sequence_parallel = true;
  cut.recompute = Recompute::none;
  return cut;
}

constexpr double kKeyHere = 256;  // two heads of 128
constexpr double kLayerHere = kH * (kH + 2 * kKeyHere) + kH * kH + 3 * kH * kF + 2 * kH;
constexpr double kParameters = kLayers * kLayerHere + 2 * kV * kH + kH;
// Both norms' inputs and outputs, query, key, value, attention output, three of the feed-forward layer; a
// log-sum-exp of 4 bytes a head.
constexpr double kKept = 2 * (4 * kH + kH + 2 * kKeyHere + kH + 3 * kF) + 4 * 8;

TEST(PeakMemory, TermsOfOneDeviceByHand) {
  const PeakMemory m = peak_memory(small(), alone());
  EXPECT_DOUBLE_EQ(m.weights.si(), 2 * kParameters);
  EXPECT_DOUBLE_EQ(m.gradients.si(), 4 * kParameters);
  EXPECT_DOUBLE_EQ(m.optimizer.si(), 12 * kParameters);
  EXPECT_DOUBLE_EQ(m.activations.si(), kLayers * kS * kKept);
  EXPECT_DOUBLE_EQ(m.placeholders.si(), 2 * (kH * (kH + 2 * kKeyHere) + kH * kH + 3 * kH * kF));
  // The gradients between the two products of a feed-forward layer exceed the output matrix's.
  EXPECT_DOUBLE_EQ(m.temporaries.si(), kS * 2 * (2 * kF + kH));
}

TEST(PeakMemory, LargeVocabularyMovesThePeakToTheOutputMatrix) {
  ModelShape s = small();
  s.vocabulary = 128000;
  const PeakMemory m = peak_memory(s, alone());
  EXPECT_DOUBLE_EQ(m.temporaries.si(), 2 * (kS * 128000 + 128000 * kH + 3 * kS * kH));
}

TEST(PeakMemory, ZeroDividesStatesOverReplicas) {
  MappingInput cut = alone();
  cut.data = 4;
  cut.context = 2;
  const auto bytes = [&](std::int64_t stage) {
    cut.zero_stage = stage;
    const PeakMemory m = peak_memory(small(), cut);
    return std::vector<double>{m.weights.si() / kParameters, m.gradients.si() / kParameters,
                               m.optimizer.si() / kParameters};
  };
  EXPECT_EQ(bytes(0), (std::vector<double>{2, 4, 12}));
  EXPECT_EQ(bytes(1), (std::vector<double>{2, 4, 1.5}));
  EXPECT_EQ(bytes(2), (std::vector<double>{2, 0.5, 1.5}));
  EXPECT_EQ(bytes(3), (std::vector<double>{0.25, 0.5, 1.5}));
}

TEST(PeakMemory, StagesKeepAsManyMicrobatchesAsTheScheduleSays) {
  MappingInput cut = alone();
  cut.pipeline = 4;
  cut.microbatches = 16;
  const double one = kS * kKept;  // a layer a stage
  for (int stage = 0; stage < 4; ++stage)
    EXPECT_DOUBLE_EQ(stage_peak_memory(small(), cut, stage).activations.si(), (4 - stage) * one);
  EXPECT_DOUBLE_EQ(stage_peak_memory(small(), cut, 0, true).activations.si(), 16 * one);
  cut.microbatches = 2;
  EXPECT_DOUBLE_EQ(stage_peak_memory(small(), cut, 0).activations.si(), 2 * one);
}

// Narayanan et al. 2021, section 2.2: interleaving takes (p - 1) / v microbatches more on the first stage.
TEST(PeakMemory, InterleavingKeepsMore) {
  ModelShape s = small();
  s.layers = 8;
  MappingInput cut = alone();
  cut.pipeline = 4;
  cut.microbatches = 16;
  cut.virtual_stages = 2;
  EXPECT_DOUBLE_EQ(stage_peak_memory(s, cut, 0).activations.si(), (4 + 3.0 / 2) * 2 * kS * kKept);
}

TEST(PeakMemory, FullRecomputationKeepsInputsAndOneLayer) {
  MappingInput cut = alone();
  cut.recompute = Recompute::full;
  const PeakMemory m = peak_memory(small(), cut);
  EXPECT_DOUBLE_EQ(m.activations.si(), kLayers * kS * 2 * kH);
  EXPECT_DOUBLE_EQ(m.temporaries.si(), kS * (2 * (2 * kF + kH) + kKept));
}

// Of layers that are offloaded one by one, two of the larger kind that the stage holds stay.
TEST(PeakMemory, OfOffloadedLayersTheTwoLargestStay) {
  const ModelShape shape = small();
  const Software software;
  MemoryCase c(shape, software);
  c.offloaded = 1;
  LayerMemories layers(c);
  layers.dense.kept = 100;
  layers.sparse.kept = 10;
  const DeviceMemory memory(c, layers);
  EXPECT_EQ(memory.on_device(0, {.dense = 1, .sparse = 20}).si(), 2 * 100 * kS);
  EXPECT_EQ(memory.on_device(0, {.dense = 0, .sparse = 20}).si(), 2 * 10 * kS);
  EXPECT_EQ(memory.on_device(0, {.dense = 1, .sparse = 0}).si(), 100 * kS);
  layers.sparse.kept = 1000;
  EXPECT_EQ(memory.on_device(0, {.dense = 20, .sparse = 1}).si(), 2 * 1000 * kS);
}

TEST(PeakMemory, ExpertsAreDividedByExpertParallelism) {
  ModelShape s = small();
  s.experts = 8;
  s.experts_per_token = 2;
  s.dense_layers = 4;
  MappingInput cut = alone();
  cut.data = 4;
  const double dense = peak_memory(s, cut).weights.si();
  s.dense_layers = 3;
  const double expert = 3 * kH * kF;
  const double router = 8 * kH;
  EXPECT_DOUBLE_EQ(peak_memory(s, cut).weights.si() - dense, 2 * (7 * expert + router));
  cut.expert = 4;
  EXPECT_DOUBLE_EQ(peak_memory(s, cut).weights.si() - dense, 2 * (expert + router));
  cut.zero_stage = 1;  // one replica of each expert, four of the rest
  const PeakMemory m = peak_memory(s, cut);
  EXPECT_DOUBLE_EQ(m.optimizer.si(), 12 * 2 * expert + 12 * (kParameters - expert + router) / 4);
}

// Korthikanti et al. 2023, equation 2 and section 4: 34 s b h / t bytes a layer of GPT with sequence
// parallelism, without the attention matrix; 5 a s^2 b / t with it.
TEST(PeakMemory, LayerOfGptKeepsWhatThePaperCounts) {
  ModelShape s = small();
  s.kv_heads.reset();
  s.gated_ffn = false;
  s.dropout = true;
  s.norm = NormKind::layer;
  MappingInput cut = alone();
  cut.tensor = 4;
  cut.attention = Attention::stored;
  cut.recompute = Recompute::selective;
  const double layer = peak_memory(s, cut).activations.si() / kLayers;
  EXPECT_DOUBLE_EQ(layer, 34 * kS * kH / 4);
  cut.recompute = Recompute::none;
  EXPECT_DOUBLE_EQ(peak_memory(s, cut).activations.si() / kLayers, layer + 5 * 8 * kS * kS / 4);
}

RC_GTEST_PROP(PeakMemory, NoStageHoldsMoreThanThePeak, ()) {
  ModelShape s = small();
  s.layers = *rc::gen::inRange(1, 40);
  s.experts = *rc::gen::element(0, 8);
  s.experts_per_token = s.experts > 0 ? 2 : 0;
  s.dense_layers = s.experts > 0 ? *rc::gen::inRange<std::int64_t>(0, s.layers + 1) : 0;
  MappingInput cut = alone();
  cut.pipeline = *rc::gen::inRange<std::int64_t>(1, s.layers + 1);
  cut.tensor = *rc::gen::element(1, 2, 8);
  cut.microbatches = *rc::gen::inRange(1, 64);
  cut.recompute = *rc::gen::element(Recompute::none, Recompute::selective, Recompute::full);
  const double peak = peak_memory(s, cut).total().si();
  bool met = false;
  for (std::int64_t stage = 0; stage < *cut.pipeline; ++stage) {
    const double held = stage_peak_memory(s, cut, stage).total().si();
    RC_ASSERT(held <= peak);
    met = met || held == peak;
  }
  RC_ASSERT(met);
}

}  // namespace
}  // namespace trainyard
