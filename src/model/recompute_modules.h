// Sets of recomputation modules, one bit each, as operators carry them.
#pragma once

#include <cstdint>
#include <vector>

#include "trainyard/scenario/mapping.h"

namespace trainyard {

template <class... Modules>
constexpr std::uint16_t module_bits(RecomputeModule first, Modules... others) {
  return static_cast<std::uint16_t>(
      ((1U << static_cast<unsigned>(first)) | ... | (1U << static_cast<unsigned>(others))));
}

inline std::uint16_t module_bits(const std::vector<RecomputeModule>& modules) {
  std::uint16_t out = 0;
  for (const RecomputeModule module : modules) out = static_cast<std::uint16_t>(out | module_bits(module));
  return out;
}

inline bool recomputes_module(const MappingInput& mapping, RecomputeModule module) {
  return (module_bits(mapping.recompute_modules) & module_bits(module)) != 0;
}

}  // namespace trainyard
