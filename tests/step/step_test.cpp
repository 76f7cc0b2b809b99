#include "trainyard/step.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "cost/cost.h"
#include "plans.h"
#include "trainyard/plan.h"
#include "trainyard/plan_traffic.h"
#include "trainyard/planning.h"
#include "trainyard/range.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

// Llama 4 Maverick has experts in every second layer: 24 of 48 exchange tokens.
TEST(Experts, AreExchangedInTheirLayersAlone) {
  const Plan p =
      plan_of("llama3-405b", {"model.name=llama4-maverick", "facility.devices=512", "mapping.tensor=8",
                              "mapping.pipeline=1", "mapping.virtual_stages=1", "mapping.expert=64",
                              "mapping.zero_stage=1", "training.software=megatron-bridge",
                              "network.scale_out_rate=50 Gbps", "training.batch_tokens=4194304"});
  EXPECT_EQ(p.step.expert_layers, 24);
  EXPECT_LT(p.step.exposed_share_step, 1);
  EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.02);
  double sent = 0;  // to each of 63 others, of an expert group
  for (const TrafficClass& c : traffic_of(p).classes) {
    if (c.kind == TrafficKind::expert) sent += c.pair.si() * 63;
  }
  EXPECT_NEAR(
      sent / (p.communication.expert_volume.si() * 4 * 24 * static_cast<double>(p.mapping.microbatches)), 1,
      1e-9);
}

// HotNets '24 sections 4 to 6.
TEST(Step, HasThePapersTimesForTheDenseModel) {
  const Plan p = plan_of("hotnets24-dense");
  EXPECT_NEAR(p.step.forward.si(), 132.82e-3, 0.05e-3);
  EXPECT_NEAR(p.step.backward.si(), 2 * 132.80e-3, 0.05e-3);
  EXPECT_NEAR(p.communication.tensor_forward.si(), 8.2e-3, 0.01e-3);
  EXPECT_NEAR(p.communication.pipeline_transfer.si(), 2.17e-3, 0.01e-3);
  EXPECT_NEAR(p.step.exposed_share, 0.0495, 0.0001);  // errata.md row 7: 4.9%
  EXPECT_EQ(p.step.exposed_gradient.si(), 0);
}

TEST(Step, HasThePapersTimesForTheMixtureOfExperts) {
  const Plan p = plan_of("hotnets24-moe");
  EXPECT_NEAR(p.step.forward.si(), 45.18e-3, 0.02e-3);
  EXPECT_NEAR(p.step.exposed_share, 0.187, 0.0005);
  EXPECT_NEAR(p.step.exposed_gradient.si(), 112.23e-3 - 90.36e-3, 0.05e-3);
}

// errata.md rows 2, 3 and 5.
TEST(Step, PhysicalAssumptionsChangeWhatTheErrataSay) {
  const Plan paper = plan_of("hotnets24-moe");
  EXPECT_NEAR(plan_of("hotnets24-moe", {"assumptions.peak=dense"}).step.forward / paper.step.forward, 2,
              1e-9);
  const Plan one_way = plan_of("hotnets24-moe", {"assumptions.scale_up_counts=per_direction"});
  EXPECT_NEAR(one_way.communication.tensor_forward / paper.communication.tensor_forward, 2, 1e-9);
  const Plan scattered = plan_of("hotnets24-moe", {"assumptions.gradient_exchange=best"});
  EXPECT_EQ(scattered.communication.gradient.kind, GradientExchange::hierarchical_reduce_scatter);
  EXPECT_EQ(scattered.step.exposed_gradient.si(), 0);
}

// Narayanan et al. 2021, section 2.2: the bubble is (p-1)/m of the ideal time, (p-1)/(v m) interleaved.
TEST(Pipeline, BubbleIsTheTextbookShare) {
  for (const int v : {1, 8}) {
    // All stages alike: layers that divide, embedding and output matrix spread. Some sends pass while others
    // compute.
    const Plan p = plan_of("llama3-405b", {"mapping.virtual_stages=" + std::to_string(v), "model.layers=128",
                                           "assumptions.embedding_placement=spread",
                                           "training.batch_tokens=33554432", "mapping.recompute=full"});
    const double m = static_cast<double>(p.mapping.microbatches);
    const Seconds pace = p.step.pace - p.step.exposed_pipeline * real(p.mapping.layers_per_stage);
    EXPECT_NEAR((p.step.bubble - p.step.fill_sends) / (pace * m), 15 / (v * m), 5e-4);
  }
}

