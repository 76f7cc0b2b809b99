// Genetic algorithms on the points of a space, of the library pagmo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// The points of a space, of which those with less costs are better: a point is the number of a value of each
/// setting.
class EvolvingPoints {
 public:
  EvolvingPoints() = default;
  EvolvingPoints(const EvolvingPoints&) = delete;
  EvolvingPoints& operator=(const EvolvingPoints&) = delete;
  virtual ~EvolvingPoints() = default;

  /// How many values each setting has.
  virtual std::span<const std::size_t> values() const = 0;
  /// How many costs a point has.
  virtual std::size_t objectives() const = 0;
  /// Of one point; valid until the next call.
  virtual std::span<const double> costs(std::span<const std::uint32_t> point) = 0;
  /// How many different points have been asked for.
  virtual std::size_t planned() const = 0;
};

/// Points by the numbers of their values.
using EvolvedPoints = std::vector<std::vector<std::uint32_t>>;

/// Lets a population of random points evolve until so many points have been planned, or nothing better comes
/// for many generations: with one objective the simple genetic algorithm, with more NSGA-II (Deb et al.
/// 2002). The population that is left. Throws what costs() throws.
EvolvedPoints evolve(EvolvingPoints& points, std::uint64_t seed, std::uint64_t until);

}  // namespace trainyard
