#include "trainyard/report/search.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "report/data/json.h"
#include "report/data/show.h"
#include "report/drawing/svg.h"
#include "report/page/page.h"
#include "report/page/page_table.h"
#include "report/page/plan_sheet.h"
#include "report/page/search_points.h"
#include "report/page/search_worth.h"
#include "trainyard/provenance.h"
#include "trainyard/report/chart.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kShownValues = 24;  // of a setting, in what was asked

std::string goal_text(const SearchMeasure& measure) {
  return fmt::format("{} {}", measure.largest ? "most" : "least", measure.label);
}

std::string values_text(const FreeSetting& setting) {
  std::vector<std::string> words;
  for (std::size_t v = 0; v < std::min(setting.values.size(), kShownValues); ++v)
    words.push_back(setting_word(setting_json(setting.values[v])));
  const std::string all = fmt::format("{}", fmt::join(words, ", "));
  return setting.values.size() > kShownValues
             ? fmt::format("{}, ... {}", all, counted(setting.values.size(), "value"))
             : all;
}

PageFacts asked(const SearchAnswer& answer) {
  const SearchQuestion& question = answer.question;
  PageFacts out = {{"best is", goal_text(question.objectives.front())}};
  for (std::size_t i = 1; i < question.objectives.size(); ++i)
    out.emplace_back("on the front also", goal_text(question.objectives[i]));
  for (const SearchLimit& limit : question.limits) out.emplace_back("limit", limit.text);
  for (const FreeSetting& setting : answer.result.space) out.emplace_back(setting.key, values_text(setting));
  return out;
}

/// Objectives and limits of the best, then what a reader wants to know of its plan.
PageFacts best_cards(const SearchAnswer& answer, const Plan& plan) {
  const SearchPoint& best = answer.result.ranked.front();
  PageFacts out;
  for (std::size_t i = 0; i < best.objectives.size(); ++i)
    out.emplace_back(answer.question.objectives[i].label,
                     show_known(best.objectives[i], answer.question.objectives[i].unit));
  const auto has = [&](const std::string& label) {
    return std::any_of(out.begin(), out.end(), [&](const auto& card) { return card.first == label; });
  };
  for (std::size_t i = 0; i < best.limited.size(); ++i) {
    const SearchMeasure& measure = answer.question.limits[i].measure;
    if (!has(measure.label)) out.emplace_back(measure.label, show_known(best.limited[i], measure.unit));
  }
  for (const char* name : {"step_time", "training_time", "price", "mfu"}) {
    const SearchMeasure& measure = *find_measure(name);
    if (!has(measure.label)) out.emplace_back(measure.label, show_known(measure.read(plan), measure.unit));
  }
  if (!has("devices")) out.emplace_back("devices", show_count(plan.facility.devices));
  return out;
}

PageFacts best_settings(const SearchAnswer& answer, const Plan& plan) {
  const SearchResult& result = answer.result;
  PageFacts out;
  for (std::size_t s = 0; s < result.space.size(); ++s)
    out.emplace_back(result.space[s].key,
                     setting_word(setting_json(result.space[s].values[result.ranked.front().choice[s]])));
  out.emplace_back("step time, with its 80% interval", step_with_interval(plan));
  return out;
}

/// Why points are no answers.
std::string losses_table(const SearchQuestion& question, const SearchResult& result) {
  const SearchLosses& lost = result.losses;
  PageTable table({{"why"}, number_column("points"), {"the closest, or the first"}});
  for (std::size_t i = 0; i < question.limits.size(); ++i) {
    const SearchLimit& limit = question.limits[i];
    if (lost.beyond[i] == 0) continue;
    table.row({"beyond " + limit.text, grouped(lost.beyond[i]),
               lost.closest[i] ? show(*lost.closest[i], limit.measure.unit) : ""});
  }
  if (lost.infeasible > 0)
    table.row({"no mapping fits, or none exists", grouped(lost.infeasible), lost.infeasibility});
  if (lost.refused > 0)
    table.row({"settings that contradict each other", grouped(lost.refused), lost.refusal});
  for (const LossReason& reason : lost.reasons)
    table.row({fmt::format("of {} of these", grouped(lost.asked_why)), grouped(reason.points),
               reason.example + (reason.help.empty() ? "" : "; " + reason.help)});
  return table.html();
}

std::string losses_section(const SearchAnswer& answer) {
  const SearchResult& result = answer.result;
  const SearchLosses& lost = result.losses;
  if (lost.refused + lost.infeasible + lost.beyond_limits == 0) return {};
  std::string lead = "A point may be beyond several limits.";
  if (result.pruned > 0 && !result.ranked.empty())
    lead += fmt::format(
        " {} points were known to be no better, or beyond a limit, without a plan; whether those that are no "
        "better are answers was not asked.",
        grouped(result.pruned));
  return "<section id=\"lost\"><h2>Points that are no answers</h2><p class=\"soft\">" + lead + "</p>\n" +
         losses_table(answer.question, result) + "</section>\n";
}