// Programs that wait until their output has left, and those that do not; few microbatches and many.
TEST(Pipeline, TransfersBetweenStagesAreCountedAsTheStepHasThem) {
  for (const char* hides : {"training.hides=[\"pipeline\"]", "training.exposes=[\"pipeline\"]"}) {
    for (const int chunks : {1, 2, 4}) {
      for (const int microbatches : {8, 16, 64}) {
        const Plan p =
            plan_of("llama3-405b", {"model.layers=128", "assumptions.embedding_placement=spread",
                                    "mapping.tensor=8", "mapping.pipeline=8", "mapping.context=1",
                                    "mapping.data=auto", "mapping.zero_stage=1", "mapping.recompute=full",
                                    "training.batch_tokens=auto", "training.software=megatron-core",
                                    "network.scale_out_rate=200 Gbps", "training.hides=[\"gradients\"]",
                                    hides, fmt::format("mapping.microbatches={}", microbatches),
                                    fmt::format("mapping.virtual_stages={}", chunks)});
        const Seconds sends = p.step.fill_sends + p.step.exposed_pipeline * real(p.mapping.layers_per_stage) *
                                                      real(p.mapping.microbatches);
        EXPECT_GT(sends / p.step.step, 0.0005);
        EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.025)
            << hides << " " << chunks << " " << microbatches;
      }
    }
  }
}

// Fewer layers on some stages: the slowest one waits less for those behind it.
TEST(Pipeline, UnevenStagesAreWaitedForAsTheStepHasIt) {
  for (const int layers : {9, 12, 13, 15}) {
    for (const int microbatches : {2, 8, 12, 64}) {
      const Plan p = plan_of(
          "llama3-405b", {fmt::format("model.layers={}", layers), "assumptions.embedding_placement=spread",
                          "mapping.tensor=8", "mapping.pipeline=8", "mapping.virtual_stages=1",
                          "mapping.context=1", "mapping.data=auto", "training.batch_tokens=auto",
                          fmt::format("mapping.microbatches={}", microbatches)});
      EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.03) << layers << " " << microbatches;
    }
  }
}

// A stage that never waits bounds a step, however short those behind it are.
TEST(Pipeline, NearlyEmptyLastStagesLeaveNoTimeBehind) {
  for (const int microbatches : {2, 8}) {
    const Plan p =
        plan_of("llama3-405b",
                {"model.name=llama3-8b", "model.layers=64", "model.vocabulary=1000", "facility.devices=16",
                 "mapping.tensor=8", "mapping.pipeline=2", "mapping.last_stage_layers=1",
                 "mapping.virtual_stages=1", "mapping.context=1", "mapping.data=auto",
                 "training.batch_tokens=auto", fmt::format("mapping.microbatches={}", microbatches)});
    EXPECT_GE(p.step.bubble.si(), 0) << microbatches;
    EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.01) << microbatches;
  }
}

// Weights of embedding and output matrix are gathered, and their gradients scattered, for every microbatch.
TEST(Exposed, FullyShardedStepsAgreeWithTheirTimelines) {
  for (const char* rate : {"network.scale_out_rate=400 Gbps", "network.scale_out_rate=50 Gbps"}) {
    for (const int microbatches : {1, 4}) {
      const Plan p =
          plan_of("llama3-405b",
                  {"model.name=llama3-8b", "facility.devices=64", "mapping.tensor=1", "mapping.pipeline=1",
                   "mapping.zero_stage=3", "mapping.context=1", "mapping.virtual_stages=1",
                   "training.software=torchtitan", "mapping.data=auto", "training.batch_tokens=auto", rate,
                   fmt::format("mapping.microbatches={}", microbatches)});
      EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.01) << rate << " " << microbatches;
    }
  }
}

