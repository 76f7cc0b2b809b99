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
  const TrainingInput& training = scenario.training;
  if (training.compiled) software.unfused = 0;
  const auto hides = [&](Hidden what) {
    return std::find(training.hides.begin(), training.hides.end(), what) != training.hides.end();
  };
  software.hides_gradients = software.hides_gradients || hides(Hidden::gradients);
  software.hides_tensor = software.hides_tensor || hides(Hidden::tensor);
  software.hides_pipeline = software.hides_pipeline || hides(Hidden::pipeline);
  return software;
}

}  // namespace trainyard
