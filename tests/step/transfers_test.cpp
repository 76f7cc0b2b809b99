// Flow and packet transfers under a step, against closed forms.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "plans.h"
#include "step/executor.h"
#include "step/flow_transfers.h"
#include "step/packet_transfers.h"
#include "step/permutation_times.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

StepOperation operation(std::uint32_t stream, StepWork work, double amount) {
  StepOperation op;
  op.stream = stream;
  op.work = work;
  op.transfer = work == StepWork::gradient ? 1 : 0;
  op.duration = is_transfer(work) ? 0 : static_cast<StepTime>(amount);
  op.bytes = is_transfer(work) ? amount : 0;
  return op;
}

/// Two stages that compute, send to each other and exchange gradients; a class of transfers for each kind.
struct TwoStages {
  StepGraph graph;
  std::uint32_t compute[2];
  std::uint32_t send[2];
  std::uint32_t exchange[2];

  explicit TwoStages(StepResource far = StepResource::scale_out, double share = 1) {
    for (const std::int32_t s : {0, 1}) {
      compute[s] = graph.add_stream({"compute", StepResource::compute, s, 0, StreamOrder::program});
      send[s] = graph.add_stream({"send", StepResource::scale_out, s, 0, StreamOrder::program});
      exchange[s] = graph.add_stream({"gradients", far, s, kSharedReplica, StreamOrder::ready});
    }
    graph.add_class({"pipeline", StepWork::pipeline, StepResource::scale_out, 2, share, 0});
    graph.add_class({"gradients", StepWork::gradient, far, 2, share, 0});
  }

  /// To the other stage.
  OperationId pipeline(int from, double bytes) {
    const OperationId id = graph.add(operation(send[from], StepWork::pipeline, bytes));
    graph.depend(graph.add(operation(compute[1 - from], StepWork::forward, 0)), id);
    return id;
  }
  OperationId gradients(int stage, double bytes) {
    return graph.add(operation(exchange[stage], StepWork::gradient, bytes));
  }
  Execution run(double fabric_share = 1) {
    graph.seal();
    const auto network = flow_transfers(graph, kNetworks, fabric_share);
    return execute(graph, *network);
  }
};

// At most three meet on a NIC: both stages' pipeline transfers and an exchange, a quarter of its rate each.
RC_GTEST_PROP(FlowTransfers, AreTheClosedFormWhereNothingContends, ()) {
  TwoStages s(StepResource::wide_area, 0.25);
  const int size = *rc::gen::inRange(1, 40);
  for (int i = 0; i < size; ++i) {
    const int stage = *rc::gen::inRange(0, 2);
    const double amount = *rc::gen::inRange(0, 30);
    const int kind = *rc::gen::inRange(0, 3);
    OperationId id = 0;
    if (kind == 0) id = s.graph.add(operation(s.compute[stage], StepWork::forward, amount));
    if (kind == 1) id = s.gradients(stage, amount);
    if (kind == 2) id = s.graph.add(operation(s.send[stage], StepWork::pipeline, amount));
    for (int n = *rc::gen::inRange(0, 3); n > 0 && id > 0; --n)
      s.graph.depend(id, *rc::gen::inRange<OperationId>(0, id));
  }
  s.graph.seal();
  const auto flow = flow_transfers(s.graph, kNetworks);
  const auto analytic = analytic_transfers(s.graph, kNetworks);
  const Execution a = execute(s.graph, *flow);
  const Execution b = execute(s.graph, *analytic);
  RC_ASSERT(a.start == b.start);
  RC_ASSERT(a.freed == b.freed);
  RC_ASSERT(a.finish == b.finish);
}

TEST(FlowTransfers, OfOneDeviceShareItsNic) {
  TwoStages s;
  const OperationId pipeline = s.pipeline(0, 10);
  const OperationId gradients = s.gradients(0, 30);
  const Execution run = s.run();
  EXPECT_EQ(run.finish[pipeline], 20);   // at half the rate
  EXPECT_EQ(run.finish[gradients], 40);  // 10 of 30 bytes until then, the rest at the full rate
}

TEST(FlowTransfers, SlowWhatTheReceiverReceivesBesides) {
  TwoStages s;
  const OperationId pipeline = s.pipeline(0, 10);
  const OperationId gradients = s.gradients(1, 10);
  const Execution run = s.run();
  EXPECT_EQ(run.finish[pipeline], 20);
  EXPECT_EQ(run.finish[gradients], 20);
}