// What the closed form leaves out is said where it applies.
TEST(Plan, SaysWhatItsClosedFormDoesNotCount) {
  const auto says = [](const Plan& p, const char* what) {
    return std::any_of(p.mapping.warnings.begin(), p.mapping.warnings.end(),
                       [&](const std::string& warning) { return warning.find(what) != std::string::npos; });
  };
  const Plan plain = plan_of("llama3-405b");
  EXPECT_FALSE(says(plain, "does not count"));
  // Passes that wait for the host are played, in an order that the schedule takes.
  EXPECT_FALSE(says(plan_of("llama3-405b", {"mapping.offload_activations=true"}), "does not count"));
  EXPECT_TRUE(says(plan_of("llama3-405b", {"mapping.offload_activations=true", "mapping.microbatches=15",
                                           "training.batch_tokens=auto"}),
                   "activations from the host"));
  EXPECT_FALSE(says(plan_of("llama3-405b", {"mapping.offload_activations=true", "mapping.zero_stage=3"}),
                    "does not count"));
  const std::vector<std::string> sites = {"facility.datacenters=2", "mapping.zero_stage=3"};
  EXPECT_FALSE(says(plan_of("llama3-405b", sites), "delays between datacenters"));
  const std::vector<std::string> idealised = {"facility.datacenters=2", "assumptions.compute_model=roofline"};
  EXPECT_TRUE(says(plan_of("llama3-405b", idealised), "delays between datacenters"));
}

// Under DualPipe a device holds one stage of each end: output matrices of the last share it with the first.
TEST(Pipeline, OfBothWaysWorksAtTheMeanOfOppositeStages) {
  const Plan both = plan_of("deepseek-v3-h800");
  const Plan one = plan_of("deepseek-v3-h800", {"step.schedule=1f1b"});
  EXPECT_LT(both.step.pace, 0.985 * one.step.pace);
  EXPECT_NEAR(both.step.step / simulate_step(both).timeline.step, 1, 0.03);
  // Eight stages of two layers and eight of one make devices of three.
  const Plan uneven =
      plan_of("llama3-405b",
              {"model.layers=24", "mapping.virtual_stages=1", "mapping.pipeline=16", "mapping.tensor=8",
               "mapping.data=auto", "mapping.microbatches=64", "training.batch_tokens=auto",
               "mapping.recompute=full", "mapping.context=1", "step.schedule=dualpipe"});
  EXPECT_NEAR(uneven.step.step / simulate_step(uneven).timeline.step, 1, 0.03);
}

// What passes of zero bubbles wait for each other is played, not guessed: few microbatches, output matrices,
// stages of unequal length, transfers that opposite passes hide and those that they are too short for.
TEST(Pipeline, PlansPlaySchedulesOfZeroBubbles) {
  struct Case {
    const char* model;
    const char* schedule;
    int tensor, pipeline, microbatches, expert;
  };
  for (const Case& c :
       {Case{"llama3-8b", "zb_h1", 2, 2, 2, 1}, Case{"llama3-8b", "zb_h1", 2, 8, 4, 1},
        Case{"llama3-70b", "zb_h1", 4, 8, 16, 1}, Case{"llama3-70b", "dualpipe", 8, 8, 64, 1},
        Case{"qwen3-30b-a3b", "dualpipe", 2, 2, 8, 64}, Case{"qwen3-30b-a3b", "dualpipe", 8, 4, 16, 4},
        Case{"llama3-8b", "dualpipe", 1, 4, 32, 1}}) {
    const Plan p = plan_of(
        "llama3-405b",
        {"facility.devices=256", std::string("model.name=") + c.model, "training.software=megatron-core",
         "mapping.virtual_stages=1", "mapping.data=auto", "training.batch_tokens=auto", "mapping.context=1",
         "mapping.zero_stage=1", "mapping.recompute=full", std::string("step.schedule=") + c.schedule,
         fmt::format("mapping.tensor={}", c.tensor), fmt::format("mapping.pipeline={}", c.pipeline),
         fmt::format("mapping.microbatches={}", c.microbatches), fmt::format("mapping.expert={}", c.expert)});
    EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.01)
        << c.model << c.schedule << c.tensor << c.pipeline;
  }
}

// Chunks of a layer, and output matrices that take as long as several: all wait for the last chunk, as the
// timeline has it, even where its stage holds less in the others.
TEST(Pipeline, InterleavedChunksWaitForOutputMatrices) {
  for (const auto& [stages, chunks] : {std::pair{24, 3}, std::pair{8, 8}, std::pair{20, 2}}) {
    const Plan p =
        plan_of("deepseek-v3-h800",
                {"step.schedule=interleaved", "mapping.recompute_modules=[]", "mapping.recompute=full",
                 "mapping.data=auto", "mapping.zero_stage=2", fmt::format("mapping.pipeline={}", stages),
                 fmt::format("mapping.virtual_stages={}", chunks)});
    EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.04) << stages;
  }
}