std::string why_not_section(const SearchAnswer& answer) {
  std::string out;
  for (const WhyNot& why : answer.why_not) {
    PageFacts facts;
    if (!why.result.ranked.empty()) {
      const SearchPoint& point = why.result.ranked.front();
      for (std::size_t i = 0; i < point.objectives.size(); ++i)
        facts.emplace_back(answer.question.objectives[i].label,
                           show_known(point.objectives[i], answer.question.objectives[i].unit));
      for (std::size_t s = 0; s < why.result.space.size(); ++s)
        facts.emplace_back(why.result.space[s].key,
                           setting_word(setting_json(why.result.space[s].values[point.choice[s]])));
    }
    out += fmt::format("<section id=\"why-not\"><h2>Why not {}</h2>", escape_markup(why.settings));
    out += facts.empty() ? "<p>" + escape_markup(no_answer_text(answer.question, why.result)) + "</p>"
                         : "<p class=\"soft\">The best with it.</p><div class=\"facts\">" +
                               page_facts(facts) + "</div>";
    out += "</section>\n";
  }
  return out;
}

/// The same without a script: those that are ranked.
std::string plain_table(const SearchAnswer& answer, const std::vector<PlannedPoint>& points) {
  std::string out = "<div class=\"scroll\"><table><tr><th>rank</th>";
  for (const SearchMeasure& m : answer.question.objectives) out += "<th>" + escape_markup(m.label) + "</th>";
  for (const FreeSetting& s : answer.result.space) out += "<th>" + escape_markup(s.key) + "</th>";
  for (const PlannedPoint& p : points) {
    out += fmt::format("</tr>\n<tr><td>{}</td>", p.rank > 0 ? std::to_string(p.rank) : "on the front");
    for (std::size_t i = 0; i < p.point.objectives.size(); ++i)
      out += "<td>" + escape_markup(show_known(p.point.objectives[i], answer.question.objectives[i].unit)) +
             "</td>";
    for (std::size_t s = 0; s < p.point.choice.size(); ++s)
      out += "<td>" +
             escape_markup(setting_word(setting_json(answer.result.space[s].values[p.point.choice[s]]))) +
             "</td>";
  }
  return out + "</tr></table></div>\n";
}

std::string shown_sentence(const SearchAnswer& answer, const std::vector<PlannedPoint>& points) {
  const SearchResult& result = answer.result;
  std::string out = fmt::format("The best {} of the ranking", std::min(result.ranked.size(), kPagePlans));
  const auto on_front = std::count_if(points.begin(), points.end(), [](const auto& p) { return p.on_front; });
  const std::size_t front = result.front.size();
  if (front == 1) out += " and the only point of the Pareto front";
  if (front > 1)
    out += fmt::format(" and {}the {} points of the Pareto front",
                       static_cast<std::size_t>(on_front) < front ? fmt::format("{} of ", on_front) : "",
                       grouped(front));
  if (std::max(result.front.size(), result.ranked.size()) > kPagePlans)
    out += fmt::format(" (a page holds {} of each, of a longer front evenly chosen ones; --csv has all)",
                       kPagePlans);
  return out + ", each with its plan: a point of the chart or a row of the table shows it.";
}

std::string points_section(const SearchAnswer& answer, const std::vector<PlannedPoint>& points) {
  return "<section id=\"points\"><h2>Points and their plans</h2><p class=\"soft\">" +
         escape_markup(shown_sentence(answer, points)) + "</p>\n" + page_file("search_points.html") +
         "<noscript>" + plain_table(answer, points) + "</noscript></section>\n";
}

/// On one line.
std::string counts(const SearchAnswer& answer) {
  std::string out = search_counts_text(answer.question, answer.result);
  if (const auto line = out.find('\n'); line != std::string::npos) out.replace(line, 1, "; ");
  return out;
}

/// A word that a shell takes as it is.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                                          "XYZ0123456789_-./=:,+%@") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> commands(const ScenarioText& text, const std::vector<PlannedPoint>& points,
                                  const std::vector<std::string>& words) {
  std::string head = "trainyard plan";
  for (const std::string& word : words) head += " " + shell_word(word);
  std::vector<std::string> out;
  for (const PlannedPoint& p : points) {
    std::string command = head;
    for (const std::string& assignment : point_assignments(text, p.point.choice))
      command += " --set " + shell_word(assignment);
    out.push_back(std::move(command));
  }
  return out;
}

/// The sections, and the cards of the best point.
std::map<std::string, std::string> answer_parts(const SearchAnswer& answer, const ScenarioText& text,
                                                const std::vector<std::string>& words, PageFacts& cards) {
  if (answer.result.ranked.empty())
    return {{"best", "<p class=\"warning\">No answer: " +
                         escape_markup(no_answer_text(answer.question, answer.result)) + ".</p>\n"},
            {"worth", ""},
            {"points", ""},
            {"points_data", "null"}};
  const std::vector<PlannedPoint> points = planned_points(text, answer.result);
  cards = best_cards(answer, points.front().plan);
  return {{"best", "<section id=\"best\"><h2>The best</h2><div class=\"facts\">" +
                       page_facts(best_settings(answer, points.front().plan)) + "</div></section>\n"},
          {"worth", worth_section(answer)},
          {"points", points_section(answer, points)},
          {"points_data", search_points_json(answer, points, commands(text, points, words))}};
}

}  // namespace

std::string search_page(const SearchAnswer& answer, const ScenarioText& text,
                        const std::vector<std::string>& plan_words) {
  PageFrame frame{.kind = "search",
                  .title = answer.title.empty() ? text.name() : answer.title,
                  .subject = counts(answer),
                  .footer = page_footer(provenance_of(text))};
  std::map<std::string, std::string> parts = answer_parts(answer, text, plan_words, frame.cards);
  parts["asked"] = page_facts(asked(answer));
  parts["lost"] = losses_section(answer);
  parts["why_not"] = why_not_section(answer);
  return valid_utf8(page("search", frame, std::move(parts), {}));
}

}  // namespace trainyard
