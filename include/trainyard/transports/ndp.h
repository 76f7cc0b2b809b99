// Parameters of ndp. Defaults are those of the named papers.
#pragma once

#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [ndp]
struct NdpInput {
  double pull_rate = 1;  // share of the receiver's link

  template <class Field>
  static auto fields(const Field& field) {
    using N = NdpInput;
    return std::vector{field("pull_rate", &N::pull_rate, between(0.1, 1),
                             "Pulls as a share of what the receiver's link takes.")
                           .from("Handley et al. 2017, section 3.2")};
  }
};

}  // namespace trainyard
