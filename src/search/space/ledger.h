// What became of the points of a search, on one thread or on many, in one process or in many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ranks/stretches.h"
#include "search/space/answers.h"
#include "search/space/points.h"
#include "search/space/rank_messages.h"
#include "search/space/stored_outcomes.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// Points of a stretch that a thread has done.
struct DonePoints {
  explicit DonePoints(const SearchQuestion& question) : losses(question.limits.size()) {}

  std::vector<Outcome> outcomes;  // all where the ledger keeps all; else those that may be answers
  CountedLosses losses;           // of the others
  std::uint64_t evaluated = 0;
  std::uint64_t pruned = 0;
};

/// Answers, the store, and what is told to other ranks. Any thread calls it.
class Ledger {
 public:
  Ledger(const ScenarioText& text, const SearchQuestion& question, const std::vector<FreeSetting>& space,
         const Points& points);

  /// Whether every point is kept, and not the answers alone.
  bool keeps_all() const { return stored_.has_value() || (told_ && told_->keeps_all); }
  /// Whether the point that comes at this place needs no plan: the store has it.
  bool is_known(std::uint64_t place, std::uint64_t index) const;
  /// What is known so far.
  KnownBests bests() const;
  void keep(DonePoints done, Stretch stretch);

  // Rank 0, of a stretch that another rank has:
  std::string information(Stretch stretch) const;
  void take(Stretch stretch, const std::string& outcome);

  // The other ranks:
  void begin(Stretch stretch, const std::string& information);
  std::string outcome();

  /// Whether every point was refused.
  bool refuses_all() const { return answers_.refuses_all(points_.count()); }
  std::optional<std::uint64_t> first_refused() const { return answers_.first_refused(); }
  std::optional<std::uint64_t> first_infeasible() const { return answers_.first_infeasible(); }
  /// The points that the store had before, by index; empty: no store.
  const std::vector<bool>& kept() const { return known_; }
  /// Moves what was kept into a result.
  void fill(SearchResult& result) &&;

 private:
  void take_stored(const StoredOutcomes& stored);
  void keep_to_tell(DonePoints done);

  const SearchQuestion& question_;
  const Points& points_;
  std::optional<StoredOutcomes> stored_;
  std::vector<bool> known_;                 // the points that the store has
  std::optional<StretchInformation> told_;  // to a rank other than 0
  std::uint64_t told_begin_ = 0;
  mutable std::mutex mutex_;  // of what follows
  Answers answers_;
  StretchOutcome tells_;  // a rank other than 0
  std::uint64_t evaluated_ = 0;
  std::uint64_t pruned_ = 0;
  std::uint64_t resumed_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace trainyard
