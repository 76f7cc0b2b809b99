#include <fmt/core.h>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/report/search.h"

namespace trainyard {
namespace {

constexpr double kCounted = 1e15;  // points of a space that are told one by one

std::string settings_of(double points, const SearchResult& result) {
  return fmt::format("{} of {}",
                     counted(points < kCounted ? grouped(points) : fmt::format("{:.3g}", points), "point"),
                     counted(result.space.size(), "free setting"));
}

std::string bound_text(const SearchQuestion& question, const SearchResult& result) {
  const SearchMeasure& objective = question.objectives.front();
  const std::optional<double> gap = search_gap(question, result);
  if (!gap) return "bound: unknown: " + result.bound.unknown;
  return fmt::format("bound: no point has {} {} than {}: the best found is {} from it",
                     objective.largest ? "more" : "less", objective.label,
                     show_known(*result.bound.value, objective.unit), show_share(*gap));
}

}  // namespace

std::string search_counts_text(const SearchQuestion& question, const SearchResult& result) {
  if (result.method != SearchMethod::evolution)
    return fmt::format("{}: {} tried, {} known to be no better or beyond a limit{}",
                       settings_of(static_cast<double>(result.points), result), grouped(result.evaluated),
                       grouped(result.pruned),
                       result.resumed > 0 ? fmt::format(", {} from the store", grouped(result.resumed)) : "");
  if (static_cast<double>(result.points) == result.size)
    return fmt::format("{}, all of which were tried (evolution, {} evaluations, seed {})",
                       settings_of(result.size, result), grouped(result.evaluated), question.seed);
  const std::string sampled = fmt::format(
      "{}, of which {} were sampled (evolution, {} evaluations, seed {}): the best of them need not be the "
      "best of all",
      settings_of(result.size, result), grouped(result.points), grouped(result.evaluated), question.seed);
  return result.ranked.empty() ? sampled : sampled + "\n" + bound_text(question, result);
}

}  // namespace trainyard
