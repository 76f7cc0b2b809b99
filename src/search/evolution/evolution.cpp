#include "search/evolution/evolution.h"

#include <cmath>
#include <limits>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/algorithms/sga.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/types.hpp>
#include <random>
#include <utility>
#include <vector>

#include "base/mixing.h"

namespace trainyard {
namespace {

constexpr unsigned kPopulation = 64;

std::vector<std::uint32_t> point_of(const pagmo::vector_double& x) {
  std::vector<std::uint32_t> out;
  out.reserve(x.size());
  for (const double value : x) out.push_back(static_cast<std::uint32_t>(value));
  return out;
}

/// The points as pagmo asks: a whole number for each setting.
struct PointProblem {
  EvolvingPoints* points = nullptr;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    const std::span<const double> costs = points->costs(point_of(x));
    return {costs.begin(), costs.end()};
  }

  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    pagmo::vector_double last;
    for (const std::size_t values : points->values()) last.push_back(static_cast<double>(values - 1));
    return {pagmo::vector_double(last.size(), 0.0), last};
  }

  pagmo::vector_double::size_type get_nobj() const { return points->objectives(); }
  pagmo::vector_double::size_type get_nix() const { return points->values().size(); }
};

/// Half of the points take any value as likely as another, half the values by the magnitude of their place:
/// of long ranges that begin with small counts, plans are mostly among those.
pagmo::population first_population(EvolvingPoints& points, std::uint64_t seed) {
  pagmo::population out(pagmo::problem(PointProblem{&points}), 0, static_cast<unsigned>(seed));
  std::mt19937_64 random(seed);
  for (unsigned i = 0; i < kPopulation; ++i) {
    pagmo::vector_double x;
    for (const std::size_t count : points.values()) {
      const auto values = static_cast<double>(count);
      const double share = static_cast<double>(random() >> 11U) * 0x1p-53;  // from 0, below 1
      x.push_back(std::floor(i % 2 == 0 ? share * values : std::pow(values + 1, share) - 1));
    }
    out.push_back(x);
  }
  return out;
}

/// One generation a call.
pagmo::algorithm algorithm_for(const EvolvingPoints& points, unsigned seed) {
  constexpr unsigned kOne = 1;
  constexpr double kCrossed = 0.9;
  constexpr double kNear = 10;  // how near children of NSGA-II are to their parents
  const double mutated = 1.0 / static_cast<double>(points.values().size());
  if (points.objectives() > 1)
    return pagmo::algorithm(pagmo::nsga2(kOne, kCrossed, kNear, mutated, kNear, seed));
  constexpr unsigned kTournament = 2;
  return pagmo::algorithm(
      pagmo::sga(kOne, kCrossed, 1, mutated, 1, kTournament, "binomial", "uniform", "tournament", seed));
}

/// Whether generations still bring anything: of one objective a better one, of several a new point.
class News {
 public:
  bool dried_up(const EvolvingPoints& points, const pagmo::population& population) {
    const double now =
        points.objectives() > 1 ? -static_cast<double>(points.planned()) : population.champion_f()[0];
    quiet_ = now < last_ ? 0 : quiet_ + 1;
    last_ = now;
    return quiet_ > kQuietGenerations;
  }

 private:
  static constexpr int kQuietGenerations = 25;

  double last_ = std::numeric_limits<double>::infinity();
  int quiet_ = 0;
};

}  // namespace

EvolvedPoints evolve(EvolvingPoints& points, std::uint64_t seed, std::uint64_t until) {
  pagmo::population population = first_population(points, mixed(seed, 0));
  const pagmo::algorithm algorithm = algorithm_for(points, static_cast<unsigned>(mixed(seed, 1) >> 32U));
  News news;
  while (points.planned() < until && !news.dried_up(points, population))
    population = algorithm.evolve(population);
  EvolvedPoints out;
  for (const pagmo::vector_double& x : population.get_x()) out.push_back(point_of(x));
  return out;
}

}  // namespace trainyard
