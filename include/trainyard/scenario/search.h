// [search]: what the best values of free settings are best at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// How the points of a space are sought.
enum class SearchMethod { automatic, exhaustive, evolution };

struct SearchInput {
  std::string objective = "days";   // a measure, or the key of a quantity
  std::vector<std::string> front;   // further ones, for a Pareto front
  std::vector<std::string> limits;  // "power <= 30 MW"
  std::int64_t ranked = 10;
  SearchMethod method = SearchMethod::automatic;
  std::int64_t evaluations = 1'000'000;  // of an evolution
  std::int64_t seed = 1;                 // the same
};

}  // namespace trainyard
