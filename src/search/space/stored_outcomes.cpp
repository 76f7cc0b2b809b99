#include "search/space/stored_outcomes.h"

#include <string>
#include <utility>

#include "base/hash.h"
#include "search/space/losses.h"
#include "trainyard/result_store.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

StoredPoint stored(const SearchPoint& point) {
  return {point.index, StoredOutcome::answer, point.objectives, point.limited};
}

StoredPoint stored(const LostPoint& lost) {
  using enum StoredOutcome;
  const StoredOutcome outcome = lost.why == LostPoint::Why::refused      ? refused
                                : lost.why == LostPoint::Why::infeasible ? infeasible
                                                                         : beyond_limits;
  return {lost.index, outcome, {}, lost.limited};
}

Outcome outcome_of(const StoredPoint& point) {
  using Why = LostPoint::Why;
  switch (point.outcome) {
    case StoredOutcome::answer:
      return SearchPoint{
          .index = point.index, .choice = {}, .objectives = point.objectives, .limited = point.limited};
    case StoredOutcome::refused:
      return LostPoint{Why::refused, point.index, point.limited};
    case StoredOutcome::infeasible:
      return LostPoint{Why::infeasible, point.index, point.limited};
    case StoredOutcome::beyond_limits:
      break;
  }
  return LostPoint{Why::beyond_limits, point.index, point.limited};
}

StoredAsked asked_of(const SearchQuestion& question, const std::vector<FreeSetting>& space) {
  StoredAsked out;
  for (const FreeSetting& setting : space) out.free.push_back({setting.key, setting.values});
  for (const SearchMeasure& m : question.objectives)
    out.objectives.push_back((m.largest ? "-" : "") + m.key());
  for (const SearchLimit& limit : question.limits) {
    out.limits.push_back(limit.text);
    out.limited.push_back(limit.measure.key());
  }
  out.changes = question.changes;
  return out;
}

}  // namespace

std::string StoredOutcomes::identity(const ScenarioText& text, const SearchQuestion& question,
                                     const std::vector<FreeSetting>& space) {
  StoredAsked asked = asked_of(question, space);
  asked.limited.clear();  // its limits say it
  asked.changes.clear();  // the text has them
  return text_hash(text.hash() + asked_text(asked));
}

StoredOutcomes::StoredOutcomes(ResultStore& store, const ScenarioText& text, const SearchQuestion& question,
                               const std::vector<FreeSetting>& space, std::uint64_t points)
    : store_(store) {
  StoredQuestion wanted;
  wanted.identity = identity(text, question, space);
  wanted.version = question.version;
  wanted.title = text.title();
  wanted.scenario = text.name();
  wanted.asked = asked_of(question, space);
  wanted.points = points;
  question_ = store.question(std::move(wanted));
}

void StoredOutcomes::each(const std::function<void(Outcome)>& visit) const {
  store_.each_point(question_, [&](const StoredPoint& point) { visit(outcome_of(point)); });
}

void StoredOutcomes::keep(std::span<const Outcome> outcomes) {
  std::vector<StoredPoint> points;
  for (const Outcome& outcome : outcomes)
    points.push_back(std::visit([](const auto& point) { return stored(point); }, outcome));
  store_.keep(question_.id, points);
}

}  // namespace trainyard
