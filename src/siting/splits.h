// The best ways to divide a datacenter over several places (docs/siting.md, "Splits").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "trainyard/power_grid.h"
#include "trainyard/site_input.h"
#include "trainyard/units.h"

namespace trainyard {

/// A place as the search for splits sees it.
struct SplitPlace {
  GeoPoint at;
  Megawatts available;
  std::uint32_t authority = 0;        // any number that is the same for the same authority
  std::optional<Megawatts> spare;     // of that authority; absent: unlimited
  std::uint32_t interconnection = 0;  // the same
  UsdPerMegawattHour price;
  KilogramsPerMegawattHour co2;  // infinite: unknown
};

/// The most sites of a split.
inline constexpr std::size_t kMostSplitSites = 8;

/// A division as a training step sees it.
struct SplitShape {
  std::size_t sites = 0;
  std::array<double, kMostSplitSites> share{};                                   // of the power
  std::array<std::array<Milliseconds, kMostSplitSites>, kMostSplitSites> rtt{};  // symmetric, 0 to itself
};

/// Time of a training run over sites, as far as a search needs it: facility/ does not know steps, so that
/// search/ gives it.
struct SplitTraining {
  /// Time over that of sites that exchange in no time: 1 or more; infinite where there is no plan.
  std::function<double(const SplitShape&)> slowdown;
  double effort = 1;   // of one slowdown, in times of a quick one
  UsdPerYear capital;  // written off meanwhile
  /// Power that trains, over the one that is divided: its energy is as much more.
  double power_ratio = 1;
};

/// The price of fibre a year for the power of a site behind it.
using FibrePrice = decltype(UsdPerYear() / Kilometres() / Megawatts());

/// What is asked of a split.
struct SplitQuestion {
  Megawatts power;
  std::size_t sites = 2;
  double least_share = 0.25;
  Kilometres separation{50};
  SpreadRule spread = SpreadRule::any;
  SplitGoal goal = SplitGoal::round_trip;
  MillisecondsPerKilometre pace;          // round trip, of great circle
  double load = 1;                        // mean power over power
  FibrePrice fibre_price;                 // by the smaller of two sites' power and the great circle
  std::optional<SplitTraining> training;  // needed by the goals of that name
  std::size_t wanted = 20;                // splits to find
  // Beyond, only the strongest places are combined in every way. Larger sets, and training that takes effort,
  // are fewer in the same time.
  std::size_t most_sets = 25'000'000;
};

/// A set of places with its allocation.
struct FoundSplit {
  std::vector<std::size_t> places;
  std::vector<Megawatts> power;  // of each
  Milliseconds rtt;
  UsdPerYear cost;
  UsdPerYear fibre_cost;  // part of it
  TonnesPerYear co2;
};

struct SplitsFound {
  std::vector<FoundSplit> best;    // by the goal, then by round trip, then in the order of places
  std::vector<FoundSplit> pareto;  // none better in round trip, cost, carbon and training time at once; by
                                   // round trip
  std::size_t feasible = 0;        // sets among the `compared` first places
  std::size_t compared = 0;
  bool exact = true;  // `best` by round trip is over all places
};

/// Places without a stronger one within the separation, strongest first (then north to south, west to east).
std::vector<std::size_t> thinned(const std::vector<SplitPlace>& places, Kilometres separation);

/// The strongest order alone.
std::vector<std::size_t> by_strength(const std::vector<SplitPlace>& places);

/// A set with its allocation, times and costs. To each place goes its least share, the rest to the cheapest
/// that can take it, within what each place and each authority gives (with bounds nested like these that is
/// the cheapest division). Absent when they cannot take the power.
std::optional<FoundSplit> evaluate_split(const std::vector<SplitPlace>& places,
                                         const std::vector<std::size_t>& set, const SplitQuestion& question);

/// Searches sets of places, which are in order of strength.
SplitsFound find_splits(const std::vector<SplitPlace>& places, const SplitQuestion& question);

}  // namespace trainyard