// Both stages of a device under DualPipe, all microbatches under GPipe, as many on every stage under ZB-H1.
TEST(Pipeline, PlansCountTheMemoryOfEverySchedule) {
  for (const char* model : {"llama3-70b", "deepseek-v2"}) {
    for (const char* schedule : {"1f1b", "interleaved", "gpipe", "zb_h1", "dualpipe"}) {
      for (const char* stages : {"4", "8"}) {
        const Plan p =
            plan_of("llama3-405b",
                    {"facility.devices=256", "facility.hb_domain=dgx-b200",
                     fmt::format("model.name={}", model), "training.software=auto",
                     "training.batch_tokens=4194304", "mapping.tensor=auto", "mapping.virtual_stages=auto",
                     "mapping.microbatch=auto", "mapping.zero_stage=auto", "mapping.recompute=full",
                     fmt::format("mapping.pipeline={}", stages), fmt::format("step.schedule={}", schedule)});
        EXPECT_NEAR(simulate_step(p).timeline.peak_memory / p.mapping.device.total(), 1, 0.005)
            << model << schedule << stages;
      }
    }
  }
}

// Layers without experts and a module of multi-token prediction keep other amounts than the rest.
TEST(Pipeline, PlansCountTheMemoryOfUnequalStages) {
  for (const char* schedule : {"1f1b", "zb_h1", "dualpipe"}) {
    const Plan p = plan_of("deepseek-v3-h800", {fmt::format("step.schedule={}", schedule)});
    EXPECT_NEAR(simulate_step(p).timeline.peak_memory / p.mapping.device.total(), 1, 0.005) << schedule;
  }
}

TEST(Pipeline, MoreMicrobatchesMakeTheBubbleSmaller) {
  const Plan few = plan_of("llama3-405b", {"mapping.recompute=full"});
  const Plan many = plan_of("llama3-405b", {"training.batch_tokens=134217728", "mapping.recompute=full"});
  EXPECT_LT(many.step.bubble_share, few.step.bubble_share);
  EXPECT_GT(many.step.mfu, few.step.mfu);
}

TEST(Compute, RooflineIsNeverFasterThanThePeak) {
  for (const char* name : {"llama3-405b", "deepseek-v3", "100b-physical"}) {
    const Plan ideal = plan_of(name, {"assumptions.compute_model=ideal"});
    const Plan real = plan_of(name, {"mapping.tensor=" + std::to_string(ideal.mapping.tensor),
                                     "mapping.pipeline=" + std::to_string(ideal.mapping.pipeline)});
    EXPECT_GE(real.step.forward, ideal.step.forward) << name;
  }
}

TEST(Compute, RecomputationCostsWhatItRepeats) {
  const Plan none = plan_of("llama3-405b", {"assumptions.compute_model=ideal", "mapping.attention=stored",
                                            "mapping.offload_activations=true"});
  const Plan full = plan_of("llama3-405b", {"assumptions.compute_model=ideal", "mapping.recompute=full"});
  EXPECT_NEAR(none.step.backward / none.step.forward, 2, 1e-12);
  EXPECT_NEAR(full.step.backward / full.step.forward, 3, 1e-12);
  EXPECT_NEAR(full.step.recompute_share, 1.0 / 3, 1e-12);
}

// Products alone count: of Llama 3 405B's layer the three of its feed-forward part.
TEST(Compute, ModulesCostTheOperatorsTheyRepeat) {
  const auto backward = [](const std::string& modules) {
    return plan_of("llama3-405b",
                   {"assumptions.compute_model=ideal", "mapping.recompute=none",
                    "mapping.offload_activations=true", "mapping.recompute_modules=" + modules})
        .step.backward;
  };
  const Seconds none = backward("[]");
  EXPECT_NEAR((backward("[\"mlp_up\"]") - none) / (backward("[\"mlp\"]") - none), 2.0 / 3, 1e-9);
  EXPECT_EQ(backward("[\"mlp_act\"]"), none);
  EXPECT_EQ(
      plan_of("llama3-405b", {"mapping.recompute_modules=[\"mlp\"]", "mapping.offload_activations=true"})
          .scenario.mapping.recompute,
      Recompute::none);
}

