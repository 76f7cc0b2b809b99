// Which points of a stored question are shown.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/data/stored_columns.h"
#include "trainyard/result_store.h"

namespace trainyard {

/// Conditions on the free settings of a question and on the measures that it kept: "mapping.tensor=8",
/// "days<=600". All have to hold.
class StoredConditions {
 public:
  /// Throws InputError for what is no condition, for names that the question does not have, with the nearest,
  /// and for values that cannot be compared.
  StoredConditions(const StoredQuestion& question, const std::vector<std::string>& texts);

  /// A measure that is not known of a point keeps no condition.
  bool hold(const ReadPoint& point) const;

 private:
  std::vector<std::function<bool(const ReadPoint&)>> conditions_;
};

}  // namespace trainyard
