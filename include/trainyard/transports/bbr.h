// Parameters of bbr. Defaults are those of the named papers.
#pragma once

#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [bbr]
struct BbrInput {
  static constexpr bool kBetweenSites = true;  // among those that [long_haul] compares unless told otherwise

  double startup_gain = 2.885;
  double window_gain = 2;
  Seconds rtt_window{10};
  Seconds probe_rtt{200e-3};

  template <class Field>
  static auto fields(const Field& field) {
    using B = BbrInput;
    return std::vector{
        field("startup_gain", &B::startup_gain, between(1, 4),
              "Rate over the measured one while it still grows.")
            .from("Cardwell et al. 2016: 2 / ln 2"),
        field("window_gain", &B::window_gain, between(1, 4), "Window over the bandwidth-delay product.")
            .from("Cardwell et al. 2016"),
        field("rtt_window", &B::rtt_window, within_run(),
              "Time for which the shortest round trip is believed.")
            .from("Cardwell et al. 2016"),
        field("probe_rtt", &B::probe_rtt, within_run(), "Time spent with four packets to measure it again.")
            .from("Cardwell et al. 2016")};
  }
};

}  // namespace trainyard
