// Parameters of scheduled. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [scheduled]
struct ScheduledInput {
  static constexpr bool kBetweenSites = true;  // among those that [long_haul] compares unless told otherwise

  double utilization = 0.95;    // of every link that the controller gives away
  std::int64_t most_flows = 0;  // admitted to a link at one time; 0: all

  template <class Field>
  static auto fields(const Field& field) {
    using S = ScheduledInput;
    return std::vector{
        field(
            "utilization", &S::utilization, share(),
            "Share of every link that the controller gives away; acknowledgements and repeats take the rest.")
            .from("Jain et al. 2013, section 6.3: links of B4 run at over 95%"),
        field("most_flows", &S::most_flows, between(0, 1e9),
              "Flows that share a link at one time; others are admitted later. 0: all at once.")};
  }
};

}  // namespace trainyard
