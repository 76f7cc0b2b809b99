#include <fmt/core.h>

#include <cmath>

#include "report/data/show.h"
#include "trainyard/report/search.h"

namespace trainyard {

std::optional<double> search_gap(const SearchQuestion& question, const SearchResult& result) {
  if (result.ranked.empty() || !result.bound.value) return std::nullopt;
  const double best = result.ranked.front().objectives[0];
  const double gap = question.objectives[0].largest ? *result.bound.value - best : best - *result.bound.value;
  return best == 0 ? 0 : gap / std::abs(best);
}

std::string no_answer_text(const SearchQuestion& question, const SearchResult& result) {
  const SearchLosses& lost = result.losses;
  const bool sampled = result.method == SearchMethod::evolution;
  std::string out = fmt::format("none of {}{} is an answer", grouped(result.points),
                                sampled ? " points that were tried" : "");
  for (std::size_t i = 0; i < question.limits.size(); ++i) {
    if (lost.beyond[i] == 0) continue;
    out += fmt::format("; {} beyond {} (the closest: {})", grouped(lost.beyond[i]), question.limits[i].text,
                       format_quantity(*lost.closest[i], question.limits[i].measure.unit));
  }
  if (lost.infeasible > 0)
    out += fmt::format("; {} without a plan (the first: {})", grouped(lost.infeasible), lost.infeasibility);
  if (lost.refused > 0)
    out += fmt::format("; {} contradict themselves (the first: {})", grouped(lost.refused), lost.refusal);
  return out;
}

}  // namespace trainyard
