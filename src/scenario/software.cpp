// The training program of a scenario.
#include <algorithm>

#include "scenario/scenario.h"

namespace trainyard {

const Accelerator& accelerator_of(const Scenario& scenario) {
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  return scenario.catalog->accelerators.at(domain.accelerator);
}

std::string software_key(const Scenario& scenario) {
  if (scenario.training.software) return *scenario.training.software;
  const std::string& usual = accelerator_of(scenario).software;
  return usual.empty() ? "none" : usual;
}

Software software_of(const Scenario& scenario) {
  Software software = scenario.catalog->software.at(software_key(scenario));
  if (scenario.training.compiled) software.unfused = 0;
  software.hides_gradients = software.hides_gradients || hides(scenario, Hidden::gradients);
  software.hides_pipeline = software.hides_pipeline || hides(scenario, Hidden::pipeline);
  return software;
}

bool hides(const Scenario& scenario, Hidden what) {
  const std::vector<Hidden>& said = scenario.training.hides;
  return std::find(said.begin(), said.end(), what) != said.end();
}

}  // namespace trainyard
