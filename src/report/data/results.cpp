#include "trainyard/report/results.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "report/data/json.h"
#include "report/data/stored_columns.h"
#include "report/data/stored_conditions.h"
#include "trainyard/errors.h"
#include "trainyard/quantity_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

constexpr const char* outcome_name(StoredOutcome outcome) {
  constexpr std::array<const char*, 4> kNames = {"answer", "refused", "infeasible", "beyond_limits"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json point_json(const StoredColumns& columns, const ReadPoint& point) {
  Json out = {{"outcome", outcome_name(point.kept.outcome)}, {"settings", point.settings}};
  for (std::size_t i = 0; i < point.kept.objectives.size(); ++i)
    out["objectives"][columns.objectives[i].name] = number_json(point.kept.objectives[i]);
  for (std::size_t i = 0; i < point.kept.limited.size(); ++i)
    out["limits"][columns.limits[i].name] = number_json(point.kept.limited[i]);
  return out;
}

/// Answers first, by the first objective, then the others by number.
std::vector<ReadPoint> read_points(const StoredAnswers& answers, const StoredFilter& filter) {
  const StoredAsked& asked = answers.question.asked;
  const double sign = asked.objectives[0].starts_with('-') ? -1 : 1;
  std::vector<ReadPoint> out;
  const StoredConditions conditions(answers.question, filter.where);
  for (const StoredPoint& point : answers.points) {
    if (filter.only_answers && point.outcome != StoredOutcome::answer) continue;
    ReadPoint read = read_point(point, asked);
    if (conditions.hold(read)) out.push_back(std::move(read));
  }
  const auto cost = [&](const ReadPoint& p) {
    return p.kept.objectives.empty() ? HUGE_VAL : sign * p.kept.objectives[0];
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const ReadPoint& a, const ReadPoint& b) { return cost(a) < cost(b); });
  if (filter.most > 0 && out.size() > filter.most) out.resize(filter.most);
  return out;
}

/// A row's cell: as people read it, or the number in base units.
std::string cell(const std::vector<double>& numbers, std::size_t i, const StoredColumn& column,
                 StoredNumbers shown) {
  if (i >= numbers.size() || !std::isfinite(numbers[i])) return {};
  return shown == StoredNumbers::for_people ? format_quantity(numbers[i], column.unit)
                                            : Json(numbers[i]).dump();
}

/// The columns of limits; in data, those of two limits on one thing are one.
std::vector<std::size_t> shown_limits(const StoredColumns& columns, StoredNumbers shown) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.limits.size(); ++i) {
    const auto same = [&](std::size_t j) { return columns.limits[j].name == columns.limits[i].name; };
    if (shown == StoredNumbers::for_people || std::none_of(out.begin(), out.end(), same)) out.push_back(i);
  }
  return out;
}

/// Objectives that both questions have, points that both have answered, and how far they are apart.
struct Difference {
  std::string objective;
  std::uint64_t both = 0;
  std::uint64_t differ = 0;
  double largest = 0;  // of b over a, minus 1, by size
  Json best_a = nullptr;
  Json best_b = nullptr;
};

std::vector<Difference> differences(const StoredAnswers& a, const StoredAnswers& b) {
  const StoredColumns columns_a = columns_of(a.question.asked);
  const StoredColumns columns_b = columns_of(b.question.asked);
  std::map<std::string, ReadPoint> by_settings;
  const std::vector<ReadPoint> points_a = read_points(a, {.only_answers = true});
  const std::vector<ReadPoint> points_b = read_points(b, {.only_answers = true});
  for (const ReadPoint& point : points_a) by_settings[Json(point.settings).dump()] = point;
  std::vector<Difference> out;
  const std::vector<std::string>& names_b = b.question.asked.objectives;
  for (std::size_t i = 0; i < columns_a.objectives.size(); ++i) {
    const auto at = std::find(names_b.begin(), names_b.end(), columns_a.objectives[i].name);
    if (at == names_b.end()) continue;
    const auto j = static_cast<std::size_t>(at - names_b.begin());
    Difference d;
    d.objective = columns_a.objectives[i].name;
    if (!points_a.empty()) d.best_a = point_json(columns_a, points_a.front());
    if (!points_b.empty()) d.best_b = point_json(columns_b, points_b.front());
    for (const ReadPoint& point : points_b) {
      const auto same = by_settings.find(Json(point.settings).dump());
      if (same == by_settings.end()) continue;
      ++d.both;
      const double first = same->second.kept.objectives[i];
      const double second = point.kept.objectives[j];
      if (first == second) continue;
      ++d.differ;
      if (first != 0 && std::abs(second / first - 1) > std::abs(d.largest)) d.largest = second / first - 1;
    }
    out.push_back(std::move(d));
  }
  return out;
}

/// Those that answers do not keep anyhow.
std::string limits_text(const StoredAsked& asked) {
  std::vector<std::string> out = asked.limits;
  for (const SearchLimit& usual : usual_limits()) std::erase(out, usual.text);
  return fmt::format("{}", fmt::join(out, ", "));
}

/// The settings of both questions, each once.
std::vector<std::string> settings_of(const StoredAnswers& a, const StoredAnswers& b) {
  std::vector<std::string> out = columns_of(a.question.asked).settings;
  std::set<std::string> known(out.begin(), out.end());
  for (const StoredSetting& setting : b.question.asked.free) {
    if (known.insert(setting.key).second) out.push_back(setting.key);
  }
  return out;
}

