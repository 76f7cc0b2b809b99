// Parameters of eqds. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [eqds]
struct EqdsInput {
  double credit_rate = 0.99;          // share of the receiver's link
  std::int64_t credits_per_pull = 1;  // packets

  template <class Field>
  static auto fields(const Field& field) {
    using E = EqdsInput;
    return std::vector{
        field("credit_rate", &E::credit_rate, between(0.1, 1),
              "Credits as a share of what the receiver's link takes.")
            .from("htsim (EQDS pull pacer)"),
        field("credits_per_pull", &E::credits_per_pull, between(1, 64), "Packets that one pull allows.")
            .from("htsim (8 quanta of 512 B)")};
  }
};

}  // namespace trainyard