TEST(Exposed, OffloadedLayersWaitForASlowHostLink) {
  const std::vector<std::string> base = {
      "model.name=llama3-8b", "facility.devices=64",      "mapping.tensor=1",       "mapping.pipeline=1",
      "mapping.zero_stage=3", "mapping.virtual_stages=1", "mapping.recompute=none", "mapping.microbatch=1"};
  const auto planned = [&](const std::vector<std::string>& more) {
    std::vector<std::string> changes = base;
    changes.insert(changes.end(), more.begin(), more.end());
    return plan_of("llama3-405b", changes);
  };
  const Plan on = planned({"network.host_rate=64 GB/s"});
  const Plan hidden = planned({"network.host_rate=10 TB/s", "mapping.offload_layers=16"});
  EXPECT_NEAR(simulate_step(hidden).timeline.peak_memory / hidden.mapping.device.total(), 1, 1e-9);
  EXPECT_EQ(hidden.step.forward, on.step.forward);
  const Plan slow = planned({"network.host_rate=100 MB/s", "mapping.offload_layers=16"});
  const Seconds transfer = 0.5 * (slow.mapping.activation_layer / BytesPerSecond(1e8));
  EXPECT_NEAR(slow.step.forward / transfer, 1, 1e-9);
  EXPECT_NEAR(slow.step.backward / transfer, 1, 1e-9);
}

// Passes wait for room before they send their activations to the host, and for those to come back.
TEST(Exposed, PassesWaitForTheHostAsTheirTimelineDoes) {
  const auto planned = [](const std::string& schedule, int chunks, const char* rate) {
    return plan_of("llama3-405b",
                   {"model.name=llama3-70b", "facility.devices=256", "mapping.tensor=8", "mapping.pipeline=4",
                    "mapping.virtual_stages=" + std::to_string(chunks), "mapping.data=auto",
                    "training.batch_tokens=auto", "mapping.microbatches=16", "mapping.zero_stage=1",
                    "mapping.offload_activations=true", "step.schedule=" + schedule, rate});
  };
  const std::pair<const char*, int> schedules[] = {{"1f1b", 1},     {"gpipe", 1},       {"zb_h1", 1},
                                                   {"dualpipe", 1}, {"interleaved", 4}, {"interleaved", 20}};
  for (const auto& [schedule, chunks] : schedules) {
    const Plan quick = planned(schedule, chunks, "network.host_rate=100 TB/s");
    EXPECT_NEAR(quick.step.offload_exposed_step / quick.step.step, 0, 1e-4) << schedule << " " << chunks;
    Seconds before = quick.step.step;
    for (const char* rate :
         {"network.host_rate=63 GB/s", "network.host_rate=16 GB/s", "network.host_rate=4 GB/s"}) {
      const Plan p = planned(schedule, chunks, rate);
      EXPECT_NEAR(p.step.step / simulate_step(p).timeline.step, 1, 0.004) << schedule << chunks << rate;
      EXPECT_GE(p.step.step, before) << schedule << chunks << rate;
      before = p.step.step;
    }
    // All but the last passes of the first stage go there, one after the other.
    const Plan slow = planned(schedule, chunks, "network.host_rate=1 GB/s");
    const Bytes all = slow.mapping.activation_layer * static_cast<double>(20 * 16);
    EXPECT_GT(slow.step.step / (all / BytesPerSecond(1e9)), 0.75) << schedule << chunks;
  }
}

// PyTorch's HSDP: gathers stay in a server, and each shard is summed over the servers.
TEST(Exposed, ZeroGroupsGatherInsideAServer) {
  const std::vector<std::string> base = {
      "model.name=llama3-8b", "facility.devices=64",      "mapping.tensor=1",      "mapping.pipeline=1",
      "mapping.zero_stage=3", "mapping.virtual_stages=1", "training.software=fsdp"};
  std::vector<std::string> grouped = base;
  grouped.emplace_back("mapping.zero_group=8");
  const Plan all = plan_of("llama3-405b", base);
  const Plan servers = plan_of("llama3-405b", grouped);
  EXPECT_LT(servers.communication.weight_gather, all.communication.weight_gather);
  const auto& stages = servers.communication.gradient.stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].peers, 8);
  EXPECT_EQ(stages[0].network, NetworkLevel::scale_up);
  EXPECT_EQ(stages[1].peers, 8);
  EXPECT_EQ(stages[1].network, NetworkLevel::scale_out);
  EXPECT_NEAR(stages[0].bytes / stages[1].bytes, 8, 1e-9);
  EXPECT_EQ(all.communication.gradient.stages.size(), 1U);
}

