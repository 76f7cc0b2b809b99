#include "scenario/transport_facts.h"
#include "trainyard/connections.h"
#include "trainyard/scenario_text.h"

namespace trainyard::workload {

HtsimSizes htsim_sizes(Transport transport) {
  return facts_of(transport).tcp_packets ? HtsimSizes{Bytes(0), Bytes(40)} : HtsimSizes{Bytes(64), Bytes(64)};
}

Scenario resolve_with_connections(const ScenarioText& text) {
  Scenario scenario = text.resolve();
  const HtsimSizes sizes = htsim_sizes(scenario.simulation.transport);
  if (!text.has("simulation", "header")) scenario.simulation.header = sizes.header;
  if (!text.has("simulation", "control_packet")) scenario.simulation.control_packet = sizes.control_packet;
  return scenario;
}

}  // namespace trainyard::workload
