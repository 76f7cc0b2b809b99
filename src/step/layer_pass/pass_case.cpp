#include "cost/calibrated_compute.h"
#include "facility/networks.h"
#include "step/layer_pass/parts.h"

namespace trainyard::layer_costs {

PassCase::PassCase(const Plan& of)
    : plan(of),
      mapping(of.mapping),
      communication(of.communication),
      networks(networks_of(of.scenario)),
      measured(calibration_in_force(of.scenario) != nullptr) {}

const NetworkRate& PassCase::rate(StepResource network) const {
  if (network == StepResource::scale_up) return networks.scale_up;
  return network == StepResource::scale_out ? networks.scale_out : networks.wide_area;
}

PassTransfer PassCase::timed(PassTransfer transfer, Seconds time) const {
  if (measured) transfer.rounds = 0;
  transfer.rate_share = transfer.bytes / slow(time) / rate(transfer.network).rate;
  return transfer;
}

}  // namespace trainyard::layer_costs
