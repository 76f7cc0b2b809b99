#include "search/memory_doubt.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "parallel/memory.h"
#include "scenario/choices/mapping.h"
#include "search/mapping_search.h"
#include "trainyard/quantity_text.h"

namespace trainyard {
namespace {

std::string memory_text(Bytes bytes) { return format_quantity(bytes.si(), Unit::bytes); }

std::string predicted(const MappingPlan& m, const Interval& interval) {
  return fmt::format("{} of {} are predicted, and the prediction's 80% interval reaches {}",
                     memory_text(m.device.total()), memory_text(m.device_memory),
                     memory_text(m.device.total() * interval.high));
}

}  // namespace

std::string differences(const Candidate& from, const Candidate& to) {
  std::vector<std::string> out;
  const auto count = [&](const char* key, std::int64_t before, std::int64_t after) {
    if (before != after) out.push_back(fmt::format("{} = {}", key, after));
  };
  count("tensor", from.mapping.tensor, to.mapping.tensor);
  count("pipeline", from.mapping.pipeline, to.mapping.pipeline);
  count("context", from.mapping.context, to.mapping.context);
  count("expert_tensor", from.mapping.expert_tensor, to.mapping.expert_tensor);
  count("expert", from.mapping.expert, to.mapping.expert);
  count("virtual_stages", from.mapping.virtual_stages, to.mapping.virtual_stages);
  count("microbatch", from.mapping.microbatch, to.mapping.microbatch);
  count("zero_stage", from.input.zero_stage, to.input.zero_stage);
  if (from.input.recompute != to.input.recompute)
    out.push_back(fmt::format("recompute = \"{}\"", choice_name(to.input.recompute)));
  const auto layers = [](const Candidate& c) {
    return c.input.recompute == Recompute::none ? 0 : c.input.recompute_layers.value_or(-1);
  };
  if (layers(to) > 0) count("recompute_layers", layers(from), layers(to));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string doubt_of_room(const MappingPlan& mapping, const Interval& interval) {
  if (fits(mapping, interval.high)) return {};
  return fmt::format("the fullest device {} run out of memory, with a chance of {:.0f}%: {}",
                     fits(mapping) ? "may" : "will probably", 100 * (1 - chance_of_room(mapping, interval)),
                     predicted(mapping, interval));
}

std::string memory_doubt(const Scenario& scenario, const FacilityPlan& facility, const ModelPlan& model,
                         const Candidate& chosen) {
  constexpr double kWorthSaying = 0.02;
  const Interval& interval = chosen.step.memory_interval;
  if (std::string doubt = doubt_of_room(chosen.mapping, interval); !doubt.empty()) return doubt;
  if (!chooses_mapping(scenario.mapping) || interval.high < 1 + kWorthSaying) return {};
  ClosestCut unused;
  const auto tight = find_mapping(scenario, facility, model, unused, kMostEvaluations, MemoryRoom::ignored);
  const double gain = tight->step.tokens_per_second / chosen.step.tokens_per_second - 1;
  if (fits(tight->mapping, interval.high) || gain < kWorthSaying) return {};
  return fmt::format(
      "a faster mapping was passed over, since it may run out of memory: mapping.{} gives {:.1f}% more "
      "tokens a second; {}",
      differences(chosen, *tight), 100 * gain, predicted(tight->mapping, tight->step.memory_interval));
}

}  // namespace trainyard
