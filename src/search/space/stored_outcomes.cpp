#include "search/space/stored_outcomes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/hash.h"
#include "trainyard/result_store.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

enum Kind : int { answer, refused, infeasible, beyond_limits };

/// A number that is none is null.
Json numbers_json(const std::vector<double>& numbers) {
  Json out = Json::array();
  for (const double n : numbers) out.push_back(std::isfinite(n) ? Json(n) : Json(nullptr));
  return out;
}

std::vector<double> numbers_of(const Json& json) {
  std::vector<double> out;
  for (const Json& n : json)
    out.push_back(n.is_number() ? n.get<double>() : std::numeric_limits<double>::quiet_NaN());
  return out;
}

StoredPoint stored(const SearchPoint& point) {
  const Json numbers = {{"objectives", numbers_json(point.objectives)},
                        {"limits", numbers_json(point.limited)}};
  return {point.index, answer, numbers.dump(), {}};
}

StoredPoint stored(const LostPoint& lost) {
  const Kind kind = lost.why == LostPoint::Why::refused      ? refused
                    : lost.why == LostPoint::Why::infeasible ? infeasible
                                                             : beyond_limits;
  const Json numbers = {{"objectives", Json::array()}, {"limits", numbers_json(lost.limited)}};
  return {lost.index, kind, numbers.dump(), {}};
}

/// Nothing for what no search with so many objectives and limits writes: such a point is planned again.
std::optional<Outcome> outcome_of(const StoredPoint& point, std::size_t objectives, std::size_t limits) {
  const Json numbers = Json::parse(point.numbers, nullptr, false);
  const auto list = [&](const char* name) {
    return numbers.is_object() && numbers.contains(name) ? numbers_of(numbers.at(name))
                                                         : std::vector<double>();
  };
  std::vector<double> limited = list("limits");
  if (limited.size() != limits) return std::nullopt;
  using Why = LostPoint::Why;
  switch (point.outcome) {
    case answer: {
      SearchPoint out{.index = point.index,
                      .choice = {},
                      .objectives = list("objectives"),
                      .limited = std::move(limited)};
      const bool whole =
          out.objectives.size() == objectives && std::all_of(out.objectives.begin(), out.objectives.end(),
                                                             [](double v) { return std::isfinite(v); });
      return whole ? std::optional<Outcome>(std::move(out)) : std::nullopt;
    }
    case refused:
      return LostPoint{Why::refused, point.index, std::move(limited)};
    case infeasible:
      return LostPoint{Why::infeasible, point.index, std::move(limited)};
    case beyond_limits:
      return LostPoint{Why::beyond_limits, point.index, std::move(limited)};
    default:
      return std::nullopt;
  }
}

/// What is asked, for people and programs that read the store.
Json asked_json(const SearchQuestion& question, const std::vector<FreeSetting>& space) {
  Json free = Json::object();
  for (const FreeSetting& setting : space) free[setting.key] = setting.values;
  Json objectives = Json::array();
  for (const SearchMeasure& m : question.objectives) objectives.push_back((m.largest ? "-" : "") + m.key());
  Json limits = Json::array();
  for (const SearchLimit& limit : question.limits) limits.push_back(limit.text);
  return {{"free", std::move(free)}, {"objectives", std::move(objectives)}, {"limits", std::move(limits)}};
}

}  // namespace

std::string StoredOutcomes::identity(const ScenarioText& text, const SearchQuestion& question,
                                     const std::vector<FreeSetting>& space) {
  return text_hash(text.hash() + asked_json(question, space).dump());
}

StoredOutcomes::StoredOutcomes(ResultStore& store, const ScenarioText& text, const SearchQuestion& question,
                               const std::vector<FreeSetting>& space, std::uint64_t points)
    : store_(store), objectives_(question.objectives.size()), limits_(question.limits.size()) {
  StoredQuestion wanted;
  wanted.identity = identity(text, question, space);
  wanted.version = question.version;
  wanted.title = text.title();
  wanted.scenario = text.name();
  wanted.asked = asked_json(question, space).dump();
  wanted.points = points;
  id_ = store.question(std::move(wanted)).id;
}

void StoredOutcomes::each(const std::function<void(Outcome)>& visit) const {
  store_.each_point(id_, [&](const StoredPoint& point) {
    if (auto outcome = outcome_of(point, objectives_, limits_)) visit(std::move(*outcome));
  });
}

void StoredOutcomes::keep(std::span<const Outcome> outcomes) {
  std::vector<StoredPoint> points;
  for (const Outcome& outcome : outcomes)
    points.push_back(std::visit([](const auto& point) { return stored(point); }, outcome));
  store_.keep(id_, points);
}

}  // namespace trainyard
