// Whole runs of `step`: small steps by each model of the network.
#include "question.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/report/step.h"
#include "trainyard/step.h"

namespace trainyard::fuzz {
namespace {

constexpr double kFewPasses = 2000;
constexpr std::int64_t kFewHosts = 256;

bool is_small(const Plan& plan, StepNetwork network) {
  const MappingPlan& m = plan.mapping;
  const StepInput& step = plan.scenario.step;
  const double passes = static_cast<double>(m.pipeline) * static_cast<double>(m.microbatches) *
                        static_cast<double>(m.virtual_stages) * static_cast<double>(m.layers_per_stage) *
                        static_cast<double>(step.replicas) * static_cast<double>(step.steps);
  return passes <= kFewPasses && (network == StepNetwork::analytic || m.devices_used <= kFewHosts);
}

std::string answer_step(const Question& question, const ScenarioText& text) {
  StepRun run;
  for (const StepNetwork network : step_networks()) {
    if (step_network_name(network) == question.words[0]) run.network = network;
  }
  for (const StepWork work : packet_phases()) {
    if (step_work_name(work) == question.words[1]) run.phases = {work};
  }
  const Plan plan = make_plan(text.resolve());
  if (!is_small(plan, run.network)) return {};
  const StepSimulation step = simulate_step(plan, run);
  return step_json(step, plan) + step_text(step, plan, Seconds(0)) + step_csv(step) + step_trace(step).json +
         step_page(step, plan);
}

}  // namespace

const Asking& asking() {
  static const Asking all = {{{"analytic", "flow", "packet"}, {"pipeline", "expert", "weights", "gradient"}},
                             {"step", "straggler", "step_failure", "mapping", "model", "network", "facility",
                              "wide_area", "design", "training"},
                             answer_step};
  return all;
}

}  // namespace trainyard::fuzz
