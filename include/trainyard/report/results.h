// Stored results as text, JSON and CSV.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/report/tables.h"
#include "trainyard/result_store.h"

namespace trainyard {

/// The questions of a store, one row each.
TextTable stored_questions_table(const std::vector<StoredQuestion>& questions);
/// For people: with limits beside the usual ones, and what was set beside the scenario.
TextTable stored_questions_summary(const std::vector<StoredQuestion>& questions);

/// A question with its points.
struct StoredAnswers {
  StoredQuestion question;
  std::vector<StoredPoint> points;
};

/// The question of this number with its points. Throws InputError where there is none.
StoredAnswers stored_answers(const ResultStore& store, std::int64_t question);

/// Which points are shown.
struct StoredFilter {
  std::size_t most = 0;       // the best of the first objective; 0: all
  bool only_answers = false;  // else also points without a plan or beyond a limit
  /// Conditions on free settings of the question and on measures that it kept, all of which hold:
  /// "mapping.tensor=8", "days<=600", with units as limits of searches have them.
  std::vector<std::string> where = {};
};

/// How the numbers of points are written: with units, or in base units under keys that name them.
enum class StoredNumbers { for_people, in_base_units };

/// The points, answers first and by the first objective, as a row each: outcome, settings, objectives, and
/// what limits are about. Throws InputError for a condition that is none, or about nothing that the question
/// has.
std::string stored_points_json(const StoredAnswers& answers, const StoredFilter& filter);
TextTable stored_points_table(const StoredAnswers& answers, const StoredFilter& filter, StoredNumbers shown);

/// Two questions over points with equal settings: how many are in both, how many differ, the largest
/// difference of each objective that both have (as a share of the first's), and which is best in each.
std::string stored_comparison_json(const StoredAnswers& a, const StoredAnswers& b);
TextTable stored_comparison_table(const StoredAnswers& a, const StoredAnswers& b, StoredNumbers shown);

}  // namespace trainyard