/// Of the best point of one question: the objective that the row is about, then its settings.
void add_best(std::vector<std::string>& row, const Json& best, const std::string& objective,
              const std::vector<std::string>& settings) {
  const auto known = [&](const char* part, const std::string& key) {
    return !best.is_null() && best[part].contains(key) ? setting_word(best[part][key]) : std::string();
  };
  row.push_back(known("objectives", objective));
  for (const std::string& key : settings) row.push_back(known("settings", key));
}

TextTable comparison_data(const StoredAnswers& a, const StoredAnswers& b) {
  const std::vector<std::string> settings = settings_of(a, b);
  TextTable out;
  out.header = {"objective", "in_both", "differ", "largest_difference"};
  for (const char* which : {"first_best", "second_best"}) {
    out.header.emplace_back(which);
    for (const std::string& key : settings) out.header.push_back(fmt::format("{}_{}", which, key));
  }
  for (const Difference& d : differences(a, b)) {
    std::vector<std::string> row = {d.objective, std::to_string(d.both), std::to_string(d.differ),
                                    Json(d.largest).dump()};
    add_best(row, d.best_a, d.objective, settings);
    add_best(row, d.best_b, d.objective, settings);
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

TextTable stored_questions_summary(const std::vector<StoredQuestion>& questions) {
  TextTable out;
  out.header = {"question", "scenario", "title",  "free settings", "objectives",
                "limits",   "set",      "points", "kept",          "begun"};
  for (const StoredQuestion& q : questions) {
    const StoredColumns columns = columns_of(q.asked);
    out.rows.push_back({std::to_string(q.id), q.scenario, q.title,
                        fmt::format("{}", fmt::join(columns.settings, " ")),
                        fmt::format("{}", fmt::join(q.asked.objectives, " ")), limits_text(q.asked),
                        fmt::format("{}", fmt::join(q.asked.changes, ", ")), std::to_string(q.points),
                        std::to_string(q.kept), q.begun});
  }
  return out;
}

TextTable stored_questions_table(const std::vector<StoredQuestion>& questions) {
  TextTable out;
  out.header = {"question", "scenario", "title", "points", "kept", "asked", "begun", "version", "identity"};
  out.values = {"question", "points", "kept"};
  for (const StoredQuestion& q : questions)
    out.rows.push_back({std::to_string(q.id), q.scenario, q.title, std::to_string(q.points),
                        std::to_string(q.kept), asked_text(q.asked), q.begun, q.version, q.identity});
  return out;
}

StoredAnswers stored_answers(const ResultStore& store, std::int64_t question) {
  StoredAnswers out;
  bool found = false;
  for (StoredQuestion& q : store.questions()) {
    if (q.id != question) continue;
    out.question = std::move(q);
    found = true;
  }
  if (!found)
    fail_input(whole("results"), fmt::format("the store has no question {}", question),
               "`trainyard results STORE` lists those that it has");
  store.each_point(out.question, [&](const StoredPoint& point) { out.points.push_back(point); });
  return out;
}

std::string stored_points_json(const StoredAnswers& answers, const StoredFilter& filter) {
  const StoredColumns columns = columns_of(answers.question.asked);
  Json json = {
      {"question", answers.question.id}, {"title", answers.question.title}, {"points", Json::array()}};
  for (const ReadPoint& point : read_points(answers, filter))
    json["points"].push_back(point_json(columns, point));
  return dumped(json);
}

TextTable stored_points_table(const StoredAnswers& answers, const StoredFilter& filter, StoredNumbers shown) {
  const StoredColumns columns = columns_of(answers.question.asked);
  const std::vector<std::size_t> limits = shown_limits(columns, shown);
  const bool for_people = shown == StoredNumbers::for_people;
  TextTable out{{"outcome"}, {}};
  out.header.insert(out.header.end(), columns.settings.begin(), columns.settings.end());
  for (const StoredColumn& column : columns.objectives) out.header.push_back(column.name);
  for (const std::size_t i : limits)
    out.header.push_back(for_people ? columns.limits[i].title : "limit_" + columns.limits[i].name);
  for (const ReadPoint& point : read_points(answers, filter)) {
    std::vector<std::string> row = {outcome_name(point.kept.outcome)};
    for (const std::string& key : columns.settings) row.push_back(setting_word(point.settings.at(key)));
    for (std::size_t i = 0; i < columns.objectives.size(); ++i)
      row.push_back(cell(point.kept.objectives, i, columns.objectives[i], shown));
    for (const std::size_t i : limits) row.push_back(cell(point.kept.limited, i, columns.limits[i], shown));
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::string stored_comparison_json(const StoredAnswers& a, const StoredAnswers& b) {
  Json json = {{"questions", {a.question.id, b.question.id}}, {"objectives", Json::array()}};
  for (const Difference& d : differences(a, b))
    json["objectives"].push_back({{"name", d.objective},
                                  {"in_both", d.both},
                                  {"differ", d.differ},
                                  {"largest_difference", d.largest},
                                  {"best", {d.best_a, d.best_b}}});
  return dumped(json);
}

TextTable stored_comparison_table(const StoredAnswers& a, const StoredAnswers& b, StoredNumbers shown) {
  if (shown == StoredNumbers::in_base_units) return comparison_data(a, b);
  TextTable out;
  out.header = {"objective",          "in both",           "differ",
                "largest difference", "best of the first", "best of the second"};
  for (const Difference& d : differences(a, b))
    out.rows.push_back({d.objective, std::to_string(d.both), std::to_string(d.differ),
                        fmt::format("{:+.4g}%", d.largest * 100),
                        d.best_a.is_null() ? "" : d.best_a["settings"].dump(),
                        d.best_b.is_null() ? "" : d.best_b["settings"].dump()});
  return out;
}

}  // namespace trainyard
