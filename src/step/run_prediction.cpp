#include "step/run_prediction.h"

#include <algorithm>

#include "base/errors.h"
#include "model/model.h"
#include "parallel/parallel.h"
#include "step/step.h"

namespace trainyard {
namespace {

/// Devices of an HB domain; a tensor and context group that fills several counts as one.
std::int64_t domain_devices(const MeasuredRun& run) {
  return std::max(run.devices_per_hb_domain, run.tensor * run.context);
}

/// The run as a scenario over a facility of its own.
Scenario scenario_of(const MeasuredRun& run, const Catalog& catalog) {
  const std::string domain = "measured run";
  auto own = std::make_shared<Catalog>(catalog);
  HbDomain& hb = own->hb_domains[domain];
  hb.accelerator = run.accelerator_key;
  hb.devices = domain_devices(run);
  hb.nic = own->nics.begin()->first;  // its rate is the row's
  Scenario s;
  s.facility.hb_domain = domain;
  s.facility.devices = run.devices;
  s.model.shape = run.shape;
  s.mapping.tensor = run.tensor;
  s.mapping.pipeline = run.pipeline;
  s.mapping.data = run.data;
  s.mapping.context = run.context;
  s.mapping.expert = run.expert;
  s.mapping.virtual_stages = run.virtual_stages;
  s.mapping.microbatch = run.microbatch;
  s.mapping.microbatches = run.microbatches();
  s.mapping.zero_stage = run.zero_stage;
  s.mapping.sequence_parallel = run.sequence_parallel;
  s.mapping.recompute = run.recompute;
  s.mapping.attention = run.attention;
  s.precision.compute = run.precision;
  s.assumptions.causal_attention = CausalAttention::half;
  const BitRate inside = own->accelerators.at(run.accelerator_key).scale_up_rate;
  s.network.scale_out_rate = run.nic_rate.value_or(inside);
  s.catalog = std::move(own);
  return s;
}

FacilityPlan facility_of(const MeasuredRun& run) {
  FacilityPlan facility;
  facility.domain_devices = domain_devices(run);
  facility.domains = (run.devices + facility.domain_devices - 1) / facility.domain_devices;
  facility.devices = facility.domains * facility.domain_devices;
  return facility;
}

}  // namespace

RunPrediction predict_run(const MeasuredRun& run, const Catalog& catalog) {
  const Scenario scenario = scenario_of(run, catalog);
  const ModelPlan model = plan_model(scenario);
  std::string why;
  auto mapping = cut_model(scenario, facility_of(run), model, {run.tensor, run.pipeline},
                           Placement::consecutive_layers, &why);
  if (!mapping) fail_input(run.where, "row '" + run.id + "': " + why);
  const LayerTimes layer = layer_times(scenario, model, *mapping);
  const CommunicationPlan communication = plan_communication(scenario, model, *mapping, layer);
  return {plan_step(scenario, model, *mapping, communication, layer).step};
}

}  // namespace trainyard
