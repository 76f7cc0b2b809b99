#include <algorithm>
#include <utility>

#include "collective/all_to_alls.h"
#include "collective/collective.h"
#include "cost/compute_times.h"
#include "cost/traffic.h"
#include "step/layer_pass/parts.h"
#include "trainyard/plan.h"

namespace trainyard::layer_costs {
namespace {

/// So many all-reduces of a buffer in the tensor-parallel group, one after another.
PassTransfer all_reduces(const PassCase& c, double count, Bytes buffer) {
  const AllReduce algorithm = algorithm_for(c.plan.scenario.assumptions.all_reduce, c.mapping.tensor, buffer,
                                            c.costs.networks.scale_up);
  const CollectiveCost cost = all_reduce_cost(algorithm, c.mapping.tensor);
  return {StepWork::tensor,           "tensor", StepResource::scale_up, c.mapping.tensor,
          count * cost.sent * buffer, 1,        count * cost.rounds};
}

/// A transfer that is mostly hidden shows the bytes that the rest of its time carries.
PassTransfer at_most_full(PassTransfer transfer) {
  if (transfer.rate_share <= 1) return transfer;
  transfer.bytes = transfer.bytes / transfer.rate_share;
  transfer.rate_share = 1;
  return transfer;
}

/// What attention does not hide stands between layers.
void add_measured_context(LayerPass& out, const PassCase& c) {
  const double domain = real(c.plan.facility.domain_devices);
  const bool inside = real(c.mapping.tensor * c.mapping.context) <= domain;
  const StepResource network = inside ? StepResource::scale_up : StepResource::scale_out;
  const PassTransfer transfer{
      StepWork::context, "context", network, c.mapping.context, c.communication.context_volume, 1, 0};
  for (const auto& [time, after] : {std::pair{c.communication.context_forward, &out.after_forward},
                                    std::pair{c.communication.context_backward, &out.after_backward}}) {
    if (time.si() > 0) after->push_back(at_most_full(c.timed(transfer, time)));
  }
}

}  // namespace

void add_tensor(LayerPass& out, const PassCase& c) {
  if (c.mapping.tensor == 1) return;
  const double again = recomputing_share(c.plan.scenario, c.plan.model) *
                       repeated_tensor_share(c.plan.scenario, c.plan.model, c.communication);
  const double count = c.communication.tensor_volume / c.communication.layer_input;
  PassTransfer forward = all_reduces(c, count, c.communication.layer_input);
  PassTransfer backward = all_reduces(c, count * (1 + again), c.communication.layer_input);
  out.after_forward.push_back(c.measured ? c.timed(forward, c.communication.tensor_forward) : forward);
  out.after_backward.push_back(c.measured ? c.timed(backward, c.communication.tensor_backward) : backward);
  if (c.communication.router_gradient.si() > 0)
    out.after_backward.push_back(all_reduces(c, 1, c.communication.router_gradient));
}

void add_context(LayerPass& out, const PassCase& c) {
  if (c.mapping.context == 1) return;
  if (c.measured) return add_measured_context(out, c);
  PassTransfer transfer{StepWork::context,
                        "context",
                        c.mapping.domains_per_group > 1 ? StepResource::scale_out : StepResource::scale_up,
                        c.mapping.context,
                        c.communication.context_volume,
                        1,
                        real(c.mapping.context) - 1};
  out.context_forward = transfer;
  transfer.bytes = 2 * transfer.bytes;  // keys and values again, and their gradients
  transfer.rounds = 2 * transfer.rounds;
  out.context_backward = transfer;
}

/// Dispatch and combine. Those over two networks are one transfer on the outer one that takes their time.
void add_expert(LayerPass& out, const PassCase& c) {
  if (c.mapping.expert == 1) return;
  constexpr int kBoth = 2;
  const bool outside = c.communication.expert_outside.si() > 0;
  PassTransfer transfer{StepWork::expert,
                        "expert all-to-all",
                        outside ? StepResource::scale_out : StepResource::scale_up,
                        c.mapping.expert,
                        kBoth * (outside ? c.communication.expert_outside : c.communication.expert_inside),
                        outside ? c.plan.scenario.network.expert_share : 1,
                        kBoth * all_to_all_cost(c.communication.expert_algorithm, c.mapping.expert).rounds,
                        kBoth};
  if (outside && all_to_all_of(c.communication.expert_algorithm).on_both_networks) {
    transfer.rounds = 0;
    transfer = c.timed(transfer, c.communication.expert_forward);
  }
  PassTransfer backward = transfer;
  if (c.measured) {
    const double exposed = c.communication.expert_exposed;
    transfer.rounds = backward.rounds = 0;
    transfer = at_most_full(c.timed(transfer, c.communication.expert_forward * exposed));
    backward = at_most_full(c.timed(backward, c.communication.expert_backward * exposed));
  }
  out.after_forward.push_back(transfer);
  out.after_backward.push_back(backward);
}

}  // namespace trainyard::layer_costs
