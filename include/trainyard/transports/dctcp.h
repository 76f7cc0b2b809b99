// Parameters of dctcp. Defaults are those of the named papers.
#pragma once

#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [dctcp]
struct DctcpInput {
  static constexpr bool kTcpPackets = true;  // htsim sends it in the packets of its TCP family

  double gain = 1.0 / 16;
  double initial_share = 1;
  double slow_start_packets = 1e9;

  template <class Field>
  static auto fields(const Field& field) {
    using D = DctcpInput;
    return std::vector{
        field("gain", &D::gain, share(), "Weight of a new share of marks (g).")
            .from("Alizadeh et al. 2010, section 3.3"),
        field("initial_share", &D::initial_share, between(0, 1), "Share of marks that a flow begins with.")
            .from("RFC 8257, section 4.2"),
        field("slow_start_packets", &D::slow_start_packets, at_least(1),
              "Window at which slow start ends, if no mark ends it before.")
            .from("RFC 5681, section 3.1: as high as can be")};
  }
};

}  // namespace trainyard
