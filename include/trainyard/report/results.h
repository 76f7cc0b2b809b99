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
/// The same, shorter.
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
};

/// How the numbers of points are written: with units, or in base units under keys that name them.
enum class StoredNumbers { for_people, in_base_units };

/// The points, answers first and by the first objective, as a row each: outcome, settings, objectives, and
/// what limits are about.
std::string stored_points_json(const StoredAnswers& answers, const StoredFilter& filter);
TextTable stored_points_table(const StoredAnswers& answers, const StoredFilter& filter, StoredNumbers shown);

/// Two questions over points with equal settings: how many are in both, how many differ, the largest
/// difference of each objective that both have, and which is best in each.
std::string stored_comparison_json(const StoredAnswers& a, const StoredAnswers& b);
TextTable stored_comparison_table(const StoredAnswers& a, const StoredAnswers& b);

}  // namespace trainyard
