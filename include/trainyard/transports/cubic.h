// Parameters of cubic. Defaults are those of the named papers.
#pragma once

#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [cubic]
struct CubicInput {
  static constexpr bool kBetweenSites = true;  // among those that [long_haul] compares unless told otherwise
  static constexpr bool kTcpPackets = true;    // htsim sends it in the packets of its TCP family

  double c = 0.4;
  double beta = 0.7;

  template <class Field>
  static auto fields(const Field& field) {
    using C = CubicInput;
    return std::vector{field("c", &C::c, positive(), "Growth of the cubic curve, packets a cubic second.")
                           .from("RFC 9438, section 5.1"),
                       field("beta", &C::beta, between(0.1, 0.95), "Share of the window that a loss leaves.")
                           .from("RFC 9438, section 4.6")};
  }
};

}  // namespace trainyard
