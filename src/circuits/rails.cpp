#include "circuits/rails.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/counted.h"
#include "base/whole_numbers.h"
#include "facility/networks.h"
#include "trainyard/catalog.h"
#include "trainyard/design_counts.h"
#include "trainyard/errors.h"
#include "trainyard/facility.h"
#include "trainyard/plan.h"
#include "trainyard/range.h"
#include "trainyard/unbuildable_network.h"

namespace trainyard {

CircuitRails circuit_rails(const Plan& plan, const CircuitsInput& settings) {
  const CircuitSwitch& part = circuits::switch_of(plan, settings);
  CircuitRails out;
  out.rails = plan.facility.domain_devices;
  out.hosts = domains_of_datacenter(plan.facility);
  out.ports = settings.ports;
  out.switch_ports = part.ports;
  const std::int64_t usable = part.ports - settings.spare_ports;
  out.ports_on_switch = std::min(settings.ports, usable / out.hosts);
  if (out.ports_on_switch < 1) {
    throw Infeasible(
        "every device of a rail on one circuit switch",
        fmt::format("a rail has {}, and {} has {}, {} of them spare", counted(out.hosts, "device"),
                    part.info.name, counted(part.ports, "port"), settings.spare_ports),
        part.ports >= out.hosts
            ? fmt::format("it would hold with at most {} circuits.spare_ports", part.ports - out.hosts)
            : fmt::format("it would hold with at most {} of a datacenter, or a larger circuits.switch",
                          counted(part.ports, "HB domain")));
  }
  out.rails_on_switch = std::clamp<std::int64_t>(usable / (out.hosts * settings.ports), 1, out.rails);
  out.switches = ceil_div(out.rails, out.rails_on_switch) * ceil_div(settings.ports, out.ports_on_switch);
  out.spare_servers = settings.spare_ports / (out.ports_on_switch * out.rails_on_switch);
  return out;
}

namespace circuits {
namespace {

/// Transceivers on one fibre pair.
constexpr Metres kOnePairReach(2000);

/// Products side by side for a port; of slower ports, whose transceivers have fewer lanes, a part of one.
double modules_of(BitRate port, BitRate product) {
  const double ratio = port / product;
  return ratio < 1 ? ratio : std::ceil(ratio - 1e-9);
}

const LinkProduct* cheapest_on_a_pair(const Catalog& catalog, BitRate rate) {
  const LinkProduct* best = nullptr;
  const auto cost = [&](const LinkProduct& p) { return *p.price * modules_of(rate, p.rate); };
  for (const auto& [key, product] : catalog.links) {
    if (product.kind != LinkKind::transceiver || !product.price || product.reach < kOnePairReach) continue;
    if (!best || cost(product) < cost(*best)) best = &product;
  }
  return best;
}

const LinkProduct& transceiver_of(const Plan& plan, const CircuitsInput& settings, BitRate rate) {
  const Catalog& catalog = *plan.scenario.catalog;
  const LinkProduct* product =
      settings.transceiver ? &catalog.links.at(*settings.transceiver) : cheapest_on_a_pair(catalog, rate);
  if (product && product->price) return *product;
  fail_input(whole("circuits.transceiver"), "no transceiver with a price and a reach of 2 km",
             "add one to your own catalog, [catalog.links.NAME]");
}

double optical_ends_of(const CableLine& line, const Catalog& catalog) {
  if (line.ends > 0) return line.ends;
  const LinkProduct* product = catalog.links.find(line.product);
  return product && product->kind == LinkKind::aoc ? 2 * line.cables : 0;
}

CircuitNetwork priced(const Plan& plan, const NetworkDesign& design) {
  const Bill bill = price(design, plan.scenario);
  const double sites = real(plan.facility.datacenters);
  CircuitNetwork out;
  out.name = design.input.name;
  out.switches = count(design).chips * plan.facility.datacenters;
  out.transceivers = bill.transceivers * sites;
  out.price = bill.price * sites;
  out.power_known = bill.power_known * sites;
  if (bill.power()) out.power = *bill.power() * sites;
  constexpr double kEndAtDevice = 0.5;
  for (const CableLine& line : bill.cables) {
    out.optical_ends += optical_ends_of(line, *plan.scenario.catalog) * sites;
    if (!line.of_hosts) continue;
    out.price_at_devices += line.price * (kEndAtDevice * sites);
    out.power_at_devices += line.power.value_or(Watts(0)) * (kEndAtDevice * sites);
  }
  return out;
}

/// The scenario's; without any, the usual ones, or none where they do not suit its cluster.
std::vector<NetworkDesign> designs_beside(const Scenario& scenario) {
  try {
    return designs_of(scenario);
  } catch (const UnbuildableNetwork&) {
    if (!scenario.designs.empty()) throw;
    return {};
  }
}

}  // namespace

CircuitsInput settings_of(const Plan& plan) { return plan.scenario.circuits.value_or(CircuitsInput{}); }

const CircuitSwitch& switch_of(const Plan& plan, const CircuitsInput& settings) {
  return plan.scenario.catalog->circuit_switches.at(settings.circuit_switch);
}

Seconds change_of(const Plan& plan, const CircuitsInput& settings) {
  return settings.control_delay +
         settings.reconfiguration_time.value_or(switch_of(plan, settings).reconfiguration);
}

void check_ring(const CircuitRails& rails, std::int64_t members) {
  if (rails.ports_on_switch > 1 || members % 2 == 0) return;
  throw Infeasible("rings that close",
                   fmt::format("a ring of {} devices, and every port of a device is on another switch: with "
                               "two switches in turn the last one meets the first on the wrong one",
                               members),
                   "it would hold with a larger circuits.switch, which holds two ports of a device");
}

CircuitNetwork circuit_network(const Plan& plan, const CircuitsInput& settings, const CircuitRails& rails) {
  const CircuitSwitch& part = switch_of(plan, settings);
  const BitRate rate = port_rates_of(plan.scenario).scale_out / real(settings.ports);
  const LinkProduct& optics = transceiver_of(plan, settings, rate);
  const double sites = real(plan.facility.datacenters);
  CircuitNetwork out;
  out.name = "circuits";
  out.switches = rails.switches * plan.facility.datacenters;
  const double ports = real(rails.rails * rails.hosts * rails.ports) * sites;
  const double each = modules_of(rate, optics.rate);
  out.transceivers = out.optical_ends = ports * std::max(1.0, each);
  out.price = out.price_at_devices = *optics.price * (ports * each);
  if (optics.power) out.power_at_devices = *optics.power * (ports * each);
  out.power_known = out.power_at_devices;
  if (part.price) out.price += *part.price * real(out.switches);
  if (part.power) out.power_known += *part.power * real(out.switches);
  if (optics.power && part.power) out.power = out.power_known;
  return out;
}

std::vector<Electrical> electrical_networks(const Plan& plan) {
  std::vector<Electrical> out;
  for (NetworkDesign& design : designs_beside(plan.scenario)) {
    if (design.by_circuits() || design.inside_domains()) continue;
    try {
      CircuitNetwork network = priced(plan, design);
      out.push_back({std::move(design), std::move(network)});
    } catch (const UnbuildableNetwork&) {
      if (!plan.scenario.designs.empty()) throw;
    }
  }
  return out;
}

}  // namespace circuits
}  // namespace trainyard
