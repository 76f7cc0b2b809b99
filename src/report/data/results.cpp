#include "trainyard/report/results.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/errors.h"
#include "report/data/csv.h"
#include "report/data/json.h"
#include "trainyard/errors.h"

namespace trainyard {
namespace {

/// A stored point, read.
struct ReadPoint {
  std::string outcome;  // "answer", "refused", "infeasible", "beyond_limits"
  std::string text;
  std::map<std::string, Json> settings;
  std::vector<Json> objectives;
  std::vector<Json> limits;
};

/// The columns of a question's points.
struct StoredColumns {
  std::vector<std::string> settings;
  std::vector<std::string> objectives;
  std::vector<std::string> limits;
};

constexpr std::array<const char*, 4> kOutcomes = {"answer", "refused", "infeasible", "beyond_limits"};

ReadPoint read_point(const StoredPoint& point, const Json& free) {
  ReadPoint out;
  out.outcome = kOutcomes.at(static_cast<std::size_t>(point.outcome));
  out.text = point.text;
  std::uint64_t rest = point.index;
  for (const auto& [key, values] : free.items()) {
    if (!values.is_array() || values.empty()) throw std::out_of_range("a free setting without values");
  }
  std::vector<std::pair<std::string, const Json*>> settings;
  for (const auto& [key, values] : free.items()) settings.emplace_back(key, &values);
  for (std::size_t s = settings.size(); s-- > 0;) {
    const Json& values = *settings[s].second;
    out.settings[settings[s].first] = setting_json(values.at(rest % values.size()).get<std::string>());
    rest /= values.size();
  }
  const Json numbers = Json::parse(point.numbers);
  out.objectives = numbers.at("objectives").get<std::vector<Json>>();
  out.limits = numbers.at("limits").get<std::vector<Json>>();
  return out;
}

std::string plain(const Json& value) { return value.is_null() ? std::string() : setting_word(value); }

Json point_json(const StoredColumns& columns, const ReadPoint& point) {
  Json out = {{"outcome", point.outcome}, {"settings", point.settings}};
  for (std::size_t i = 0; i < point.objectives.size(); ++i)
    out["objectives"][columns.objectives.at(i)] = point.objectives[i];
  for (std::size_t i = 0; i < point.limits.size(); ++i) out["limits"][columns.limits.at(i)] = point.limits[i];
  if (!point.text.empty()) out["why"] = point.text;
  return out;
}

StoredColumns columns_of(const StoredQuestion& question) {
  const Json asked = Json::parse(question.asked);
  StoredColumns out;
  for (const auto& [key, values] : asked.at("free").items()) out.settings.push_back(key);
  out.objectives = asked.at("objectives").get<std::vector<std::string>>();
  out.limits = asked.at("limits").get<std::vector<std::string>>();
  return out;
}

/// Answers first, by the first objective, then the others by number.
std::vector<ReadPoint> read_points(const StoredAnswers& answers, const StoredFilter& filter) {
  const Json asked = Json::parse(answers.question.asked);
  const auto objectives = asked.at("objectives").get<std::vector<std::string>>();
  const double sign = objectives.at(0).starts_with('-') ? -1 : 1;
  std::vector<ReadPoint> out;
  for (const StoredPoint& point : answers.points) {
    if (!filter.only_answers || point.outcome == 0) out.push_back(read_point(point, asked.at("free")));
  }
  const auto cost = [&](const ReadPoint& p) {
    return p.objectives.empty() ? HUGE_VAL : sign * p.objectives[0].get<double>();
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const ReadPoint& a, const ReadPoint& b) { return cost(a) < cost(b); });
  if (filter.most > 0 && out.size() > filter.most) out.resize(filter.most);
  return out;
}

std::vector<std::vector<std::string>> rows_of(const StoredAnswers& answers, const StoredFilter& filter) {
  const StoredColumns columns = columns_of(answers.question);
  std::vector<std::vector<std::string>> rows = {{"outcome"}};
  for (const auto* names : {&columns.settings, &columns.objectives, &columns.limits})
    rows[0].insert(rows[0].end(), names->begin(), names->end());
  for (const ReadPoint& point : read_points(answers, filter)) {
    std::vector<std::string> row = {point.outcome};
    for (const std::string& key : columns.settings) row.push_back(plain(point.settings.at(key)));
    for (std::size_t i = 0; i < columns.objectives.size(); ++i)
      row.push_back(i < point.objectives.size() ? plain(point.objectives[i]) : "");
    for (std::size_t i = 0; i < columns.limits.size(); ++i)
      row.push_back(i < point.limits.size() ? plain(point.limits[i]) : "");
    rows.push_back(std::move(row));
  }
  return rows;
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
  const StoredColumns columns_a = columns_of(a.question);
  const StoredColumns columns_b = columns_of(b.question);
  std::map<std::string, ReadPoint> by_settings;
  const std::vector<ReadPoint> points_a = read_points(a, {.only_answers = true});
  const std::vector<ReadPoint> points_b = read_points(b, {.only_answers = true});
  for (const ReadPoint& point : points_a) by_settings[Json(point.settings).dump()] = point;
  std::vector<Difference> out;
  for (std::size_t i = 0; i < columns_a.objectives.size(); ++i) {
    const auto at =
        std::find(columns_b.objectives.begin(), columns_b.objectives.end(), columns_a.objectives[i]);
    if (at == columns_b.objectives.end()) continue;
    const auto j = static_cast<std::size_t>(at - columns_b.objectives.begin());
    Difference d;
    d.objective = columns_a.objectives[i];
    if (!points_a.empty()) d.best_a = point_json(columns_a, points_a.front());
    if (!points_b.empty()) d.best_b = point_json(columns_b, points_b.front());
    for (const ReadPoint& point : points_b) {
      const auto same = by_settings.find(Json(point.settings).dump());
      if (same == by_settings.end()) continue;
      ++d.both;
      const double first = same->second.objectives.at(i).get<double>();
      const double second = point.objectives.at(j).get<double>();
      if (first == second) continue;
      ++d.differ;
      if (first != 0 && std::abs(second / first - 1) > std::abs(d.largest)) d.largest = second / first - 1;
    }
    out.push_back(std::move(d));
  }
  return out;
}

/// Calls what reads a question's texts; a store whose texts are not what a search writes is refused.
template <class Read>
auto guarded(const StoredQuestion& question, const Read& read) {
  try {
    return read();
  } catch (const Json::exception& error) {
    fail_input(whole("results"), fmt::format("question {} of the store is damaged", question.id),
               error.what());
  } catch (const std::out_of_range& error) {
    fail_input(whole("results"), fmt::format("question {} of the store is damaged", question.id),
               error.what());
  }
}

}  // namespace

