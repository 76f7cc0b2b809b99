// Ports, circuits and changes against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "circuit_cases.h"
#include "facility/networks.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

using namespace circuits;

TEST(CircuitForms, AllToAllsTurnThroughMatchings) {
  EXPECT_EQ(all_to_all_turns(8, 1), 7);  // perfect matchings of eight
  EXPECT_EQ(all_to_all_turns(8, 2), 4);
  EXPECT_EQ(all_to_all_turns(8, 7), 1);
  EXPECT_EQ(all_to_all_turns(9, 1), 9);  // one host is left out of each
  EXPECT_EQ(all_to_all_turns(9, 2), 4);  // rings
  EXPECT_EQ(all_to_all_turns(9, 8), 1);
}

TEST(CircuitForms, RingsHandOnOverTheMeanDistance) {
  for (const std::int64_t n : {2, 3, 4, 5, 8, 17, 64}) {
    double links = 0;
    for (std::int64_t other = 1; other < n; ++other) links += static_cast<double>(std::min(other, n - other));
    EXPECT_NEAR(ring_detour(n), links / static_cast<double>(n - 1), 1e-12) << n;
  }
}

/// A stage's devices send gradients, compute for a while, and meet other peers.
class TwoKinds : public ::testing::Test {
 protected:
  TwoKinds() : plan_(circuit_plan({"mapping.pipeline=1", "mapping.zero_stage=3"})) {
    model_.shape.stages = 1;
    model_.replicas = {{}};
    StepGraph& graph = model_.graph;
    const std::uint32_t compute = graph.add_stream({"compute", StepResource::compute, 0, 0});
    const std::uint32_t gradients =
        graph.add_stream({"gradients", StepResource::scale_out, 0, kSharedReplica});
    const std::uint32_t context = graph.add_stream({"context", StepResource::scale_out, 0, 0});
    const std::uint16_t data =
        graph.add_class({"gradients", StepWork::gradient, StepResource::scale_out, 8, 1, 0});
    const std::uint16_t ring =
        graph.add_class({"context", StepWork::context, StepResource::scale_out, 2, 1, 0});
    StepOperation op{.stream = gradients, .work = StepWork::gradient, .transfer = data, .bytes = kBytes};
    const OperationId first = graph.add(op);
    op = {.stream = compute, .work = StepWork::forward, .duration = kGap};
    const OperationId middle = graph.add(op);
    op = {.stream = context, .work = StepWork::context, .transfer = ring, .bytes = kBytes};
    const OperationId last = graph.add(op);
    graph.depend(middle, first);
    graph.depend(last, middle);
    graph.seal();
  }

  StepTime sent() const { return step_time(Bytes(kBytes) / networks_of(plan_.scenario).scale_out.rate); }

  StepTime step(CircuitsInput settings, StepTime change) const {
    const CircuitRuns runs(plan_, model_, settings, {settings.ports, settings.ports});
    return step_time(runs.step(change).step);
  }

  static constexpr double kBytes = 1e8;
  static constexpr StepTime kGap = 3'000'000'000;  // 3 ms
  Plan plan_;
  StepModel model_;
};

TEST_F(TwoKinds, NoTimeOfAChangeIsNoTimeAtAll) { EXPECT_EQ(step({}, 0), 2 * sent() + kGap); }

/// At the beginning the ports have the last step's circuits.
TEST_F(TwoKinds, ALongChangeShowsByWhatExceedsTheGap) {
  for (const StepTime change : {kGap / 3, kGap, 2 * kGap, 10 * kGap}) {
    EXPECT_EQ(step({}, change), change + 2 * sent() + std::max(kGap, change));
    CircuitsInput asks;
    asks.ahead = false;
    EXPECT_EQ(step(asks, change), 2 * change + 2 * sent() + kGap);
  }
}

TEST_F(TwoKinds, CircuitsForGoodDivideThePortsInstead) {
  CircuitsInput fixed;
  fixed.reconfigure = CircuitChange::never;
  fixed.ports = 3;  // two neighbours of the ring, one of the pair
  EXPECT_NEAR(seconds_of(step(fixed, 10 * kGap)).si(),
              seconds_of(sent()).si() * (3.0 / 2 + 3) + seconds_of(kGap).si(), 1e-9);
  fixed.ports = 2;
  EXPECT_THROW(step(fixed, 0), Infeasible);
}

TEST_F(TwoKinds, PortsThatFailedAreMissing) {
  CircuitsInput settings;
  settings.ports = 4;
  const CircuitRuns half(plan_, model_, settings, {4, 2});
  EXPECT_EQ(step_time(half.step(0).step), 4 * sent() + kGap);
  EXPECT_THROW(CircuitRuns(plan_, model_, settings, {4, 1}), Infeasible);  // no ring of single ports
}

TEST_F(TwoKinds, SmallTransfersGoBeside) {
  CircuitsInput beside;
  beside.electrical_rate = BitRate(1e11);
  beside.electrical_below = Bytes(2 * kBytes);
  const StepTime slow = step_time(Bytes(kBytes) / BytesPerSecond(1e11 / 8));
  EXPECT_EQ(step(beside, 10 * kGap), 2 * slow + kGap);
}

/// Of every class of devices, at every moment: transfers of the circuits that are there, none during changes.
void expect_ports_obey(const PortLog& log, std::int32_t nodes) {
  for (std::int32_t n = 0; n < nodes; ++n) {
    std::vector<PortUse> own;
    for (const PortUse& use : log.uses)
      if (std::find(use.nodes.begin(), use.nodes.end(), n) != use.nodes.end() && use.to > use.from)
        own.push_back(use);
    std::stable_sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    StepTime sends_until = 0;
    std::int32_t key = -1;
    StepTime changes_until = 0;
    for (const PortUse& use : own) {
      EXPECT_GE(use.from, changes_until);
      if (use.change) {
        EXPECT_GE(use.from, sends_until);
        changes_until = use.to;
      } else {
        EXPECT_TRUE(key < 0 || use.key == key);
        sends_until = std::max(sends_until, use.to);
      }
      key = use.key;
    }
  }
}

TEST(CircuitPorts, HoldOneSetAtATimeAndSendWhatIsToBeSent) {
  for (const char* rule : {"phases", "transfers"}) {
    const Plan plan = circuit_plan({"circuits.reconfigure=" + std::string(rule), "mapping.zero_stage=3"});
    const StepModel model = build_step(plan);
    const CircuitsInput& settings = *plan.scenario.circuits;
    const CircuitRuns runs(plan, model, settings, {settings.ports, settings.ports});
    const StepTime change = microseconds(500);
    const circuits::Run run = runs.best(change);
    const Demands demands = runs.demands(change);
    expect_ports_obey(run.log, demands.nodes());
    std::size_t transfers = 0;
    for (OperationId id = 0; id < model.graph.size(); ++id) transfers += demands.by_circuit(id) ? 1 : 0;
    EXPECT_EQ(run.log.order.size(), transfers) << rule;
    double bytes = 0;
    for (const CircuitUse& use : uses_of(demands, model.graph)) bytes += use.bytes.si();
    double sent = 0;
    for (const StepOperation& op : model.graph.operations()) {
      if (is_transfer(op.work) && model.graph.classes()[op.transfer].network == StepResource::scale_out)
        sent += op.bytes;
    }
    EXPECT_DOUBLE_EQ(bytes, sent) << rule;
  }
}

}  // namespace
}  // namespace trainyard
