#include "facility/networks.h"

#include <fmt/core.h>

#include "trainyard/catalog.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/facility.h"

namespace trainyard {
namespace {

const HbDomain& domain_of(const Scenario& scenario) {
  return scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
}

const Accelerator& accelerator_of(const Scenario& scenario) {
  return scenario.catalog->accelerators.at(domain_of(scenario).accelerator);
}

/// What the catalog's figure counts for; a rate of the scenario's own stands as it is.
BitRate counted_scale_up(const Scenario& scenario, BitRate port) {
  const bool summed = scenario.assumptions.scale_up_counts == LinkCounting::both_directions;
  return scenario.network.scale_up_rate || !summed ? port : port * 2.0;
}

/// What a device sends to another site passes its NICs.
void check_wide_area(const Scenario& scenario, BitRate nics) {
  constexpr double kRounding = 1e-9;
  const BitRate rate = scenario.network.wide_area_rate;
  if (scenario.facility.datacenters < 2 || rate <= nics * (1 + kRounding)) return;
  fail_input(whole("network.wide_area_rate"),
             fmt::format("{} a device is more than the {} of its NICs",
                         format_quantity(rate.si(), Unit::bits_per_second),
                         format_quantity(nics.si(), Unit::bits_per_second)),
             "at most as much, or a larger network.scale_out_rate");
}

}  // namespace

PortRates port_rates_of(const Scenario& scenario) {
  const NetworkInput& input = scenario.network;
  const HbDomain& domain = domain_of(scenario);
  const Nic& nic = scenario.catalog->nics.at(domain.nic);
  return {input.scale_up_rate.value_or(accelerator_of(scenario).scale_up_rate),
          input.scale_out_rate.value_or(nic.rate * domain.nics_per_device)};
}

Networks networks_of(const Scenario& scenario) {
  const NetworkInput& input = scenario.network;
  const PortRates ports = port_rates_of(scenario);
  check_wide_area(scenario, ports.scale_out);
  const BitRate scale_up = counted_scale_up(scenario, ports.scale_up) * input.scale_up_efficiency;
  const BitRate scale_out = ports.scale_out * input.scale_out_efficiency;
  Networks networks;
  networks.scale_up = {byte_rate(scale_up), input.scale_up_latency};
  networks.scale_out = {byte_rate(scale_out), input.scale_out_latency};
  networks.wide_area = {byte_rate(input.wide_area_rate), input.wide_area_rtt * (0.5 + input.tail_loss_rtts)};
  networks.host = input.host_rate.value_or(accelerator_of(scenario).host_rate);
  return networks;
}

}  // namespace trainyard
