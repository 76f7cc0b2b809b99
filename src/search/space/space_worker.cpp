#include "search/space/space_worker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/space/full_rate.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool kept(const SearchLimit& limit, double value) {
  return limit.at_most ? value <= limit.bound : value >= limit.bound;
}

using Wanted = PointPlanner::Wanted;

/// Placements are for the quantities that compare them.
Wanted wanted_by(const SearchMeasure& measure) {
  if (measure.name.starts_with("mapping.")) return Wanted::everything;
  return measure.of_numbers ? Wanted::numbers : Wanted::everything_but_placements;
}

Wanted wanted_by(const SearchQuestion& question) {
  Wanted most = Wanted::numbers;
  for (const SearchMeasure& objective : question.objectives) most = std::max(most, wanted_by(objective));
  for (const SearchLimit& limit : question.limits) most = std::max(most, wanted_by(limit.measure));
  return most;
}

FacilityFigures figures_of(const SearchQuestion& question, const Plan& begun) {
  FacilityFigures out;
  for (const SearchLimit& limit : question.limits) {
    out.limited.push_back(limit.measure.of_facility ? limit.measure.read(begun) : kNone);
    out.beyond_limits |= limit.measure.of_facility && !kept(limit, out.limited.back());
  }
  const SearchMeasure& objective = question.objectives[0];
  if (!objective.bounded) return out;
  Plan ideal = begun;
  assume_full_rate(ideal);
  out.bound = objective.read(ideal);
  return out;
}

}  // namespace

SpaceWorker::SpaceWorker(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
                         const Points& points, Ledger& ledger)
    : question_(question),
      points_(points),
      ledger_(ledger),
      keeps_all_(ledger.keeps_all()),
      planner_(text, free, wanted_by(question)),
      done_(question) {}

void SpaceWorker::work(Stretch stretch) {
  known_ = ledger_.bests();
  for (std::uint64_t place = stretch.begin; place < stretch.end; ++place) {
    const std::uint64_t index = points_.spread(place, choice_);
    if (!ledger_.is_known(place, index)) try_point(index);
  }
  ledger_.keep(std::exchange(done_, DonePoints(question_)), stretch);
}

void SpaceWorker::try_point(std::uint64_t index) {
  using State = PointPlanner::State;
  lost_.limited.assign(question_.limits.size(), kNone);
  State state = planner_.begin(choice_);
  if (state == State::begun && question_.prunes && is_pruned()) {
    ++done_.pruned;
    if (figures_.beyond_limits) lose(LostPoint::Why::beyond_limits, index);
    return;
  }
  if (state == State::begun) state = planner_.finish();
  ++done_.evaluated;
  if (state == State::planned) return judge(index);
  lose(state == State::refused ? LostPoint::Why::refused : LostPoint::Why::infeasible, index);
}

/// Whether a begun plan is beyond a limit already, or can be no better than what is known.
bool SpaceWorker::is_pruned() {
  if (figures_.facility != planner_.facility()) {
    figures_ = figures_of(question_, planner_.plan());
    figures_.facility = planner_.facility();
  }
  if (figures_.beyond_limits) {
    lost_.limited = figures_.limited;
    return true;
  }
  return figures_.bound && question_.objectives.size() == 1 &&
         known_.settles(choice_, *figures_.bound, question_.objectives[0].largest);
}

void SpaceWorker::judge(std::uint64_t index) {
  const Plan& plan = planner_.plan();
  bool all_kept = true;
  for (std::size_t i = 0; i < question_.limits.size(); ++i) {
    lost_.limited[i] = question_.limits[i].measure.read(plan);
    all_kept &= kept(question_.limits[i], lost_.limited[i]);
  }
  if (!all_kept) return lose(LostPoint::Why::beyond_limits, index);
  objectives_.clear();
  for (const SearchMeasure& objective : question_.objectives) {
    objectives_.push_back(objective.read(plan));
    if (std::isfinite(objectives_.back())) continue;
    lost_.limited.assign(question_.limits.size(), kNone);
    return lose(LostPoint::Why::infeasible, index);
  }
  if (!keeps_all_ && known_.rules_out(choice_, objectives_, question_)) return;
  done_.outcomes.emplace_back(SearchPoint{index, choice_, objectives_, lost_.limited});
}

void SpaceWorker::lose(LostPoint::Why why, std::uint64_t index) {
  lost_.why = why;
  lost_.index = index;
  if (keeps_all_) {
    done_.outcomes.emplace_back(lost_);
  } else {
    done_.losses.add(lost_, question_.limits);
  }
}

}  // namespace trainyard
