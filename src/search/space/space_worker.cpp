#include "search/space/space_worker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "search/space/full_rate.h"
#include "search/space/judgement.h"
#include "trainyard/errors.h"
#include "trainyard/plan.h"

namespace trainyard {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// How many points take ten times as long as the times of a layer: a tenth of all may go into bounds.
double points_for_layers(const PointPlanner& planner) {
  return planner.is_whole() ? 400 : 2.5;  // else a search for each
}

FacilityFigures figures_of(const SearchQuestion& question, const Plan& begun) {
  FacilityFigures out;
  for (const SearchLimit& limit : question.limits) {
    out.limited.push_back(limit.measure.of_facility ? limit.measure.read(begun) : kNone);
    out.beyond_limits |= limit.measure.of_facility && !keeps(limit, out.limited.back());
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
      planner_(text, free, wanted_by(question), wants_network(question)),
      counts_(free),
      layers_(free, counts_),
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
  if (!figures_.bound || question_.objectives.size() > 1) return false;
  if (can_be_no_better()) return true;
  if (layers_.facilities() <= 1 || figures_.by_layers || !known_.last_ranked) return false;
  bound_by_layers();
  return can_be_no_better();
}

bool SpaceWorker::can_be_no_better() {
  return known_.settles(choice_, *figures_.bound, question_.objectives[0].largest);
}

void SpaceWorker::bound_by_layers() {
  figures_.by_layers = true;
  std::optional<double> rate;
  try {
    rate =
        layers_.most_tokens_per_second(planner_.plan(), layers_.points_each() / points_for_layers(planner_));
  } catch (const InputError&) {  // its networks contradict each other: the plan will say so
  }
  if (!rate) return;
  Plan ideal = planner_.plan();
  assume_rate(ideal, *rate);
  const double bound = question_.objectives[0].read(ideal);
  figures_.bound =
      question_.objectives[0].largest ? std::min(*figures_.bound, bound) : std::max(*figures_.bound, bound);
}

void SpaceWorker::judge(std::uint64_t index) {
  const Plan& plan = planner_.plan();
  bool all_kept = true;
  for (std::size_t i = 0; i < question_.limits.size(); ++i) {
    lost_.limited[i] = question_.limits[i].measure.read(plan);
    all_kept &= keeps(question_.limits[i], lost_.limited[i]);
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
