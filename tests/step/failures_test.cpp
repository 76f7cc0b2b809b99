// Failures within a step, against closed forms.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "plans.h"
#include "step/executor.h"
#include "step/flow_transfers.h"
#include "step/packet_transfers.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/scenario_text.h"
#include "trainyard/step_fault.h"

namespace trainyard {
namespace {

/// A byte takes a picosecond on every network.
const Networks kPromptNetworks{{BytesPerSecond(1e12), Seconds(0)},
                               {BytesPerSecond(1e12), Seconds(0)},
                               {BytesPerSecond(1e12), Seconds(0)},
                               BytesPerSecond(1e12)};

/// Two stages of two classes of replicas; every class of devices computes and sends to the other stage, and
/// the replicas of a stage exchange gradients and, where they are of one group, tokens of experts.
struct Replicas {
  StepGraph graph;
  std::uint32_t compute[2][2];  // by replica class and stage
  std::uint32_t send[2][2];
  std::uint32_t expert[2][2];
  std::uint32_t exchange[2];
  std::vector<ReplicaClass> classes = std::vector<ReplicaClass>(2);

  Replicas() {
    for (const std::int32_t s : {0, 1}) {
      for (const std::int32_t r : {0, 1}) {
        compute[r][s] = graph.add_stream({"compute", StepResource::compute, s, r, StreamOrder::program});
        send[r][s] = graph.add_stream({"send", StepResource::scale_out, s, r, StreamOrder::program});
        expert[r][s] = graph.add_stream({"expert", StepResource::scale_up, s, r, StreamOrder::program});
      }
      exchange[s] =
          graph.add_stream({"gradients", StepResource::scale_out, s, kSharedReplica, StreamOrder::ready});
    }
    graph.add_class({"pipeline", StepWork::pipeline, StepResource::scale_out, 2, 1, 0});
    graph.add_class({"gradients", StepWork::gradient, StepResource::scale_out, 2, 1, 0});
    graph.add_class({"experts", StepWork::expert, StepResource::scale_up, 2, 1, 0});
  }

  OperationId add(std::uint32_t stream, StepWork work, double amount) {
    StepOperation op;
    op.stream = stream;
    op.work = work;
    op.transfer = work == StepWork::gradient ? 1 : work == StepWork::expert ? 2 : 0;
    op.duration = is_transfer(work) ? 0 : static_cast<StepTime>(amount);
    op.bytes = is_transfer(work) ? amount : 0;
    return graph.add(op);
  }
  OperationId pipeline(int replica, int from, double bytes) {
    const OperationId id = add(send[replica][from], StepWork::pipeline, bytes);
    graph.depend(add(compute[replica][1 - from], StepWork::forward, 0), id);
    return id;
  }

