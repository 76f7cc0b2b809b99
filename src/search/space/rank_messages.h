// What the ranks of a search tell each other, as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/answers.h"
#include "search/space/losses.h"
#include "trainyard/search.h"

namespace trainyard {

/// What rank 0 tells another with a stretch of the space.
struct StretchInformation {
  bool keeps_all = false;   // a store keeps every point; else only those are wanted that may be answers
  KnownBests bests;         // of the whole search, so far
  std::vector<bool> known;  // of the stretch, which points need no plan; empty: none
};
std::string packed(const StretchInformation& information);
/// `like` gives the shape of the space; so many points.
StretchInformation stretch_information(std::string_view bytes, const KnownBests& like, std::uint64_t points);

/// What became of the points of a stretch.
struct StretchOutcome {
  explicit StretchOutcome(const SearchQuestion& question) : losses(question.limits.size()) {}

  std::uint64_t evaluated = 0;
  std::uint64_t pruned = 0;
  std::vector<Outcome> outcomes;  // those that are wanted; their `choice` is not told
  CountedLosses losses;           // of the others
};
std::string packed(const StretchOutcome& outcome);
StretchOutcome stretch_outcome(std::string_view bytes, const SearchQuestion& question);

}  // namespace trainyard
