// The module with pagmo, whose loading alone takes longer than most runs: the program asks for it when a
// search evolves.
#include "evolution_plugin/plugin.h"

extern "C" {

__attribute__((visibility("default"))) extern const char trainyard_evolution_version[] = TRAINYARD_VERSION;

__attribute__((visibility("default"))) void trainyard_evolution_evolve(trainyard::EvolvingPoints& points,
                                                                       std::uint64_t seed,
                                                                       std::uint64_t until,
                                                                       trainyard::EvolvedPoints& out) {
  out = trainyard::evolve(points, seed, until);
}

}  // extern "C"