TEST(Compute, HeadsThatDoNotDivideLeaveDevicesWaiting) {
  const Plan even = plan_of("hotnets24-dense");
  const Plan padded = plan_of("hotnets24-dense", {"assumptions.uneven_shards=padded", "mapping.tensor=18"});
  EXPECT_GT(padded.step.forward, even.step.forward);
  EXPECT_LT(padded.step.forward / even.step.forward, 15 * 18 / 256.0 + 1e-12);
}

TEST(Exposed, ParallelBlocksSendHalfAsMuch) {
  const Plan serial =
      plan_of("railonly23-palm", {"mapping.tensor=8", "mapping.pipeline=1", "mapping.zero_stage=3",
                                  "mapping.recompute=full", "model.parallel_block=false"});
  const Plan parallel = plan_of("railonly23-palm", {"mapping.tensor=8", "mapping.pipeline=1",
                                                    "mapping.zero_stage=3", "mapping.recompute=full"});
  EXPECT_NEAR(serial.communication.tensor_forward / parallel.communication.tensor_forward, 2, 1e-12);
}

TEST(Exposed, ZeroThreeGathersWeights) {
  const Plan p = plan_of("llama3-405b", {"mapping.zero_stage=3"});
  EXPECT_GT(p.communication.weight_gather.si(), 0);
  EXPECT_EQ(plan_of("llama3-405b").communication.weight_gather.si(), 0);
}

// Both copies of a tied embedding send all of its gradients, in bf16: 262,144 x 2,560 of them at 10 Gbps.
TEST(Exposed, CopiesOfATiedEmbeddingAreSummedOverStages) {
  const std::vector<std::string> base = {
      "model.name=gemma3-4b",         "facility.devices=16",      "mapping.tensor=1",
      "mapping.pipeline=2",           "mapping.virtual_stages=1", "mapping.zero_stage=1",
      "mapping.placement=same_layer", "training.software=nemo",   "network.scale_out_rate=10 Gbps",
      "model.sequence=4096",          "mapping.microbatch=1",     "training.batch_tokens=1048576"};
  std::vector<std::string> without = base;
  without.emplace_back("step.embedding_exchange=false");
  const Plan with = plan_of("llama3-405b", base);
  const Plan apart = plan_of("llama3-405b", without);
  const double sum = 262144.0 * 2560 * 2 / 1.25e9;
  EXPECT_NEAR((with.step.end_sums - apart.step.end_sums).si() / sum, 1, 0.01);
  EXPECT_NEAR((with.step.step - apart.step.step).si() / with.step.straggling / sum, 1, 0.01);
  const Seconds simulated = simulate_step(with).timeline.step - simulate_step(apart).timeline.step;
  EXPECT_NEAR(simulated.si() / sum, 1, 0.02);
}

// Experts that are dealt over all replicas have no copies to gather from.
TEST(Experts, AreGatheredByTheirCopiesAlone) {
  const std::vector<std::string> base = {
      "model.name=mixtral-8x7b", "facility.devices=8",          "mapping.tensor=1",
      "mapping.pipeline=1",      "mapping.zero_stage=3",        "mapping.virtual_stages=1",
      "mapping.microbatch=1",    "mapping.recompute=full",      "model.layers=4",
      "training.software=fsdp",  "training.batch_tokens=262144"};
  const auto dealt = [&](const char* parts) {
    std::vector<std::string> changes = base;
    changes.push_back(std::string("mapping.expert=") + parts);
    return plan_of("llama3-405b", changes);
  };
  const auto gathered = [](const Plan& p) {  // by a device, of one layer and pass
    double bytes = 0;
    for (const TrafficClass& c : traffic_of(p).classes) {
      if (c.kind == TrafficKind::weights) bytes += c.pair.si();
    }
    return bytes / (2.0 * 4 * static_cast<double>(p.mapping.microbatches));
  };
  const Plan all = dealt("8");
  const Plan whole = dealt("1");
  const double of_experts = whole.communication.weight_shard_of_experts.si();
  const double others = (whole.communication.weight_shard - whole.communication.weight_shard_of_experts).si();
  EXPECT_NEAR(gathered(whole) / ((of_experts + others) * 7 / 8), 1, 1e-9);
  EXPECT_NEAR(gathered(all) / (others * 7 / 8), 1, 1e-9);
  EXPECT_LT(simulate_step(all).timeline.busy.scale_up, 1);
}

