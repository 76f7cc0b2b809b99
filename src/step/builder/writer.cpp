#include "step/builder/writer.h"

#include "step/builder/arrivals.h"
#include "step/builder/pass.h"
#include "step/replica_classes.h"
#include "trainyard/plan.h"

namespace trainyard::builder {

Writer::Writer(StepGraph& graph, Arrivals& arrivals, const Plan& plan,
               const std::vector<ReplicaClass>& replicas)
    : graph_(graph),
      arrivals_(arrivals),
      plan_(plan),
      replicas_(replicas),
      jitter_(plan.scenario.step.jitter, static_cast<std::uint64_t>(plan.scenario.step.seed),
              plan.mapping.tensor * plan.mapping.context) {}

OperationId Writer::add(const StepOperation& op, const Operations& after) {
  const OperationId id = graph_.add(op);
  for (const OperationId earlier : after) graph_.depend(id, earlier);
  return id;
}

OperationId Writer::add_beside(const Pass& pass, const StepOperation& op, const Beginning& from) {
  const OperationId id = graph_.add(op);
  join(pass, id, from);
  return id;
}

void Writer::join(const Pass& pass, OperationId id, const Beginning& from) {
  for (const OperationId earlier : from.after) graph_.depend(id, earlier);
  if (from.of_pass) arrivals_.await(pass, id);
}

Beginning Writer::beginning(const Pass& pass) {
  Beginning out{pass.ready, pass.begins()};
  if (pass.lane->last != kNoOperation) out.after.push_back(pass.lane->last);
  return out;
}

StepOperation Writer::transfer(std::uint32_t stream, std::uint16_t transfer_class, Bytes bytes) const {
  StepOperation op;
  op.stream = stream;
  op.work = graph_.classes()[transfer_class].work;
  op.transfer = transfer_class;
  op.bytes = bytes.si();
  return op;
}

StepOperation Writer::transfer(const ChunkPass& pass, std::uint32_t stream, std::uint16_t transfer_class,
                               Bytes bytes, std::int64_t layer) const {
  StepOperation op = transfer(stream, transfer_class, bytes);
  op.microbatch = pass.microbatch;
  op.depth = pass.depth;
  op.layer = static_cast<std::int32_t>(layer);
  return op;
}

void Writer::set_time(StepOperation& op, Seconds time, const Beside& beside, const Lane& lane) const {
  const double factor = slowdown(lane);
  op.duration = step_time(time * factor);
  op.slowed = {step_time(beside.weights * factor), step_time(beside.gradients * factor)};
}

void Writer::compute(Pass& pass, StepWork work, Seconds time, std::int64_t layer, const Beside& beside) {
  StepOperation op;
  op.stream = pass.lane->compute;
  op.work = work;
  op.microbatch = pass.what.microbatch;
  op.depth = pass.what.depth;
  op.layer = static_cast<std::int32_t>(layer);
  set_time(op, time, beside, *pass.lane);
  const OperationId id = add(op, pass.ready);
  if (pass.begins()) arrivals_.await(pass, id);
  pass.lane->last = pass.last = id;
  pass.ready = {id};
}

double Writer::slowdown(const Lane& lane) const {
  const ReplicaClass& replica = replicas_[static_cast<std::size_t>(lane.replica)];
  const double factor = jitter_.slowest(static_cast<std::uint64_t>(graph_.size()));
  if (replica.straggler < 0) return factor;
  const StragglerInput& s = plan_.scenario.stragglers[static_cast<std::size_t>(replica.straggler)];
  return s.stage == lane.stage ? factor * s.slowdown : factor;
}

}  // namespace trainyard::builder
