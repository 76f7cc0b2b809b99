// Parameters of fec. Defaults are those of the named papers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/range.h"

namespace trainyard {

/// [fec]
struct FecInput {
  static constexpr std::string_view kBesides = "scheduled";  // a section whose settings count too
  static constexpr bool kBetweenSites = true;  // among those that [long_haul] compares unless told otherwise

  std::int64_t data = 20;   // packets of a block
  std::int64_t parity = 1;  // packets beside them

  /// Calls complain(key, message, help) for settings that do not go together.
  template <class Complain>
  void check(const Complain& complain) const {
    constexpr std::int64_t kMostOfBlock = 255;
    if (data + parity > kMostOfBlock)
      complain("parity", "blocks of " + std::to_string(data + parity) + " packets",
               "data and parity together are at most " + std::to_string(kMostOfBlock));
  }

  template <class Field>
  static auto fields(const Field& field) {
    using F = FecInput;
    return std::vector{field("data", &F::data, between(1, 254), "Data packets of a block.")
                           .from("Rizzo 1997: codes over bytes have 255 packets a block"),
                       field("parity", &F::parity, between(0, 254),
                             "Parity packets of a block: so many may be lost without a repeat.")};
  }
};

}  // namespace trainyard
