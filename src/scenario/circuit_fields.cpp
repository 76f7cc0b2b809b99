#include <fmt/core.h>

#include "scenario/checks.h"
#include "scenario/choices/circuits.h"
#include "scenario/sections.h"
#include "trainyard/catalog.h"
#include "trainyard/nearest.h"
#include "trainyard/scenario.h"

namespace trainyard {
namespace {

constexpr double kMostCircuitPorts = 64;
constexpr double kLongestCircuitChange_s = 3600;

void check_key(bool known, const char* setting, const std::string& what, const Table& document,
               const Scenario& scenario, Findings& findings, const std::string& remedy) {
  if (known) return;
  findings.add(locate(document, setting, scenario.source_name), what, remedy);
}

}  // namespace

const FieldTable<CircuitsInput>& circuit_fields() {
  using C = CircuitsInput;
  static const FieldTable<C> table = {
      field("switch", &C::circuit_switch, "Catalog key of the optical circuit switch."),
      field("ports", &C::ports, between(1, kMostCircuitPorts),
            "Ports of a device into circuits; its scale-out rate is divided among them."),
      field("reconfigure", &C::reconfigure, "When circuits change."),
      field("reconfiguration_time", &C::reconfiguration_time, between(0, kLongestCircuitChange_s),
            "Time until light passes a new circuit.")
          .otherwise("that of the switch"),
      field("control_delay", &C::control_delay, between(0, kLongestCircuitChange_s),
            "Time from a wish until the switch has the command."),
      field("ahead", &C::ahead,
            "Whether the controller knows what comes next and changes circuits as soon as their ports are "
            "free; else when a transfer asks for them."),
      field("all_to_all", &C::all_to_all, "How an all-to-all meets more peers than a device has ports."),
      field("electrical_rate", &C::electrical_rate, positive(),
            "Rate of a device on an electrical network beside the circuits, for small transfers.")
          .otherwise("there is none"),
      field("electrical_below", &C::electrical_below, at_least(0),
            "Bytes that a device sends below which a transfer takes the electrical network."),
      field("transceiver", &C::transceiver, "Catalog key of the transceivers of the devices' ports.")
          .otherwise("the cheapest of one fibre pair: those that reach 2 km"),
      field("spare_ports", &C::spare_ports, between(0, 1e4),
            "Ports of every circuit switch that are kept free for those that fail."),
  };
  return table;
}

void check_circuits(const Scenario& scenario, const Table& document, Findings& findings) {
  if (!scenario.circuits) return;
  const CircuitsInput& c = *scenario.circuits;
  const Catalog& catalog = *scenario.catalog;
  check_key(catalog.circuit_switches.contains(c.circuit_switch), "circuits.switch",
            fmt::format("the catalog has no circuit switch '{}'", c.circuit_switch), document, scenario,
            findings, suggestion(c.circuit_switch, catalog.circuit_switches.keys()));
  if (!c.transceiver) return;
  const LinkProduct* found = catalog.links.find(*c.transceiver);
  const bool optical = found && found->kind == LinkKind::transceiver;
  check_key(optical, "circuits.transceiver",
            fmt::format("the catalog has no transceiver '{}'", *c.transceiver), document, scenario, findings,
            suggestion(*c.transceiver, catalog.links.keys()));
}

}  // namespace trainyard
