// The points of a search that are worth keeping, whatever the order in which they come.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
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

/// The best points, the front, and the best of each value.
class Answers {
 public:
  Answers(const std::vector<FreeSetting>& space, const SearchQuestion& question);

  void add(SearchPoint point);
  void add(const LostPoint& lost);

  /// The best of the first objective.
  std::optional<double> best() const;

  /// Whether points of this choice cannot change anything when their first objective is no better than
  /// `bound`.
  bool settled(std::span<const std::size_t> choice, double bound) const;

  /// Whether so many points are all refused. The mistake is then not the points'.
  bool refuses_all(std::uint64_t points) const { return losses_.refused == points; }
  std::optional<std::uint64_t> first_refused() const { return first_refused_; }

  /// Where there is no answer: the first point without a plan.
  std::optional<std::uint64_t> first_infeasible() const;

  /// Moves what was kept into a result.
  void fill(SearchResult& result) &&;

 private:
  /// As a number of which less is better.
  double cost(const SearchPoint& point, std::size_t objective) const;
  bool before(const SearchPoint& a, const SearchPoint& b) const;
  bool dominates(const SearchPoint& a, const SearchPoint& b) const;
  void add_to_front(const SearchPoint& point);

  const SearchQuestion& question_;
  std::vector<SearchPoint> ranked_;  // sorted
  std::vector<SearchPoint> front_;
  std::vector<std::vector<ValueWorth>> worth_;
  SearchLosses losses_;
  std::optional<std::uint64_t> first_refused_;
  std::optional<std::uint64_t> first_infeasible_;
};

}  // namespace trainyard
