#include "report/reproduction/steps.h"

#include <algorithm>

#include "step/executor.h"
#include "step/timeline.h"
#include "trainyard/plan.h"
#include "trainyard/step.h"

namespace trainyard {
namespace {

/// Operations of the first stage, which all have the same length for all microbatches.
class FirstStage {
 public:
  explicit FirstStage(const StepSimulation& step)
      : graph_(step.detail->model.graph), run_(step.detail->execution) {
    for (OperationId id = 0; id < graph_.size(); ++id) {
      if (graph_.stream_of(id).stage == 0) operations_.push_back(id);
    }
  }

  /// Time at work of one kind, over the whole step.
  Seconds all_of(StepWork work) const {
    StepTime sum = 0;
    for (const OperationId id : operations_) {
      if (graph_.operation(id).work == work) sum += run_.finish[id] - run_.start[id];
    }
    return seconds_of(sum);
  }

  /// The transfer that takes longest among those of a kind, on one network or on any.
  struct Transfer {
    Seconds sending;
    Seconds delay;
  };
  Transfer longest(StepWork work, const StepResource* network = nullptr) const {
    Transfer out;
    for (const OperationId id : operations_) {
      if (graph_.operation(id).work != work) continue;
      if (network && graph_.class_of(id).network != *network) continue;
      const Transfer now{seconds_of(run_.freed[id] - run_.start[id]),
                         seconds_of(run_.finish[id] - run_.freed[id])};
      if (now.sending + now.delay > out.sending + out.delay) out = now;
    }
    return out;
  }

 private:
  const StepGraph& graph_;
  const Execution& run_;
  std::vector<OperationId> operations_;
};

}  // namespace

std::map<std::string, double> stepped_quantities(const Plan& plan, const StepSimulation& step) {
  if (!step.timeline.steady) return {};
  const SteadyPace& steady = *step.timeline.steady;
  const double layers = real(plan.mapping.layers_per_stage);
  const double passes = layers * real(plan.mapping.microbatches) * real(step.timeline.steps);
  const FirstStage stage(step);
  const Seconds backward = stage.all_of(StepWork::backward) / passes;
  const FirstStage::Transfer exchange = stage.longest(StepWork::gradient);
  std::map<std::string, double> out = {
      {"step.exposed_share", steady.exposed_share},
      {"step.steady_s", (steady.time / layers).si()},
      {"step.forward_s", (stage.all_of(StepWork::forward) / passes).si()},
      {"step.backward_s", backward.si()},
      {"step.gradient_hidden_s",
       ((exchange.sending + exchange.delay - steady.exposed.gradient) / layers).si()}};
  constexpr StepResource kWideArea = StepResource::wide_area;
  const FirstStage::Transfer far = stage.longest(StepWork::gradient, &kWideArea);
  const Seconds room = backward * layers - far.delay;
  if (far.sending.si() > 0 && room.si() > 0) {
    const BitRate rate = plan.scenario.network.wide_area_rate;
    out["communication.wide_area_rate_hidden_bps"] = (rate * (far.sending / room)).si();
  }
  return out;
}

SlowedSteadyState slowed_steady_state(const Plan& plan, double times) {
  const StepPlan& s = plan.step;
  const double stages = real(plan.mapping.pipeline);
  const Seconds exposed = s.exposed + (times * (stages - 1) / stages - 1) * s.exposed_pipeline;
  const Seconds layer = s.forward + s.backward + exposed;
  return {layer, exposed / layer};
}

}  // namespace trainyard