TEST(FlowTransfers, PassEachOther) {
  TwoStages s;
  const OperationId forward = s.pipeline(0, 10);
  const OperationId backward = s.pipeline(1, 10);
  const Execution run = s.run();
  EXPECT_EQ(run.finish[forward], 10);
  EXPECT_EQ(run.finish[backward], 10);
}

TEST(FlowTransfers, OnDifferentNetworksDoNotMeet) {
  TwoStages s(StepResource::scale_up);
  const OperationId pipeline = s.pipeline(0, 10);
  const OperationId gradients = s.gradients(0, 30);
  const Execution run = s.run();
  EXPECT_EQ(run.finish[pipeline], 10);
  EXPECT_EQ(run.finish[gradients], 30);
}

TEST(FlowTransfers, ExchangesOfAllReplicasWaitForTheBusiest) {
  TwoStages s;
  const auto slow = s.graph.add_stream({"send", StepResource::scale_out, 0, 1, StreamOrder::program});
  s.graph.add(operation(slow, StepWork::pipeline, 10));
  const OperationId gradients = s.gradients(0, 10);
  EXPECT_EQ(s.run().finish[gradients], 20);
}

TEST(FlowTransfers, GoThroughAnOversubscribedFabric) {
  TwoStages s;
  const OperationId pipeline = s.pipeline(0, 10);
  EXPECT_EQ(s.run(0.25).finish[pipeline], 40);
  TwoStages up(StepResource::scale_up);
  const OperationId inside = up.gradients(0, 10);
  EXPECT_EQ(up.run(0.25).finish[inside], 10);
}

TEST(FlowTransfers, NeedBandwidth) {
  TwoStages s;
  s.pipeline(0, 10);
  s.graph.seal();
  Networks none = kNetworks;
  none.scale_out.rate = BytesPerSecond(0);
  EXPECT_THROW(flow_transfers(s.graph, none), InputError);
}

// Only the two directions of the pipeline meet on a NIC here, for moments.
TEST(FlowStep, IsNearlyTheAnalyticOneWhereLittleContends) {
  const Plan p = plan_of(
      "llama3-405b",
      {"mapping.tensor=8", "mapping.pipeline=6", "mapping.virtual_stages=1", "training.batch_tokens=auto",
       "mapping.microbatches=24", "mapping.recompute=full", "assumptions.embedding_placement=spread",
       "assumptions.stage_overlap=shared_network", "step.gradient_overlap=after_batch"});
  const StepTimeline flow = simulate_step(p, flow_network()).timeline;
  const double ratio = flow.step / simulate_step(p).timeline.step;
  EXPECT_GE(ratio, 1 - 1e-9);
  EXPECT_LT(ratio, 1.001);
}

// Bytes that a device sends for a microbatch over its NIC take their time, whatever overlaps. The paper's
// closed form has two stages of the exchange at the full rate side by side.
TEST(FlowStep, NeedsTheTimeThatTheNicNeeds) {
  const Plan p = plan_of("hotnets24-moe");
  Seconds needed =
      2 * p.communication.pipeline_transfer * (1 - 1.0 / static_cast<double>(p.mapping.pipeline));
  for (const GradientStage& stage : p.communication.gradient.stages) {
    if (stage.network == NetworkLevel::scale_out) needed += stage.time - stage.delay;
  }
  EXPECT_LT(simulate_step(p).timeline.steady->time, needed);
  EXPECT_GT(simulate_step(p, flow_network()).timeline.steady->time, needed * 0.999);
}

TEST(FlowStep, IsSlowerOverAnOversubscribedFabric) {
  const auto step = [](const std::string& oversubscription) {
    const Plan p =
        plan_of("hotnets24-moe", {"design=[{ name = \"a\", hosts = 1024, radix = 64, oversubscription = [" +
                                  oversubscription + "] }]"});
    return simulate_step(p, flow_network()).timeline.step;
  };
  EXPECT_GT(step("4"), step("1") * 2);  // three quarters of a step are the exchange
}

// HotNets '24 section 6, errata.md 7: 2 TP + 2 PP + what the exchange exceeds the backward pass by.
TEST(SlowedStep, IsTheClosedFormWithLongerTransfers) {
  for (const char* name : {"hotnets24-dense", "hotnets24-moe"}) {
    const Plan p = plan_of(name);
    constexpr double kTimes = 7;
    const Seconds exposed =
        p.step.exposed_tensor + kTimes * p.step.exposed_pipeline + p.step.exposed_gradient;
    const StepTimeline t = simulate_step(p, slowed_network({StepWork::pipeline}, kTimes)).timeline;
    const double share = exposed / (exposed + t.steady->compute);
    EXPECT_NEAR(t.steady->exposed_share / share, 1, 0.015) << name;
  }
}