  StepFailures failures(std::vector<StepOutage> outages) const { return {std::move(outages), 2, classes}; }
  Execution analytic(const StepFailures& failures) {
    graph.seal();
    const auto transfers = analytic_transfers(graph, kPromptNetworks, failures);
    return execute(graph, *transfers, failures);
  }
  Execution flow(const StepFailures& failures) {
    graph.seal();
    const auto transfers = flow_transfers(graph, kPromptNetworks, 1, failures);
    return execute(graph, *transfers, failures);
  }
};

StepOutage nic(std::int32_t stage, std::int32_t replica, double lost, StepTime from = 0,
               StepTime until = kNeverInStep) {
  return {.stage = stage, .replica = replica, .lost = lost, .from = from, .until = until, .where = {}};
}

// Of 10 bytes 4 are sent until it fails, 2 at half the rate until it is back, the rest at the full rate.
TEST(StepFailures, SlowATransferWhileTheyLast) {
  for (const bool flow : {false, true}) {
    Replicas r;
    const OperationId sent = r.pipeline(0, 0, 10);
    const StepFailures failures = r.failures({nic(0, 0, 0.5, 4, 8)});
    const Execution run = flow ? r.flow(failures) : r.analytic(failures);
    EXPECT_EQ(run.finish[sent], 12) << flow;
  }
}

TEST(StepFailures, StopATransferUntilTheyAreOver) {
  for (const bool flow : {false, true}) {
    Replicas r;
    const OperationId sent = r.pipeline(0, 0, 10);
    const StepFailures failures = r.failures({nic(0, 0, 1, 4, 24)});
    const Execution run = flow ? r.flow(failures) : r.analytic(failures);
    EXPECT_EQ(run.finish[sent], 30) << flow;
  }
}

TEST(StepFailures, OfTheReceiverSlowItAsMuch) {
  for (const bool flow : {false, true}) {
    Replicas r;
    const OperationId slow = r.pipeline(0, 0, 10);
    const OperationId other = r.pipeline(1, 0, 10);
    const StepFailures failures = r.failures({nic(1, 0, 0.75)});
    const Execution run = flow ? r.flow(failures) : r.analytic(failures);
    EXPECT_EQ(run.finish[slow], 40) << flow;
    EXPECT_EQ(run.finish[other], 10) << flow;  // of the replicas that nothing fails in
  }
}

// A ring goes as fast as its slowest member.
TEST(StepFailures, OfOneMemberSlowTheWholeRing) {
  for (const bool flow : {false, true}) {
    Replicas r;
    const OperationId slow = r.add(r.exchange[0], StepWork::gradient, 10);
    const OperationId other = r.add(r.exchange[1], StepWork::gradient, 10);
    const StepFailures failures = r.failures({nic(0, 1, 0.5)});
    const Execution run = flow ? r.flow(failures) : r.analytic(failures);
    EXPECT_EQ(run.finish[slow], 20) << flow;
    EXPECT_EQ(run.finish[other], 10) << flow;
  }
}

TEST(StepFailures, OfOnePeerSlowTheExpertsOfItsGroup) {
  for (const bool peers : {false, true}) {
    Replicas r;
    if (peers) r.classes[0].expert_peers = {1};
    const OperationId own = r.add(r.expert[0][0], StepWork::expert, 10);
    StepOutage port = nic(0, 1, 0.5);
    port.resource = StepResource::scale_up;
    EXPECT_EQ(r.analytic(r.failures({port})).finish[own], peers ? 20 : 10);
  }
}

TEST(StepFailures, OfADeviceStopItsComputing) {
  Replicas r;
  const OperationId stopped = r.add(r.compute[0][0], StepWork::forward, 10);
  const OperationId next = r.add(r.compute[0][0], StepWork::forward, 10);
  const OperationId other = r.add(r.compute[1][0], StepWork::forward, 10);
  StepOutage device = nic(0, 0, 1, 3, 5);
  device.resource = StepResource::compute;
  const Execution run = r.analytic(r.failures({device}));
  EXPECT_EQ(run.finish[stopped], 12);
  EXPECT_EQ(run.finish[next], 22);
  EXPECT_EQ(run.finish[other], 10);
}

TEST(StepFailures, AddUpAndOverlap) {
  Replicas r;
  const OperationId sent = r.pipeline(0, 0, 10);
  // Full rate for 2, three quarters for 4, half for 4, three quarters from 10 on.
  const Execution run = r.analytic(r.failures({nic(0, 0, 0.25, 2), nic(0, 0, 0.25, 6, 10)}));
  EXPECT_EQ(run.finish[sent], 10 + 4);
}

TEST(StepFailures, ForGoodAreRefusedWhereSomethingWaitsForThem) {
  for (const bool flow : {false, true}) {
    Replicas r;
    r.pipeline(0, 0, 10);
    const StepFailures failures = r.failures({nic(1, 0, 1, 4)});
    EXPECT_THROW(flow ? r.flow(failures) : r.analytic(failures), InputError) << flow;
  }
  Replicas early;
  const OperationId sent = early.pipeline(0, 0, 10);
  EXPECT_EQ(early.analytic(early.failures({nic(0, 0, 1, 10)})).finish[sent], 10);
}

/// Bytes sent until a moment, by adding up picosecond after picosecond.
double sent_until(StepTime start, StepTime end, const std::vector<StepOutage>& outages) {
  double sum = 0;
  for (StepTime t = start; t < end; ++t) {
    double lost = 0;
    for (const StepOutage& o : outages) lost += t >= o.from && t < o.until ? o.lost : 0;
    sum += std::max(0.0, 1 - lost);
  }
  return sum;
}

RC_GTEST_PROP(StepFailures, EndWhenAllIsSent, ()) {
  Replicas r;
  std::vector<StepOutage> outages;
  for (int n = *rc::gen::inRange(1, 5); n > 0; --n) {
    const StepTime from = *rc::gen::inRange(0, 50);
    outages.push_back(nic(0, 0, 0.25 * *rc::gen::inRange(1, 5), from, from + *rc::gen::inRange(1, 50)));
  }
  const double bytes = *rc::gen::inRange(1, 80);
  const OperationId wait = r.add(r.compute[0][0], StepWork::forward, *rc::gen::inRange(0, 40));
  const OperationId sent = r.pipeline(0, 0, bytes);
  r.graph.depend(sent, wait);
  const Execution run = r.analytic(r.failures(outages));
  RC_ASSERT(sent_until(run.start[sent], run.finish[sent], outages) >= bytes - 0.5);
  RC_ASSERT(sent_until(run.start[sent], run.finish[sent] - 1, outages) <= bytes + 0.5);
}

// Each stream alone on its links: one NIC, one direction, one transfer at a time.
RC_GTEST_PROP(StepFailures, AreTheSameForFlowsThatDoNotMeet, ()) {
  const auto build = [](Replicas& r, const std::vector<int>& sizes) {
    for (std::size_t i = 0; i < sizes.size(); ++i) r.pipeline(static_cast<int>(i % 2), 0, 4.0 * sizes[i]);
  };
  const auto sizes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 30));
  RC_PRE(!sizes.empty());
  std::vector<StepOutage> outages;
  for (int n = *rc::gen::inRange(1, 5); n > 0; --n) {
    const StepTime from = 4 * *rc::gen::inRange(0, 50);
    outages.push_back(nic(*rc::gen::inRange(0, 2), *rc::gen::inRange(0, 2), *rc::gen::element(0.5, 1.0), from,
                          from + 4 * *rc::gen::inRange(1, 50)));
  }
  Replicas a;
  Replicas b;
  build(a, sizes);
  build(b, sizes);
  const Execution analytic = a.analytic(a.failures(outages));
  const Execution flow = b.flow(b.failures(outages));
  for (std::size_t i = 0; i < analytic.finish.size(); ++i)
    RC_ASSERT(std::abs(analytic.finish[i] - flow.finish[i]) <= static_cast<StepTime>(sizes.size()));
}

