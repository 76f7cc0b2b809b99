// Parameters of swift. Defaults are those of the named papers.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [swift]
struct SwiftInput {
  static constexpr bool kTcpPackets = true;     // htsim sends it in the packets of its TCP family
  static constexpr Seconds kBaseTarget{20e-6};  // htsim; Kumar et al. 2020 give no value

  std::optional<Seconds> base_target;  // auto: kBaseTarget, or a longer round trip of an empty network
  Seconds hop_target{3.053e-6};
  Seconds flow_range{100e-6};
  double flow_window_low = 0.1;
  double flow_window_high = 100;
  double increase = 1;
  double beta = 0.8;
  double largest_decrease = 0.5;

  template <class Field>
  static auto fields(const Field& field) {
    using S = SwiftInput;
    return std::vector{
        field("base_target", &S::base_target, within_run(),
              "Target of the round trip but for hops and flows.")
            .otherwise(
                "htsim's 20 us, or a longer round trip of an empty network: Kumar et al. 2020 give no value"),
        field("hop_target", &S::hop_target, between(0, kLongestRun), "Added for each switch on the way.")
            .from("htsim"),
        field("flow_range", &S::flow_range, between(0, kLongestRun),
              "Most that is added for small windows (fs_range).")
            .from("htsim: 5 base targets; Kumar et al. 2020, section 3.3"),
        field("flow_window_low", &S::flow_window_low, positive(),
              "Window in packets with the whole range (fs_min_cwnd).")
            .from("Kumar et al. 2020, section 3.3"),
        field("flow_window_high", &S::flow_window_high, positive(),
              "Window in packets with none (fs_max_cwnd).")
            .from("Kumar et al. 2020, section 3.3"),
        field("increase", &S::increase, positive(), "Packets added in a round trip (ai).")
            .from("Kumar et al. 2020, algorithm 1"),
        field("beta", &S::beta, share(), "Decrease for a share of delay above the target.")
            .from("Kumar et al. 2020, algorithm 1"),
        field("largest_decrease", &S::largest_decrease, share(),
              "Most that a window loses at once (max_mdf).")
            .from("Kumar et al. 2020, algorithm 1")};
  }
};

}  // namespace trainyard
