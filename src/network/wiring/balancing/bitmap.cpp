// Entropies in turn, without those whose packets came back marked or were cut lately (uet-htsim, uec_mp.cpp):
// a mark counts once against one, a cut four times, and each packet takes back one count, of the first that
// it passes over.
#include "network/wiring/balancing/balancing.h"

namespace trainyard::wiring::balancings {

void bitmap(Balancing& balancing, const Sending& sending) {
  if (sending.back) return spray(balancing, sending);
  std::uint8_t* penalties = balancing.penalties(sending.packet.flow);
  std::uint16_t entropy = balancing.next_of_round(sending);
  for (std::uint32_t i = 0; i < balancing.sprayed_over() && penalties[entropy] > 0; ++i) {
    if (i == 0) --penalties[entropy];
    entropy = balancing.next_of_round(sending);
  }
  balancing.take_entropy(sending, entropy);
}

}  // namespace trainyard::wiring::balancings
