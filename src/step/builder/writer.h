// Adds operations to a step's graph: with what they wait for, and at the pace of their device.
#pragma once

#include <cstdint>
#include <vector>

#include "step/builder/lane.h"
#include "step/graph.h"
#include "step/jitter.h"
#include "trainyard/step_timeline.h"
#include "trainyard/units.h"

namespace trainyard {
struct ChunkPass;
struct Plan;
struct ReplicaClass;
}  // namespace trainyard

namespace trainyard::builder {

class Arrivals;
struct Pass;

/// From where on transfers run beside compute that is about to be added.
struct Beginning {
  Operations after;
  bool of_pass = false;  // nothing of the pass stands before
};

/// What is given has to outlive it.
class Writer {
 public:
  Writer(StepGraph& graph, Arrivals& arrivals, const Plan& plan, const std::vector<ReplicaClass>& replicas);

  StepGraph& graph() { return graph_; }
  Arrivals& arrivals() { return arrivals_; }

  OperationId add(const StepOperation& op, const Operations& after);

  /// A transfer of no pass.
  StepOperation transfer(std::uint32_t stream, std::uint16_t transfer_class, Bytes bytes) const;

  /// Of a pass; `layer` is the first of its layers, -1: of none.
  StepOperation transfer(const ChunkPass& pass, std::uint32_t stream, std::uint16_t transfer_class,
                         Bytes bytes, std::int64_t layer = -1) const;

  /// Adds a transfer beside compute. At a pass's beginning it waits for the chunk's input.
  OperationId add_beside(const Pass& pass, const StepOperation& op, const Beginning& from);

  /// Lets an operation of another replica's wait for the same of this one.
  void join(const Pass& pass, OperationId id, const Beginning& from);

  /// Where the pass stands now.
  static Beginning beginning(const Pass& pass);

  /// What transfers beside compute cost of its time.
  struct Beside {
    Seconds weights;
    Seconds gradients;
  };

  /// Compute that the pass goes on after.
  void compute(Pass& pass, StepWork work, Seconds time, std::int64_t layer, const Beside& beside = {});

  /// Sets an operation's time, and what of it transfers beside it cost, at the pace of its device.
  void set_time(StepOperation& op, Seconds time, const Beside& beside, const Lane& lane) const;

  /// How many times as long the next operation takes a device of the lane, by jitter and stragglers.
  double slowdown(const Lane& lane) const;

 private:
  StepGraph& graph_;
  Arrivals& arrivals_;
  const Plan& plan_;
  const std::vector<ReplicaClass>& replicas_;
  Jitter jitter_;
};

}  // namespace trainyard::builder
