#include <fmt/core.h>

#include "report/data/show.h"
#include "trainyard/report/search.h"

namespace trainyard {

std::string no_answer_text(const SearchQuestion& question, const SearchResult& result) {
  const SearchLosses& lost = result.losses;
  std::string out = fmt::format("none of {} is an answer", grouped(result.points));
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
