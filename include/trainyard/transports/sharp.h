// Parameters of sharp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/range.h"
#include "trainyard/units.h"

namespace trainyard {

/// [sharp]
struct SharpInput {
  std::optional<std::int64_t> window;  // auto: a round trip to the tree's root at line rate
  std::optional<Bytes> memory;         // auto: what the windows take
  Seconds sum_delay{0};

  template <class Field>
  static auto fields(const Field& field) {
    using S = SharpInput;
    return std::vector{
        field("window", &S::window, between(1, 1e6),
              "Packets that a host may have sent beyond the results that it has, for each group and plane: "
              "so many sums a switch keeps.")
            .otherwise("a round trip to the root of the tree at line rate, or what `memory` holds of it"),
        field("memory", &S::memory, between(1, 1e12), "Bytes of sums that a switch keeps, of all groups.")
            .otherwise("what the windows take"),
        field("sum_delay", &S::sum_delay, between(0, 1),
              "What a switch takes to sum a packet, beside storing and forwarding it.")};
  }
};

}  // namespace trainyard