TEST(SlowedStep, NeedsTransfersToSlow) {
  EXPECT_THROW(simulate_step(plan_of("hotnets24-dense"), slowed_network({StepWork::expert}, 2)), InputError);
}

/// 128 hosts of 400 Gbps under two tiers.
Scenario sample(const std::vector<std::string>& changes) {
  ScenarioText text = ScenarioText::load("ndp-permutation");
  text.set("design=[{ name = \"two\", hosts = 128, radix = 16, rate = \"400 Gbps\" }]");
  for (const std::string& change : changes) text.set(change);
  return text.resolve();
}

TEST(PermutationTimes, AreTheLeastWithoutCollisions) {
  PermutationTimes ideal(sample({"simulation.transport=ideal"}));
  EXPECT_NEAR(ideal.slowdown(Bytes(1e6)), 1, 1e-3);
  EXPECT_NEAR(ideal.slowdown(10 * ideal.most()), 1, 1e-3);  // extrapolated
}

// n flows that share a link take n times as long: hashes put at least two on one of few links.
TEST(PermutationTimes, HaveTheCollisionsOfOnePath) {
  const std::vector<std::string> one_path = {"simulation.transport=smartt", "simulation.load_balancing=ecmp",
                                             "simulation.window=50"};
  PermutationTimes times(sample(one_path));
  EXPECT_GT(times.slowdown(Bytes(4e6)), 1.8);
  EXPECT_EQ(times.hosts(), 128);
  // Enough for the path: 400 Gbps over a round trip of some 10 us are 120 packets.
  PermutationTimes sprayed(sample({"simulation.transport=ndp", "simulation.window=200"}));
  EXPECT_LT(sprayed.slowdown(Bytes(4e6)), 1.2);
}

TEST(PermutationTimes, RefuseNetworksThatAreTooLarge) {
  const Scenario large = sample({"design=[{ name = \"all\", hosts = 800000 }]"});
  EXPECT_THROW(PermutationTimes{large}, InputError);
}

