#include "scenario/sections.h"
#include "trainyard/scenario/search.h"

namespace trainyard {

const FieldTable<SearchInput>& search_fields() {
  using S = SearchInput;
  static const FieldTable<S> table = {
      field("objective", &S::objective,
            "What is best: step_time (time), training_time (days), price, gpu_hours, energy, exposed, "
            "throughput, mfu, token_price, "
            "memory, power, budget, devices, or the key of a quantity (docs/output.md), of which less is "
            "better; "
            "-KEY for more."),
      field("front", &S::front, "Further objectives: the answer is a Pareto front over all of them."),
      field("limits", &S::limits,
            "What every answer keeps, each as \"power <= 30 MW\" or \"mfu >= 0.4\": an objective's name or a "
            "quantity's key, <= or >=, and a value with its unit."),
      field("ranked", &S::ranked, between(1, 10'000), "How many of the best are listed."),
  };
  return table;
}

}  // namespace trainyard
