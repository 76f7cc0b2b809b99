#include "step/timeline/warnings.h"

#include <fmt/core.h>

#include <algorithm>

#include "step/build_step.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

/// The plan fits its own schedule into memory, not every one.
void warn_of_memory(std::vector<std::string>& out, const std::vector<StageTimeline>& stages, Bytes has) {
  const auto fullest = std::max_element(stages.begin(), stages.end(), [](const auto& a, const auto& b) {
    return a.peak_memory < b.peak_memory;
  });
  if (fullest->peak_memory <= has) return;
  out.push_back(
      fmt::format("stage {} holds {} at once and a device has {}: fewer microbatches, recomputation, or a "
                  "schedule that "
                  "keeps fewer under way",
                  fullest->stage, format_quantity(fullest->peak_memory.si(), Unit::bytes),
                  format_quantity(has.si(), Unit::bytes)));
}

/// In closed form transfers beside each other each have the whole rate.
void warn_of_share(std::vector<std::string>& out, const std::vector<StageTimeline>& stages,
                   const char* network, double StageTimeline::*share) {
  constexpr double kRounding = 1e-9;
  const auto busiest = std::max_element(
      stages.begin(), stages.end(), [share](const auto& a, const auto& b) { return a.*share < b.*share; });
  if ((*busiest).*share <= 1 + kRounding) return;
  out.push_back(
      fmt::format("stage {} sends {} of what its {} link carries in the step: transfers at the same time "
                  "do not slow each "
                  "other down here; --network flow shares links out",
                  busiest->stage, format_quantity((*busiest).*share, Unit::fraction), network));
}

}  // namespace

std::vector<std::string> overloads(const std::vector<StageTimeline>& stages, const MappingPlan& mapping) {
  std::vector<std::string> out;
  warn_of_memory(out, stages, mapping.device_memory);
  warn_of_share(out, stages, "scale-up", &StageTimeline::scale_up_share);
  warn_of_share(out, stages, "scale-out", &StageTimeline::scale_out_share);
  warn_of_share(out, stages, "wide-area", &StageTimeline::wide_area_share);
  return out;
}

std::vector<std::string> settings_without_effect(const StepModel& model, const Plan& plan) {
  const StepInput& step = plan.scenario.step;
  std::vector<std::string> out;
  const auto check = [&](const char* key, bool has_effect, const char* why) {
    if (given_place(step.places, key) && !has_effect)
      out.push_back(fmt::format("step.{} has no effect: {}", key, why));
  };
  check("replicas", step.jitter > 0 || step.replicas == 1, "replicas are told apart by step.jitter");
  check("seed", step.jitter > 0, "there is no step.jitter");
  check("tensor_overlap", plan.mapping.tensor > 1 || step.tensor_overlap.value_or(0) == 0,
        "there is no tensor parallelism");
  check("prefetch", plan.scenario.mapping.zero_stage == 3,
        "weights are gathered under mapping.zero_stage = 3");
  check("gradient_bucket", model.gradient_pieces > 0, "gradients do not leave in pieces");
  return out;
}

}  // namespace trainyard
