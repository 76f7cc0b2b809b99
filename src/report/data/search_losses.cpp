#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/counted.h"
#include "report/data/show.h"
#include "trainyard/report/search.h"

namespace trainyard {

std::optional<double> search_gap(const SearchQuestion& question, const SearchResult& result) {
  if (result.ranked.empty() || !result.bound.value) return std::nullopt;
  const double best = result.ranked.front().objectives[0];
  const double gap = question.objectives[0].largest ? *result.bound.value - best : best - *result.bound.value;
  return best == 0 ? 0 : gap / std::abs(best);
}

namespace {

/// Plans say further facts on further lines.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A list of remedies.
std::string in_one_line(std::string text) {
  for (std::size_t at = text.find("\n  "); at != std::string::npos; at = text.find("\n  "))
    text.replace(at, 3, " ");
  return text;
}

/// By reason, the most frequent first: how many, and what the first of them says.
std::string reasons_text(const SearchLosses& lost) {
  constexpr std::size_t kShown = 5;
  std::string out = fmt::format("; {} contradict themselves, {} are without a plan", grouped(lost.refused),
                                grouped(lost.infeasible));
  if (lost.asked_why < lost.refused + lost.infeasible)
    out += fmt::format("; of {} of these", grouped(lost.asked_why));
  out += " (one may have several reasons):";
  for (std::size_t i = 0; i < std::min(kShown, lost.reasons.size()); ++i) {
    const LossReason& reason = lost.reasons[i];
    out += fmt::format("\n   {:>9} {}{}{}", grouped(reason.points), first_line(reason.example),
                       reason.varies ? ", and the like" : "",
                       reason.help.empty() ? "" : " (" + in_one_line(reason.help) + ")");
  }
  if (lost.reasons.size() > kShown)
    out += fmt::format("\n   {} in all (--json has them)", counted(lost.reasons.size(), "reason"));
  return out;
}

}  // namespace

std::string no_answer_text(const SearchQuestion& question, const SearchResult& result) {
  const SearchLosses& lost = result.losses;
  const bool sampled = result.method == SearchMethod::evolution;
  std::string out = fmt::format("none of {}{} is an answer", grouped(result.points),
                                sampled ? " points that were tried" : "");
  for (std::size_t i = 0; i < question.limits.size(); ++i) {
    if (lost.beyond[i] == 0) continue;
    out += fmt::format("; {} beyond {} (the closest: {})", grouped(lost.beyond[i]), question.limits[i].text,
                       show(*lost.closest[i], question.limits[i].measure.unit));
  }
  if (!lost.reasons.empty()) return out + reasons_text(lost);
  if (lost.infeasible > 0)
    out += fmt::format("; {} without a plan (the first: {})", grouped(lost.infeasible), lost.infeasibility);
  if (lost.refused > 0)
    out += fmt::format("; {} contradict themselves (the first: {})", grouped(lost.refused), lost.refusal);
  return out;
}

}  // namespace trainyard
