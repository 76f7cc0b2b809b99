#include "step/builder/shared_streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "step/builder/lane.h"
#include "step/builder/settings.h"
#include "step/layer_pass.h"

namespace trainyard::builder {
namespace {

/// "scale-up"
std::string spoken(StepResource network) {
  std::string name(step_resource_name(network));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::uint32_t add_shared(StepGraph& graph, const PassTransfer& t, std::int32_t stage) {
  return graph.add_stream({t.name, t.network, stage, kSharedReplica, StreamOrder::program});
}

/// A stage's streams: one for each stage of the exchange, or one for all on the same network.
std::vector<std::uint32_t> add_exchange(StepGraph& graph, const LayerPass& costs, std::int32_t stage) {
  std::vector<std::uint32_t> out;
  for (const PassTransfer& t : costs.exchange) {
    const bool shares = costs.exchange_shares_networks;
    const auto same = std::find_if(costs.exchange.begin(), costs.exchange.end(),
                                   [&](const PassTransfer& other) { return other.network == t.network; });
    const auto first = static_cast<std::size_t>(same - costs.exchange.begin());
    if (shares && first < out.size()) {
      out.push_back(out[first]);
      continue;
    }
    const std::string name =
        shares ? "gradients, " + spoken(t.network) : fmt::format("gradients {}: {}", out.size() + 1, t.name);
    out.push_back(graph.add_stream({name, t.network, stage, kSharedReplica, StreamOrder::ready}));
  }
  return out;
}

}  // namespace

SharedStreams add_shared_streams(StepGraph& graph, const LayerPass& costs, const Settings& settings,
                                 std::int32_t stages, const std::vector<Lane>& lanes) {
  SharedStreams out;
  for (std::int32_t s = 0; s < stages; ++s) {
    const std::uint32_t weights = lanes[static_cast<std::size_t>(s)].weights;
    const auto own =
        settings.shares_gathers ? std::vector(costs.exchange.size(), weights) : add_exchange(graph, costs, s);
    out.exchange.insert(out.exchange.end(), own.begin(), own.end());
  }
  if (settings.embedding_exchange) {
    for (const std::int32_t s : {0, stages - 1})
      out.embedding.push_back(add_shared(graph, *costs.embedding, s));
  }
  if (settings.gradient_norm) out.gradient_norm = add_shared(graph, *costs.gradient_norm, 0);
  return out;
}

}  // namespace trainyard::builder
