// What a step waits for that its closed form leaves out.
#include <algorithm>

#include "cost/calibrated_compute.h"
#include "cost/cost.h"
#include "cost/pipeline_chunks.h"
#include "parallel/schedules.h"
#include "parallel/stages.h"
#include "trainyard/plan/mapping.h"
#include "trainyard/plan/model.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Whether some stages have more layers than others.
bool uneven(const ModelPlan& model, const MappingPlan& m) {
  const StageRanges ranges = stage_ranges(model.shape, stage_cut(m));
  return std::any_of(ranges.begin(), ranges.end(), [&](const StageRange& range) {
    return range.layers.total() != ranges.front().layers.total();
  });
}

}  // namespace

std::vector<std::string> uncounted_effects(const Scenario& scenario, const ModelPlan& model,
                                           const MappingPlan& m) {
  std::vector<std::string> out;
  if (scenario.assumptions.step_rule == StepRule::steady_state) return out;
  const auto say = [&](const char* what) {
    out.push_back(std::string("the closed form does not count ") + what + ": `step` does");
  };
  const bool measured = calibration_in_force(scenario) != nullptr;
  if (!measured && m.datacenters > 1) say("how delays between datacenters overlap from layer to layer");
  const bool played = measured && plays_passes(scenario, m);
  if (measured && !played && is_scheduled(scenario.step.schedule, m))
    say("what passes wait for each other, nor which of them hide exchanges");
  if (!played && holds_two_stages(scenario.step.schedule, m.pipeline) && uneven(model, m))
    say("what passes of unequal stages wait for each other where a device takes them in turns");
  const double fill = schedule_rules(scenario.step.schedule).fill_share.value_or(1);
  if (!played && fill < 1 && m.microbatches < m.pipeline)
    say("what stages wait for that have fewer microbatches than they are");
  if (!played && scenario.mapping.zero_stage == 3 && m.pipeline > 1 && m.microbatches < 2 * m.pipeline)
    say("which gathers of weights stages make while the pipeline fills");
  if (scenario.mapping.offload_activations && !waits_for_host(scenario, m))
    say("backward passes that wait for activations from the host");
  return out;
}

}  // namespace trainyard
