// Parameters of smartt. Defaults are those of the named papers.
#pragma once

#include <optional>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [smartt]
struct SmarttInput {
  double target = 1.5;  // of the base round trip
  double fair_increase = 0.25;
  double proportional_increase = 2;
  double fair_decrease = 0.8;
  double multiplicative_decrease = 2;
  double quick_adapt_gain = 0.8;
  std::optional<double> first_window;  // packets; auto: the largest

  template <class Field>
  static auto fields(const Field& field) {
    using S = SmarttInput;
    return std::vector{
        field("target", &S::target, between(1, 10), "Target of the round trip, of an empty network's.")
            .from("Bonato et al. 2024, section 3"),
        field("fair_increase", &S::fair_increase, at_least(0), "Packets added in a round trip.")
            .from("Bonato et al. 2024, section 3"),
        field("proportional_increase", &S::proportional_increase, at_least(0),
              "Weight of the distance to the target.")
            .from("Bonato et al. 2024, section 3"),
        field("fair_decrease", &S::fair_decrease, at_least(0),
              "Share of the window's excess lost in a round trip of marks.")
            .from("Bonato et al. 2024, section 3"),
        field("multiplicative_decrease", &S::multiplicative_decrease, at_least(0),
              "Weight of delay above the target.")
            .from("Bonato et al. 2024, section 3"),
        field("quick_adapt_gain", &S::quick_adapt_gain, share(),
              "Of what got through in a round trip with trims.")
            .from("Bonato et al. 2024, section 3"),
        field("first_window", &S::first_window, between(1, 1e6),
              "Packets that a flow sends before it hears anything.")
            .otherwise("the largest window")
            .silent_when_absent()};
  }
};

}  // namespace trainyard
