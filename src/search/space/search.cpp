#include "trainyard/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors.h"
#include "base/threads.h"
#include "scenario/free_settings.h"
#include "search/plan_stages.h"
#include "search/space/answers.h"
#include "search/space/full_rate.h"
#include "search/space/points.h"
#include "search/space/stored_outcomes.h"
#include "trainyard/planning.h"
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

/// Placements are for the quantities that compare them.
PlanDetail detail_of(const SearchQuestion& question) {
  const auto compares = [](const SearchMeasure& measure) { return measure.name.starts_with("mapping."); };
  const bool any = std::any_of(question.objectives.begin(), question.objectives.end(), compares) ||
                   std::any_of(question.limits.begin(), question.limits.end(),
                               [&](const SearchLimit& limit) { return compares(limit.measure); });
  return any ? PlanDetail::whole : PlanDetail::without_placements;
}

/// One search: its points on several threads.
class SpaceSearch {
 public:
  SpaceSearch(const ScenarioText& text, const SearchQuestion& question)
      : text_(text),
        question_(question),
        detail_(detail_of(question)),
        free_(fixed(text, question)),
        points_(free_.settings(), question.most),
        answers_(free_.settings(), question) {
    result_.space = free_.settings();
    result_.points = points_.count();
    if (question.store) {
      stored_.emplace(*question.store, text, question, free_.settings(), result_.points);
      take_stored();
    }
  }

  SearchResult run() {
    on_threads(std::max(1U, question_.threads), [this] {
      try {
        work();
      } catch (...) {
        next_ = result_.points;  // nobody begins another part
        throw;
      }
    });
    if (const auto refused = answers_.first_refused(result_.points)) {
      FreeSettings free = free_;
      make_plan(text_.resolve(free.document(points_.choice(*refused))));  // throws, with the place
    }
    const std::optional<std::uint64_t> lost = answers_.first_infeasible();
    std::move(answers_).fill(result_);
    if (lost) result_.losses.infeasibility = why_infeasible(*lost);
    return std::move(result_);
  }

 private:
  struct Part {
    std::vector<Outcome> outcomes;
    std::uint64_t evaluated = 0;
    std::uint64_t pruned = 0;
  };

  /// Points that an earlier run planned.
  void take_stored() {
    known_.resize(result_.points);
    stored_->each([this](Outcome outcome) {
      const std::uint64_t index = std::visit([](const auto& point) { return point.index; }, outcome);
      if (index >= result_.points || known_[index]) return;
      known_[index] = true;
      if (auto* point = std::get_if<SearchPoint>(&outcome)) point->choice = points_.choice(index);
      std::visit([this](auto& point) { answers_.add(std::move(point)); }, outcome);
      ++result_.resumed;
    });
  }

  void work() {
    FreeSettings free = free_;
    constexpr std::uint64_t kPart = 16;
    for (std::uint64_t begin = next_.fetch_add(kPart); begin < result_.points;
         begin = next_.fetch_add(kPart)) {
      const std::uint64_t end = std::min(begin + kPart, result_.points);
      Part part;
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::uint64_t index = points_.spread(i);
        if (known_.empty() || !known_[index]) try_point(index, free, part);
      }
      keep(std::move(part), end - begin);
    }
  }

  void keep(Part part, std::uint64_t points) {
    const std::scoped_lock lock(mutex_);
    if (stored_) stored_->keep(part.outcomes);
    for (Outcome& outcome : part.outcomes)
      std::visit([this](auto& point) { answers_.add(std::move(point)); }, outcome);
    result_.evaluated += part.evaluated;
    result_.pruned += part.pruned;
    done_ += points;
    if (question_.progress) question_.progress(done_, result_.points, answers_.best());
  }

  void try_point(std::uint64_t index, FreeSettings& free, Part& part) {
    std::vector<std::size_t> choice = points_.choice(index);
    LostPoint lost{
        LostPoint::Why::infeasible, index, {}, std::vector<double>(question_.limits.size(), kNone)};
    try {
      Plan plan = begin_plan(text_.resolve(free.document(choice)));
      if (question_.prunes && is_pruned(plan, choice, lost, part)) return;
      if (finish_plan(plan, detail_)) {
        ++part.evaluated;
        part.outcomes.push_back(outcome_of(plan, std::move(choice), std::move(lost)));
        return;
      }
    } catch (const InputError& error) {
      lost.why = LostPoint::Why::refused;
      lost.text = error.findings().front().message;
    } catch (const Infeasible&) {  // nothing can be bought
    }
    ++part.evaluated;
    part.outcomes.emplace_back(std::move(lost));
  }

  /// What a plan says that is asked for alone.
  std::string why_infeasible(std::uint64_t index) const {
    FreeSettings free = free_;
    try {
      make_plan(text_.resolve(free.document(points_.choice(index))));
    } catch (const Infeasible& infeasible) {
      return infeasible.what();
    }
    return "its plan has no such number";
  }

  /// Whether a begun plan is beyond a limit already, or can be no better than what is kept.
  bool is_pruned(const Plan& begun, std::span<const std::size_t> choice, LostPoint& lost, Part& part) {
    bool beyond = false;
    for (std::size_t i = 0; i < question_.limits.size(); ++i) {
      const SearchLimit& limit = question_.limits[i];
      if (!limit.measure.of_facility) continue;
      lost.limited[i] = limit.measure.read(begun);
      beyond |= !kept(limit, lost.limited[i]);
    }
    if (beyond) {
      lost.why = LostPoint::Why::beyond_limits;
      ++part.pruned;
      part.outcomes.emplace_back(std::move(lost));
      return true;
    }
    const SearchMeasure& objective = question_.objectives[0];
    if (!objective.bounded) return false;
    Plan ideal = begun;
    assume_full_rate(ideal);
    const double bound = objective.read(ideal);
    const std::scoped_lock lock(mutex_);
    if (!answers_.settled(choice, bound)) return false;
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
  const PlanDetail detail_;
  const FreeSettings free_;
  const Points points_;
  std::vector<bool> known_;  // the points that the store has
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;  // of what follows
  Answers answers_;
  SearchResult result_;
  std::optional<StoredOutcomes> stored_;
  std::uint64_t done_ = 0;
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
