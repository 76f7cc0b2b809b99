// The training program of a scenario.
#include <algorithm>
#include <utility>

#include "scenario/in_force.h"
#include "trainyard/catalog.h"
#include "trainyard/scenario.h"

namespace trainyard {

const std::string& accelerator_key_of(const Scenario& scenario) {
  return scenario.catalog->hb_domains.at(scenario.facility.hb_domain).accelerator;
}

std::string calibration_of(const Scenario& scenario) {
  return calibration_key(*scenario.catalog, accelerator_key_of(scenario));
}

const Accelerator& accelerator_of(const Scenario& scenario) {
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  return scenario.catalog->accelerators.at(domain.accelerator);
}

std::string software_key(const Scenario& scenario) {
  if (scenario.training.software) return *scenario.training.software;
  const std::string& usual = accelerator_of(scenario).software;
  return usual.empty() ? "none" : usual;
}

namespace {

bool contains(const std::vector<Hidden>& said, Hidden what) {
  return std::find(said.begin(), said.end(), what) != said.end();
}

/// As asked: a ring passes on beside its kernels. Rings know no windows: programs that have them exchange all
/// to all there (Transformer Engine, get_attention_backend).
void exchange_context(const Scenario& scenario, Software& software) {
  if (const auto& asked = scenario.training.context_exchange) {
    software.context_exchange = *asked;
    software.hides_context = *asked == ContextExchange::ring;
  } else if (software.context_exchange == ContextExchange::ring &&
             scenario.model.shape.window_in_force() > 0) {
    software.context_exchange = ContextExchange::all_to_all;
  }
}

}  // namespace

bool hides(const Scenario& scenario, Hidden what) { return contains(scenario.training.hides, what); }

bool hides_wholly(const Scenario& scenario, Hidden what) {
  return scenario.training.hides_wholly && hides(scenario, what);
}

bool multiplies_in(const Scenario& scenario, Fp8Scaling scaling) {
  return scenario.precision.compute == Precision::fp8 && scenario.precision.scaling == scaling;
}

Software software_of(const Scenario& scenario) {
  Software software = scenario.catalog->software.at(software_key(scenario));
  const TrainingInput& training = scenario.training;
  if (training.compiled) software.unfused = 0;
  if (training.compiled && software.compiled_loss_bytes) software.loss_bytes = software.compiled_loss_bytes;
  if (training.compiled && software.compiled_loss_held_bytes)
    software.loss_held_bytes = software.compiled_loss_held_bytes;
  if (training.graphs) software.graphs = *training.graphs;
  exchange_context(scenario, software);
  if (training.low_attention) software.low_attention = *training.low_attention;
  if (training.low_output) software.low_output = *training.low_output;
  const std::pair<Hidden, bool*> habits[] = {{Hidden::tensor, &software.hides_tensor},
                                             {Hidden::gradients, &software.hides_gradients},
                                             {Hidden::pipeline, &software.hides_pipeline}};
  if (contains(training.exposes, Hidden::pipeline)) software.hides_interleaved = false;
  if (contains(training.exposes, Hidden::expert))
    software.hides_wide_experts = software.hides_experts = false;
  for (const auto& [what, habit] : habits) {
    if (hides(scenario, what)) *habit = true;
    if (contains(training.exposes, what)) *habit = false;
  }
  return software;
}

}  // namespace trainyard
