// Parameters of homa. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [homa]
struct HomaInput {
  std::optional<Bytes> unscheduled;  // auto: a round trip at line rate
  std::int64_t overcommitment = 7;
  std::int64_t unscheduled_priorities = 1;
  double grant_window = 1;  // round trips of granted bytes outstanding

  template <class Field>
  static auto fields(const Field& field) {
    using H = HomaInput;
    return std::vector{
        field("unscheduled", &H::unscheduled, between(1, 1e12),
              "Bytes that a flow sends before the first grant.")
            .otherwise("a round trip at line rate (RTTbytes of Montazeri et al. 2018, section 3.2)"),
        field("overcommitment", &H::overcommitment, between(1, 64),
              "Senders that a receiver grants to at a time.")
            .from("Montazeri et al. 2018, section 3.5: one for each scheduled priority"),
        field("unscheduled_priorities", &H::unscheduled_priorities, between(1, 7),
              "Of the 8 priorities, those of unscheduled packets; shorter flows take the higher.")
            .from("Montazeri et al. 2018, section 3.4"),
        field("grant_window", &H::grant_window, between(0.1, 100),
              "Granted bytes outstanding, in round trips.")
            .from("Montazeri et al. 2018, section 3.3")};
  }
};

}  // namespace trainyard
