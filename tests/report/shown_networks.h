// Networks that tests of several surfaces show.
#pragma once

#include <vector>

#include "trainyard/networks_compared.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

inline const Scenario& all_topologies() {
  static const Scenario scenario = ScenarioText::load("topologies").resolve();
  return scenario;
}

inline const std::vector<NetworkAnswer>& answers() {
  static const std::vector<NetworkAnswer> all = answer_networks(all_topologies());
  return all;
}

}  // namespace trainyard
