// Parameters of scheduled. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [scheduled]
struct ScheduledInput {
  static constexpr bool kBetweenSites = true;  // among those that [long_haul] compares unless told otherwise

  double utilization = 0.95;    // of every link that the controller gives away
  std::int64_t most_flows = 0;  // admitted to a link at one time; 0: all
  Seconds delay{0};
  double error = 0;
  std::optional<Seconds> dead_from;
  std::optional<Seconds> dead_until;
  double fallback = 0;  // of the host's link

  template <class Field>
  static auto fields(const Field& field) {
    using S = ScheduledInput;
    return std::vector{
        field(
            "utilization", &S::utilization, share(),
            "Share of every link that the controller gives away; acknowledgements and repeats take the rest.")
            .from("Jain et al. 2013, section 6.3: links of B4 run at over 95%"),
        field("most_flows", &S::most_flows, between(0, 1e9),
              "Flows that share a link at one time; others are admitted later. 0: all at once."),
        field("delay", &S::delay, between(0, kLongestRun),
              "From a flow's start, when its sender asks, to the controller's word."),
        field("error", &S::error, between(0, 0.9),
              "Share by which the rate that a flow is given is too high or too low at most, each flow's by "
              "chance."),
        field("dead_from", &S::dead_from, between(0, kLongestRun),
              "Time from which on the controller answers nobody; flows that have its word go on.")
            .otherwise("never"),
        field("dead_until", &S::dead_until, between(0, kLongestRun),
              "Time at which it answers those who have asked meanwhile.")
            .otherwise("it stays dead"),
        field("fallback", &S::fallback, between(0, 1),
              "Share of its host's link at which a flow sends before it has the controller's word. 0: it "
              "waits.")};
  }
};

}  // namespace trainyard
