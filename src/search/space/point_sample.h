// Points of a space that an optimiser asks for, each planned once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scenario/free_settings.h"
#include "search/space/choice_set.h"
#include "search/space/point_planner.h"
#include "search/space/stored_outcomes.h"
#include "trainyard/search.h"

namespace trainyard {

class ScenarioText;

/// One thread's. Everything must outlive it.
class PointSample {
 public:
  /// Of at most so many points.
  PointSample(const ScenarioText& text, const FreeSettings& free, const SearchQuestion& question,
              std::uint64_t most);

  /// A number for each objective, of which less is better. A point that is no answer has costs above those of
  /// all answers: the lower, the less memory it lacks or the nearer it is to the limits. Beyond the most
  /// points, new ones have the highest cost, and are not planned. Valid until the next call.
  std::span<const double> costs(NarrowChoice choice);

  std::size_t planned() const { return choices_.size(); }
  bool is_spent() const { return planned() >= most_; }
  /// How often costs were asked for.
  std::uint64_t asked() const { return asked_; }
  const std::vector<FreeSetting>& space() const { return space_; }
  std::size_t objectives() const { return question_.objectives.size(); }

  // Of the points, in the order in which they came:
  NarrowChoice choice(std::size_t place) const { return choices_[place]; }
  std::span<const double> costs_of(std::size_t place) const;
  bool is_answer(std::size_t place) const { return kinds_[place] == Kind::answer; }
  /// What became of one; `index` is left to the caller.
  Outcome outcome(std::size_t place) const;

  /// The first objective of the best answer, as a cost.
  std::optional<double> best() const { return best_; }

 private:
  enum class Kind : unsigned char { answer, refused, infeasible, beyond_limits };
  struct Judged {
    Kind kind = Kind::answer;
    double badness = 0;  // of what is no answer, from 0 to kWorst
  };
  static constexpr double kWorst = 4;

  Judged plan(NarrowChoice choice);
  Judged judge();
  double beyond_limits(bool of_facility_alone);

  const SearchQuestion& question_;
  const std::vector<FreeSetting>& space_;
  std::uint64_t most_;
  PointPlanner planner_;
  std::vector<std::size_t> wide_;  // the choice under way
  std::uint64_t asked_ = 0;
  std::optional<double> best_;
  std::vector<double> limited_now_;
  std::vector<double> costs_now_;
  // Of each point:
  ChoiceSet choices_;
  std::vector<Kind> kinds_;
  std::vector<double> costs_;    // as many as objectives
  std::vector<double> limited_;  // as many as limits
};

}  // namespace trainyard
