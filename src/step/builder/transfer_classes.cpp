#include "step/builder/transfer_classes.h"

#include "step/builder/settings.h"
#include "step/graph.h"
#include "step/layer_pass.h"

namespace trainyard::builder {
namespace {

std::uint16_t add(StepGraph& graph, const PassTransfer& t, double delays = 1,
                  TransferSpan span = TransferSpan::group) {
  return graph.add_class(
      {t.name, t.work, t.network, t.ranks, t.rate_share, t.rounds * delays, t.passes, t.delay, span});
}

/// An operation of several layers waits for all of their delays.
void add_pass(PassClasses& out, StepGraph& graph, const std::vector<PassTransfer>& transfers,
              const Settings& settings) {
  const auto layers = static_cast<double>(settings.layers_per_operation);
  for (const PassTransfer& t : transfers) {
    const double beside = t.work == StepWork::tensor ? settings.tensor_overlap : 0;
    out.after.push_back(add(graph, t, layers * (1 - beside)));
    out.beside.push_back(add(graph, t, layers * beside));
  }
}

}  // namespace

TransferClasses add_transfer_classes(StepGraph& graph, const LayerPass& costs, const Settings& settings) {
  const auto layers = static_cast<double>(settings.layers_per_operation);
  TransferClasses out;
  add_pass(out.forward, graph, costs.after_forward, settings);
  add_pass(out.backward, graph, costs.after_backward, settings);
  if (costs.context_forward) out.forward.context = add(graph, *costs.context_forward, layers);
  if (costs.context_backward) out.backward.context = add(graph, *costs.context_backward, layers);
  if (costs.weight_gather) out.weight_gather = add(graph, *costs.weight_gather);
  for (const PassTransfer& t : costs.exchange) out.exchange.push_back(add(graph, t));
  out.to_next_stage = add(graph, costs.to_next_stage);
  out.to_next_domain = add(graph, costs.to_next_domain);
  if (settings.embedding_exchange) out.embedding = add(graph, *costs.embedding, 1, TransferSpan::ends);
  if (settings.gradient_norm) out.gradient_norm = add(graph, *costs.gradient_norm, 1, TransferSpan::all);
  if (costs.stall.si() > 0) {
    out.stall = graph.add_class(
        {.name = "interleaving", .work = StepWork::pipeline, .delay = costs.stall, .idles = true});
  }
  if (settings.offload || settings.offloaded > 0)
    out.offload = graph.add_class({"offload", StepWork::offload, StepResource::host, 1, 1, 0, 1});
  return out;
}

}  // namespace trainyard::builder
