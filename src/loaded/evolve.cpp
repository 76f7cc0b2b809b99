// evolve() of the program.
#include "loaded/module.h"
#include "search/evolution/evolution.h"

namespace trainyard {

EvolvedPoints evolve(EvolvingPoints& points, std::uint64_t seed, std::uint64_t until) {
  using Evolve = void (*)(EvolvingPoints&, std::uint64_t, std::uint64_t, EvolvedPoints&);
  static const auto loaded = reinterpret_cast<Evolve>(
      function_of({"trainyard_evolution.so", "trainyard_evolve", "with which searches evolve", false}));
  EvolvedPoints out;
  loaded(points, seed, until, out);
  return out;
}

}  // namespace trainyard
