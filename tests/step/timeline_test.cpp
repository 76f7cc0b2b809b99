#include "step/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cost/cost.h"
#include "cost/exchange_times.h"
#include "plans.h"
#include "step/flow_transfers.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

StepTimeline timeline(const std::string& name, const std::vector<std::string>& changes = {}) {
  return simulate_step(plan_of(name, changes)).timeline;
}

/// A cut of a middle-sized model whose numbers divide.
std::vector<std::string> small(std::vector<std::string> more = {}) {
  std::vector<std::string> out = {"mapping.tensor=8",         "mapping.pipeline=6",
                                  "mapping.virtual_stages=1", "training.batch_tokens=auto",
                                  "mapping.microbatches=24",  "assumptions.embedding_placement=spread",
                                  "mapping.recompute=full",   "assumptions.compute_model=roofline",
                                  "training.software=none"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

// HotNets '24 section 6: the closed form of steady state within 0.5%, for every point of Fig. 3.
TEST(SteadyState, IsTheClosedFormOfThePaper) {
  for (const char* name : {"hotnets24-dense", "hotnets24-moe"}) {
    for (const std::string change :
         {"network.scale_up_rate=14.4 Tbps", "network.scale_up_rate=800 Gbps",
          "network.scale_up_rate=3.2 Tbps", "network.scale_out_rate=100 Gbps",
          "network.scale_out_rate=1.6 Tbps", "network.wide_area_rate=2 Gbps", "network.tail_loss_rtts=1",
          "assumptions.stage_overlap=shared_network"}) {
      const Plan p = plan_of(name, {change});
      const StepTimeline t = simulate_step(p).timeline;
      ASSERT_TRUE(t.steady) << name << " " << change;
      const double closed = p.step.steady_time * real(p.mapping.layers_per_stage) / Seconds(1);
      EXPECT_NEAR(t.steady->time.si() / closed, 1, 0.005) << name << " " << change;
      EXPECT_NEAR(t.steady->exposed_share, p.step.exposed_share, 0.005 * p.step.exposed_share + 5e-4)
          << name << " " << change;
    }
  }
}

// data/published.csv: the shares of section 6 and Fig. 3 with their tolerances, here from the timeline.
TEST(SteadyState, ReproducesSectionSix) {
  const struct {
    const char* scenario;
    const char* change;
    double share;
    double tolerance;
  } rows[] = {{"hotnets24-dense", "step.seed=1", 0.05, 0.05},
              {"hotnets24-moe", "step.seed=1", 0.20, 0.10},
              {"hotnets24-dense", "network.scale_up_rate=800 Gbps", 0.45, 0.12},
              {"hotnets24-moe", "network.scale_up_rate=800 Gbps", 0.75, 0.03},
              {"hotnets24-dense", "network.scale_out_rate=100 Gbps", 0.55, 0.10},
              {"hotnets24-moe", "network.scale_out_rate=100 Gbps", 0.85, 0.03},
              {"hotnets24-moe", "network.scale_out_rate=1600 Gbps", 0.05, 0.25}};
  for (const auto& row : rows) {
    const StepTimeline t = timeline(row.scenario, {row.change});
    EXPECT_NEAR(t.steady->exposed_share / row.share, 1, row.tolerance) << row.scenario << " " << row.change;
  }
}

TEST(SteadyState, ExposesWhatThePaperExposes) {
  const Plan p = plan_of("hotnets24-moe");
  const StepTimeline t = simulate_step(p).timeline;
  EXPECT_NEAR(t.steady->exposed.tensor / p.step.exposed_tensor, 1, 0.01);
  EXPECT_NEAR(t.steady->exposed.pipeline / p.step.exposed_pipeline, 1, 0.02);
  EXPECT_NEAR(t.steady->exposed.gradient / p.step.exposed_gradient, 1, 0.01);
}

// Narayanan et al. 2021, section 2.2.
TEST(Step, FillsAndDrainsAsTheClosedFormSays) {
  const Plan p = plan_of("llama3-405b", small());
  const StepTimeline t = simulate_step(p).timeline;
  EXPECT_NEAR(t.step / p.step.step_pipeline, 1, 0.02);
}

TEST(Step, TimeIsComputeWaitingAndIdling) {
  for (const char* name : {"hotnets24-moe", "llama3-405b", "deepseek-v3"}) {
    for (const StageTimeline& s : timeline(name).stages) {
      const StepTimeline t = timeline(name);
      EXPECT_NEAR((s.compute + s.exposed.total() + s.idle) / t.total, 1, 1e-11) << name;
      EXPECT_GE(s.idle.si(), 0) << name;
      break;
    }
  }
}

TEST(Memory, PeakIsTheMicrobatchesInFlight) {
  for (const int microbatches : {3, 24}) {
    const Plan p = plan_of("llama3-405b", small({"mapping.recompute=selective", "model.sequence=4096",
                                                 "mapping.microbatches=" + std::to_string(microbatches)}));
    const StepTimeline t = simulate_step(p).timeline;
    for (const StageTimeline& s : t.stages) {
      const double waiting = std::min<double>(6 - static_cast<double>(s.stage), microbatches);
      const double layers = 126.0 / 6;
      EXPECT_NEAR((s.peak_memory - s.states) / p.mapping.activation_layer, waiting * layers, 1e-6) << s.stage;
    }
  }
}

// Stage 0 has neither logits nor fewer microbatches in flight than plan_of() counts; a program's buffers are
// not simulated.
TEST(Memory, OfTheFirstStageIsThePlans) {
  for (const char* recompute : {"full", "selective"}) {
    const Plan p = plan_of("llama3-405b", small({std::string("mapping.recompute=") + recompute,
                                                 "model.sequence=4096", "training.software=none"}));
    const StageTimeline first = simulate_step(p).timeline.stages.front();
    EXPECT_NEAR(first.peak_memory / p.mapping.device.total(), 1, 0.005) << recompute;
  }
}

// Llama 4 Scout's like with experts in every second layer, whose own products keep more; and the logits of a
// program without buffers, on a last stage that they fill.
TEST(Memory, OfDenseLayersAndLogitsIsThePlans) {
  const auto ratio = [](std::vector<std::string> changes) {
    for (const char* change :
         {"facility.devices=64", "mapping.tensor=1", "mapping.virtual_stages=1", "mapping.zero_stage=1",
          "mapping.recompute=none", "mapping.microbatch=1", "training.batch_tokens=2097152"})
      changes.emplace_back(change);
    const Plan p = plan_of("llama3-405b", changes);
    Bytes most{0};
    for (const StageTimeline& s : simulate_step(p).timeline.stages) most = std::max(most, s.peak_memory);
    return most / p.mapping.device.total();
  };
  EXPECT_NEAR(ratio({"model.name=llama4-scout", "model.layers=8", "model.expert_interval=2",
                     "mapping.expert=4", "mapping.pipeline=1"}),
              1, 0.005);
  EXPECT_NEAR(
      ratio({"model.name=gemma3-4b", "model.layers=8", "mapping.pipeline=8", "training.software=none"}), 1,
      0.005);
}

TEST(Memory, IsGivenBack) {
  for (const char* schedule : {"gpipe", "1f1b", "zb_h1", "dualpipe"}) {
    for (const StageTimeline& s :
         timeline("llama3-405b", small({std::string("step.schedule=") + schedule})).stages)
      EXPECT_NEAR(s.memory.back().bytes / s.states, 1, 1e-9) << schedule;
  }
}

TEST(Schedules, EachIsFasterThanTheOneItImproves) {
  const auto step = [](const char* schedule) {
    return timeline("llama3-405b", small({std::string("step.schedule=") + schedule})).step;
  };
  EXPECT_LT(step("zb_h1"), step("1f1b"));
  EXPECT_LT(step("dualpipe"), step("1f1b"));
  EXPECT_LT(timeline("llama3-405b", small({"mapping.virtual_stages=3"})).step, step("1f1b"));
}

TEST(Straggler, SetsThePaceOfThePipeline) {
  const Plan even = plan_of("llama3-405b", small({"mapping.microbatches=120"}));
  const Plan slow = plan_of("llama3-405b",
                            small({"mapping.microbatches=120", "straggler=[{ stage = 2, slowdown = 1.5 }]"}));
  const StepTimeline a = simulate_step(even).timeline;
  const StepTimeline b = simulate_step(slow).timeline;
  const Seconds compute = a.stages[2].compute;
  // All microbatches at the pace of stage 2, but for fill and drain.
  EXPECT_GT(b.step, a.step + 0.5 * compute * 0.97);
  EXPECT_LT(b.step, a.step * 1.5);
  EXPECT_EQ(b.stages.size(), 2 * a.stages.size());  // the replica with the straggler, and the others
  EXPECT_EQ(b.stages.back().replicas, 1);
}

TEST(Jitter, SlowsEveryStepByItsSeed) {
  const StepTimeline calm = timeline("llama3-405b", small());
  const StepTimeline one = timeline("llama3-405b", small({"step.jitter=0.1"}));
  const StepTimeline same = timeline("llama3-405b", small({"step.jitter=0.1"}));
  const StepTimeline other = timeline("llama3-405b", small({"step.jitter=0.1", "step.seed=2"}));
  EXPECT_GT(one.step, calm.step);
  EXPECT_EQ(one.step, same.step);
  EXPECT_NE(one.step, other.step);
  EXPECT_GT(timeline("llama3-405b", small({"step.jitter=0.1", "step.replicas=4"})).step, one.step * 0.999);
}

TEST(Overlap, HidesWhatItShould) {
  const auto step = [](std::vector<std::string> more) {
    return timeline("llama3-405b", small(std::move(more))).step;
  };
  EXPECT_LT(step({"step.tensor_overlap=1"}), step({"step.tensor_overlap=0.5"}));
  EXPECT_LT(step({"step.tensor_overlap=0.5"}), step({}));
  EXPECT_LT(step({}), step({"step.gradient_overlap=after_batch"}));
  const std::vector<std::string> sharded = {"mapping.zero_stage=3"};
  EXPECT_LT(step({"mapping.zero_stage=3"}), step({"mapping.zero_stage=3", "step.prefetch=0"}));
}

TEST(Steps, FollowOneAnother) {
  const StepTimeline one = timeline("llama3-405b", small());
  const StepTimeline three = timeline("llama3-405b", small({"step.steps=3"}));
  EXPECT_EQ(three.steps, 3);
  EXPECT_LE(three.step, one.step);
  EXPECT_GT(three.step, one.step * 0.8);
}

TEST(Granularity, LayersTogetherTakeTheSameTime) {
  for (const char* latency : {"0 s", "50 us"}) {
    const Plan p = plan_of("llama3-405b", small({"mapping.microbatches=20000", "assumptions.all_reduce=ring",
                                                 std::string("network.scale_up_latency=") + latency}));
    const StepTimeline t = simulate_step(p).timeline;
    EXPECT_GT(t.layers_per_operation, 1);
    EXPECT_LT(t.operations, 3000000);
    EXPECT_NEAR(t.step / p.step.step_pipeline, 1, 0.005) << latency;
  }
}

/// Which of the warnings begin so.
std::size_t warned(const StepTimeline& t, const std::string& words) {
  return static_cast<std::size_t>(std::count_if(t.warnings.begin(), t.warnings.end(), [&](const auto& w) {
    return w.find(words) != std::string::npos;
  }));
}

// One stage, one microbatch: nothing else waits for these delays.
TEST(Latency, IsPaidByEveryRoundOfACollective) {
  for (const char* algorithm : {"ring", "tree", "in_network", "best"}) {
    const std::string set = std::string("assumptions.all_reduce=") + algorithm;
    const std::vector<std::string> plain = {set, "assumptions.compute_model=roofline",
                                            "training.software=none"};
    std::vector<std::string> slow = plain;
    slow.emplace_back("network.scale_up_latency=20 us");
    const Plan quick = plan_of("ndp-permutation", plain);
    const Plan late = plan_of("ndp-permutation", slow);
    const Seconds of_layer = late.communication.tensor_forward + late.communication.tensor_backward -
                             quick.communication.tensor_forward - quick.communication.tensor_backward;
    ASSERT_GT(of_layer.si(), 20e-6);
    const Seconds more =
        simulate_step(late).timeline.exposed.tensor - simulate_step(quick).timeline.exposed.tensor;
    // The very last one hides behind the gradient exchange.
    const double layers = real(late.mapping.layers_per_stage);
    EXPECT_NEAR(more / (of_layer * layers), 1 - 1 / (2 * layers), 1e-3) << algorithm;
  }
}

// A ring over two datacenters crosses twice in each of its two passes, half a round trip each time.
TEST(Latency, OfTheWideAreaIsPaidByAFlatExchange) {
  const auto step = [](const char* rtt) {
    return timeline("llama3-405b", small({"facility.datacenters=2", "assumptions.gradient_exchange=flat",
                                          "step.gradient_overlap=after_batch", "step.gradient_norm=false",
                                          std::string("network.wide_area_rtt=") + rtt}))
        .step;
  };
  EXPECT_NEAR((step("1 s") - step("0 s")).si(), 2.0, 1e-9);
}

// Rajbhandari et al. 2020, section 7.2.2: devices that keep a shard do not gather the sum.
TEST(Sharding, ExchangesGradientsOnce) {
  const auto bytes = [](const char* stage) {
    const Plan p =
        plan_of("llama3-405b",
                small({std::string("mapping.zero_stage=") + stage, "assumptions.gradient_exchange=flat"}));
    Bytes sent{0};
    for (const GradientStage& s : p.communication.gradient.stages) sent += s.sent;
    return sent;
  };
  EXPECT_NEAR(bytes("2") / bytes("3"), 2, 1e-12);
}

// Rajbhandari et al. 2020, section 5.1: what a device updates is its shard, so that weights are gathered
// after the optimizer, whichever way gradients are summed.
TEST(Sharding, GathersWeightsAfterTheOptimizer) {
  for (const char* stage : {"1", "2"}) {
    const auto step = [stage](const char* exchange) {
      return timeline("llama3-405b", small({std::string("mapping.zero_stage=") + stage,
                                            std::string("assumptions.gradient_exchange=") + exchange}));
    };
    const StepTimeline flat = step("flat");
    EXPECT_GT(flat.exposed.weights.si(), 0);
    EXPECT_NEAR(flat.exposed.weights / step("hierarchical_reduce_scatter").exposed.weights, 1, 0.02);
  }
}

// A plan knows the microbatches of GPipe and refuses; of DualPipe's second chunk it does not know.
TEST(Warnings, SayWhatTheHardwareCannotDo) {
  const std::vector<std::string> kept = {"mapping.recompute=selective", "model.sequence=6144"};
  EXPECT_EQ(warned(timeline("llama3-405b", small(kept)), "at once and a device has"), 0u);
  auto gpipe = small(kept);
  gpipe.emplace_back("step.schedule=gpipe");
  EXPECT_THROW(plan_of("llama3-405b", gpipe), Infeasible);
  auto dualpipe = small(kept);
  dualpipe.emplace_back("step.schedule=dualpipe");
  EXPECT_THROW(plan_of("llama3-405b", dualpipe), Infeasible);
}

TEST(Warnings, SayThatLinksCarryMoreThanTheyCan) {
  const Plan p = plan_of("llama3-405b", small({"mapping.zero_stage=3", "step.exchange_every=microbatch",
                                               "step.prefetch=20", "network.scale_out_rate=20 Gbps"}));
  EXPECT_EQ(warned(simulate_step(p).timeline, "scale-out link carries"), 1u);
  const StepTimeline shared = simulate_step(p, flow_network()).timeline;
  EXPECT_EQ(warned(shared, "scale-out link carries"), 0u);
  for (const StageTimeline& s : shared.stages) EXPECT_LE(s.scale_out_share, 1 + 1e-9);
}

TEST(Warnings, OfThePlanAreTheSteps) {
  const auto t =
      timeline("deepseek-v3", {"assumptions.compute_model=calibrated", "facility.hb_domain=nvl576"});
  EXPECT_EQ(warned(t, "nothing was measured on the"), 1u);
}

TEST(Offload, UsesTheHostLinkEachWay) {
  const StepTimeline t = timeline("hotnets24-moe", {"mapping.recompute=none"});
  for (const StageTimeline& s : t.stages) EXPECT_LE(s.host_share, 1 + 1e-9);
}

TEST(SteadyState, IsNoneWhereForwardAndBackwardPassesDoNotAlternate) {
  EXPECT_TRUE(timeline("llama3-405b", small()).steady);
  EXPECT_FALSE(timeline("llama3-405b", small({"step.schedule=gpipe"})).steady);
}

/// When the first operation of a kind starts, and when the last one ends.
std::pair<StepTime, StepTime> first_and_last(const StepSimulation& step, StepWork work) {
  std::pair<StepTime, StepTime> out = {kLongestStep, 0};
  for (OperationId id = 0; id < step.detail->model.graph.size(); ++id) {
    if (step.detail->model.graph.operation(id).work != work) continue;
    out.first = std::min(out.first, step.detail->execution.start[id]);
    out.second = std::max(out.second, step.detail->execution.finish[id]);
  }
  return out;
}

// Megatron-LM clips by the norm of all gradients: no optimizer starts before the last gradient is summed.
TEST(GradientNorm, HoldsTheOptimizersOfAllStages) {
  const auto changed = [](std::vector<std::string> changes, const char* more) {
    changes.emplace_back(more);
    return changes;
  };
  const std::pair<const char*, std::vector<std::string>> plans[] = {
      {"megatron-175b", {}}, {"llama3-405b", small({"mapping.zero_stage=1"})}, {"llama3-405b", small()}};
  for (const auto& [name, changes] : plans) {
    const StepSimulation with = simulate_step(plan_of(name, changes));
    const StepSimulation without = simulate_step(plan_of(name, changed(changes, "step.gradient_norm=false")));
    const StepTime optimizer = first_and_last(with, StepWork::optimizer).first;
    EXPECT_GE(optimizer, first_and_last(with, StepWork::gradient).second) << name;
    EXPECT_GE(optimizer, first_and_last(with, StepWork::backward).second) << name;
    // Some stage is through with its microbatches before the first one.
    EXPECT_LT(first_and_last(without, StepWork::optimizer).first,
              first_and_last(without, StepWork::backward).second)
        << name;
    EXPECT_NEAR(with.timeline.step / without.timeline.step, 1, 1e-3) << name;
  }
}

TEST(GradientNorm, IsNotWaitedForInThePapersSteadyState) {
  const Plan p = plan_of("hotnets24-moe");
  const StepTime usual = simulate_step(p).detail->execution.end;
  EXPECT_EQ(simulate_step(plan_of("hotnets24-moe", {"step.gradient_norm=false"})).detail->execution.end,
            usual);
}

// Two devices add up V h / t gradients: each sends all of its own, 2 (n-1)/n of the buffer with n = 2.
TEST(EmbeddingExchange, IsAnAllReduceOfTheFirstAndTheLastStage) {
  const Plan p = plan_of("megatron-175b");
  const StepSimulation step = simulate_step(p);
  const ModelShape& shape = p.model.shape;
  const double bytes = real(shape.vocabulary) * real(shape.hidden) / real(p.mapping.tensor) *
                       bytes_of(exchanged_gradients(p.scenario));
  std::vector<std::int32_t> stages;
  StepTime from = 0;
  StepTime until = 0;
  for (OperationId id = 0; id < step.detail->model.graph.size(); ++id) {
    const StepOperation& op = step.detail->model.graph.operation(id);
    if (!is_transfer(op.work) || step.detail->model.graph.class_of(id).name != "embedding gradients")
      continue;
    stages.push_back(step.detail->model.graph.stream_of(id).stage);
    EXPECT_NEAR(op.bytes / bytes, 1, 1e-12);
    from = step.detail->execution.start[id];
    until = step.detail->execution.finish[id];
  }
  EXPECT_EQ(stages, (std::vector<std::int32_t>{0, static_cast<std::int32_t>(p.mapping.pipeline) - 1}));
  const double rate = byte_rate(p.communication.scale_out_rate).si();
  EXPECT_NEAR(seconds_of(until - from).si() / (bytes / rate), 1, 1e-6);
  EXPECT_GE(first_and_last(step, StepWork::optimizer).first, until);
  const StepSimulation without = simulate_step(plan_of("megatron-175b", {"step.embedding_exchange=false"}));
  EXPECT_GT(step.detail->execution.end, without.detail->execution.end);
  EXPECT_LT(step.detail->execution.end, without.detail->execution.end + 2 * (until - from));
}

TEST(EmbeddingExchange, NeedsAnEmbeddingOnTwoStages) {
  EXPECT_THROW(timeline("llama3-405b", small({"step.embedding_exchange=true"})), InputError);
  EXPECT_THROW(
      timeline("megatron-175b", {"step.embedding_exchange=true", "assumptions.embedding_placement=spread"}),
      InputError);
}

// Devices' means are the stages' shares, each as often as it has replicas.
TEST(Busy, IsTheMeanOfAllStages) {
  for (const std::vector<std::string>& changes :
       {small(), small({"straggler=[{ stage = 2, slowdown = 1.5 }]", "mapping.zero_stage=1"})}) {
    const StepTimeline t = timeline("llama3-405b", changes);
    double replicas = 0;
    BusyShares mean;
    for (const StageTimeline& s : t.stages) {
      replicas += real(s.replicas);
      mean.compute += s.compute_share * real(s.replicas);
      mean.scale_up += s.scale_up_share * real(s.replicas);
      mean.scale_out += s.scale_out_share * real(s.replicas);
    }
    EXPECT_NEAR(t.busy.compute, mean.compute / replicas, 1e-9);
    EXPECT_NEAR(t.busy.scale_up, mean.scale_up / replicas, 1e-9);
    EXPECT_NEAR(t.busy.scale_out, mean.scale_out / replicas, 1e-9);
    for (const BusyShares& span : t.busy_in_time) {
      EXPECT_LE(span.compute, 1 + 1e-9);
      EXPECT_GE(span.compute, 0);
    }
    EXPECT_LT(t.busy_in_time.front().compute, 0.5);  // while the pipeline fills
  }
}

TEST(Step, RefusesWhatCannotBe) {
  const auto refuses = [](std::vector<std::string> changes) {
    EXPECT_THROW(timeline("llama3-405b", changes), InputError) << changes.back();
  };
  refuses(small({"step.schedule=dualpipe", "mapping.microbatches=7"}));
  refuses(small({"mapping.virtual_stages=3", "mapping.microbatches=7"}));
  refuses(small({"mapping.virtual_stages=3", "step.schedule=1f1b"}));
  refuses(small({"straggler=[{ stage = 6, slowdown = 2 }]"}));
  refuses(small({"straggler=[{ stage = 0, slowdown = 0.5 }]"}));
  refuses(small({"straggler=[{ stage = 0, slowdown = 2, replicas = 100000 }]"}));
  refuses(small({"step.jitter=-1"}));
  refuses(small({"step.shedule=1f1b"}));
  refuses(small({"step.gradient_overlap=after_batch", "step.exchange_every=microbatch"}));
  refuses(small({"mapping.microbatches=50000000"}));
}

}  // namespace
}  // namespace trainyard
