// Searches of spaces that are too large to plan every point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenario/free_settings.h"
#include "search/space/answers.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// What an evolution found.
struct SampledPoints {
  Answers answers;
  std::uint64_t points = 0;     // different ones
  std::uint64_t evaluated = 0;  // some of them on more than one island
  /// The first of each kind in the sample, where there is one.
  std::vector<std::size_t> first_refused = {};
  std::vector<std::size_t> first_infeasible = {};
  /// Of the points without a plan some thousand, evenly chosen; of fewer all.
  std::vector<std::vector<std::size_t>> without_plan = {};
};

/// As many points as may be planned, on islands that know nothing of each other; then all together, each
/// once.
SampledPoints sample_space(const ScenarioText& text, const FreeSettings& free,
                           const SearchQuestion& question);

}  // namespace trainyard
