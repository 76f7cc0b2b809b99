// The streams that the replicas of a stage share.
#pragma once

#include <cstdint>
#include <vector>

#include "step/builder/lane.h"
#include "step/builder/settings.h"
#include "step/graph.h"
#include "step/layer_pass.h"

namespace trainyard::builder {

struct SharedStreams {
  std::vector<std::uint32_t> exchange;   // by stage, then by stage of the exchange
  std::vector<std::uint32_t> embedding;  // of the first and the last stage
  std::uint32_t gradient_norm = 0;
};

SharedStreams add_shared_streams(StepGraph& graph, const LayerPass& costs, const Settings& settings,
                                 std::int32_t stages, const std::vector<Lane>& lanes);

}  // namespace trainyard::builder
