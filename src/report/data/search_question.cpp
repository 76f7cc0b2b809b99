#include <algorithm>
#include <utility>

#include "base/comparison_text.h"
#include "base/errors.h"
#include "trainyard/nearest.h"
#include "trainyard/plan.h"
#include "trainyard/planning.h"
#include "trainyard/quantities.h"
#include "trainyard/report/search.h"
#include "trainyard/scenario.h"
#include "trainyard/scenario/search.h"
#include "trainyard/scenario_text.h"

namespace trainyard {
namespace {

constexpr std::size_t kPointsForExample = 200;

std::vector<std::string> measure_names() {
  std::vector<std::string> out;
  for (const SearchMeasure& measure : search_measures()) out.push_back(measure.name);
  out.insert(out.end(), {"time", "days"});
  return out;
}

/// A plan whose quantities have the keys of this scenario's plans: of the first point that has one, or of a
/// shipped scenario.
Plan example_plan(const ScenarioText& text) {
  const std::vector<FreeSetting> space = free_settings(text);
  std::vector<std::size_t> choice(space.size(), 0);
  for (std::size_t tried = 0; tried < kPointsForExample; ++tried) {
    try {
      return plan_point(text, choice);
    } catch (const InputError&) {
    } catch (const Infeasible&) {
    }
    for (std::size_t s = space.size(); s-- > 0;) {
      if (++choice[s] < space[s].values.size()) break;
      choice[s] = 0;
    }
  }
  return make_plan(ScenarioText::load("llama3-405b").resolve());
}

/// Measures by name; quantities of an example where a name is none.
class Measures {
 public:
  explicit Measures(const ScenarioText& text) : text_(text) {}

  /// "days", "-step.mfu".
  SearchMeasure named(std::string name, const std::string& where) {
    const bool largest = name.starts_with('-');
    if (largest) name.erase(0, 1);
    SearchMeasure out;
    if (const SearchMeasure* known = find_measure(name)) {
      out = *known;
    } else {
      out = quantity(name, where);
    }
    if (largest) out.largest = true;
    return out;
  }

 private:
  SearchMeasure quantity(const std::string& name, const std::string& where) {
    if (quantities_.empty()) quantities_ = plan_quantities(example_plan(text_));
    if (name.find('.') == std::string::npos)
      fail_input(whole(where), "'" + name + "' is no measure of a plan", suggestion(name, measure_names()));
    const PlanQuantity& found = find_quantity(quantities_, name);
    if (found.unit == Unit::none) fail_input(whole(where), "'" + found.key + "' is a text, not a number");
    return {.name = found.key,
            .label = found.label,
            .unit = found.unit,
            .read = [key = found.key](const Plan& plan) { return read_quantity_value(plan, key); },
            .of_facility = found.section() == "facility" || found.section() == "model"};
  }

  const ScenarioText& text_;
  std::vector<PlanQuantity> quantities_;
};

SearchLimit limit_of(const std::string& text, Measures& measures) {
  constexpr const char* kWhere = "search.limits";
  const ComparisonText compared = comparison_text(text, false);
  if (compared.sign == ComparisonText::Sign::equal)
    fail_input(whole(kWhere), "\"" + text + "\" is no limit",
               "a measure, <= or >=, and a value: \"power <= 30 MW\"");
  SearchLimit out;
  out.measure = measures.named(compared.name, kWhere);
  out.at_most = compared.sign == ComparisonText::Sign::at_most;
  out.bound = compared_value(compared.value, out.measure.unit, text, kWhere);
  out.text = text;
  return out;
}

}  // namespace

SearchQuestion search_question(const ScenarioText& text, const SearchInput& input) {
  Measures measures(text);
  SearchQuestion out;
  out.objectives.push_back(measures.named(input.objective, "search.objective"));
  for (const std::string& name : input.front) {
    out.objectives.push_back(measures.named(name, "search.front"));
    for (std::size_t i = 0; i + 1 < out.objectives.size(); ++i) {
      if (out.objectives[i].name == out.objectives.back().name)
        fail_input(whole("search.front"), "'" + out.objectives[i].name + "' is an objective twice");
    }
  }
  for (const std::string& limit : input.limits) out.limits.push_back(limit_of(limit, measures));
  for (SearchLimit& usual : usual_limits()) {
    const auto same = [&](const SearchLimit& given) { return given.measure.name == usual.measure.name; };
    if (std::none_of(out.limits.begin(), out.limits.end(), same)) out.limits.push_back(std::move(usual));
  }
  out.ranked = static_cast<std::size_t>(input.ranked);
  out.method = input.method;
  out.evaluations = static_cast<std::uint64_t>(input.evaluations);
  out.seed = static_cast<std::uint64_t>(input.seed);
  return out;
}

}  // namespace trainyard
