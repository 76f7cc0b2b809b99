#include <algorithm>
#include <utility>

#include "facility/facility.h"
#include "model/model.h"
#include "parallel/parallel.h"
#include "search/mapping_search.h"
#include "search/sweep.h"
#include "cost/cost.h"

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
    auto mapping =
        cut_model(scenario, facility, model, {chosen.mapping.tensor, chosen.mapping.pipeline}, placement);
    if (mapping) out.push_back(compared(scenario, evaluate(scenario, model, std::move(*mapping))));
  }
  return out;
}

}  // namespace

Plan make_plan(const Scenario& scenario) {
  Plan plan;
  plan.scenario = scenario;
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  plan.hb_domain = domain.info.name;
  plan.accelerator = scenario.catalog->accelerators.at(domain.accelerator).info.name;
  plan.facility = plan_facility(scenario);
  plan.model = plan_model(scenario);
  plan.scaling = plan_scaling(scenario, plan.facility, plan.model);
  Candidate chosen = choose_mapping(scenario, plan.facility, plan.model);
  plan.placements = compare_placements(scenario, plan.facility, plan.model, chosen);
  plan.mapping = std::move(chosen.mapping);
  plan.communication = std::move(chosen.communication);
  plan.step = chosen.step;
  plan.cost = plan_cost(scenario, plan.facility, plan.step.days_to_train, plan.step.tokens);
  return plan;
}

}  // namespace trainyard
