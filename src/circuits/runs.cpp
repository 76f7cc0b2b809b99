#include "circuits/runs.h"

#include <algorithm>
#include <utility>

#include "facility/networks.h"
#include "step/executor.h"
#include "trainyard/plan.h"
#include "trainyard/range.h"

namespace trainyard::circuits {
namespace {

/// The runs whose orders are tried. They do not depend on the time of change that is asked for, so that a
/// step never gets shorter when changes take longer: in each order it does not.
constexpr StepTime kMillisecond = 1'000'000'000;
constexpr Habit kHabits[] = {{0, false, 0},
                             {0, true, 0},
                             {kMillisecond, true, 0},
                             {10 * kMillisecond, true, 0},
                             {100 * kMillisecond, true, 0},
                             {0, true, kMillisecond},
                             {0, true, 10 * kMillisecond},
                             {0, true, 100 * kMillisecond},
                             {0, true, 1'000 * kMillisecond}};

/// Of all classes of devices.
void add_changes(CircuitStep& out, const PortLog& log, const Demands& demands, double steps) {
  std::vector<double> changes(static_cast<std::size_t>(demands.nodes()), 0);
  double changing = 0;
  for (const PortUse& use : log.uses) {
    if (!use.change) continue;
    for (const std::int32_t n : use.nodes) {
      changes[static_cast<std::size_t>(n)] += 1 / steps;
      changing += seconds_of(use.to - use.from).si() / steps;
    }
  }
  for (const double n : changes) {
    out.changes += n / real(demands.nodes());
    out.most_changes = std::max(out.most_changes, n);
  }
  out.changing = Seconds(changing / real(demands.nodes()));
}

}  // namespace

CircuitRuns::CircuitRuns(const Plan& plan, const StepModel& model, const CircuitsInput& settings, Ports ports)
    : plan_(plan), model_(model), settings_(settings), ports_(ports) {
  if (settings_.reconfigure == CircuitChange::never) {
    demands(0);  // they fit
    orders_.emplace_back();
  } else {
    record_orders();
  }
  at_once_ = seconds_of(best(0).execution.end) / real(model_.steps);
}

void CircuitRuns::record_orders() {
  for (const Habit& habit : kHabits) {
    Order order = recorded(habit).log.order;
    if (std::find(orders_.begin(), orders_.end(), order) == orders_.end())
      orders_.push_back(std::move(order));
  }
}

Demands CircuitRuns::demands(StepTime change) const { return {model_, plan_, settings_, ports_, change}; }

Run CircuitRuns::recorded(Habit habit) const {
  const Demands wants = demands(habit.change);
  const Setting in{model_.graph, model_.failures, networks_of(plan_.scenario)};
  Run out;
  const auto transfers = recording_transfers(in, wants, habit, out.log);
  out.execution = execute(model_.graph, *transfers, model_.failures);
  return out;
}

Run CircuitRuns::ordered(const Order& order, const Demands& wants, StepTime change) const {
  const Setting in{model_.graph, model_.failures, networks_of(plan_.scenario)};
  Run out;
  const auto transfers = ordered_transfers(in, wants, order, {change, settings_.ahead}, out.log);
  out.execution = execute(model_.graph, *transfers, model_.failures);
  return out;
}

Run CircuitRuns::best(StepTime change) const {
  const Demands wants = demands(change);
  Run out = ordered(orders_.front(), wants, change);
  for (std::size_t i = 1; i < orders_.size(); ++i) {
    Run other = ordered(orders_[i], wants, change);
    if (other.execution.end < out.execution.end) out = std::move(other);
  }
  return out;
}

CircuitStep CircuitRuns::step(StepTime change) const {
  const double steps = real(model_.steps);
  const Run run = best(change);
  CircuitStep out;
  out.step = seconds_of(run.execution.end) / steps;
  out.at_once = at_once_;
  out.change = seconds_of(change);
  add_changes(out, run.log, demands(change), steps);
  return out;
}

}  // namespace trainyard::circuits
