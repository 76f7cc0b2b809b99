#include "trainyard/report/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "report/data/setting_words.h"
#include "report/data/show.h"
#include "report/text/search_sensitivity.h"

namespace trainyard {
namespace {

constexpr std::size_t kShownValues = 12;  // of a setting
constexpr std::size_t kShownPoints = 20;  // of a front

/// "+4.2%" of a value over the best one.
std::string beside(double value, double best) {
  if (value == best || best == 0) return {};
  constexpr double kPercent = 100;
  return fmt::format("{:+.2f}%", (value / best - 1) * kPercent);
}

/// Columns as wide as their widest cell, the first one to the left.
std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:>{}}", row[i], widths[i] + 1);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string points_text(const SearchAnswer& answer, const std::vector<SearchPoint>& points,
                        std::size_t most) {
  const SearchResult& result = answer.result;
  std::vector<std::vector<std::string>> rows(1);
  for (const SearchMeasure& objective : answer.question.objectives) rows[0].push_back(objective.name);
  rows[0].emplace_back();
  const std::size_t shown = std::min(points.size(), most);
  std::vector<std::vector<std::string>> values;  // of each setting and point
  for (std::size_t s = 0; s < result.space.size(); ++s) {
    rows[0].push_back(result.space[s].key);
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < shown; ++i) chosen.push_back(result.space[s].values[points[i].choice[s]]);
    values.push_back(shown_values(chosen));
  }
  const double best = result.ranked.front().objectives[0];
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> row;
    for (std::size_t o = 0; o < points[i].objectives.size(); ++o)
      row.push_back(show_known(points[i].objectives[o], answer.question.objectives[o].unit));
    row.push_back(beside(points[i].objectives[0], best));
    for (std::size_t s = 0; s < result.space.size(); ++s) row.push_back(values[s][i]);
    rows.push_back(std::move(row));
  }
  std::string out = aligned(rows);
  if (points.size() > most) out += fmt::format("    ... {} in all (--csv shows them)\n", points.size());
  return out;
}

std::string best_text(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  const SearchPoint& best = result.ranked.front();
  const SearchMeasure& objective = answer.question.objectives.front();
  std::string out = fmt::format("\n   {} {}: {}\n", objective.largest ? "most" : "least", objective.label,
                                show_known(best.objectives[0], objective.unit));
  for (std::size_t s = 0; s < result.space.size(); ++s)
    out += fmt::format("     {} = {}\n", result.space[s].key, result.space[s].values[best.choice[s]]);
  for (std::size_t i = 0; i < answer.question.limits.size(); ++i) {
    const SearchLimit& limit = answer.question.limits[i];
    out += fmt::format("     {}: {}\n", limit.text, show_known(best.limited[i], limit.measure.unit));
  }
  return out;
}

/// What each value of each setting costs when everything else is at its best.
std::string worth_text(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  const SearchMeasure& objective = answer.question.objectives.front();
  const double best = result.ranked.front().objectives[0];
  std::string out = "\nthe best with each value\n";
  for (std::size_t s = 0; s < result.space.size(); ++s) {
    const FreeSetting& setting = result.space[s];
    const std::vector<ValueWorth>& worth = result.worth[s];
    const bool idle = worth.size() > 1 && std::all_of(worth.begin(), worth.end(), [&](const ValueWorth& w) {
                        return w.objective && *w.objective == best;
                      });
    out += fmt::format("   {}{}\n", setting.key, idle ? ": makes no difference" : "");
    const std::size_t shown = std::min(worth.size(), kShownValues);
    const std::vector<std::string> values =
        shown_values({setting.values.begin(), setting.values.begin() + static_cast<std::ptrdiff_t>(shown)});
    std::vector<std::vector<std::string>> rows;
    for (std::size_t v = 0; v < shown; ++v) {
      const std::optional<double>& value = worth[v].objective;
      rows.push_back({values[v], value ? show_known(*value, objective.unit) : "no answer",
                      value ? beside(*value, best) : ""});
    }
    if (!idle) out += aligned(rows);
    if (worth.size() > kShownValues)
      out += fmt::format("    ... {} (--json has all)\n", counted(worth.size(), "value"));
  }
  return out;
}

std::string why_not_text(const SearchAnswer& answer, const WhyNot& why) {
  const std::string head = "\nwhy not " + why.settings + "\n   ";
  if (why.result.ranked.empty()) return head + no_answer_text(answer.question, why.result) + "\n";
  const SearchMeasure& objective = answer.question.objectives.front();
  const double best = answer.result.ranked.empty() ? 0 : answer.result.ranked.front().objectives[0];
  const SearchPoint& point = why.result.ranked.front();
  std::string out =
      head + fmt::format("the best with it: {} {}", show_known(point.objectives[0], objective.unit),
                         beside(point.objectives[0], best));
  for (std::size_t s = 0; s < why.result.space.size(); ++s)
    out += fmt::format("{} {} = {}", s == 0 ? ", with" : ",", why.result.space[s].key,
                       why.result.space[s].values[point.choice[s]]);
  return out + "\n";
}

}  // namespace

std::string search_progress_text(const SearchMeasure& objective, const SearchProgress& p) {
  const double left = static_cast<double>(p.points - p.done);
  return fmt::format(
      "{} of {}, {} a second, {}{}", grouped(p.done), counted(grouped(p.points), "point"),
      show_count(p.points_per_second),
      p.best ? fmt::format("best {} {}", objective.label, show_known(*p.best, objective.unit))
             : "no answer yet",
      p.points_per_second > 0 ? ", " + show(Seconds(left / p.points_per_second)) + " left" : "");
}

std::string search_share_text(const ShareAnswer& answer) {
  const SearchResult& result = answer.result;
  return fmt::format(
      "share {} of {}: {}: {} tried, {} known to be no better or beyond a limit{}\n"
      "kept in {}; the same command without a share answers from all of them\n",
      answer.share.number, answer.share.of, counted(grouped(result.points), "point"),
      grouped(result.evaluated), grouped(result.pruned),
      result.resumed > 0 ? fmt::format(", {} from the store", grouped(result.resumed)) : "", answer.store);
}

std::string search_text(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  std::string out = answer.title + (answer.title.empty() ? "" : "\n");
  out += search_counts_text(answer.question, result) + "\n";
  if (result.ranked.empty()) {
    out += "\n   " + no_answer_text(answer.question, result) + "\n";
  } else {
    out += best_text(answer) + "\nranked\n" + points_text(answer, result.ranked, result.ranked.size());
    if (answer.question.objectives.size() > 1)
      out += "\nthe Pareto front\n" + points_text(answer, result.front, kShownPoints);
    out += worth_text(answer);
  }
  for (const WhyNot& why : answer.why_not) out += why_not_text(answer, why);
  if (answer.sensitivity) out += sensitivity_text(answer.question.objectives.front(), *answer.sensitivity);
  return out;
}

}  // namespace trainyard
