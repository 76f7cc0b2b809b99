#include "report/page/search_points.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "report/data/error_bars.h"
#include "report/data/step_words.h"
#include "report/page/page.h"
#include "report/page/plan_sheet.h"
#include "trainyard/quantity_text.h"
#include "trainyard/search.h"

namespace trainyard {
namespace {

/// The values of a setting that some point has.
std::vector<std::size_t> values_seen(const std::vector<PlannedPoint>& points, std::size_t setting) {
  std::set<std::size_t> out;
  for (const PlannedPoint& p : points) out.insert(p.point.choice[setting]);
  return {out.begin(), out.end()};
}

Json settings_of(const SearchResult& result, const std::vector<std::vector<std::size_t>>& seen) {
  Json out = Json::array();
  for (std::size_t s = 0; s < seen.size(); ++s) {
    Json values = Json::array();
    for (const std::size_t v : seen[s])
      values.push_back(setting_word(setting_json(result.space[s].values[v])));
    out.push_back({{"key", result.space[s].key}, {"values", std::move(values)}});
  }
  return out;
}

/// Objectives and limits as the search found them.
std::vector<double> values_of(const PlannedPoint& p, const SearchQuestion& question,
                              const std::vector<SearchMeasure>& measures) {
  std::vector<double> out = p.point.objectives;
  for (std::size_t m = out.size(); m < measures.size(); ++m) {
    const auto limit = std::find_if(question.limits.begin(), question.limits.end(),
                                    [&](const SearchLimit& l) { return l.measure.name == measures[m].name; });
    const auto at = static_cast<std::size_t>(limit - question.limits.begin());
    out.push_back(limit == question.limits.end() ? measures[m].read(p.plan) : p.point.limited[at]);
  }
  return out;
}

Json point_of(const PlannedPoint& p, const SearchQuestion& question,
              const std::vector<SearchMeasure>& measures) {
  Json out = {{"rank", p.rank}, {"front", p.on_front}, {"values", Json::array()}, {"texts", Json::array()}};
  const std::vector<double> values = values_of(p, question, measures);
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const bool known = std::isfinite(values[m]);
    out["values"].push_back(known ? Json(values[m]) : Json(nullptr));
    out["texts"].push_back(known ? format_quantity(values[m], measures[m].unit) : "unknown");
  }
  return out;
}

/// The first measures, which the table has: objectives and what limits are about.
std::size_t shown_measures(const SearchQuestion& question) {
  std::set<std::string> names;
  for (const SearchMeasure& m : question.objectives) names.insert(m.name);
  for (const SearchLimit& limit : question.limits) names.insert(limit.measure.name);
  return names.size();
}

}  // namespace

std::vector<PlannedPoint> planned_points(const ScenarioText& text, const SearchResult& result) {
  std::vector<PlannedPoint> out;
  std::set<std::uint64_t> front;
  std::set<std::uint64_t> taken;
  for (const SearchPoint& point : result.front) front.insert(point.index);
  const auto take = [&](const SearchPoint& point, std::size_t rank) {
    if (!taken.insert(point.index).second) return;
    out.push_back({point, rank, front.contains(point.index), plan_point(text, point.choice)});
  };
  for (std::size_t i = 0; i < std::min(result.ranked.size(), kPagePlans); ++i) take(result.ranked[i], i + 1);
  for (const std::size_t i : evenly_chosen(result.front.size(), kPagePlans)) take(result.front[i], 0);
  return out;
}

std::vector<SearchMeasure> page_measures(const SearchQuestion& question) {
  std::vector<SearchMeasure> out = question.objectives;
  const auto add = [&](const SearchMeasure& measure) {
    if (std::none_of(out.begin(), out.end(), [&](const SearchMeasure& m) { return m.name == measure.name; }))
      out.push_back(measure);
  };
  for (const SearchLimit& limit : question.limits) add(limit.measure);
  for (const SearchMeasure& measure : search_measures()) {
    if (!measure.of_network) add(measure);  // a scenario need not have a network
  }
  return out;
}

std::string search_points_json(const SearchAnswer& answer, const std::vector<PlannedPoint>& points,
                               const std::vector<std::string>& commands) {
  const std::vector<SearchMeasure> measures = page_measures(answer.question);
  Json json = {{"objectives", answer.question.objectives.size()},
               {"shown", shown_measures(answer.question)},
               {"measures", Json::array()},
               {"points", Json::array()}};
  for (const SearchMeasure& m : measures)
    json["measures"].push_back(
        {{"name", m.name}, {"label", m.label}, {"unit", page_unit(m.unit)}, {"largest", m.largest}});
  std::vector<std::vector<std::size_t>> seen;
  for (std::size_t s = 0; s < answer.result.space.size(); ++s) seen.push_back(values_seen(points, s));
  json["settings"] = settings_of(answer.result, seen);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Json point = point_of(points[i], answer.question, measures);
    for (std::size_t s = 0; s < seen.size(); ++s)
      point["choice"].push_back(std::lower_bound(seen[s].begin(), seen[s].end(), points[i].point.choice[s]) -
                                seen[s].begin());
    point["plan"] = plan_sheet(points[i].plan);
    if (i > 0)
      point["order"] =
          order_sentence(order_of(answer.question.objectives[0], points[i].plan, points[0].plan));
    point["command"] = commands[i];
    json["points"].push_back(std::move(point));
  }
  return page_json(json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace trainyard
