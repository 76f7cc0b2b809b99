#include "trainyard/plan.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cost/cost.h"
#include "facility/networks.h"
#include "model/model.h"
#include "model/scaling_laws.h"
#include "parallel/parallel.h"
#include "scenario/choices/assumptions.h"
#include "scenario/choices/mapping.h"
#include "search/mapping_search.h"
#include "search/plan_stages.h"
#include "trainyard/catalog.h"
#include "trainyard/facility.h"
#include "trainyard/planning.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

/// Mean time of a transfer to the next stage: inside an HB domain at the scale-up rate, else over the
/// scale-out network.
Seconds mean_pipeline_transfer(const Scenario& scenario, const Candidate& c) {
  if (c.mapping.pipeline == 1) return Seconds(0);
  Networks networks = networks_of(scenario);
  networks.scale_out.rate = networks.scale_out.rate * scenario.network.pipeline_share;
  const bool consecutive = c.mapping.placement == Placement::consecutive_layers;
  const auto stages =
      static_cast<double>(consecutive ? std::min(c.mapping.groups_per_domain, c.mapping.pipeline) : 1);
  const double inside = (stages - 1) / stages;
  return transfer_time(c.communication.pipeline_volume, networks.scale_up) * inside +
         transfer_time(c.communication.pipeline_volume, networks.scale_out) * (1 - inside);
}

PlacementComparison compared(const Scenario& scenario, const Candidate& c) {
  PlacementComparison out;
  out.placement = c.mapping.placement;
  const auto& stages = c.communication.gradient.stages;
  out.gradient_out_of_domain =
      stages.size() > 1 ? stages[1].bytes : stages[0].bytes;  // a flat ring sends all
  out.gradient = c.communication.gradient.pipelined;
  out.pipeline_transfer = mean_pipeline_transfer(scenario, c);
  out.exposed_share = c.step.exposed_share;
  return out;
}

/// Both placements of the chosen cut, each with the gradient exchange that suits it.
std::vector<PlacementComparison> compare_placements(const Scenario& scenario, const FacilityPlan& facility,
                                                    const ModelPlan& model, const Candidate& chosen) {
  std::vector<PlacementComparison> out;
  if (chosen.mapping.pipeline == 1) return out;
  for (const Placement placement : {Placement::same_layer, Placement::consecutive_layers}) {
    Scenario asked = scenario;
    if (placement != chosen.mapping.placement) asked.mapping.placement = placement;
    auto mapping =
        cut_model(asked, facility, model, {chosen.mapping.tensor, chosen.mapping.pipeline}, placement);
    if (mapping) out.push_back(compared(asked, evaluate(asked, model, std::move(*mapping))));
  }
  return out;
}

/// What the program chose for a scenario that is silent about it, where that is not the plainest value.
std::string chosen_note(const Scenario& scenario, const MappingInput& m) {
  const MappingInput plain;
  const auto count = [](const char* key, std::int64_t value) {
    return fmt::format("mapping.{} = {}", key, value);
  };
  std::vector<std::string> out;
  if (m.absent.context && m.context != plain.context) out.push_back(count("context", m.context));
  if (m.absent.expert && m.expert != plain.expert) out.push_back(count("expert", m.expert));
  if (!scenario.mapping.expert_tensor && m.expert_tensor)
    out.push_back(count("expert_tensor", *m.expert_tensor));
  if (m.absent.virtual_stages && m.virtual_stages != plain.virtual_stages)
    out.push_back(count("virtual_stages", m.virtual_stages));
  if (m.absent.microbatch && m.microbatch != plain.microbatch)
    out.push_back(count("microbatch", m.microbatch));
  if (m.absent.zero_stage && m.zero_stage != plain.zero_stage)
    out.push_back(count("zero_stage", m.zero_stage));
  if (scenario.assumptions.compute_model_absent)
    out.push_back(
        fmt::format("assumptions.compute_model = \"{}\"", choice_name(scenario.assumptions.compute_model)));
  if (m.absent.recompute && m.recompute != plain.recompute)
    out.push_back(fmt::format("mapping.recompute = \"{}\"", choice_name(m.recompute)));
  if (m.recompute_layers && !scenario.mapping.recompute_layers)
    out.push_back(count("recompute_layers", *m.recompute_layers));
  if (out.empty()) return {};
  return fmt::format(
      "chosen by the program, since the scenario is silent: {} (stating them fixes them, and \"auto\" "
      "says that this is meant)",
      fmt::join(out, ", "));
}

/// The rest of a begun plan, by its mapping.
void take(Plan& plan, Candidate chosen, PlanDetail detail) {
  if (std::string note = chosen_note(plan.scenario, chosen.input); !note.empty())
    chosen.mapping.warnings.push_back(std::move(note));
  plan.scenario.mapping = chosen.input;
  if (detail == PlanDetail::whole)
    plan.placements = compare_placements(plan.scenario, plan.facility, plan.model, chosen);
  plan.mapping = std::move(chosen.mapping);
  plan.communication = std::move(chosen.communication);
  plan.step = chosen.step;
  plan.cost = plan_cost(plan.scenario, plan.facility, plan.step.days_to_train, plan.step.tokens);
}

}  // namespace

Plan begin_plan(const Scenario& scenario) {
  Plan plan;
  plan.scenario = scenario;
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  plan.hb_domain = domain.info.name;
  plan.accelerator = scenario.catalog->accelerators.at(domain.accelerator).info.name;
  plan.facility = plan_facility(scenario);
  plan.model = plan_model(scenario.model, scenario.training, scenario.assumptions.causal_attention);
  plan.scaling = plan_scaling(scenario.training, scenario.precision.compute, plan.facility, plan.model);
  return plan;
}

bool finish_plan(Plan& plan, PlanDetail detail) {
  ClosestCut closest;
  std::optional<Candidate> chosen = find_mapping(plan.scenario, plan.facility, plan.model, closest);
  if (chosen) take(plan, std::move(*chosen), detail);
  return chosen.has_value();
}

namespace {

Plan planned(const Scenario& scenario, MemoryRoom room) {
  Plan plan = begin_plan(scenario);
  take(plan, choose_mapping(scenario, plan.facility, plan.model, room), PlanDetail::whole);
  return plan;
}

}  // namespace

Plan make_plan(const Scenario& scenario) { return planned(scenario, MemoryRoom::counted); }

Plan plan_as_stated(const Scenario& scenario) { return planned(scenario, MemoryRoom::doubtful); }

}  // namespace trainyard