TextTable stored_questions_summary(const std::vector<StoredQuestion>& questions) {
  TextTable out;
  out.header = {"question", "scenario", "title", "free settings", "objectives", "points", "kept", "begun"};
  for (const StoredQuestion& q : questions) {
    const StoredColumns columns = guarded(q, [&] { return columns_of(q); });
    out.rows.push_back({std::to_string(q.id), q.scenario, q.title,
                        fmt::format("{}", fmt::join(columns.settings, " ")),
                        fmt::format("{}", fmt::join(columns.objectives, " ")), std::to_string(q.points),
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
                        std::to_string(q.kept), q.asked, q.begun, q.version, q.identity});
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
  store.each_point(question, [&](const StoredPoint& point) { out.points.push_back(point); });
  return out;
}

std::string stored_points_json(const StoredAnswers& answers, const StoredFilter& filter) {
  return guarded(answers.question, [&] {
    const StoredColumns columns = columns_of(answers.question);
    Json json = {
        {"question", answers.question.id}, {"title", answers.question.title}, {"points", Json::array()}};
    for (const ReadPoint& point : read_points(answers, filter))
      json["points"].push_back(point_json(columns, point));
    return dumped(json);
  });
}

TextTable stored_points_table(const StoredAnswers& answers, const StoredFilter& filter) {
  return guarded(answers.question, [&] {
    std::vector<std::vector<std::string>> rows = rows_of(answers, filter);
    return TextTable{rows[0], {rows.begin() + 1, rows.end()}};
  });
}

std::string stored_comparison_json(const StoredAnswers& a, const StoredAnswers& b) {
  Json json = {{"questions", {a.question.id, b.question.id}}, {"objectives", Json::array()}};
  for (const Difference& d : guarded(b.question, [&] { return differences(a, b); }))
    json["objectives"].push_back({{"name", d.objective},
                                  {"in_both", d.both},
                                  {"differ", d.differ},
                                  {"largest_difference", d.largest},
                                  {"best", {d.best_a, d.best_b}}});
  return dumped(json);
}

TextTable stored_comparison_table(const StoredAnswers& a, const StoredAnswers& b) {
  TextTable out;
  out.header = {"objective",          "in both",           "differ",
                "largest difference", "best of the first", "best of the second"};
  for (const Difference& d : guarded(b.question, [&] { return differences(a, b); }))
    out.rows.push_back({d.objective, std::to_string(d.both), std::to_string(d.differ),
                        fmt::format("{:+.4g}%", d.largest * 100),
                        d.best_a.is_null() ? "" : d.best_a["settings"].dump(),
                        d.best_b.is_null() ? "" : d.best_b["settings"].dump()});
  return out;
}

}  // namespace trainyard
