#include "report/reproduction/verdict.h"

#include <algorithm>
#include <cmath>

#include "report/reproduction/steps.h"

namespace trainyard {

std::string_view relation_text(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "=";
    case Relation::at_most:
      return "<=";
    case Relation::at_least:
      return ">=";
  }
  return "=";
}

bool agrees(const StepCheck& step) {
  return std::abs(step.apart_pct()) <= kStepAgreement_pct && std::abs(step.pace_pct) <= kStepAgreement_pct;
}

Verdict judge(const ReproducedRow& row) {
  if (row.step && !agrees(*row.step)) return Verdict::differs;
  if (!row.published) return Verdict::ok;
  if (row.relation == Relation::at_most)
    return *row.computed <= *row.published ? Verdict::ok : Verdict::differs;
  if (row.relation == Relation::at_least)
    return *row.computed >= *row.published ? Verdict::ok : Verdict::differs;
  // A tolerance of 0 still allows for the last bit of a double.
  constexpr double kRounding_pct = 1e-9;
  const double allowed_pct = row.tolerance_pct.value_or(0) + kRounding_pct;
  return std::abs(row.difference_pct()) <= allowed_pct ? Verdict::ok : Verdict::differs;
}

bool all_hold(const std::vector<ReproducedRow>& rows, bool quick) {
  return std::all_of(rows.begin(), rows.end(), [quick](const ReproducedRow& row) {
    return row.verdict == Verdict::ok || (quick && row.long_simulation);
  });
}

}  // namespace trainyard
