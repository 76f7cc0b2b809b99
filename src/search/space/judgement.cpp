#include "search/space/judgement.h"

#include <algorithm>

#include "search/space/planned_part.h"

namespace trainyard {
namespace {

using Wanted = PlannedPart;

/// Placements are for the quantities that compare them.
Wanted wanted_by(const SearchMeasure& measure) {
  if (measure.name.starts_with("mapping.")) return Wanted::everything;
  return measure.of_numbers ? Wanted::numbers : Wanted::everything_but_placements;
}

}  // namespace

bool keeps(const SearchLimit& limit, double value) {
  return limit.at_most ? value <= limit.bound : value >= limit.bound;
}

Wanted wanted_by(const SearchQuestion& question) {
  Wanted most = Wanted::numbers;
  for (const SearchMeasure& objective : question.objectives) most = std::max(most, wanted_by(objective));
  for (const SearchLimit& limit : question.limits) most = std::max(most, wanted_by(limit.measure));
  return most;
}

bool wants_network(const SearchQuestion& question) {
  const auto of_limit = [](const SearchLimit& limit) { return limit.measure.of_network; };
  return std::any_of(question.objectives.begin(), question.objectives.end(),
                     [](const SearchMeasure& measure) { return measure.of_network; }) ||
         std::any_of(question.limits.begin(), question.limits.end(), of_limit);
}

}  // namespace trainyard
