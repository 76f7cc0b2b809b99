// The kinds of transfers of a step's graph.
#pragma once

#include <cstdint>
#include <vector>

namespace trainyard {
struct LayerPass;
class StepGraph;
}  // namespace trainyard

namespace trainyard::builder {

struct Settings;

/// Classes of the transfers of a pass through layers.
struct PassClasses {
  std::vector<std::uint16_t> after;   // as LayerPass::after_forward, or after_backward
  std::vector<std::uint16_t> beside;  // of the overlapped share of those
  std::uint16_t context = 0;
};

/// What the step does not use is 0.
struct TransferClasses {
  PassClasses forward;
  PassClasses backward;
  std::vector<std::uint16_t> exchange;  // by stage of the exchange
  std::uint16_t weight_gather = 0;
  std::uint16_t to_next_stage = 0;
  std::uint16_t to_next_domain = 0;
  std::uint16_t embedding = 0;
  std::uint16_t gradient_norm = 0;
  std::uint16_t stall = 0;
  std::uint16_t offload = 0;
};

TransferClasses add_transfer_classes(StepGraph& graph, const LayerPass& costs, const Settings& settings);

}  // namespace trainyard::builder