// FSDP gathers and scatters for every microbatch; torchtitan does so once a step where there are stages.
TEST(Experts, TrafficCountsGathersAsTheProgramMakesThem) {
  const auto moved = [](TrafficKind kind, const char* pipeline, const char* tokens) {
    const Plan p =
        plan_of("llama3-405b",
                {"model.name=llama3-8b", "facility.devices=16", "mapping.tensor=1", "mapping.zero_stage=3",
                 "mapping.virtual_stages=1", "mapping.microbatch=1", "mapping.recompute=full",
                 "training.software=torchtitan", std::string("mapping.pipeline=") + pipeline,
                 std::string("training.batch_tokens=") + tokens});
    double bytes = 0;
    for (const TrafficClass& c : traffic_of(p).classes) bytes += c.kind == kind ? c.pair.si() : 0;
    return bytes;
  };
  for (const TrafficKind kind : {TrafficKind::weights, TrafficKind::gradient}) {
    const double few = moved(kind, "1", "131072");
    EXPECT_GT(few, 0);
    EXPECT_NEAR(moved(kind, "1", "524288") / few, 4, 1e-9);
    EXPECT_NEAR(moved(kind, "2", "524288") / moved(kind, "2", "131072"), 1, 1e-9);
  }
}

// Where each stage has one replica nobody gathers what stands beside experts, but of frozen experts, which
// stand twice, a device keeps one half.
TEST(Experts, ThatAreFrozenAreGathered) {
  const Plan p = plan_of(
      "llama3-405b", {"model.name=mixtral-8x7b", "model.layers=8", "facility.devices=64", "mapping.tensor=8",
                      "mapping.pipeline=8", "mapping.expert=4", "mapping.expert_tensor=1",
                      "mapping.zero_stage=3", "mapping.virtual_stages=1", "training.adapter_rank=16",
                      "training.software=megatron-core", "training.batch_tokens=262144"});
  EXPECT_GT(p.communication.weight_gather.si(), 0);
  const CommunicationPlan& c = p.communication;
  EXPECT_NEAR(c.weight_shard_of_experts.si(), 8 / 4 * 3 * 4096.0 * 14336 * 2,
              1);  // experts of a device, in 16 bits
  EXPECT_GT(simulate_step(p).timeline.step.si(), 0);
}

// A set of experts that is spread over e replicas has 1/e of the copies: as many bytes of it leave the HB
// domain as if every replica held it.
TEST(Experts, SpreadOverADomainSendNoFewerGradientsOutOfIt) {
  const auto leaving = [](int expert) {
    const Plan p =
        plan_of("deepseek-v3", {"mapping.expert=" + std::to_string(expert), "mapping.tensor=1",
                                "mapping.pipeline=1", "mapping.zero_stage=3", "mapping.recompute=full",
                                "assumptions.gradient_exchange=hierarchical_reduce_scatter"});
    return p.communication.gradient.stages[1].bytes;
  };
  EXPECT_NEAR(leaving(8) / leaving(1), 1, 1e-9);
}

RC_GTEST_PROP(Exposed, FallsWhenANetworkGetsFaster, ()) {
  // No more than the NICs of the scenario take.
  const int slow = *rc::gen::inRange(50, 400);
  const int fast = slow + *rc::gen::inRange(1, 400);
  for (const std::string key :
       {"network.scale_out_rate", "network.scale_up_rate", "network.wide_area_rate"}) {
    const auto share = [&](int rate) {
      return plan_of("hotnets24-moe", {key + "=" + std::to_string(rate) + " Gbps"}).step.exposed_share;
    };
    RC_ASSERT(share(fast) <= share(slow));
  }
}

TEST(Utilization, IsUsefulWorkOverPeak) {
  const Plan p = plan_of("llama3-405b");
  const double flop = p.model.sequence_training.si() * p.mapping.batch_sequences;
  EXPECT_NEAR(p.step.mfu, flop / (989.4e12 * 16384 * p.step.step.si()), 1e-12);
  EXPECT_GT(p.step.mfu, 0.3);  // Llama 3 paper, table 4: 38 to 43%
  EXPECT_LT(p.step.mfu, 0.55);
}

}  // namespace
}  // namespace trainyard
