// The module with pagmo.
#include "loaded/exported.h"
#include "search/evolution/evolution.h"

extern "C" {

TY_EXPORTED extern const char trainyard_module_version[] = TRAINYARD_VERSION;

TY_EXPORTED void trainyard_evolve(trainyard::EvolvingPoints& points, std::uint64_t seed, std::uint64_t until,
                                  trainyard::EvolvedPoints& out) {
  out = trainyard::evolve(points, seed, until);
}

}  // extern "C"
