// The points of a search that are worth keeping, whatever the order in which they come.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/space/losses.h"
#include "trainyard/search.h"

namespace trainyard {

/// What is known of the best: no point that is worse than all of it can be an answer.
struct KnownBests {
  std::optional<double> last_ranked;  // the first objective of the last that is listed
  std::vector<std::vector<ValueWorth>> worth;
  std::vector<std::vector<double>> front = {};  // objectives; of this process alone

  /// Whether no point of this choice with such a first objective, or a worse one, is listed or best of a
  /// value.
  bool settles(std::span<const std::size_t> choice, double first_objective, bool largest) const;
  /// Whether a point is no answer: neither listed, nor best of a value, nor on the front.
  bool rules_out(std::span<const std::size_t> choice, std::span<const double> objectives,
                 const SearchQuestion& question) const;
};

/// The best points, the front, and the best of each value.
class Answers {
 public:
  Answers(const std::vector<FreeSetting>& space, const SearchQuestion& question);

  /// Whether the point changes anything, here or where the bests were learned from.
  bool add(SearchPoint point);
  void add(const LostPoint& lost);
  void add(const CountedLosses& losses);

  KnownBests bests() const;
  /// What is kept is then for `bests` alone.
  void learn(const KnownBests& bests);

  /// The best of the first objective.
  std::optional<double> best() const;

  /// Whether so many points are all refused. The mistake is then not the points'.
  bool refuses_all(std::uint64_t points) const { return losses_.counts.refused == points; }
  std::optional<std::uint64_t> first_refused() const { return losses_.first_refused; }

  /// Where there is no answer: the first point without a plan.
  std::optional<std::uint64_t> first_infeasible() const;

  /// Moves what was kept into a result.
  void fill(SearchResult& result) &&;

 private:
  /// As a number of which less is better.
  double cost(const SearchPoint& point, std::size_t objective) const;
  bool before(const SearchPoint& a, const SearchPoint& b) const;
  bool dominates(const SearchPoint& a, const SearchPoint& b) const;
  bool add_to_front(const SearchPoint& point);
  bool add_to_worth(const SearchPoint& point);
  bool add_to_ranked(SearchPoint point);
  bool better(double a, double b) const;

  const SearchQuestion& question_;
  std::vector<SearchPoint> ranked_;  // sorted
  std::vector<SearchPoint> front_;
  std::vector<std::vector<ValueWorth>> worth_;
  std::optional<double> learned_last_;
  CountedLosses losses_;
};

}  // namespace trainyard
