#include "report/page/plan_sheet.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "report/data/exposed_words.h"
#include "report/data/mapping_words.h"
#include "report/data/show.h"
#include "report/page/page.h"
#include "report/page/plan_parts.h"
#include "scenario/choices/assumptions.h"
#include "scenario/choices/mapping.h"
#include "trainyard/plan.h"
#include "trainyard/report/plan.h"

namespace trainyard {
namespace {

PageFacts mapping_facts(const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  const MappingInput& in = plan.scenario.mapping;
  PageFacts out = {{"tensor", show_count(m.tensor)}, {"pipeline", show_count(m.pipeline)}};
  if (m.virtual_stages > 1) out.emplace_back("virtual stages", show_count(m.virtual_stages));
  if (m.last_stage_layers > 0) out.emplace_back("layers of the last stage", show_count(m.last_stage_layers));
  if (m.context > 1) out.emplace_back("context", show_count(m.context));
  out.emplace_back("data", show_count(m.data));
  if (m.expert > 1) out.emplace_back("expert", show_count(m.expert));
  if (m.expert_tensor != m.tensor) out.emplace_back("expert tensor", show_count(m.expert_tensor));
  const PageFacts rest = {{"microbatch", counted(show_count(m.microbatch), "sequence")},
                          {"microbatches", show_count(m.microbatches)},
                          {"batch", counted(show_many(m.batch_tokens), "token")},
                          {"layers of a stage", show_count(m.layers_per_stage)},
                          {"ZeRO stage", zero_text(in)},
                          {"recomputation", recompute_text(in)},
                          {"placement", std::string(choice_name(m.placement))},
                          {"devices used", show_count(m.devices_used)}};
  out.insert(out.end(), rest.begin(), rest.end());
  if (m.devices_idle > 0) out.emplace_back("devices idle", show_count(m.devices_idle));
  return out;
}

std::string range_text(double value, const Interval& interval, Unit unit) {
  return fmt::format("{} to {}", show(value * interval.low, unit), show(value * interval.high, unit));
}

PageFacts step_facts(const Plan& plan) {
  const StepPlan& s = plan.step;
  PageFacts out = {{"step", show(s.step)}};
  if (s.step_interval.high > 1)
    out.emplace_back("80% interval", range_text(s.step.si(), s.step_interval, Unit::seconds));
  const PageFacts rest = {{"MFU", show_share(s.mfu)},
                          {"exposed transfers", exposed_with_interval(s.step_interval, s.exposed_share_step)},
                          {"fill and drain", show_share(s.bubble_share)},
                          {"tokens a second", show_count(s.tokens_per_second)},
                          {"rule", std::string(choice_name(plan.scenario.assumptions.step_rule))}};
  out.insert(out.end(), rest.begin(), rest.end());
  return out;
}

PageFacts memory_facts(const Plan& plan) {
  const MappingPlan& m = plan.mapping;
  const Bytes total = m.device.total();
  PageFacts out = {{"fullest device", fmt::format("{} of {}", show(total), show(m.device_memory))}};
  if (plan.step.memory_interval.high > 1)
    out.emplace_back("80% interval", range_text(total.si(), plan.step.memory_interval, Unit::bytes));
  if (m.host_activations.si() > 0) out.emplace_back("offloaded to the host", show(m.host_activations));
  return out;
}

PageFacts run_facts(const Plan& plan) {
  const StepPlan& s = plan.step;
  const CostPlan& c = plan.cost;
  return {{"time to train", show(s.days_to_train)},
          {"tokens", show_many(s.tokens)},
          {"steps", show_count(s.steps)},
          {"cost of the run", show(c.run_cost)},
          {"written off", show(c.capital_cost)},
          {"energy", fmt::format("{}, {}", show(c.energy), show(c.energy_cost))},
          {"a million tokens", show(c.per_million_tokens)}};
}

PageFacts facility_facts(const Plan& plan) {
  const FacilityPlan& f = plan.facility;
  PageFacts out = {{"accelerator", plan.accelerator},
                   {"HB domains", fmt::format("{} x {}", show_count(f.domains), plan.hb_domain)},
                   {"devices", show_count(f.devices)},
                   {"power", show(f.power_high)}};
  if (f.budget) out.emplace_back("budget", show(*f.budget));
  out.emplace_back("model", fmt::format("{}, {} parameters", plan.model.shape.info.name,
                                        show_many(plan.model.parameters.total)));
  return out;
}

Json bar(const std::string& title, double whole, const PlanParts& parts, Unit unit) {
  Json shown = Json::array();
  for (const auto& [name, value] : parts) {
    if (value > 0) shown.push_back({name, value / whole, show(value, unit)});
  }
  return {{"title", title}, {"parts", std::move(shown)}};
}

}  // namespace

Json plan_sheet(const Plan& plan) {
  const StepPlan& s = plan.step;
  const MappingPlan& m = plan.mapping;
  const double memory = std::max(m.device_memory.si(), m.device.total().si());
  Json out;
  for (const auto& [title, facts] : {std::pair{"Step", step_facts(plan)},
                                     {"Mapping", mapping_facts(plan)},
                                     {"Memory", memory_facts(plan)},
                                     {"Training run", run_facts(plan)},
                                     {"Facility and model", facility_facts(plan)}})
    out["groups"].push_back({title, facts});
  out["step"] = bar("A step: " + show(s.step) + margin_text(s.step_interval), s.step.si(), step_parts(plan),
                    Unit::seconds);
  out["memory"] = bar(fmt::format("Fullest device: {} of {}", show(m.device.total()), show(m.device_memory)),
                      memory, memory_parts(m.device), Unit::bytes);
  out["warnings"] = m.warnings;
  if (s.step_interval.high > 1) out["basis"] = s.step_interval.basis;
  return out;
}

std::string step_with_interval(const Plan& plan) {
  const StepPlan& s = plan.step;
  if (s.step_interval.high <= 1) return show(s.step);
  return fmt::format("{} ({})", show(s.step), range_text(s.step.si(), s.step_interval, Unit::seconds));
}

}  // namespace trainyard
