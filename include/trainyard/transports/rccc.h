// Parameters of rccc. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [rccc]
struct RcccInput {
  double credit_rate = 0.99;
  std::int64_t credits_per_pull = 4;
  bool oversubscription_control = true;
  bool shared_requests = true;

  template <class Field>
  static auto fields(const Field& field) {
    using R = RcccInput;
    return std::vector{
        field("credit_rate", &R::credit_rate, between(0.1, 1),
              "Credits as a share of what the receiver's link takes.")
            .from("uet-htsim"),
        field("credits_per_pull", &R::credits_per_pull, between(1, 64), "Packets that one pull allows.")
            .from("uet-htsim (64 quanta of 256 B)"),
        field(
            "oversubscription_control", &R::oversubscription_control,
            "Whether receivers slow down by the packets that are cut inside, or marked, in networks that are "
            "oversubscribed.")
            .from("uet-htsim (oversubscribed_cc)"),
        field("shared_requests", &R::shared_requests,
              "Whether a packet asks for its flow's share alone of the credit that it could use, where other "
              "flows of its host wait to send.")
            .from("uet-htsim (computePullTarget)")};
  }
};

}  // namespace trainyard
