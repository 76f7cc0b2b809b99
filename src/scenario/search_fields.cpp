#include <fmt/core.h>

#include "base/comparison_text.h"
#include "scenario/checks.h"
#include "scenario/choices/search.h"
#include "scenario/sections.h"
#include "scenario/value_lists.h"
#include "trainyard/quantity_text.h"
#include "trainyard/scenario/search.h"

namespace trainyard {

const FieldTable<SearchInput>& search_fields() {
  using S = SearchInput;
  static const FieldTable<S> table = {
      field("objective", &S::objective,
            "What is best: step_time (time), training_time (days), price, gpu_hours, energy, exposed, "
            "throughput, mfu, token_price, "
            "memory, power, budget, devices, parameters, batch_error, broken_rules, or the key of a quantity "
            "(docs/output.md), of which less is "
            "better; "
            "-KEY for more."),
      field("front", &S::front, "Further objectives: the answer is a Pareto front over all of them."),
      field("limits", &S::limits,
            "What every answer keeps, each as \"power <= 30 MW\" or \"mfu >= 0.4\": an objective's name or a "
            "quantity's key, <= or >=, and a value with its unit. Without limits on them, batch_error <= "
            "0.01 and "
            "broken_rules <= 0."),
      field("ranked", &S::ranked, between(1, 10'000), "How many of the best are listed."),
      field("method", &S::method, "How the points are sought."),
      field("evaluations", &S::evaluations, between(100, 2e7), "Points that an evolution may plan."),
      field("seed", &S::seed, between(0, 9e15), "Of an evolution: another one takes other points."),
  };
  return table;
}

void check_search(const SearchInput& search, const Table& document, const std::string& source_name,
                  Findings& findings) {
  for (const std::string& limit : search.limits) {
    const ComparisonText read = comparison_text(limit, false);
    NumberWithUnit value;
    if (!read.name.empty() && split_number(read.value, value)) continue;
    findings.add(locate(document, "search.limits", source_name), fmt::format("\"{}\" is no limit", limit),
                 "a measure, <= or >=, and a value: \"power <= 30 MW\"");
  }
}

}  // namespace trainyard
