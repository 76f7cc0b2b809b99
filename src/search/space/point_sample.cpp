#include "search/space/point_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/space/judgement.h"
#include "search/space/losses.h"

namespace trainyard {
namespace {

constexpr double kUnmeasured = std::numeric_limits<double>::quiet_NaN();
constexpr double kLost = 1e200;  // above the cost of every answer, and finite: optimisers subtract costs

/// From 0 to 1.
double share_of_one(double excess) { return std::isfinite(excess) ? excess / (1 + excess) : 1; }

/// How far a value is beyond a limit, as a share of it.
double excess(const SearchLimit& limit, double value) {
  const double scale = limit.bound == 0 ? 1 : std::abs(limit.bound);
  return std::abs(value - limit.bound) / scale;
}

}  // namespace

PointSample::PointSample(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                         std::uint64_t most)
    : question_(question),
      space_(free.settings()),
      most_(most),
      planner_(text, free, wanted_by(question), wants_network(question)),
      choices_(free.settings().size()) {}

std::span<const double> PointSample::costs(NarrowChoice choice) {
  ++asked_;
  if (const std::size_t known = choices_.find(choice); known < planned()) return costs_of(known);
  costs_now_.assign(objectives(), kLost * (1 + kWorst));
  if (is_spent()) return costs_now_;
  const Judged judged = plan(choice);
  if (judged.kind != Kind::answer) std::ranges::fill(costs_now_, kLost * (1 + judged.badness));
  if (judged.kind == Kind::answer && (!best_ || costs_now_[0] < *best_)) best_ = costs_now_[0];
  std::size_t place = 0;
  choices_.add(choice, place);
  kinds_.push_back(judged.kind);
  costs_.insert(costs_.end(), costs_now_.begin(), costs_now_.end());
  limited_.insert(limited_.end(), limited_now_.begin(), limited_now_.end());
  return costs_now_;
}

/// In the order of badness: beyond limits, short of memory, without a mapping, contradictory.
PointSample::Judged PointSample::plan(NarrowChoice choice) {
  using PlanState = PointPlanner::State;
  limited_now_.assign(question_.limits.size(), kUnmeasured);
  wide_.assign(choice.begin(), choice.end());
  PlanState state = planner_.begin(wide_);
  if (state == PlanState::begun) {
    if (const double beyond = beyond_limits(true); beyond > 0)
      return {Kind::beyond_limits, 1 + share_of_one(beyond)};
    state = planner_.finish();
  }
  if (state == PlanState::planned) return judge();
  return {state == PlanState::refused ? Kind::refused : Kind::infeasible, 1 + planner_.distance()};
}

/// Reads what the limits are about; the sum of what is beyond them.
double PointSample::beyond_limits(bool of_facility_alone) {
  double sum = 0;
  for (std::size_t i = 0; i < question_.limits.size(); ++i) {
    const SearchLimit& limit = question_.limits[i];
    if (of_facility_alone && !limit.measure.of_facility) continue;
    limited_now_[i] = limit.measure.read(planner_.plan());
    if (!keeps(limit, limited_now_[i])) sum += std::max(excess(limit, limited_now_[i]), 1e-300);
  }
  return sum;
}

PointSample::Judged PointSample::judge() {
  if (const double beyond = beyond_limits(false); !(beyond <= 0))
    return {Kind::beyond_limits, share_of_one(beyond)};
  for (std::size_t i = 0; i < objectives(); ++i) {
    const SearchMeasure& objective = question_.objectives[i];
    const double value = objective.read(planner_.plan());
    costs_now_[i] = objective.largest ? -value : value;
    if (std::isfinite(value)) continue;
    limited_now_.assign(question_.limits.size(), kUnmeasured);
    return {Kind::infeasible, 2};
  }
  return {};
}

std::span<const double> PointSample::costs_of(std::size_t place) const {
  return std::span(costs_).subspan(place * objectives(), objectives());
}

Outcome PointSample::outcome(std::size_t place) const {
  const std::size_t limits = question_.limits.size();
  const auto limited = std::span(limited_).subspan(place * limits, limits);
  const std::vector<double> all(limited.begin(), limited.end());
  using Why = LostPoint::Why;
  switch (kinds_[place]) {
    case Kind::refused:
      return LostPoint{Why::refused, 0, all};
    case Kind::infeasible:
      return LostPoint{Why::infeasible, 0, all};
    case Kind::beyond_limits:
      return LostPoint{Why::beyond_limits, 0, all};
    case Kind::answer:
      break;
  }
  SearchPoint out;
  out.choice.assign(choices_[place].begin(), choices_[place].end());
  const std::span<const double> costs = costs_of(place);
  for (std::size_t i = 0; i < costs.size(); ++i)
    out.objectives.push_back(question_.objectives[i].largest ? -costs[i] : costs[i]);
  out.limited = all;
  return out;
}

}  // namespace trainyard