TEST(PacketStep, SlowsPipelineTransfersByTheirPermutation) {
  const std::vector<std::string> changes = {
      "design=[{ name = \"two\", hosts = 128, radix = 16, rate = \"400 Gbps\" }]",
      "simulation.transport=smartt", "simulation.load_balancing=ecmp", "simulation.link_delay=1 us"};
  const Plan p = plan_of("llama3-405b", changes);
  const StepSimulation packets = simulate_step(p, packet_network({StepWork::pipeline}));
  EXPECT_NE(packets.timeline.note.find("of a permutation over 128 hosts"), std::string::npos);
  const auto& graph = packets.detail->model.graph;
  PermutationTimes times(p.scenario);
  const StepSimulation analytic = simulate_step(p);
  int compared = 0;
  for (OperationId id = 0; id < graph.size() && compared < 100; ++id) {
    if (graph.operation(id).work != StepWork::pipeline ||
        graph.class_of(id).network != StepResource::scale_out)
      continue;
    const auto sending = [&](const Execution& run) {
      return static_cast<double>(run.freed[id] - run.start[id]);
    };
    EXPECT_NEAR(sending(packets.detail->execution) / sending(analytic.detail->execution),
                times.slowdown(Bytes(graph.operation(id).bytes)), 1e-3);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

/// 64 hosts of 400 Gbps, all planes together.
std::string planes(int count) {
  return "design=[{ name = \"two\", hosts = 64, radix = 16, rate = \"400 Gbps\", planes = " +
         std::to_string(count) + " }]";
}

Scenario extrapolated(const std::string& transport, const std::string& balancing) {
  return sample({planes(1), "simulation.transport=" + transport, "simulation.load_balancing=" + balancing,
                 "simulation.window=200"});
}

// The extrapolation through two sizes against a run of the whole size: flows six times as long as the largest
// that the sample may hold (docs/validation.md).
TEST(PermutationTimes, ExtrapolateToWhatAWholeRunTakes) {
  const struct {
    const char* transport;
    const char* balancing;
    double packets;  // of a flow of the sample
    double tolerance;
  } cases[] = {{"ndp", "spray", 500, 0.005}, {"smartt", "spray", 500, 0.005}, {"smartt", "ecmp", 2000, 0.02}};
  for (const auto& c : cases) {
    const Scenario s = extrapolated(c.transport, c.balancing);
    PermutationTimes few(s, 0, std::make_shared<PermutationMemo>(), 64 * c.packets);
    PermutationTimes whole_run(s);
    const Bytes size = 6 * few.most();
    ASSERT_LE(size, whole_run.most());
    EXPECT_NEAR(few.slowdown(size) / whole_run.slowdown(size), 1, c.tolerance) << c.transport;
    EXPECT_LT(std::abs(few.extrapolation_error()), 0.1) << c.transport;
  }
}

// RoCE over hashed paths is not linear in bytes at 2,000 packets.
TEST(PermutationTimes, SayWhereExtrapolatingIsWorthLittle) {
  PermutationTimes few(extrapolated("roce", "ecmp"), 0, std::make_shared<PermutationMemo>(), 64 * 2000.0);
  EXPECT_GT(std::abs(few.extrapolation_error()), 0.1);
}

// With k of n planes of a host down its own flow has (n-k)/n of the rate.
TEST(PermutationTimes, OfAHostWithoutPlanesTakeItsRest) {
  const Scenario s = sample(
      {planes(4), "simulation.transport=ndp", "simulation.load_balancing=spray", "simulation.window=400"});
  const auto memo = std::make_shared<PermutationMemo>();
  PermutationTimes all(s, 0, memo);
  PermutationTimes without(s, 2, memo);
  const Bytes size(8e6);
  EXPECT_LT(all.slowdown(size), 1.2);
  EXPECT_NEAR(without.slowdown(size), 2, 0.2);
  EXPECT_EQ(memo->size(), 2U);
  EXPECT_THROW(PermutationTimes(s, 5, memo).slowdown(size), InputError);
}

std::vector<std::string> packet_step(std::vector<std::string> more) {
  std::vector<std::string> out = {"simulation.transport=ndp", "simulation.window=400",
                                  "simulation.link_delay=1 us", planes(4)};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(PacketStep, HasEveryChosenKindOrSaysWhichThereAre) {
  const Plan p = plan_of("llama3-405b", packet_step({}));
  try {
    simulate_step(p, packet_network({StepWork::pipeline, StepWork::expert}));
    FAIL() << "there are no experts";
  } catch (const InputError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("expert"), std::string::npos) << text;
    EXPECT_NE(text.find("this step has: pipeline, weights, gradient"), std::string::npos) << text;
  }
}

// A ring of n members sums in 2 (n-1) steps of a permutation each.
TEST(PacketStep, AnAllReduceIsTwoPassesOverAllOthers) {
  const Plan p = plan_of("llama3-405b", packet_step({"assumptions.gradient_exchange=flat", "model.layers=16",
                                                     "mapping.virtual_stages=1", "mapping.zero_stage=0"}));
  const StepSimulation step = simulate_step(p, packet_network({StepWork::gradient}));
  PermutationTimes times(p.scenario);
  const StepSimulation analytic = simulate_step(p);
  const auto& graph = step.detail->model.graph;
  int compared = 0;
  for (OperationId id = 0; id < graph.size() && compared < 50; ++id) {
    if (graph.operation(id).work != StepWork::gradient) continue;
    const double steps = 2 * static_cast<double>(graph.class_of(id).ranks - 1);
    const auto sending = [&](const Execution& run) {
      return static_cast<double>(run.freed[id] - run.start[id]);
    };
    EXPECT_NEAR(sending(step.detail->execution) / sending(analytic.detail->execution),
                times.slowdown(Bytes(graph.operation(id).bytes / steps)), 1e-3);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(PacketStep, LosesWholePlanes) {
  const auto failing = [](const std::string& lost) {
    return packet_step(
        {"step_failure=[{ stage = 2, what = \"scale_out\", lost = " + lost + ", from = \"1 s\" }]"});
  };
  double slower = 1;
  for (const auto& [lost, said] : {std::pair("0.25", "with 1 of 4 planes of a host down"),
                                   std::pair("0.5", "with 2 of 4 planes of a host down")}) {
    const StepSimulation step =
        simulate_step(plan_of("llama3-405b", failing(lost)), packet_network({StepWork::pipeline}));
    ASSERT_TRUE(step.timeline.failure_cost);
    EXPECT_GT(step.timeline.step, slower * step.timeline.failure_cost->step);
    slower = step.timeline.step / step.timeline.failure_cost->step;
    EXPECT_NE(step.timeline.note.find(said), std::string::npos) << step.timeline.note;
    EXPECT_EQ(step.timeline.note.find("with 0 of"), std::string::npos) << step.timeline.note;
  }
  EXPECT_THROW(simulate_step(plan_of("llama3-405b", failing("0.3")), packet_network({StepWork::pipeline})),
               InputError);
}

}  // namespace
}  // namespace trainyard