std::vector<std::string> cut(std::vector<std::string> more) {
  std::vector<std::string> out = {"mapping.tensor=8",
                                  "mapping.virtual_stages=1",
                                  "mapping.recompute=full",
                                  "assumptions.compute_model=roofline",
                                  "training.software=none",
                                  "training.batch_tokens=auto",
                                  "mapping.pipeline=6",
                                  "mapping.microbatches=240",
                                  "assumptions.embedding_placement=spread"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// What transfers add to a microbatch of a 1F1B pipeline: of any k stages next to each other, k microbatches
/// are on their way there and back, over k-1 boundaries twice; the slowest such group sets the pace.
double added_by_transfers(const std::vector<double>& boundaries) {
  double most = 0;
  for (std::size_t first = 0; first < boundaries.size(); ++first) {
    double sum = 0;
    for (std::size_t last = first; last < boundaries.size(); ++last) {
      sum += boundaries[last];
      most = std::max(most, 2 * sum / static_cast<double>(last - first + 2));
    }
  }
  return most;
}

// docs/models.md: F+B+W+2t(p-1)/p a microbatch where all is equal, F+B+W+8t/3 where an inner stage has half a
// NIC.
TEST(FailingStep, OfHalfANicPacesThePipeline) {
  const std::vector<std::string> changes =
      cut({"mapping.data=1", "network.scale_out_rate=25 Gbps", "model.layers=24"});
  const Plan p = plan_of("llama3-405b", changes);
  auto failing = changes;
  failing.push_back("step_failure=[{ stage = 2, what = \"scale_out\", lost = 0.5 }]");
  const StepTimeline with = simulate_step(plan_of("llama3-405b", failing)).timeline;
  const StepTimeline without = simulate_step(p).timeline;
  const Seconds transfer = p.communication.pipeline_volume / BytesPerSecond(25e9 / 8);
  const double before = added_by_transfers({1, 1, 1, 1, 1});
  const double after = added_by_transfers({1, 2, 2, 1, 1});
  EXPECT_DOUBLE_EQ(before, 10.0 / 6);
  EXPECT_DOUBLE_EQ(after, 8.0 / 3);
  ASSERT_TRUE(with.steady && without.steady);
  EXPECT_NEAR((with.steady->time - without.steady->time) / ((after - before) * transfer), 1, 1e-3);
  ASSERT_TRUE(with.failure_cost);
  EXPECT_EQ(with.failure_cost->step, without.step);
  EXPECT_NEAR((with.step - without.step) / (240 * (after - before) * transfer), 1, 0.03);
}

// A flat ring over all replicas after the batch, one stage: all of it at half the rate, delays as before.
TEST(FailingStep, OfOneNicHalvesTheRing) {
  for (const auto& network : {analytic_network(), flow_network()}) {
    const std::vector<std::string> changes = cut(
        {"mapping.pipeline=1", "mapping.microbatches=4", "step.gradient_overlap=after_batch",
         "assumptions.gradient_exchange=flat", "mapping.data=64", "model.layers=6", "mapping.zero_stage=0",
         "step_failure=[{ stage = 0, what = \"scale_out\", lost = 0.5, replica = 7 }]"});
    const Plan p = plan_of("llama3-405b", changes);
    const StepTimeline t = simulate_step(p, network).timeline;
    Seconds ring;
    for (const GradientStage& stage : p.communication.gradient.stages) ring += stage.time - stage.delay;
    ring = ring * 6.0;
    EXPECT_NEAR((t.step - t.failure_cost->step) / ring, 1, 1e-6);
    EXPECT_NEAR((t.exposed.gradient - t.failure_cost->exposed.gradient) / ring, 1, 1e-6);
    EXPECT_EQ(t.stages.size(), 2U);  // 63 replicas, and the one that fails
    EXPECT_EQ(t.stages.front().replicas, 63);
    EXPECT_EQ(t.stages.back().replicas, 1);
  }
}

// All wait for a device that is gone for 20 s in the middle of a step: that much longer, standing still.
TEST(FailingStep, OfADeviceWaitsForIt) {
  const Plan p =
      plan_of("llama3-405b",
              cut({"mapping.data=4",
                   "step_failure=[{ stage = 2, what = \"device\", from = \"30 s\", until = \"50 s\" }]"}));
  const StepTimeline t = simulate_step(p).timeline;
  ASSERT_GT(t.failure_cost->step, Seconds(60));
  EXPECT_NEAR((t.step - t.failure_cost->step).si(), 20, 0.5);
  EXPECT_NEAR((t.compute + t.exposed.total() + t.idle + t.stopped) / t.step, 1, 1e-9);
  const auto failing =
      std::max_element(t.stages.begin(), t.stages.end(),
                       [](const StageTimeline& a, const StageTimeline& b) { return a.stopped < b.stopped; });
  EXPECT_EQ(failing->stage, 2);
  EXPECT_EQ(failing->replicas, 1);
  EXPECT_NEAR(failing->stopped.si(), 20, 1e-9);
}

TEST(FailingStep, TakesAllThatADomainHolds) {
  const auto places = [](const std::string& placement) {
    const Plan p = plan_of("llama3-405b", cut({"mapping.tensor=2", "model.layers=8", "mapping.data=8",
                                               "mapping.pipeline=4", "mapping.placement=" + placement}));
    StepFailureInput f;
    f.stage = 1;
    f.replica = 5;
    f.what = StepFault::domain;
    return failed_places(f, p.mapping);
  };
  const FailedPlaces layers = places("consecutive_layers");  // of 8 devices: the four stages of a replica
  EXPECT_EQ(layers.stage, 0);
  EXPECT_EQ(layers.end_stage, 4);
  EXPECT_EQ(layers.replica, 5);
  EXPECT_EQ(layers.end_replica, 6);
  const FailedPlaces layer = places("same_layer");  // four replicas of one stage
  EXPECT_EQ(layer.stage, 1);
  EXPECT_EQ(layer.end_stage, 2);
  EXPECT_EQ(layer.replica, 4);
  EXPECT_EQ(layer.end_replica, 8);
}

std::vector<ReplicaClass> classes_of(const Plan& p) {
  const Scenario& s = p.scenario;
  return replica_classes(s.step, s.stragglers, s.step_failures, p.mapping);
}

TEST(ReplicaClasses, TellApartOnlyWhatFails) {
  const Plan p = plan_of(
      "llama3-405b",
      cut({"mapping.data=64", "straggler=[{ stage = 0, slowdown = 2, replicas = 3 }]",
           "step_failure=[{ stage = 0, what = \"device\", replica = 10, replicas = 4, until = "
           "\"1 s\" }, { stage = 3, what = \"scale_out\", replica = 13, replicas = 2, lost = 0.5 }]"}));
  const auto classes = classes_of(p);
  std::vector<std::int64_t> sizes;
  for (const ReplicaClass& c : classes) sizes.push_back(c.replicas);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{64 - 5 - 3, 3, 1, 1, 3}));  // first, both, second; stragglers
  EXPECT_EQ(classes[2].failures, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(classes.back().straggler, 0);
}

TEST(ReplicaClasses, KnowThePeersOfExperts) {
  Plan p = plan_of("llama3-405b", cut({"mapping.data=64",
                                       "step_failure=[{ stage = 0, what = \"scale_up\", "
                                       "replica = 10, lost = 0.5 }]"}));
  p.mapping.expert = 8;
  const auto classes = classes_of(p);
  ASSERT_EQ(classes.size(), 3U);  // the other groups, the rest of its group, itself
  EXPECT_EQ(classes[0].replicas, 56);
  EXPECT_EQ(classes[1].replicas, 7);
  EXPECT_EQ(classes[1].expert_peers, (std::vector<std::int32_t>{2}));
  EXPECT_EQ(classes[2].replicas, 1);
  EXPECT_TRUE(classes[2].expert_peers.empty());
}

TEST(FailingStep, RefusesWhatCannotBe) {
  const auto refuses = [](const std::string& failure) {
    EXPECT_THROW(simulate_step(plan_of("llama3-405b", cut({"mapping.data=4", "mapping.microbatches=12",
                                                           "step_failure=[{ " + failure + " }]"}))),
                 InputError)
        << failure;
  };
  refuses("stage = 6, what = \"scale_out\"");
  refuses("stage = 0, what = \"scale_out\", replica = 4");
  refuses("stage = 0, what = \"scale_out\", replicas = 5");
  refuses("stage = 0, what = \"scale_out\", lost = 0");
  refuses("stage = 0, what = \"scale_out\", lost = 1.5");
  refuses("stage = 0, what = \"device\", lost = 0.5");
  refuses("stage = 0, what = \"device\", from = \"2 s\", until = \"1 s\"");
  refuses("stage = 0, what = \"nic\"");
  refuses("stage = 0");
  refuses("what = \"scale_out\"");
  refuses("stage = 0, what = \"wide_area\", lost = 0.5");   // nothing crosses it
  refuses("stage = 0, what = \"device\", from = \"1 s\"");  // for good
}

}  // namespace
}  // namespace trainyard
