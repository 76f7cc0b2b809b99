#include "facility/networks.h"

namespace trainyard {

Networks networks_of(const Scenario& scenario) {
  const NetworkInput& input = scenario.network;
  const HbDomain& domain = scenario.catalog->hb_domains.at(scenario.facility.hb_domain);
  const Accelerator& accelerator = scenario.catalog->accelerators.at(domain.accelerator);
  const Nic& nic = scenario.catalog->nics.at(domain.nic);
  const bool summed = scenario.assumptions.scale_up_counts == LinkCounting::both_directions;
  const BitRate catalog_scale_up = accelerator.scale_up_rate * (summed ? 2.0 : 1.0);
  const BitRate scale_up = input.scale_up_rate.value_or(catalog_scale_up) * input.scale_up_efficiency;
  const BitRate scale_out =
      input.scale_out_rate.value_or(nic.rate * domain.nics_per_device) * input.scale_out_efficiency;
  Networks networks;
  networks.scale_up = {byte_rate(scale_up), input.scale_up_latency};
  networks.scale_out = {byte_rate(scale_out), input.scale_out_latency};
  networks.wide_area = {byte_rate(input.wide_area_rate), input.wide_area_rtt * (0.5 + input.tail_loss_rtts)};
  networks.host = input.host_rate.value_or(accelerator.host_rate);
  return networks;
}

}  // namespace trainyard
