#include <string_view>

#include "step/flow_transfers.h"
#include "step/packet_transfers.h"
#include "step/timeline.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// What --network calls a network, and what makes it.
struct NetworkKind {
  StepNetwork network;
  std::string_view name;
  TransferModelMaker (*make)(const StepRun& run);
};

constexpr NetworkKind kNetworks[] = {
    {StepNetwork::analytic, "analytic", [](const StepRun&) { return analytic_network(); }},
    {StepNetwork::flow, "flow", [](const StepRun&) { return flow_network(); }},
    {StepNetwork::packet, "packet", [](const StepRun& run) { return packet_network(run.phases); }}};

const NetworkKind& kind_of(StepNetwork network) { return kNetworks[static_cast<std::size_t>(network)]; }

}  // namespace

std::string_view step_network_name(StepNetwork network) { return kind_of(network).name; }

std::span<const StepNetwork> step_networks() {
  static constexpr StepNetwork kAll[] = {StepNetwork::analytic, StepNetwork::flow, StepNetwork::packet};
  return kAll;
}

StepSimulation simulate_step(const Plan& plan, const StepRun& run) {
  const NetworkKind& kind = kind_of(run.network);
  StepSimulation out = simulate_step(plan, kind.make(run));
  out.timeline.network = kind.name;
  return out;
}

void visit_operations(const StepSimulation& step, const std::function<void(const TimedOperation&)>& visit) {
  const StepGraph& graph = step.detail->model.graph;
  const Execution& run = step.detail->execution;
  for (OperationId id = 0; id < graph.size(); ++id) {
    const StepOperation& operation = graph.operation(id);
    const StepStream& stream = graph.stream_of(id);
    visit({.work = operation.work,
           .resource = stream.resource,
           .stage = stream.stage,
           .replica_class = stream.replica == kSharedReplica ? kAllReplicas : stream.replica,
           .microbatch = operation.microbatch,
           .start = seconds_of(run.start[id]),
           .finish = seconds_of(run.finish[id]),
           .bytes = Bytes(operation.bytes)});
  }
}

}  // namespace trainyard
