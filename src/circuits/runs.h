// A step over circuits: recorded orders, and the best of them at a time of change.
#pragma once

#include <vector>

#include "circuits/demands.h"
#include "circuits/transfers.h"
#include "step/build_step.h"
#include "step/executor.h"
#include "trainyard/circuits.h"

namespace trainyard {

struct Plan;

namespace circuits {

/// One run.
struct Run {
  Execution execution;
  PortLog log;
};

/// A plan's step under a rule and with so many ports that work.
class CircuitRuns {
 public:
  /// Throws Infeasible where a device has too few ports. The plan and the model must outlive it.
  CircuitRuns(const Plan& plan, const StepModel& model, const CircuitsInput& settings, Ports ports);

  /// With this time of a change.
  CircuitStep step(StepTime change) const;
  /// The run of that step.
  Run best(StepTime change) const;
  Demands demands(StepTime change) const;

 private:
  void record_orders();
  Run recorded(Habit habit) const;
  Run ordered(const Order& order, const Demands& wants, StepTime change) const;

  const Plan& plan_;
  const StepModel& model_;
  CircuitsInput settings_;
  Ports ports_;
  std::vector<Order> orders_;
  Seconds at_once_;  // the step with changes in no time
};

}  // namespace circuits
}  // namespace trainyard
