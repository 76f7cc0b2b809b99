// The streams that the replicas of a stage share.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {
struct LayerPass;
class StepGraph;
}  // namespace trainyard

namespace trainyard::builder {

struct Lane;
struct Settings;

struct SharedStreams {
  std::vector<std::uint32_t> exchange;   // by stage, then by stage of the exchange
  std::vector<std::uint32_t> embedding;  // of the first and the last stage
  std::uint32_t gradient_norm = 0;
};

SharedStreams add_shared_streams(StepGraph& graph, const LayerPass& costs, const Settings& settings,
                                 std::int32_t stages, const std::vector<Lane>& lanes);

}  // namespace trainyard::builder
