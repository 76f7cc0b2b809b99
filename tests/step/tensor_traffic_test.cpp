#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

CommunicationPlan tensor_of_eight(const std::string& model, const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  std::vector<std::string> all = {"model.name=" + model,         "facility.devices=64",
                                  "facility.hb_domain=dgx-h100", "mapping.tensor=8",
                                  "mapping.pipeline=1",          "mapping.virtual_stages=1",
                                  "mapping.context=1",           "training.batch_tokens=1048576"};
  all.insert(all.end(), changes.begin(), changes.end());
  for (const std::string& change : all) text.set(change);
  return make_plan(text.resolve()).communication;
}

CommunicationPlan mixture(const std::string& model, const std::string& compute_model, int cut_over,
                          const std::vector<std::string>& changes = {}) {
  std::vector<std::string> all = {"mapping.expert=8", "assumptions.compute_model=" + compute_model,
                                  "mapping.expert_tensor=" + std::to_string(cut_over)};
  all.insert(all.end(), changes.begin(), changes.end());
  return tensor_of_eight(model, all);
}

double sums(const CommunicationPlan& c) { return c.tensor_volume / c.layer_input; }

// Keys and values pass a ring, and backward their gradients beside them; latent ones are of all heads by then
// (128 of 192 and of 128 elements).
TEST(ContextTraffic, OfARingIsKeysAndValuesOfAllHeads) {
  const auto ring = [](const std::string& model, const std::vector<std::string>& changes) {
    std::vector<std::string> all = {"mapping.context=2", "network.scale_out_rate=10 Mbps",
                                    "mapping.zero_stage=1", "training.context_exchange=ring",
                                    "assumptions.compute_model=calibrated"};
    all.insert(all.end(), changes.begin(), changes.end());
    return tensor_of_eight(model, all);
  };
  const CommunicationPlan dense = ring("llama3-70b", {});
  EXPECT_DOUBLE_EQ(dense.context_volume.si(), 2 * 8192 * 2 * (8 * 128 / 8) / 2.0);
  EXPECT_NEAR(dense.context_backward / dense.context_forward, 2, 0.01);
  const CommunicationPlan latent =
      ring("deepseek-v3", {"mapping.expert=4", "model.layers=4", "mapping.recompute=full"});
  EXPECT_DOUBLE_EQ(latent.context_volume.si(), 2 * 4096 * (128 * (192 + 128) / 8) / 2.0);
}

// A sum for attention. Of two copies of a token on x of eight ranks 2 x/8 are gathered and scattered by x
// ranks, which send (x - 1)/x of them where eight send 7/8.
TEST(TensorTraffic, OfLayersWithExpertsFollowsWhatExpertsAreCutOver) {
  for (const int x : {1, 2, 4, 8}) {
    const double gathered = 2.0 * x / 8 * ((x - 1.0) / x) / (7.0 / 8);
    EXPECT_NEAR(sums(mixture("mixtral-8x7b", "calibrated", x)), 1 + gathered, 1e-12) << x;
    EXPECT_NEAR(sums(mixture("mixtral-8x7b", "roofline", x)), x == 1 ? 1 : 2, 1e-12) << x;
  }
}

TEST(TensorTraffic, OfSharedExpertsAndWholeTokensNeedsASecondSum) {
  const std::vector<std::string> shared = {"model.shared_experts=1"};
  EXPECT_NEAR(sums(mixture("mixtral-8x7b", "calibrated", 1, shared)), 2, 1e-12);
  const std::vector<std::string> whole_tokens = {"mapping.sequence_parallel=false", "mapping.recompute=full"};
  EXPECT_NEAR(sums(mixture("mixtral-8x7b", "calibrated", 1, whole_tokens)), 2, 1e-12);
}

// Gathers before the first product of each part, scatters behind the last.
TEST(TensorTraffic, IsRepeatedByTheProductsThatAreComputedAgain) {
  const auto repeated = [](const std::string& modules, const std::string& software) {
    const CommunicationPlan c =
        tensor_of_eight("llama3-70b", {"mapping.recompute=none", "training.software=" + software,
                                       "mapping.recompute_modules=[" + modules + "]"});
    return c.tensor_backward / c.tensor_forward - 1;
  };
  EXPECT_NEAR(repeated(R"("qkv_proj")", "nemo"), 0.25, 1e-9);
  EXPECT_NEAR(repeated(R"("qkv_proj", "out_proj")", "nemo"), 0.5, 1e-9);
  EXPECT_NEAR(repeated(R"("mlp_up")", "nemo"), 0.25, 1e-9);
  EXPECT_NEAR(repeated(R"("mlp")", "nemo"), 0.5, 1e-9);
  EXPECT_NEAR(repeated(R"("mlp")", "maxtext"), 0.25, 1e-9);
  const auto in_full = [](const std::vector<std::string>& changes) {
    std::vector<std::string> all = {"mapping.recompute=full", "training.software=maxtext"};
    all.insert(all.end(), changes.begin(), changes.end());
    const CommunicationPlan c = tensor_of_eight("llama3-70b", all);
    return c.tensor_backward / c.tensor_forward - 1;
  };
  EXPECT_NEAR(in_full({}), 0.75, 1e-9);
  EXPECT_NEAR(in_full({"model.parallel_block=true"}), 0.5, 1e-9);
  EXPECT_NEAR(in_full({"model.parallel_block=true", "mapping.sequence_parallel=false"}), 0, 1e-9);
  EXPECT_NEAR(in_full({"model.norms_per_layer=4"}), 1, 1e-9);
}

// What recomputed experts repeat is theirs.
TEST(TensorTraffic, IsRepeatedForExpertsAsFarAsItIsTheirs) {
  const std::vector<std::string> again = {"mapping.recompute=none", "mapping.recompute_modules=[\"moe\"]"};
  const CommunicationPlan whole = mixture("mixtral-8x7b", "calibrated", 1, again);
  EXPECT_EQ(whole.tensor_feed_forward, 0);
  EXPECT_DOUBLE_EQ(whole.tensor_backward.si(), whole.tensor_forward.si());
  const CommunicationPlan cut = mixture("mixtral-8x7b", "calibrated", 8, again);
  const double repeated = cut.tensor_backward / cut.tensor_forward - 1;
  EXPECT_NEAR(repeated, cut.tensor_feed_forward, 1e-12);
  EXPECT_GT(repeated, 0.6);  // two of three, and their starts
  EXPECT_LT(repeated, 0.72);
}

// Products hide sums, not the gathers of copies.
TEST(TensorTraffic, OfCopiesStaysExposed) {
  const std::vector<std::string> hidden = {"training.software=nemo"};
  const double whole = mixture("mixtral-8x7b", "calibrated", 1, hidden).tensor_exposed;
  const CommunicationPlan cut = mixture("mixtral-8x7b", "calibrated", 8, hidden);
  ASSERT_LT(whole, 1);
  EXPECT_NEAR(cut.tensor_exposed, whole + (1 - whole) * cut.tensor_feed_forward, 1e-12);
}

}  // namespace
}  // namespace trainyard
