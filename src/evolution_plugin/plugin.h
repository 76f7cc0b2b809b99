// What the program and the module that it loads agree on.
#pragma once

#include <cstdint>

#include "search/evolution/evolution.h"

namespace trainyard {

/// evolve(), into `out`.
using EvolvePlugin = void (*)(EvolvingPoints& points, std::uint64_t seed, std::uint64_t until,
                              EvolvedPoints& out);

/// The version of Trainyard that a module is of, and its EvolvePlugin: names for dlsym.
constexpr const char* kPluginVersion = "trainyard_evolution_version";
constexpr const char* kPluginEvolve = "trainyard_evolution_evolve";

}  // namespace trainyard
