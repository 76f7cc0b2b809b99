#include "trainyard/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors.h"
#include "base/threads.h"
#include "ranks/shared_work.h"
#include "scenario/free_settings.h"
#include "search/space/full_rate.h"
#include "search/space/ledger.h"
#include "search/space/point_planner.h"
#include "search/space/points.h"
#include "search/space/stored_outcomes.h"
#include "trainyard/planning.h"
#include "trainyard/ranks.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

FreeSettings fixed(const ScenarioText& text, const SearchQuestion& question) {
  FreeSettings out = text.free();
  for (const auto& [key, value] : question.fixed) out.fix(key, value, "--why-not");
  return out;
}

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

/// What facility and model alone say of their points.
struct FacilityFigures {
  std::uint64_t facility = 0;
  std::vector<double> limited;  // of each limit, NaN where the mapping settles it
  bool beyond_limits = false;
  std::optional<double> bound;  // no point has a better first objective
};

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

/// One search: its points on several threads, and on other ranks.
class SpaceSearch {
 public:
  SpaceSearch(const ScenarioText& text, const SearchQuestion& question)
      : text_(text),
        question_(question),
        free_(fixed(text, question)),
        points_(free_.settings(), question.most, question.share),
        ledger_(text, question, free_.settings(), points_) {}

  SearchResult run() {
    if (question_.ranks && !question_.ranks->leads()) return work_for_rank_0();
    stretches_.begin({0, points_.own()});
    std::atomic<bool> serves = question_.ranks != nullptr;
    on_all_threads(serves ? 1 : 0, [&] {
      if (serves.exchange(false)) return serve();
      work();
    });
    const std::optional<std::uint64_t> refused = ledger_.first_refused();
    if (ledger_.refuses_all()) plan_alone(*refused);  // throws, with the place
    const std::optional<std::uint64_t> lost = ledger_.first_infeasible();
    SearchResult result;
    result.space = free_.settings();
    result.points = points_.own();
    std::move(ledger_).fill(result);
    if (refused) result.losses.refusal = why_refused(*refused);
    if (lost) result.losses.infeasibility = why_infeasible(*lost);
    return result;
  }

 private:
  using Part = DonePoints;

  void on_all_threads(unsigned further, const std::function<void()>& part) {
    on_threads(std::max(1U, question_.threads) + further, [&] {
      try {
        part();
      } catch (...) {
        stretches_.stop();  // nobody begins another part
        throw;
      }
    });
  }

  void work() {
    PointPlanner planner(text_, free_, wanted_by(question_));
    FacilityFigures figures;
    constexpr std::uint64_t kPart = 16;
    while (const auto stretch = stretches_.take(kPart)) {
      Part part;
      for (std::uint64_t place = stretch->begin; place < stretch->end; ++place) {
        if (!ledger_.is_known(place)) try_point(points_.spread(place), planner, figures, part);
      }
      ledger_.keep(std::move(part), *stretch);
    }
  }

  /// Rank 0: the other ranks take stretches as its own threads do.
  void serve() {
    question_.ranks->share(
        {.identity = identity(),
         .stretches = &stretches_,
         .inform = [this](Stretch stretch) { return ledger_.information(stretch); },
         .take = [this](Stretch stretch, const std::string& outcome) { ledger_.take(stretch, outcome); },
         .work = {}});
  }

  /// The other ranks: stretches of the space as rank 0 hands them out. The answer is not here.
  SearchResult work_for_rank_0() {
    const auto work_on = [this](Stretch stretch, const std::string& information) {
      ledger_.begin(stretch, information);
      stretches_.begin(stretch);
      on_all_threads(0, [this] { work(); });
      return ledger_.outcome();
    };
    question_.ranks->share(
        {.identity = identity(), .stretches = nullptr, .inform = {}, .take = {}, .work = work_on});
    return {};
  }

  std::string identity() const {
    return StoredOutcomes::identity(text_, question_, free_.settings()) +
           fmt::format(" {}/{}", question_.share.number, question_.share.of);
  }

  void try_point(std::uint64_t index, PointPlanner& planner, FacilityFigures& figures, Part& part) {
    using State = PointPlanner::State;
    std::vector<std::size_t> choice = points_.choice(index);
    LostPoint lost{LostPoint::Why::infeasible, index, std::vector<double>(question_.limits.size(), kNone)};
    State state = planner.begin(choice);
    if (state == State::begun && question_.prunes) {
      if (figures.facility != planner.facility()) {
        figures = figures_of(question_, planner.plan());
        figures.facility = planner.facility();
      }
      if (is_pruned(figures, choice, lost, part)) return;
    }
    if (state == State::begun) state = planner.finish();
    ++part.evaluated;
    if (state == State::refused) lost.why = LostPoint::Why::refused;
    part.outcomes.push_back(state == State::planned
                                ? outcome_of(planner.plan(), std::move(choice), std::move(lost))
                                : Outcome(std::move(lost)));
  }

  void plan_alone(std::uint64_t index) const {
    FreeSettings free = free_;
    make_plan(text_.resolve(free.document(points_.choice(index))));
  }

  /// What plans say that are asked for alone.
  std::string why_infeasible(std::uint64_t index) const {
    try {
      plan_alone(index);
    } catch (const Infeasible& infeasible) {
      return infeasible.what();
    }
    return "its plan has no such number";
  }
  std::string why_refused(std::uint64_t index) const {
    try {
      plan_alone(index);
    } catch (const InputError& error) {
      return error.findings().front().message;
    }
    return {};
  }

  /// Whether a begun plan is beyond a limit already, or can be no better than what is kept.
  bool is_pruned(const FacilityFigures& figures, std::span<const std::size_t> choice, LostPoint& lost,
                 Part& part) {
    if (figures.beyond_limits) {
      lost.why = LostPoint::Why::beyond_limits;
      lost.limited = figures.limited;
      ++part.pruned;
      part.outcomes.emplace_back(std::move(lost));
      return true;
    }
    if (!figures.bound) return false;
    if (!ledger_.settled(choice, *figures.bound)) return false;
    ++part.pruned;
    return true;
  }

  Outcome outcome_of(const Plan& plan, std::vector<std::size_t> choice, LostPoint lost) const {
    SearchPoint point{.index = lost.index, .choice = std::move(choice), .objectives = {}, .limited = {}};
    bool all_kept = true;
    for (std::size_t i = 0; i < question_.limits.size(); ++i) {
      const SearchLimit& limit = question_.limits[i];
      point.limited.push_back(limit.measure.read(plan));
      all_kept &= kept(limit, point.limited.back());
    }
    if (!all_kept) {
      lost.why = LostPoint::Why::beyond_limits;
      lost.limited = std::move(point.limited);
      return lost;
    }
    for (const SearchMeasure& objective : question_.objectives) {
      point.objectives.push_back(objective.read(plan));
      if (!std::isfinite(point.objectives.back())) return lost;
    }
    return point;
  }

  const ScenarioText& text_;
  const SearchQuestion& question_;
  const FreeSettings free_;
  const Points points_;
  Stretches stretches_;
  Ledger ledger_;
};

}  // namespace

SearchResult search(const ScenarioText& text, const SearchQuestion& question) {
  if (question.objectives.empty()) fail_input(whole("search"), "no objective");
  return SpaceSearch(text, question).run();
}

std::vector<FreeSetting> free_settings(const ScenarioText& text) { return text.free().settings(); }

Plan plan_point(const ScenarioText& text, const std::vector<std::size_t>& choice) {
  FreeSettings free = text.free();
  return make_plan(text.resolve(free.document(choice)));
}

}  // namespace trainyard
