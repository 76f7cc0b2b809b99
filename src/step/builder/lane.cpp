#include "step/builder/lane.h"

#include "step/builder/settings.h"
#include "step/layer_pass.h"
#include "trainyard/plan/mapping.h"

namespace trainyard::builder {
namespace {

Lane lane_of(StepGraph& graph, const MappingPlan& m, const LayerPass& costs, const Settings& settings,
             std::int32_t replica, std::int32_t stage) {
  const auto add = [&](const char* name, StepResource resource, StreamOrder order = StreamOrder::program) {
    return graph.add_stream({name, resource, stage, replica, order});
  };
  Lane lane;
  lane.replica = replica;
  lane.stage = stage;
  lane.compute = add("compute", StepResource::compute);
  if (m.tensor > 1) lane.tensor = add("tensor", StepResource::scale_up);
  if (costs.context_forward) lane.context = add("context", costs.context_forward->network);
  for (const PassTransfer& t : costs.after_backward) {
    if (t.work == StepWork::context) lane.context = add("context", t.network);
    if (t.work == StepWork::expert) lane.expert = add("expert", t.network);
  }
  if (m.pipeline > 1) {
    lane.forward = add("send forward", pipeline_transfer(m, costs, stage, stage + 1).network);
    lane.backward = add("send backward", pipeline_transfer(m, costs, stage - 1, stage).network);
  }
  if (costs.weight_gather) {
    lane.weights = add("weights", costs.weight_gather->network,
                       settings.shares_gathers ? StreamOrder::ready : StreamOrder::program);
  }
  if (settings.offload || settings.offloaded > 0) {
    lane.to_host = add("to host", StepResource::host);
    lane.from_host = add("from host", StepResource::host);
  }
  return lane;
}

}  // namespace

std::vector<Lane> add_lanes(StepGraph& graph, const MappingPlan& m, const LayerPass& costs,
                            const Settings& settings, std::int32_t replica_classes) {
  std::vector<Lane> lanes;
  const auto stages = static_cast<std::int32_t>(m.pipeline);
  for (std::int32_t r = 0; r < replica_classes; ++r) {
    for (std::int32_t s = 0; s < stages; ++s) lanes.push_back(lane_of(graph, m, costs, settings, r, s));
  }
  return lanes;
}

}  // namespace trainyard::builder
