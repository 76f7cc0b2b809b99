// `trainyard search`: the best values of the settings that a scenario leaves free.
//
//   const ScenarioText text = ScenarioText::load("my.toml");  // tensor = { search = [1, 2, 4, 8] }
//   const SearchResult found = search(text, {.objectives = {*find_measure("training_time")}});
//   found.ranked.front().choice;  // for each free setting, which of its values
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/free_setting.h"
#include "trainyard/scenario/search.h"
#include "trainyard/units.h"

namespace trainyard {

class Ranks;
class ResultStore;
class ScenarioText;
struct Plan;

/// A number of a plan that can be an objective or have a limit.
struct SearchMeasure {
  std::string name;   // "training_time", or the key of a quantity
  std::string label;  // for people
  Unit unit = Unit::number;
  bool largest = false;  // what is better
  std::function<double(const Plan&)> read = {};
  /// Whether it is never better than at the full peak rate of every device, so that mappings need not be
  /// tried to know how good they can be at most.
  bool bounded = false;
  /// Whether facility and model settle it, whatever the mapping.
  bool of_facility = false;
  /// Whether it reads nothing but numbers of facility, model, memory, step and cost: traffic, warnings and
  /// comparisons need not be there.
  bool of_numbers = false;
  /// Whether it is about the scenario's one [[design]].
  bool of_network = false;
  /// The power of the step's time to which it is proportional: 1 for days and prices, -1 for rates, 0: none.
  int time_power = 0;

  /// Its name with the unit, for data: "training_time_s".
  std::string key() const;
};

/// The measures with names of their own; "time" and "days" are short for step_time and training_time.
std::span<const SearchMeasure> search_measures();
/// Of them, or nullptr.
const SearchMeasure* find_measure(std::string_view name);

/// A limit that every answer keeps.
struct SearchLimit {
  SearchMeasure measure;
  bool at_most = true;
  double bound = 0;  // in base units
  std::string text;  // as written
};

/// What answers keep where a question does not limit the same measures otherwise: the batch that is asked
/// for, within a hundredth, and the rules of training programs: interleaving in whole rounds of microbatches,
/// experts spread over whole replicas.
std::vector<SearchLimit> usual_limits();

/// One of `of` shares of a space, of nearly the same size: points that lie far from each other.
struct SearchShare {
  std::uint64_t number = 1;  // from 1
  std::uint64_t of = 1;
};

/// What is searched for, and how.
struct SearchQuestion {
  std::vector<SearchMeasure> objectives;  // the first ranks; with more, a Pareto front over all
  std::vector<SearchLimit> limits = {};
  std::vector<std::pair<std::string, std::string>> fixed = {};  // free settings that have this value alone
  std::size_t ranked = 10;                                      // how many of the best are kept
  /// Automatic: exhaustive where the space has at most `most` points.
  SearchMethod method = SearchMethod::automatic;
  std::uint64_t most = 100'000'000;       // points of an exhaustive search
  std::uint64_t evaluations = 1'000'000;  // of an evolution: points that it may plan
  std::uint64_t seed = 1;                 // of an evolution
  unsigned threads = 1;                   // the answer does not depend on it
  bool prunes = true;                     // off: every point is planned, for tests
  /// Where points are kept as they are planned, and taken from in place of planning them; `version` says by
  /// which program, whose points alone count.
  ResultStore* store = nullptr;
  std::string version = {};
  std::vector<std::string> changes = {};  // that `text` has beside its file, for the store to show
  /// With more than one share, the result is that of this share alone; a store is then what it is for.
  SearchShare share = {};
  /// The processes that search together; every rank asks the same, with a store on rank 0 alone, and rank 0
  /// alone has the answer.
  Ranks* ranks = nullptr;
  /// Called now and then, from one thread at a time: points done, points in all, the best so far.
  std::function<void(std::uint64_t, std::uint64_t, std::optional<double>)> progress = {};
};

/// One point of the space.
struct SearchPoint {
  std::uint64_t index = 0;          // the last setting's value varies first; of a sample, its place there
  std::vector<std::size_t> choice;  // for each free setting, which value
  std::vector<double> objectives;
  std::vector<double> limited;  // what the limits are about
};

/// The best that goes with a value of a free setting.
struct ValueWorth {
  std::optional<double> objective;  // nothing: no answer has this value
  std::uint64_t point = 0;          // one that has it; of several any
};

/// What makes points of a sample no answers.
struct LossReason {
  std::string example;       // as the plan of the first such point says it
  std::string help;          // what it says is allowed, or would help; may be empty
  std::uint64_t points = 0;  // of those that were asked why
  bool varies = false;       // whether other points have other numbers in it
};

/// Why points are no answers.
struct SearchLosses {
  std::uint64_t refused = 0;     // settings that contradict each other
  std::uint64_t infeasible = 0;  // no mapping fits, or none exists
  std::uint64_t beyond_limits = 0;
  std::vector<std::uint64_t> beyond;           // each limit
  std::vector<std::optional<double>> closest;  // to each limit, of the points beyond it
  std::string refusal;                         // of the first such point
  std::string infeasibility;                   // the same; empty where there are answers
  /// Of a sample without an answer: how many of the points without a plan were asked why, evenly chosen, and
  /// what they said, from the most frequent. A point may have several reasons.
  std::uint64_t asked_why = 0;
  std::vector<LossReason> reasons;
};

/// What no point of a space is better than, in the first objective.
struct SearchBound {
  std::optional<double> value;
  std::string unknown;  // why there is none
};

struct SearchResult {
  std::vector<FreeSetting> space;
  SearchMethod method = SearchMethod::exhaustive;  // evolution: a sample of the points
  double size = 0;                                 // points of the space, rounded where they are very many
  std::uint64_t points = 0;         // that losses are among: of the space or of a share; of a sample
  SearchBound bound;                // unknown too where there is no answer
  std::vector<SearchPoint> ranked;  // from the best; of equals, the first in the space
  std::vector<SearchPoint> front;   // not dominated in any objective, by the first one
  std::vector<std::vector<ValueWorth>> worth;  // of every value of every setting
  SearchLosses losses;
  /// How it was done: depends on threads and on chance.
  std::uint64_t evaluated = 0;  // planned in full
  std::uint64_t resumed = 0;    // taken from the store
  std::uint64_t pruned = 0;     // known to be no better, or beyond a limit, without a mapping
};

/// Exhaustive: every point of the space, planned or proven to be no better than what is kept: `ranked`,
/// `front` and `worth` are those of a search that plans them all. By evolution: of as many points as may be
/// planned, each at most once, and how good any other can be at most, where that is known. Throws InputError
/// for spaces that are empty, malformed or too large; a space without an answer is a result without ranked
/// points.
SearchResult search(const ScenarioText& text, const SearchQuestion& question);

/// The settings that a scenario leaves free. Throws InputError for malformed ones.
std::vector<FreeSetting> free_settings(const ScenarioText& text);

/// The plan of one point: the value of every free setting.
Plan plan_point(const ScenarioText& text, const std::vector<std::size_t>& choice);

/// What `--set` takes to ask the scenario for one point alone: "mapping.tensor=4" for every free setting; of
/// sections that may be repeated, all elements: "design=[{...}]".
std::vector<std::string> point_assignments(const ScenarioText& text, const std::vector<std::size_t>& choice);

}  // namespace trainyard
