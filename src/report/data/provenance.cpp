#include "trainyard/provenance.h"

#include "trainyard/catalog.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario_text.h"

namespace trainyard {

std::string program_version() { return TRAINYARD_VERSION; }

Provenance provenance_of(const Scenario& scenario) {
  return {program_version(), scenario.source_name, scenario_hash(scenario), scenario.catalog->version()};
}

Provenance provenance_of(const ScenarioText& text) {
  return {program_version(), text.name(), text.hash(), text.catalog().version()};
}

}  // namespace trainyard
