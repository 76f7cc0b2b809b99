// Points of a search that are no answers, counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "trainyard/search.h"

namespace trainyard {

/// A point that is no answer.
struct LostPoint {
  enum class Why { refused, infeasible, beyond_limits };
  Why why = Why::infeasible;
  std::uint64_t index = 0;
  std::vector<double> limited;  // what the limits are about, where it is known; else NaN
};

/// What became of a point.
using Outcome = std::variant<SearchPoint, LostPoint>;

/// Their counts, and the first of each kind; the same whatever the order in which they come.
struct CountedLosses {
  explicit CountedLosses(std::size_t limits);

  void add(const LostPoint& lost, std::span<const SearchLimit> limits);
  void add(const CountedLosses& other, std::span<const SearchLimit> limits);

  SearchLosses counts;
  std::optional<std::uint64_t> first_refused;
  std::optional<std::uint64_t> first_infeasible;
};

}  // namespace trainyard
