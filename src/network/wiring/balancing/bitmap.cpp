// Entropies in turn, without those whose packets came back marked or were cut lately: a mark passes one over
// once, a cut four times (uet-htsim, uec_mp.cpp). Acknowledgements name ways, not entropies: of those that
// lead one way the word is for the one that is passed over least.
#include <algorithm>

#include "network/wiring/paths.h"

namespace trainyard::wiring {

void Paths::bitmap(const Sending& sending) {
  if (sending.back) return spray(sending);
  std::uint8_t* penalties = &penalties_[std::size_t{sending.packet.flow} * sprayed_over()];
  std::uint16_t entropy = next_of_round(sending);
  for (std::uint32_t i = 0; i < sprayed_over() && penalties[entropy] > 0; ++i) {
    --penalties[entropy];
    entropy = next_of_round(sending);
  }
  take_entropy(sending.packet, entropy);
}

void Paths::pass_over(std::uint32_t flow, std::uint32_t way, std::uint8_t packets) {
  if (penalties_.empty()) return;
  Way packet;
  packet.flow = flow;
  std::uint8_t* least = nullptr;
  for (std::uint32_t entropy = 0; entropy < sprayed_over(); ++entropy) {
    take_entropy(packet, entropy);
    std::uint8_t& penalty = penalties_[std::size_t{flow} * sprayed_over() + entropy];
    const bool leads_there = way_of(packet.up_leaf, packet.up_aggregation) == way;
    if (leads_there && (least == nullptr || penalty < *least)) least = &penalty;
  }
  if (least == nullptr) return;  // a way around a failure
  *least = static_cast<std::uint8_t>(std::min<std::uint32_t>(kMostPenalty, std::uint32_t{*least} + packets));
}

}  // namespace trainyard::wiring
