// The network of [long_haul] as the engine has it.
#pragma once

#include <cstdint>

#include "network/wiring/layout.h"
#include "trainyard/units.h"

namespace trainyard {

struct LongHaulInput;

/// Of every path.
struct PathErrors {
  double bit_error_rate = 0;
  std::uint64_t seed = 0;
};

/// The network of [long_haul].
wiring::Layout lay_out_long_haul(const LongHaulInput& input, const PathErrors& errors);

}  // namespace trainyard
