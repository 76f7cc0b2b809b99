#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {

PassCase::PassCase(const Plan& of)
    : plan(of),
      mapping(of.mapping),
      communication(of.communication),
      costs(of.scenario, of.model),
      measured(costs.calibration != nullptr) {}

Seconds PassCase::slow(Seconds time) const { return time * plan.step.straggling; }

const NetworkRate& PassCase::rate(StepResource network) const {
  if (network == StepResource::scale_up) return costs.networks.scale_up;
  return network == StepResource::scale_out ? costs.networks.scale_out : costs.networks.wide_area;
}

PassTransfer PassCase::timed(PassTransfer transfer, Seconds time) const {
  if (measured) transfer.rounds = 0;
  transfer.rate_share = transfer.bytes / slow(time) / rate(transfer.network).rate;
  return transfer;
}

StepResource resource_of(NetworkLevel network) {
  if (network == NetworkLevel::scale_up) return StepResource::scale_up;
  return network == NetworkLevel::scale_out ? StepResource::scale_out : StepResource::wide_area;
}

}  // namespace trainyard::layer_costs
