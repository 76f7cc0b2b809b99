// The graph of a step from costs of round numbers: what is added, how long it takes, what it waits for.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "step/build_step.h"
#include "step/layer_pass.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::int64_t kLayers = 8;

/// Two stages of four layers and four microbatches, one replica class, unless changed.
Plan plan(const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load("llama3-405b");
  for (const char* change :
       {"mapping.tensor=8", "mapping.pipeline=2", "mapping.virtual_stages=1", "training.batch_tokens=auto",
        "mapping.microbatches=4", "assumptions.embedding_placement=spread", "mapping.recompute=selective",
        "assumptions.compute_model=roofline", "training.software=none", "model.layers=8",
        "step.tensor_overlap=0", "mapping.zero_stage=0", "step.gradient_norm=false"})
    text.set(change);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

/// A layer computes 1 s forward, 2 s for the gradients of its inputs, 1 s for those of its weights, and keeps
/// 10 bytes; the optimizer takes 5 s.
LayerPass costs() {
  LayerPass out;
  out.usual = {Seconds(1), Seconds(0.5), Seconds(0), Seconds(2), Seconds(1)};
  out.dense = out.usual;
  out.optimizer = Seconds(5);
  out.to_next_stage = {StepWork::pipeline, "pipeline", StepResource::scale_up, 2, Bytes(100), 1, 1};
  out.to_next_domain = out.to_next_stage;
  out.to_next_domain.network = StepResource::scale_out;
  out.activations = Bytes(10);
  return out;
}

PassTransfer transfer(StepWork work, Bytes bytes) {
  return {work, std::string(step_work_name(work)), StepResource::scale_out, 4, bytes, 1, 1};
}

/// Operations of a kind on a stage, as they were added.
std::vector<OperationId> all(const StepModel& model, StepWork work, std::int32_t stage) {
  std::vector<OperationId> out;
  for (OperationId id = 0; id < model.graph.size(); ++id) {
    if (model.graph.operation(id).work == work && model.graph.stream_of(id).stage == stage) out.push_back(id);
  }
  return out;
}

const StepOperation& op(const StepModel& model, OperationId id) { return model.graph.operation(id); }

double seconds(const StepModel& model, OperationId id) { return seconds_of(op(model, id).duration).si(); }

bool waits_for(const StepModel& model, OperationId later, OperationId earlier) {
  const auto before = model.graph.predecessors(later);
  return std::find(before.begin(), before.end(), earlier) != before.end();
}

/// Whether a chain of dependencies and of orders of streams leads from one operation to another.
bool follows(const StepModel& model, OperationId later, OperationId earlier) {
  std::set<OperationId> seen;
  std::vector<OperationId> open = {later};
  while (!open.empty()) {
    const OperationId id = open.back();
    open.pop_back();
    if (id == earlier) return true;
    if (!seen.insert(id).second) continue;
    const auto before = model.graph.predecessors(id);
    open.insert(open.end(), before.begin(), before.end());
    if (model.graph.stream_of(id).order != StreamOrder::program) continue;
    const auto stream = model.graph.on_stream(op(model, id).stream);
    const auto here = std::find(stream.begin(), stream.end(), id);
    if (here != stream.begin()) open.push_back(*(here - 1));
  }
  return false;
}

double bytes_of(const StepModel& model, const std::vector<OperationId>& ids) {
  double sum = 0;
  for (const OperationId id : ids) sum += op(model, id).bytes;
  return sum;
}

TEST(Builder, ComputesEveryLayerOnceEachWay) {
  const StepModel m = build_step(plan(), costs());
  ASSERT_EQ(m.layers_per_operation, 1);
  for (const std::int32_t stage : {0, 1}) {
    const auto forward = all(m, StepWork::forward, stage);
    const auto backward = all(m, StepWork::backward, stage);
    ASSERT_EQ(forward.size(), 4U * kLayers / 2);
    ASSERT_EQ(backward.size(), 4U * kLayers / 2);
    for (const OperationId id : forward) EXPECT_EQ(seconds(m, id), 1);
    for (const OperationId id : backward) EXPECT_EQ(seconds(m, id), 3);
    EXPECT_EQ(op(m, forward[0]).layer, 0);
    EXPECT_EQ(op(m, forward[3]).layer, 3);
    EXPECT_EQ(op(m, backward[0]).layer, 3);  // from the last layer back
    EXPECT_EQ(op(m, backward[3]).layer, 0);
    EXPECT_EQ(all(m, StepWork::optimizer, stage).size(), 1U);
  }
  EXPECT_EQ(seconds(m, all(m, StepWork::optimizer, 0)[0]), 5);
}

TEST(Builder, SendsWhatTheNextStageWaitsFor) {
  const StepModel m = build_step(plan(), costs());
  const auto forward = all(m, StepWork::pipeline, 0);
  const auto backward = all(m, StepWork::pipeline, 1);
  ASSERT_EQ(forward.size(), 4U);
  ASSERT_EQ(backward.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(op(m, forward[i]).bytes, 100);
    EXPECT_TRUE(waits_for(m, forward[i], all(m, StepWork::forward, 0)[4 * i + 3]));
    EXPECT_TRUE(waits_for(m, all(m, StepWork::forward, 1)[4 * i], forward[i]));
    EXPECT_TRUE(waits_for(m, backward[i], all(m, StepWork::backward, 1)[4 * i + 3]));
    EXPECT_TRUE(waits_for(m, all(m, StepWork::backward, 0)[4 * i], backward[i]));
  }
}

TEST(Builder, OnlyBlockingSendsHoldTheNextPass) {
  LayerPass c = costs();
  for (const bool blocking : {false, true}) {
    c.blocking_sends = blocking;
    const StepModel m = build_step(plan(), c);
    const OperationId sent = all(m, StepWork::pipeline, 0)[0];
    EXPECT_EQ(follows(m, all(m, StepWork::forward, 0)[4], sent), blocking);
  }
}

TEST(Builder, AStallHoldsTheFirstStagesFirstPass) {
  LayerPass c = costs();
  c.stall = Seconds(7);
  const StepModel m = build_step(plan({"mapping.virtual_stages=2"}), c);
  const auto sends = all(m, StepWork::pipeline, 0);
  EXPECT_EQ(m.graph.class_of(sends[0]).delay.si(), 7);
  EXPECT_TRUE(m.graph.class_of(sends[0]).idles);
  EXPECT_TRUE(waits_for(m, all(m, StepWork::forward, 0)[0], sends[0]));
  for (const OperationId id : all(m, StepWork::pipeline, 1)) EXPECT_EQ(m.graph.class_of(id).delay.si(), 0);
}

// A third of an end's work is forward; every microbatch's share of it goes with its first layers.
TEST(Builder, EndsStandOnTheirStages) {
  LayerPass c = costs();
  c.ends = {Seconds(3), Seconds(6), Seconds(0.3), Seconds(0)};
  const StepModel m = build_step(plan(), c);
  const auto first = all(m, StepWork::head, 0);
  const auto last = all(m, StepWork::head, 1);
  ASSERT_EQ(first.size(), 8U);
  ASSERT_EQ(last.size(), 8U);
  EXPECT_NEAR(seconds(m, first[0]), 1, 1e-9);
  EXPECT_NEAR(seconds(m, last[0]), 2, 1e-9);
  double sum = 0;
  for (const OperationId id : last) sum += seconds(m, id);
  EXPECT_NEAR(sum, 4 * 6, 1e-9);
  EXPECT_TRUE(follows(m, all(m, StepWork::forward, 0)[0], first[0]));
  EXPECT_TRUE(follows(m, last[0], all(m, StepWork::forward, 1)[3]));
  EXPECT_NEAR(seconds(m, all(m, StepWork::forward, 0)[0]), 1.1, 1e-9);
  EXPECT_NEAR(seconds(m, all(m, StepWork::backward, 0)[0]), 3.2, 1e-9);
  EXPECT_NEAR(seconds(m, all(m, StepWork::forward, 0)[1]), 1, 1e-9);
}

TEST(Builder, RecomputesBeforeTheBackwardPass) {
  LayerPass c = costs();
  c.usual.recompute = Seconds(0.25);
  c.recomputed = Bytes(7);
  const StepModel m = build_step(plan(), c);
  const auto again = all(m, StepWork::recompute, 0);
  const auto backward = all(m, StepWork::backward, 0);
  ASSERT_EQ(again.size(), backward.size());
  EXPECT_EQ(seconds(m, again[0]), 0.25);
  EXPECT_TRUE(waits_for(m, backward[0], again[0]));
  EXPECT_EQ(seconds(m, backward[0]), 3);
  EXPECT_EQ(op(m, backward[0]).memory_at_start, 7);      // of one layer at a time
  EXPECT_EQ(op(m, backward[3]).memory_at_end, -40 - 7);  // with the pass's activations
}

TEST(Builder, HoldsActivationsFromForwardToBackward) {
  const StepModel m = build_step(plan(), costs());
  const auto forward = all(m, StepWork::forward, 0);
  const auto backward = all(m, StepWork::backward, 0);
  EXPECT_EQ(op(m, forward[0]).memory_at_start, 40);
  EXPECT_EQ(op(m, forward[1]).memory_at_start, 0);
  EXPECT_EQ(op(m, forward[3]).memory_at_end, 0);
  EXPECT_EQ(op(m, backward[0]).memory_at_end, 0);
  EXPECT_EQ(op(m, backward[3]).memory_at_end, -40);
}

TEST(Builder, TensorTransfersStandBetweenLayersAndBesideThem) {
  LayerPass c = costs();
  c.after_forward = {transfer(StepWork::tensor, Bytes(8))};
  c.after_backward = {transfer(StepWork::tensor, Bytes(16))};
  const StepModel between = build_step(plan(), c);
  const auto forward = all(between, StepWork::forward, 0);
  const auto sent = all(between, StepWork::tensor, 0);
  ASSERT_EQ(sent.size(), 32U);
  EXPECT_EQ(op(between, sent[0]).bytes, 8);
  EXPECT_TRUE(waits_for(between, sent[0], forward[0]));
  EXPECT_TRUE(waits_for(between, forward[1], sent[0]));

  const StepModel shared = build_step(plan({"step.tensor_overlap=0.75"}), c);
  const auto parts = all(shared, StepWork::tensor, 0);
  ASSERT_EQ(parts.size(), 64U);
  EXPECT_EQ(op(shared, parts[0]).bytes, 6);  // beside the layer
  EXPECT_EQ(op(shared, parts[1]).bytes, 2);
  EXPECT_FALSE(follows(shared, parts[0], all(shared, StepWork::forward, 0)[0]));
  EXPECT_TRUE(waits_for(shared, parts[1], parts[0]));
  EXPECT_EQ(shared.graph.class_of(parts[0]).rounds, 0.75);
  EXPECT_EQ(shared.graph.class_of(parts[1]).rounds, 0.25);
  EXPECT_EQ(bytes_of(shared, parts), 16 * (8 + 16));

  const StepModel hidden = build_step(plan({"step.tensor_overlap=1"}), c);
  EXPECT_EQ(all(hidden, StepWork::tensor, 0).size(), 32U);
}

TEST(Builder, ContextTransfersRunBesideTheAttention) {
  LayerPass c = costs();
  c.context_forward = transfer(StepWork::context, Bytes(8));
  c.context_backward = transfer(StepWork::context, Bytes(16));
  const StepModel m = build_step(plan(), c);
  const auto sent = all(m, StepWork::context, 0);
  const auto forward = all(m, StepWork::forward, 0);
  const auto backward = all(m, StepWork::backward, 0);
  ASSERT_EQ(sent.size(), 32U);
  ASSERT_EQ(forward.size(), 32U);
  EXPECT_EQ(seconds(m, forward[0]), 0.5);
  EXPECT_EQ(seconds(m, forward[1]), 0.5);
  EXPECT_EQ(seconds(m, backward[0]), 1);  // twice the forward attention
  EXPECT_EQ(seconds(m, backward[1]), 2);
  EXPECT_FALSE(follows(m, sent[0], forward[0]));
  EXPECT_FALSE(follows(m, forward[0], sent[0]));
  EXPECT_TRUE(waits_for(m, forward[1], sent[0]));
}

TEST(Builder, WeightsAreGatheredAheadOfTheirLayers) {
  LayerPass c = costs();
  c.weight_gather = transfer(StepWork::weights, Bytes(6));
  c.contention_forward = Seconds(0.5);
  c.contention_backward = Seconds(1.5);
  const StepModel m = build_step(plan({"mapping.zero_stage=3", "step.prefetch=2"}), c);
  const auto gathers = all(m, StepWork::weights, 0);
  const auto forward = all(m, StepWork::forward, 0);
  ASSERT_EQ(gathers.size(), 32U);
  EXPECT_EQ(op(m, gathers[0]).bytes, 6);
  EXPECT_TRUE(waits_for(m, forward[3], gathers[3]));
  EXPECT_TRUE(m.graph.predecessors(gathers[2]).empty());
  EXPECT_TRUE(waits_for(m, gathers[3], forward[0]));
  EXPECT_EQ(seconds(m, forward[0]), 1.5);
  EXPECT_EQ(seconds(m, all(m, StepWork::backward, 0)[0]), 4.5);
  EXPECT_EQ(op(m, forward[0]).slowed.by_weights, step_time(Seconds(0.5)));
  EXPECT_EQ(op(m, all(m, StepWork::backward, 0)[0]).slowed.all(), step_time(Seconds(1.5)));

  c.gathers_once = true;
  const StepModel once = build_step(plan({"mapping.zero_stage=3"}), c);
  EXPECT_EQ(all(once, StepWork::weights, 0).size(), 8U);
  EXPECT_EQ(seconds(once, all(once, StepWork::forward, 0)[4]), 1);  // of the second microbatch
}

TEST(Builder, GradientsLeaveWithTheLastBackwardPass) {
  LayerPass c = costs();
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  const StepModel m = build_step(plan(), c);
  const auto sent = all(m, StepWork::gradient, 0);
  const auto backward = all(m, StepWork::backward, 0);
  EXPECT_EQ(m.gradient_pieces, 8);  // of a layer
  ASSERT_EQ(sent.size(), 4U * 8);
  EXPECT_EQ(op(m, sent[0]).bytes, 4);
  EXPECT_EQ(bytes_of(m, sent), 4 * 32);
  EXPECT_TRUE(waits_for(m, sent[0], backward[12]));  // of the last microbatch
  EXPECT_TRUE(waits_for(m, sent[31], backward[15]));
  for (const OperationId id : sent) EXPECT_TRUE(waits_for(m, all(m, StepWork::optimizer, 0)[0], id));

  const StepModel often = build_step(plan({"step.exchange_every=microbatch"}), c);
  EXPECT_EQ(all(often, StepWork::gradient, 0).size(), 4U * 4 * 8);

  const StepModel late = build_step(plan({"step.gradient_overlap=after_batch"}), c);
  const auto together = all(late, StepWork::gradient, 0);
  EXPECT_EQ(together.size(), 32U);
  EXPECT_EQ(bytes_of(late, together), 4 * 32);
  EXPECT_TRUE(waits_for(late, together[0], all(late, StepWork::backward, 0)[15]));
}

TEST(Builder, TheEndsExchangeEmbeddingAndOutputMatrixToo) {
  LayerPass c = costs();
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  c.first_stage_extra = 2.5;
  c.last_stage_extra = 1.5;
  for (const char* overlap : {"bucketed", "after_batch"}) {
    const StepModel m = build_step(plan({std::string("step.gradient_overlap=") + overlap}), c);
    EXPECT_NEAR(bytes_of(m, all(m, StepWork::gradient, 0)), 6.5 * 32, 1e-9) << overlap;
    EXPECT_NEAR(bytes_of(m, all(m, StepWork::gradient, 1)), 5.5 * 32, 1e-9) << overlap;
  }
}

TEST(Builder, AnExchangeBesideThePassIsOneOperationALayer) {
  LayerPass c = costs();
  c.exchange = {transfer(StepWork::gradient, Bytes(32)), transfer(StepWork::gradient, Bytes(8))};
  const StepModel m =
      build_step(plan({"step.gradient_overlap=beside_pass", "step.exchange_every=microbatch"}), c);
  const auto sent = all(m, StepWork::gradient, 0);
  const auto backward = all(m, StepWork::backward, 0);
  ASSERT_EQ(sent.size(), 2U * 16);
  EXPECT_EQ(op(m, sent[0]).bytes, 32);
  EXPECT_EQ(op(m, sent[1]).bytes, 8);
  EXPECT_FALSE(follows(m, sent[0], backward[0]));
  EXPECT_TRUE(waits_for(m, sent[2], backward[0]));
  EXPECT_TRUE(waits_for(m, backward[1], sent[0]));
  EXPECT_TRUE(waits_for(m, backward[1], sent[1]));
  // What comes from the next stage starts it, not the pass before.
  EXPECT_TRUE(waits_for(m, sent[0], all(m, StepWork::pipeline, 1)[0]));
}

// ZeRO 1 and 2: reduced, updated, gathered.
TEST(Builder, ADividedOptimizerStandsBetweenBothHalvesOfTheRing) {
  LayerPass c = costs();
  PassTransfer ring = transfer(StepWork::gradient, Bytes(32));
  ring.passes = 2;
  ring.rounds = 6;
  c.exchange = {ring};
  const std::vector<std::string> zero = {"mapping.zero_stage=1", "assumptions.gradient_exchange=flat",
                                         "step.steps=2"};
  const StepModel m = build_step(plan(zero), c);
  const auto reduced = all(m, StepWork::gradient, 0);
  const auto gathered = all(m, StepWork::weights, 0);
  ASSERT_EQ(reduced.size(), gathered.size());
  EXPECT_EQ(bytes_of(m, reduced), 2 * 4 * 16);
  EXPECT_EQ(m.graph.class_of(reduced[0]).passes, 1);
  EXPECT_EQ(m.graph.class_of(reduced[0]).rounds, 3);
  const OperationId update = all(m, StepWork::optimizer, 0)[0];
  EXPECT_TRUE(waits_for(m, update, reduced[0]));
  EXPECT_TRUE(waits_for(m, gathered[0], update));
  EXPECT_FALSE(waits_for(m, update, gathered[0]));
  EXPECT_TRUE(waits_for(m, all(m, StepWork::forward, 0)[16], gathered[0]));  // of the second step

  // Of step after step: the gathers stand before the first forward passes.
  c.gathers_ahead = true;
  const StepModel one = build_step(plan({zero[0], zero[1]}), c);
  const auto ahead = all(one, StepWork::weights, 0);
  ASSERT_EQ(ahead.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(op(one, ahead[i]).bytes, 16);
    EXPECT_TRUE(waits_for(one, all(one, StepWork::forward, 0)[i], ahead[i]));
    EXPECT_FALSE(waits_for(one, all(one, StepWork::forward, 0)[4 + i], ahead[i]));
  }
}

// Two chunks a stage: each waits for the weights of its own layers, not for those of the other's.
TEST(Builder, ChunksOfTheNextStepWaitForTheirOwnWeights) {
  LayerPass c = costs();
  PassTransfer ring = transfer(StepWork::gradient, Bytes(32));
  ring.passes = 2;
  c.exchange = {ring};
  const StepModel m = build_step(plan({"mapping.virtual_stages=2", "mapping.zero_stage=1",
                                       "assumptions.gradient_exchange=flat", "step.steps=2"}),
                                 c);
  const auto forward = all(m, StepWork::forward, 0);
  const auto gathered = all(m, StepWork::weights, 0);
  ASSERT_EQ(forward.size(), 2U * 16);
  std::set<std::int32_t> begun;
  for (std::size_t i = 16; i < 32; ++i) {
    const std::int32_t depth = op(m, forward[i]).depth;
    if (!begun.insert(depth).second) continue;
    int own = 0;
    for (const OperationId id : gathered) {
      if (follows(m, id, forward[31])) continue;  // of the step after
      own += op(m, id).depth == depth ? 1 : 0;
      EXPECT_EQ(waits_for(m, forward[i], id), op(m, id).depth == depth) << depth;
    }
    EXPECT_GT(own, 0) << depth;
  }
  EXPECT_EQ(begun, (std::set<std::int32_t>{0, 2}));
}

TEST(Builder, ActivationsWaitOnTheHostUnlessTheyAreNeededSoon) {
  const std::vector<std::string> deep = {"mapping.offload_activations=true", "mapping.pipeline=4",
                                         "mapping.microbatches=8"};
  const StepModel m = build_step(plan(deep), costs());
  // 1F1B: a backward pass follows its forward pass by 2 (stages behind) + 1 passes once the pipeline is full.
  EXPECT_TRUE(all(m, StepWork::offload, 3).empty());
  const auto moved = all(m, StepWork::offload, 2);
  ASSERT_FALSE(moved.empty());
  EXPECT_EQ(bytes_of(m, moved) / static_cast<double>(moved.size()), 20);
  const auto sent = all(m, StepWork::offload, 0);
  ASSERT_EQ(sent.size(), 2U * 8);
  double memory = 0;
  for (const OperationId id : sent) {
    EXPECT_EQ(op(m, id).bytes, 20);
    memory += op(m, id).memory_at_start + op(m, id).memory_at_end;
  }
  EXPECT_EQ(memory, 0);
  EXPECT_EQ(op(m, sent[0]).memory_at_end, -20);
  // Room for two: the third forward pass waits until the first has left.
  const auto forward = all(m, StepWork::forward, 0);
  EXPECT_TRUE(waits_for(m, forward[4], sent[0]));
  EXPECT_FALSE(follows(m, forward[2], sent[0]));
}

TEST(Builder, BothWaysThroughTheModelHoldTwoChunks) {
  const StepModel one = build_step(plan(), costs());
  const StepModel both = build_step(plan({"step.schedule=dualpipe", "mapping.microbatches=8"}), costs());
  // What a plan counts is of both already.
  EXPECT_EQ(seconds(both, all(both, StepWork::optimizer, 0)[0]),
            seconds(one, all(one, StepWork::optimizer, 0)[0]));
  EXPECT_NEAR(both.states[0] / (one.states[0] + one.states[1]), 1, 1e-12);
  EXPECT_NEAR(both.states[1] / both.states[0], 1, 1e-12);
}

TEST(Builder, SeparateWeightGradientsTakeTheirPart) {
  LayerPass c = costs();
  c.ends.each = Seconds(0.3);
  const StepModel m = build_step(plan({"step.schedule=zb_h1"}), c);
  const auto inputs = all(m, StepWork::backward, 0);
  const auto weights = all(m, StepWork::backward_weight, 0);
  ASSERT_EQ(inputs.size(), 16U);
  ASSERT_EQ(weights.size(), 16U);
  EXPECT_NEAR(seconds(m, inputs[0]), 2.1, 1e-9);
  EXPECT_NEAR(seconds(m, inputs[1]), 2, 1e-9);
  EXPECT_NEAR(seconds(m, weights[0]), 1.1, 1e-9);
  EXPECT_EQ(op(m, weights[3]).memory_at_end, -40);
  EXPECT_EQ(op(m, inputs[3]).memory_at_end, 0);
}

TEST(Builder, StagesWithFewerLayersPassOnWhatArrives) {
  const StepModel m =
      build_step(plan({"mapping.pipeline=2", "mapping.virtual_stages=5", "model.layers=9"}), costs());
  double layers = 0;
  for (const std::int32_t stage : {0, 1}) {
    for (const OperationId id : all(m, StepWork::forward, stage)) layers += seconds(m, id);
  }
  EXPECT_EQ(layers, 4 * 9);
}

TEST(Builder, AnExchangeOfManyReplicasIsOne) {
  LayerPass c = costs();
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  c.contention_exchange = Seconds(2);
  for (const char* overlap : {"bucketed", "after_batch"}) {
    const StepModel m = build_step(
        plan({"step.jitter=0.01", "step.replicas=2", std::string("step.gradient_overlap=") + overlap}), c);
    ASSERT_EQ(m.replicas.size(), 2U);
    const auto sent = all(m, StepWork::gradient, 0);
    EXPECT_NEAR(bytes_of(m, sent), 4 * 32, 1e-9) << overlap;
    const auto backward = all(m, StepWork::backward, 0);
    ASSERT_EQ(backward.size(), 32U);
    EXPECT_TRUE(follows(m, sent.back(), backward[15])) << overlap;
    EXPECT_TRUE(follows(m, sent.back(), backward[31])) << overlap;
    const auto updates = all(m, StepWork::optimizer, 0);
    ASSERT_EQ(updates.size(), 2U);
    for (const OperationId id : updates) {
      EXPECT_TRUE(waits_for(m, id, sent.back())) << overlap;
      EXPECT_NEAR(seconds(m, id), 7, 1);
    }
  }
}

TEST(Builder, GradientsOfSeveralLayersFillABucket) {
  LayerPass c = costs();
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  Bytes layer{0};
  const Plan usual = plan();
  for (const GradientStage& stage : usual.communication.gradient.stages) layer = std::max(layer, stage.bytes);
  const StepModel m = build_step(
      plan({"step.gradient_bucket=" + std::to_string(static_cast<std::int64_t>(2 * layer.si())) + " B"}), c);
  const auto sent = all(m, StepWork::gradient, 0);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(op(m, sent[0]).bytes, 64);
  EXPECT_TRUE(waits_for(m, sent[0], all(m, StepWork::backward, 0)[13]));
}

/// The first three of eight layers have no experts.
Plan sparse_plan(const std::vector<std::string>& changes = {}) {
  ScenarioText text = ScenarioText::load("deepseek-v3");
  for (const char* change :
       {"mapping.tensor=1", "mapping.pipeline=2", "mapping.microbatches=4", "mapping.zero_stage=0",
        "training.batch_tokens=auto", "assumptions.compute_model=roofline", "training.software=none",
        "model.layers=8", "model.dense_layers=3", "model.mtp_layers=0", "step.gradient_norm=false"})
    text.set(change);
  for (const std::string& change : changes) text.set(change);
  return make_plan(text.resolve());
}

TEST(Builder, LayersWithoutExpertsHaveTheirOwnCosts) {
  LayerPass c = costs();
  c.dense.forward = Seconds(0.5);
  c.after_forward = {transfer(StepWork::expert, Bytes(10))};
  c.after_backward = c.after_forward;
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  c.dense_exchange = 0.95;
  const StepModel m = build_step(sparse_plan(), c);
  const auto forward = all(m, StepWork::forward, 0);
  EXPECT_EQ(seconds(m, forward[2]), 0.5);
  EXPECT_EQ(seconds(m, forward[3]), 1);
  EXPECT_EQ(seconds(m, all(m, StepWork::forward, 1)[0]), 1);
  EXPECT_EQ(bytes_of(m, all(m, StepWork::expert, 0)), 4 * 2 * 10);
  EXPECT_EQ(bytes_of(m, all(m, StepWork::expert, 1)), 4 * 2 * 4 * 10);
  const auto sent = all(m, StepWork::gradient, 0);
  EXPECT_EQ(sent.size(), 4U * 8);  // 7.6 pieces of the smaller ones, rounded
  EXPECT_NEAR(bytes_of(m, sent), (1 + 3 * 0.95) * 32, 1e-9);
}

// The last of two stages holds two layers less than the first for the output matrices of the module, in its
// last chunk, where they stand.
TEST(Builder, MultiTokenPredictionTakesLayersFromTheLastChunk) {
  const StepModel m = build_step(sparse_plan({"model.layers=14", "model.mtp_layers=1",
                                              "mapping.virtual_stages=2", "step.schedule=interleaved"}),
                                 costs());
  constexpr std::size_t kMicrobatches = 4;
  EXPECT_EQ(all(m, StepWork::forward, 0).size(), kMicrobatches * 8);
  EXPECT_EQ(all(m, StepWork::forward, 1).size(), kMicrobatches * 7);
}

// The embedding's weights with those of the first layer, the output matrix's before its own product.
TEST(Builder, EndsAreGatheredUnderZeroThree) {
  LayerPass c = costs();
  c.weight_gather = transfer(StepWork::weights, Bytes(6));
  c.gathers_once = true;
  c.embedding_gathered = 2.5;
  c.output_gathered = 3;
  c.ends.last = Seconds(3);
  const StepModel m = build_step(plan({"mapping.zero_stage=3"}), c);
  EXPECT_NEAR(op(m, all(m, StepWork::weights, 0)[0]).bytes, 3.5 * 6, 1e-9);
  EXPECT_NEAR(bytes_of(m, all(m, StepWork::weights, 0)), (8 + 2.5) * 6, 1e-9);
  const auto last = all(m, StepWork::weights, 1);
  EXPECT_NEAR(bytes_of(m, last), (8 + 3) * 6, 1e-9);
  EXPECT_TRUE(waits_for(m, all(m, StepWork::head, 1)[0], last[4]));
}

// Gathers slow the passes that they are made for, sums the last ones of each layer.
TEST(Builder, SumsSlowThePassesBesideThem) {
  LayerPass c = costs();
  c.weight_gather = transfer(StepWork::weights, Bytes(6));
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  c.gathers_once = true;
  c.contention_backward = Seconds(1.5);
  c.contention_scatter = Seconds(0.25);
  const StepModel m = build_step(plan({"mapping.zero_stage=3"}), c);
  const auto backward = all(m, StepWork::backward, 0);
  ASSERT_EQ(backward.size(), 16U);
  EXPECT_EQ(seconds(m, backward[0]), 4.5);
  EXPECT_EQ(seconds(m, backward[4]), 3);
  EXPECT_EQ(seconds(m, backward[15]), 3.25);
}

TEST(Builder, GathersAheadAreOfWhatLayersHold) {
  LayerPass c = costs();
  PassTransfer ring = transfer(StepWork::gradient, Bytes(32));
  ring.passes = 2;
  c.exchange = {ring};
  c.gathers_ahead = true;
  c.dense_exchange = 0.5;
  c.first_stage_extra = 2;
  c.last_stage_extra = 1;
  c.ends_gathered = 2;
  const StepModel m =
      build_step(sparse_plan({"mapping.zero_stage=1", "assumptions.gradient_exchange=flat"}), c);
  const auto ahead = all(m, StepWork::weights, 0);
  ASSERT_EQ(ahead.size(), 4U);
  const double expected[] = {16 * (0.5 + 2 * 2), 16 * 0.5, 16 * 0.5, 16};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(op(m, ahead[i]).bytes, expected[i], 1e-9) << i;
  EXPECT_NEAR(op(m, all(m, StepWork::weights, 1).back()).bytes, 16 * (1 + 2 * 1), 1e-9);
}

TEST(Builder, StagesOfADomainSendInsideIt) {
  const StepModel m = build_step(
      plan({"mapping.tensor=4", "mapping.pipeline=4", "mapping.placement=consecutive_layers"}), costs());
  const StepResource expected[] = {StepResource::scale_up, StepResource::scale_out, StepResource::scale_up};
  for (std::int32_t stage = 0; stage < 3; ++stage) {
    const OperationId sent = all(m, StepWork::pipeline, stage)[0];
    EXPECT_EQ(m.graph.class_of(sent).network, expected[stage]) << stage;
  }
}

TEST(Builder, AStragglerIsOneStageOfOneReplica) {
  const StepModel m = build_step(plan({"straggler=[{ stage = 1, slowdown = 1.5 }]"}), costs());
  ASSERT_EQ(m.replicas.size(), 2U);
  for (const std::int32_t stage : {0, 1}) {
    const auto forward = all(m, StepWork::forward, stage);
    ASSERT_EQ(forward.size(), 32U);
    EXPECT_EQ(seconds(m, forward[0]), 1);
    EXPECT_EQ(seconds(m, forward[16]), stage == 1 ? 1.5 : 1);
  }
}

// DeepSeek-AI 2024, Fig. 5: layers of opposite ways in turns.
TEST(Builder, PairedPassesAreComputedLayerByLayer) {
  const StepModel m = build_step(plan({"step.schedule=dualpipe", "mapping.microbatches=8"}), costs());
  std::string order;
  for (const OperationId id : m.graph.on_stream(m.compute_stream(0, 0)))
    order += op(m, id).work == StepWork::forward ? 'F' : op(m, id).work == StepWork::backward ? 'B' : '-';
  EXPECT_NE(order.find("FBFBFBFB"), std::string::npos) << order;
}

TEST(Builder, GathersAndScattersOfFullyShardedProgramsTakeTurns) {
  LayerPass c = costs();
  c.weight_gather = transfer(StepWork::weights, Bytes(6));
  c.exchange = {transfer(StepWork::gradient, Bytes(32))};
  const std::vector<std::string> fsdp = {"mapping.zero_stage=3", "assumptions.compute_model=calibrated",
                                         "training.software=fsdp"};
  const StepModel shared = build_step(plan(fsdp), c);
  const OperationId gather = all(shared, StepWork::weights, 0)[0];
  const OperationId scatter = all(shared, StepWork::gradient, 0)[0];
  EXPECT_EQ(op(shared, gather).stream, op(shared, scatter).stream);
  EXPECT_EQ(shared.graph.stream_of(gather).order, StreamOrder::ready);
  // Every microbatch scatters, and the next one's gathers wait for it.
  EXPECT_NEAR(bytes_of(shared, all(shared, StepWork::gradient, 0)), 4 * 4 * 32, 1e-9);
  EXPECT_TRUE(follows(shared, all(shared, StepWork::forward, 0).back(), scatter));

  const StepModel own = build_step(plan({"mapping.zero_stage=3", "step.exchange_every=microbatch"}), c);
  const OperationId sum = all(own, StepWork::gradient, 0)[0];
  EXPECT_NE(op(own, all(own, StepWork::weights, 0)[0]).stream, op(own, sum).stream);
  EXPECT_EQ(own.graph.stream_of(all(own, StepWork::weights, 0)[0]).order, StreamOrder::program);
  bool waited = false;
  for (const OperationId id : all(own, StepWork::forward, 0)) waited = waited || follows(own, id, sum);
  EXPECT_TRUE(waited);
}

}  // namespace
}  // namespace trainyard
