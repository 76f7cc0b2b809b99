#include "parallel/parallel.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cuts.h"
#include "model/model.h"
#include "parallel/memory.h"

namespace trainyard {
namespace {

const std::vector<std::string> kHalfPrecision = {"precision.activations=fp16", "mapping.attention=stored"};

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr double kHidden22b = 6144;
constexpr double kSequence = 2048;
constexpr double kHeads = 64;

Bytes megatron_22b(const std::vector<std::string>& changes, std::int64_t tensor, Recompute recompute) {
  const Scenario s =
      with("llama3-405b",
           joined(joined({"model.name=megatron-22b", "mapping.pipeline=1", "mapping.virtual_stages=1"},
                         kHalfPrecision),
                  changes));
  return activation_bytes(resolve_shape(s.model), s, tensor, recompute);
}

// Korthikanti et al. 2023, equations 1 to 4 (b = 1): bytes a layer at 16 bits.
TEST(Activations, AreKorthikantisEquations) {
  const double sh = kSequence * kHidden22b;
  const double attention = 5 * kHeads * kSequence / kHidden22b;
  EXPECT_NEAR(megatron_22b({}, 1, Recompute::none).si(), sh * (34 + attention), 1);
  EXPECT_NEAR(megatron_22b({"mapping.sequence_parallel=false"}, 8, Recompute::none).si(),
              sh * (10 + 24.0 / 8 + attention / 8), 1);
  EXPECT_NEAR(megatron_22b({}, 8, Recompute::none).si(), sh / 8 * (34 + attention), 1);
  EXPECT_NEAR(megatron_22b({}, 8, Recompute::selective).si(), sh * 34 / 8, 1);
  EXPECT_NEAR(megatron_22b({"mapping.sequence_parallel=false"}, 8, Recompute::full).si(), sh * 2, 1);
}

// HotNets '24 section 4: s b h 10 / t at half a byte.
TEST(Activations, AreThePapersTenBytes) {
  const Scenario s = with("hotnets24-dense", {});
  EXPECT_NEAR(activation_bytes(resolve_shape(s.model), s, 18, Recompute::selective).si(),
              32000.0 * 244224 * 10 / 18, 1);
}

TEST(Memory, OfThePapersModelIsFourBytesAParameter) {
  const Scenario s = with("hotnets24-dense", {});
  const MappingPlan m = cut(s, {18, 134});
  EXPECT_NEAR(m.model_memory.model_states().si(), 4 * count_parameters(s.model.shape).total, 1);
  // Norms are not divided.
  EXPECT_NEAR(m.device.model_states() / (m.model_memory.model_states() / (18.0 * 134)), 1, 1e-4);
  EXPECT_EQ(m.in_flight, 134);
}

TEST(Memory, TheNextSmallerDivisorOf72DoesNotHoldThePapersModel) {
  const Scenario s = with("hotnets24-dense", {});
  EXPECT_TRUE(fits(cut(s, {18, 134})));
  EXPECT_FALSE(fits(cut(s, {12, 134})));
}

// Rajbhandari et al. 2020, figure 1: with 2 + 2 + 12 bytes a parameter and N replicas.
TEST(Memory, IsDividedByZeroAsItsPaperSays) {
  const std::vector<std::string> mixed = {"precision.gradients=bf16",
                                          "mapping.recompute=full",
                                          "mapping.pipeline=1",
                                          "mapping.virtual_stages=1",
                                          "assumptions.embedding_placement=spread",
                                          "training.software=none"};
  const double parameters = count_parameters(with("llama3-405b", {}).model.shape).total;
  for (const auto& [stage, bytes] : {std::pair{0, 16.0}, std::pair{1, 4 + 12 / 2048.0},
                                     std::pair{2, 2 + 14 / 2048.0}, std::pair{3, 16 / 2048.0}}) {
    const MappingPlan m =
        cut(with("llama3-405b", joined(mixed, {"mapping.zero_stage=" + std::to_string(stage)})), {8, 1});
    EXPECT_EQ(m.data, 2048);
    EXPECT_NEAR(m.device.model_states().si() / (parameters / 8 * bytes), 1, 1e-4) << stage;
  }
}

TEST(Memory, OffloadKeepsOneMicrobatchOnTheDevice) {
  const MappingPlan off = cut(with("hotnets24-dense", {}), {18, 134});
  const MappingPlan on = cut(with("hotnets24-dense", {"mapping.offload_activations=false"}), {18, 134});
  EXPECT_NEAR(on.device.activations.si(), off.activation_layer.si() * 134, 1e9);
  EXPECT_NEAR(off.host_activations.si(), off.activation_layer.si() * 134, 1);
}

TEST(Replicas, OfThePapersModels) {
  const MappingPlan dense = cut(with("hotnets24-dense", {}), {18, 134});
  EXPECT_EQ(dense.data, 4 * (23333 / 134));
  EXPECT_EQ(dense.peer_domains, 87);
  const MappingPlan moe = cut(with("hotnets24-moe", {}), {18, 118});
  EXPECT_EQ(moe.data, 788);
  EXPECT_EQ(moe.peer_domains, 98);
}

// 24 HB domains of 8, stages of 8 devices: a datacenter of two has 12.
TEST(Replicas, StandInOneDatacenterEach) {
  const auto replicas = [](std::int64_t sites, std::int64_t pipeline, const std::string& change) {
    const Scenario s =
        with("llama3-405b", {"facility.devices=192", "facility.datacenters=" + std::to_string(sites),
                             "mapping.pipeline=" + std::to_string(pipeline), "mapping.virtual_stages=1",
                             "training.batch_tokens=" + std::to_string(24 * 8192), change});
    const FacilityPlan facility = plan_facility(s);
    const ModelPlan model = plan_model(s.model, s.training, s.assumptions.causal_attention);
    std::string why;
    const auto m = cut_model(s, facility, model, {8, pipeline}, Placement::same_layer, &why);
    if (m) return m->data;
    EXPECT_EQ(why, "12 HB domains of a datacenter do not hold 24 stages under this placement");
    return std::int64_t{0};
  };
  const std::string strict = "assumptions.uneven_shards=padded";
  EXPECT_EQ(replicas(1, 8, strict), 3);
  EXPECT_EQ(replicas(2, 8, strict), 2);   // 12 hold one each
  EXPECT_EQ(replicas(5, 1, strict), 24);  // 5, 5, 5, 5 and 4
  EXPECT_EQ(replicas(5, 5, strict), 4);
  EXPECT_EQ(replicas(1, 24, strict), 1);
  EXPECT_EQ(replicas(2, 24, strict), 0);
  const std::string ideal = "assumptions.uneven_shards=ideal";
  EXPECT_EQ(replicas(2, 8, ideal), 3);
  EXPECT_EQ(replicas(2, 24, ideal), 0);
}

RC_GTEST_PROP(Replicas, NeverUseMoreDevicesThanThereAre, (bool same_layer)) {
  const std::int64_t devices = *rc::gen::inRange(8, 5000);
  const std::int64_t tensor = *rc::gen::element(1, 2, 3, 4, 6, 8);
  const std::int64_t pipeline = *rc::gen::inRange(1, 32);
  ScenarioText text = ScenarioText::load("llama3-405b");
  text.set("facility.devices=" + std::to_string(devices));
  text.set("mapping.pipeline=auto");
  text.set("mapping.virtual_stages=1");
  const Scenario s = text.resolve();
  const FacilityPlan facility = plan_facility(s);
  const auto m =
      cut_model(s, facility, plan_model(s.model, s.training, s.assumptions.causal_attention),
                {tensor, pipeline}, same_layer ? Placement::same_layer : Placement::consecutive_layers);
  if (!m) return;
  RC_ASSERT(m->devices_used <= facility.devices);
  RC_ASSERT(m->devices_idle >= 0);
  RC_ASSERT(m->data >= 1);
  RC_ASSERT(m->local_replicas * m->peer_domains * m->datacenters >= m->data - m->local_replicas);
}

TEST(Cut, RefusesMoreReplicasThanFit) {
  const Scenario s = with("llama3-405b", {"mapping.data=100000"});
  std::string why;
  EXPECT_FALSE(cut_model(s, plan_facility(s), plan_model(s.model, s.training, s.assumptions.causal_attention),
                         {8, 16}, Placement::same_layer, &why));
  EXPECT_NE(why.find("more than the 128 that fit"), std::string::npos) << why;
}

}  // namespace
}  // namespace trainyard
